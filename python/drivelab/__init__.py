"""A laboratory for storage drives, real or modelled.

Quantities are text with their unit, as on the command line: ``"70 %"``, ``"200 us"``, ``"8 KiB"``.
Whole numbers without a unit (``qd=16``) may be numbers.

>>> import drivelab as dl
>>> drive = dl.Drive("p4510", give_up="10 %")
>>> result = dl.test("corner", on=drive, read="100 %", qd=16, budget="5 ms", scale="4Mi units")
>>> result["iops"].unit
'1/s'
"""

from ._errors import BugError, DrivelabError, InputError
from ._native import VERSION as __version__
from .choosing import Choice, choose
from .compare import Comparison, compare
from .drive import Drive
from .fitting import Fit, fit
from .fleets import Fleet, fleet
from .library import drives, methods, systems
from .measurement import Histogram, Measurement, Value, test
from .ray_pool import ray_executor
from .record import Record
from .reproduction import Reproduction, reproduce
from .running import Run, run
from .space import Space, choice, linear, log, log2
from .sweeping import Sweep, sweep
from .table import Table

__all__ = [
    "BugError",
    "Choice",
    "Comparison",
    "Drive",
    "DrivelabError",
    "Fit",
    "Fleet",
    "Histogram",
    "InputError",
    "Measurement",
    "Record",
    "Reproduction",
    "Run",
    "Space",
    "Sweep",
    "Table",
    "Value",
    "__version__",
    "choice",
    "choose",
    "compare",
    "drives",
    "fit",
    "fleet",
    "linear",
    "log",
    "log2",
    "methods",
    "ray_executor",
    "reproduce",
    "run",
    "sweep",
    "systems",
    "test",
]
