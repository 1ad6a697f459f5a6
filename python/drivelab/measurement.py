"""Methods on targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from ._call import Progress, Quantity, answer, options, pairs, single, text
from ._errors import InputError
from .drive import Target
from .table import Table, Tabular


@dataclass(frozen=True)
class Value:
    """A number in the base unit of its metric (1/s, B/s, s, W, J), and how well it is known."""

    value: float
    unit: str
    #: How many I/Os it rests on, if that can be said.
    samples: int | None = None
    #: 95 % interval of this run, if it is known.
    interval95: tuple[float, float] | None = None
    #: 90 % interval of where the real drive lies, if ``interval`` was asked for.
    interval90: Mapping[str, Any] | None = None

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True)
class Histogram:
    """Latencies by bins: least and greatest of each (ns), and how many."""

    name: str
    lower_ns: tuple[int, ...]
    upper_ns: tuple[int, ...]
    counts: tuple[int, ...]

    def percentile(self, percent: float) -> float:
        """The latency that so many percent do not exceed, s: the upper end of its bin.

        >>> Histogram("read_lat", (0, 10), (9, 19), (99, 1)).percentile(99.9)
        1.9e-08
        """
        if not 0.0 < percent <= 100.0 or not self.counts:
            raise InputError(f"there is no percentile {percent} here", help="0 to 100, of some counts")
        rank, seen = percent / 100.0 * sum(self.counts), 0
        for upper, count in zip(self.upper_ns, self.counts, strict=True):
            seen += count
            if seen >= rank:
                break
        return upper / 1e9

    @property
    def table(self) -> Table:
        """One row a bin."""
        bins = zip(self.lower_ns, self.upper_ns, self.counts, strict=True)
        rows = [{"lower_ns": low, "upper_ns": high, "count": count} for low, high, count in bins]
        return Table(rows, {"lower_ns": "ns", "upper_ns": "ns"})


@dataclass(frozen=True)
class Measurement(Tabular):
    """The numbers of one target, by metric: ``result["iops"]`` is a :class:`Value`.

    It is read like a mapping, but is none: data frames take a mapping for columns.
    """

    target: str
    method: str
    params: Mapping[str, str]
    raw: Mapping[str, Any]

    def __getitem__(self, metric: str) -> Value:
        metrics = self.raw["metrics"]
        if metric not in metrics:
            raise KeyError(f"{metric!r}; there are {', '.join(metrics)}")
        return _value(metrics[metric])

    def __iter__(self) -> Iterator[str]:
        return iter(self.raw["metrics"])

    def __len__(self) -> int:
        return len(self.raw["metrics"])

    def __contains__(self, metric: object) -> bool:
        return metric in self.raw["metrics"]

    def keys(self) -> tuple[str, ...]:
        """The metrics."""
        return tuple(self.raw["metrics"])

    def values(self) -> tuple[Value, ...]:
        """Their numbers."""
        return tuple(map(_value, self.raw["metrics"].values()))

    def items(self) -> tuple[tuple[str, Value], ...]:
        """Both."""
        return tuple(zip(self.keys(), self.values(), strict=True))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What one should know of these numbers."""
        return tuple(self.raw.get("warnings") or ())

    @property
    def limits(self) -> tuple[Mapping[str, Any], ...]:
        """What limits each part of the run: link, cores, dies, programs, power, buffer, host."""
        return tuple(self.raw.get("limited_by") or ())

    @property
    def histograms(self) -> dict[str, Histogram]:
        """All latencies, by name."""
        kept = self.raw.get("histograms") or ()
        fields = ("lower_ns", "upper_ns", "counts")
        return {one["name"]: Histogram(one["name"], *(tuple(one[f]) for f in fields)) for one in kept}

    @property
    def series(self) -> dict[str, Table]:
        """Curves over time or volume by name, one row a window."""
        return {one["name"]: _series(one) for one in self.raw.get("series") or ()}

    @property
    def points(self) -> Table:
        """The points of a curve over load, if the method makes one."""
        rows = []
        units: dict[str, str] = {}
        for one in self.raw.get("points") or ():
            metrics = {name: value["value"] for name, value in one["metrics"].items()}
            units.update((name, value["unit"]) for name, value in one["metrics"].items())
            rows.append({**one["at"], **metrics})
        return Table(rows, units)

    @property
    def table(self) -> Table:
        """Metrics, one a row."""
        rows = [
            {
                "target": self.target,
                "metric": name,
                "value": value.value,
                "unit": value.unit,
                "samples": value.samples,
                "low": value.interval95[0] if value.interval95 else None,
                "high": value.interval95[1] if value.interval95 else None,
            }
            for name, value in self.items()
        ]
        return Table(rows)

    def __repr__(self) -> str:
        return f"{self.method} on {self.target}\n{self.table!r}"


def _value(raw: Mapping[str, Any]) -> Value:
    interval = raw.get("interval95")
    return Value(
        float(raw["value"]),
        raw["unit"],
        raw.get("samples"),
        (interval[0], interval[1]) if interval else None,
        raw.get("interval90"),
    )


def _series(raw: Mapping[str, Any]) -> Table:
    """A curve has lists of numbers, as long as that of its times."""
    lists = {name: values for name, values in raw.items() if isinstance(values, list)}
    length = len(lists.get("time_s") or ())
    columns = {name: values for name, values in lists.items() if len(values) == length}
    flat = {n: v for n, v in columns.items() if not any(isinstance(one, (dict, list)) for one in v)}
    return Table([dict(zip(flat, row, strict=True)) for row in zip(*flat.values(), strict=True)])


def test(
    method: str | PathLike[str],
    *,
    on: Target,
    state: str | None = None,
    age: str | None = None,
    budget: str | None = None,
    scale: str | None = None,
    seed: int | None = None,
    full: bool = False,
    threads: int | None = None,
    interval: bool | int = False,
    drives: int | None = None,
    record: str | PathLike[str] | None = None,
    overwrite: bool = False,
    size: str | None = None,
    progress: Progress = "auto",
    **params: Quantity,
) -> Measurement:
    """Runs a method on a target and returns its numbers.

    Parameters of the method are keyword arguments: ``read="70 %"``, ``qd=16``. The numbers are
    the same bits as those of ``drivelab test`` with the same words.

    Raises:
        InputError: for an unknown name, a missing unit, or a target that must not be written
        DrivelabError: if the run fails

    >>> result = test("mixed", on="p4510", read="70 %", qd=1, budget="5 ms", scale="4Mi units")
    >>> result["read_lat_mean"].value < 200e-6
    True
    """
    single(params)
    words = ["test", text(method), f"--on={text(on)}", *pairs("param", params)]
    words += options(
        state=state,
        age=age,
        budget=budget,
        scale=scale,
        seed=seed,
        full=full,
        threads=threads,
        interval=interval,
        drives=drives,
        record=record,
        overwrite=overwrite,
        size=size,
    )
    told = answer(words, progress)
    [raw] = told["targets"]
    return Measurement(raw["target"], told["method"], told["params"], raw)
