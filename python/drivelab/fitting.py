"""Values of a model from figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from ._call import Progress, Quantity, answer, options, pairs, several, text
from .drive import Target
from .table import Table, Tabular


@dataclass(frozen=True, repr=False)
class Fit(Tabular):
    """Fitted values with their uncertainty; the model is in the file that was named."""

    raw: Mapping[str, Any]

    @property
    def table(self) -> Table:
        """One row a parameter."""
        return Table(self.raw["parameters"])


def fit(
    model: Target,
    *,
    figures: str | PathLike[str] | Iterable[str | PathLike[str]],
    free: str | Iterable[str],
    output: str | PathLike[str],
    only: str | Iterable[str] = (),
    set: Mapping[str, Quantity] | None = None,
    iterations: int | None = None,
    budget: str | None = None,
    scale: str | None = None,
    seed: int | None = None,
    overwrite: bool = False,
    progress: Progress = "auto",
) -> Fit:
    """Fits the ``free`` parameters of a model to figures and writes the new model to ``output``.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "mine.toml").write_text('''
    ... [[ref]]
    ... id = "mine.randread"
    ... device = "Intel P4510 8TB"
    ... method = "mixed"
    ... params = { read = "100 %", qd = 256 }
    ... metric = "iops"
    ... value = 600
    ... unit = "kIOPS"
    ... ''')
    >>> found = fit(
    ...     "p4510-8tb", figures=folder / "mine.toml", free="controller.read_cost",
    ...     output=folder / "new.toml", iterations=2, budget="5 ms", scale="4Mi units",
    ... )
    >>> found.table["key"], (folder / "new.toml").exists()
    (['controller.read_cost'], True)
    """
    words = ["fit", text(model), *pairs("set", set or {})]
    words += options(
        figures=several(figures),
        free=several(free),
        only=several(only),
        output=output,
        iterations=iterations,
        budget=budget,
        scale=scale,
        seed=seed,
        overwrite=overwrite,
    )
    return Fit(answer(words, progress))
