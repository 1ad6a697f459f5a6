"""Which of some drives and arrays to take."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ._call import Progress, call, options, several, text
from ._errors import BugError, DrivelabError, InputError
from .drive import Target
from .table import Table, Tabular


@dataclass(frozen=True, repr=False)
class Choice(Tabular):
    """What becomes of each candidate under a load, and which one to take."""

    raw: Mapping[str, Any]

    @property
    def chosen(self) -> str | None:
        """The candidate to take: the best of those that surely keep every limit, else of those that fail none."""
        chosen: str | None = self.raw["chosen"]
        return chosen

    @property
    def is_sure(self) -> bool:
        """Whether a candidate surely keeps every limit."""
        return any(one["verdict"] == "keeps" for one in self.raw["candidates"])

    @property
    def candidates(self) -> Table:
        """One row a candidate, the best first."""
        rows = []
        for one in self.raw["candidates"]:
            objective = one["objective"] or {}
            rows.append(
                {
                    "candidate": one["name"],
                    "verdict": one["verdict"],
                    "drives": one["drives"],
                    "usable_capacity": one["usable_capacity"],
                    self.raw["objective"]["metric"]: objective.get("value"),
                    "failure": one["failure"],
                }
            )
        return Table(rows)

    @property
    def table(self) -> Table:
        """One row a candidate, condition and limit."""
        rows = []
        for one in self.raw["candidates"]:
            for condition in one["conditions"]:
                for limit in condition["limits"]:
                    value = limit["value"] or {}
                    rows.append(
                        {
                            "candidate": one["name"],
                            "condition": condition["name"],
                            "limit": limit["text"],
                            "value": value.get("value"),
                            "low": value.get("low95"),
                            "high": value.get("high95"),
                            "margin": limit["margin"],
                            "verdict": limit["verdict"],
                        }
                    )
        return Table(rows)


def choose(
    among: Target | Iterable[Target],
    *,
    load: str | PathLike[str],
    require: str | Iterable[str] = (),
    dwpd: float | None = None,
    years: float | None = None,
    conditions: str | Iterable[str] = (),
    minimise: str | None = None,
    maximise: str | None = None,
    cost: str | PathLike[str] | None = None,
    repeats: int | None = None,
    interval: bool | int = False,
    output: str | PathLike[str] | None = None,
    budget: str | None = None,
    scale: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    overwrite: bool = False,
    progress: Progress = "auto",
) -> Choice:
    """Holds candidates to limits under a load. No exception if none keeps them: see ``Choice.is_sure``.

    >>> small = dict(budget="5 ms", scale="4Mi units", repeats=2)
    >>> choice = choose(["p4510"], load="mixed@read=70%,qd=4", require=["iops > 1 kIOPS"], **small)
    >>> choice.chosen, choice.is_sure, choice.table["verdict"]
    ('p4510-8tb', True, ['keeps'])
    """
    with TemporaryDirectory() as folder:
        place = Path(folder, "choice.json") if output is None else Path(output)
        words = ["choose", "--json", *(f"--among={text(one)}" for one in several(among))]
        words += options(
            load=load,
            require=several(require),
            dwpd=dwpd,
            years=years,
            minimise=minimise,
            maximise=maximise,
            cost=cost,
            repeats=repeats,
            interval=interval,
            output=place,
            budget=budget,
            scale=scale,
            seed=seed,
            threads=threads,
            overwrite=overwrite,
        )
        words += [f"--while={one}" for one in several(conditions)]
        before = place.stat().st_mtime_ns if place.exists() else None
        try:
            call(words, progress)
        except (InputError, BugError):
            raise
        except DrivelabError:
            # Where no candidate keeps every limit there is an answer all the same.
            if not place.exists() or place.stat().st_mtime_ns == before:
                raise
        return Choice(json.loads(place.read_text()))
