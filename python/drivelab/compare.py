"""Targets side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from ._call import Progress, Quantity, answer, options, pairs, several, single, text
from .drive import Target
from .table import Table, Tabular


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """Means over seeds with intervals, and whether they differ."""

    raw: Mapping[str, Any]

    @property
    def table(self) -> Table:
        """One row a load, metric and target."""
        names = [one["name"] for one in self.raw["targets"]]
        rows = []
        for row in self.raw["rows"]:
            for name, cell in zip(names, row["cells"], strict=False):
                difference = cell.get("difference") or {}
                rows.append(
                    {
                        "load": row["load"],
                        "metric": row["metric"],
                        "unit": row["unit"],
                        "target": name,
                        "mean": cell.get("mean"),
                        "half_width": cell.get("half_width"),
                        "relative": difference.get("relative"),
                        "p": difference.get("p_corrected"),
                        "verdict": cell.get("verdict"),
                    }
                )
        return Table(rows)


def compare(
    targets: Iterable[Target],
    *,
    method: str | Iterable[str] | None = None,
    baseline: Target | None = None,
    metric: str | Iterable[str] = (),
    repeats: int | None = None,
    state: str | None = None,
    budget: str | None = None,
    scale: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    interval: bool | int = False,
    record: str | PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress = "auto",
    **params: Quantity,
) -> Comparison:
    """Compares targets under one or several loads, with repeats and intervals.

    >>> small = dict(budget="5 ms", scale="4Mi units", repeats=2)
    >>> both = compare(["p4510", "pm9a3"], method="corner", read="100 %", **small)
    >>> set(both.table["target"]) == {"p4510-8tb", "pm9a3-7.68tb"}
    True
    """
    single(params)
    words = ["compare", *map(text, several(targets)), *pairs("param", params)]
    words += options(
        method=several(method),
        baseline=baseline,
        metric=several(metric),
        repeats=repeats,
        state=state,
        budget=budget,
        scale=scale,
        seed=seed,
        threads=threads,
        interval=interval,
        record=record,
        overwrite=overwrite,
    )
    return Comparison(answer(words, progress))
