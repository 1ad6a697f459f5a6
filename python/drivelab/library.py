"""What the library has."""

from __future__ import annotations

from ._call import answer
from .table import Table


def drives() -> Table:
    """The drives: slug, name, capacity, interface and flash.

    >>> "p4510-8tb" in drives()["slug"]
    True
    """
    return Table(answer(["list", "drives"]))


def systems() -> Table:
    """The arrays and cached volumes.

    >>> "mdraid-raid5-4x-p5520" in systems()["slug"]
    True
    """
    return Table(answer(["list", "systems"]))


def methods() -> Table:
    """The methods that :func:`drivelab.test` runs.

    >>> "write-pressure" in methods()["name"]
    True
    """
    return Table(answer(["list", "methods"]))
