"""Published figures against the models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from ._call import Progress, answer, options, several
from .table import Table, Tabular


@dataclass(frozen=True, repr=False)
class Reproduction(Tabular):
    """Published against simulated, with verdicts and totals."""

    raw: Mapping[str, Any]

    @property
    def figures(self) -> Table:
        """One row a figure."""
        flat = (str, int, float, bool, type(None))
        return Table([{k: v for k, v in row.items() if isinstance(v, flat)} for row in self.raw["figures"]])

    @property
    def table(self) -> Table:
        """The figures."""
        return self.figures

    @property
    def claims(self) -> Table:
        """One row a claim."""
        return Table(self.raw["claims"])

    @property
    def summary(self) -> Mapping[str, Any]:
        """The totals."""
        summary: Mapping[str, Any] = self.raw["summary"]
        return summary


def reproduce(
    *reviews: str,
    files: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
    seeds: int | None = None,
    precision: str | None = None,
    counter: bool = False,
    budget: str | None = None,
    scale: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress = "auto",
) -> Reproduction:
    """Runs the figures of reviews of the library, or of files of one's own, on the models.

    >>> import pathlib, tempfile
    >>> mine = pathlib.Path(tempfile.mkdtemp(), "mine.toml")
    >>> _ = mine.write_text('''
    ... [[ref]]
    ... id = "mine.mixed"
    ... device = "Intel P4510 8TB"
    ... method = "mixed"
    ... params = { read = "70 %", qd = 16 }
    ... metric = "iops"
    ... value = 180
    ... unit = "kIOPS"
    ... ''')
    >>> held = reproduce(files=mine, budget="5 ms", scale="4Mi units")
    >>> held.figures["id"], held.figures["verdict"]
    (['mine.mixed'], ['hit'])
    >>> held.summary["predicted"]["hits"]
    1
    """
    words = ["reproduce", *reviews]
    words += options(
        reviews=several(files),
        seeds=seeds,
        precision=precision,
        counter=counter,
        budget=budget,
        scale=scale,
        seed=seed,
        threads=threads,
    )
    return Reproduction(answer(words, progress))
