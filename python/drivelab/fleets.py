"""Many drives over years."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from ._call import Progress, answer, options, text
from .table import Table, Tabular


@dataclass(frozen=True, repr=False)
class Fleet(Tabular):
    """What becomes of each purchase, month by month."""

    raw: Mapping[str, Any]

    @property
    def table(self) -> Table:
        """One row a purchase and month: shares of the rated cycles used, and drives gone until then."""
        rows = []
        for one in self.raw["purchases"]:
            for month in one["months"]:
                wear = dict(zip(("wear_p50", "wear_p95", "wear_p99", "wear_p99.9"), month["wear"], strict=True))
                row = {"purchase": one["name"], "month": month["month"]}
                row |= {"wear_mean": month.get("wear_mean"), **wear}
                rows.append({**row, "past_rated": month["past_rated"], **month["gone"]})
        return Table(rows)

    @property
    def purchases(self) -> Table:
        """One row a purchase: what it comes to in all the time."""
        rows = []
        for one in self.raw["purchases"]:
            cost, losses = one.get("cost") or {}, one.get("losses") or {}
            worn = one.get("failed_wear") or {}
            rows.append(
                {
                    "purchase": one["name"],
                    "drive": one["drive"],
                    "drives": one["drives"],
                    "replaced": one["replaced"]["mean"],
                    "failure_rate": one["failure_rate"],
                    "failed_under_tenth": worn.get("under_tenth"),
                    "failed_over_nine_tenths": worn.get("over_nine_tenths"),
                    "spares": one["spares"],
                    "losses": losses.get("mean"),
                    "cost": cost.get("mean"),
                }
            )
        return Table(rows)

    @property
    def sample(self) -> Table:
        """One row a drive that was simulated in full: its use, and what it wears in a year there and in the fleet."""
        rows = []
        for one in self.raw["purchases"]:
            for drive in one.get("sample") or ():
                row = {"purchase": one["name"]}
                row |= {name: drive[name] for name in ("in_order", "block", "fill", "writes")}
                for name in ("amplification", "wear_a_year"):
                    row |= {name: drive[name]["simulated"], f"fleet_{name}": drive[name]["fleet"]}
                rows.append(row)
        return Table(rows)

    @property
    def published(self) -> Table:
        """One row a number of a field study in the plan, beside what the fleet says of it."""
        return Table([dict(row) for row in self.raw.get("published") or ()])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What one should know of these numbers."""
        return tuple(self.raw.get("warnings") or ())


def fleet(
    plan: str | PathLike[str],
    *,
    runs: int | None = None,
    sample: int | None = None,
    cost: str | PathLike[str] | None = None,
    budget: str | None = None,
    scale: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress = "auto",
) -> Fleet:
    """Lives through years with the fleets of a plan, a TOML file.

    Of each purchase ``sample`` drives are simulated in full and held against the fleet.

    >>> plan = '''
    ... time = "2 years"
    ... [purchase.slc]
    ... drive = "x25-e"
    ... drives = "50 drives"
    ... [use]
    ... writes = "5 x/day"
    ... [hazard]
    ... source = "an example"
    ... random = "1 %/year"
    ... '''
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "plan.toml")
    >>> _ = path.write_text(plan)
    >>> years = fleet(path, runs=5, sample=2, budget="5 ms", scale="1Mi units")
    >>> len(years.table), len(years.sample)
    (24, 2)
    """
    words = ["fleet", text(plan)]
    words += options(runs=runs, sample=sample, cost=cost, budget=budget, scale=scale, seed=seed, threads=threads)
    return Fleet(answer(words, progress))
