"""fio jobs and traces."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from ._call import Progress, answer, options
from ._errors import InputError
from .drive import Target
from .table import Table, Tabular


@dataclass(frozen=True, repr=False)
class Run(Tabular):
    """What a job gave; ``fio`` is the report as fio's own JSON has it."""

    fio: Mapping[str, Any]

    @property
    def table(self) -> Table:
        """One row a job and direction: I/Os a second, B/s, mean latency (s)."""
        rows = []
        for job in self.fio.get("jobs") or ():
            for direction in ("read", "write", "trim"):
                part = job.get(direction) or {}
                if not part.get("total_ios"):
                    continue
                rows.append(
                    {
                        "job": job.get("jobname"),
                        "direction": direction,
                        "iops": part.get("iops"),
                        "bandwidth": part.get("bw_bytes"),
                        "lat_mean": (part.get("clat_ns") or {}).get("mean", 0.0) / 1e9,
                    }
                )
        return Table(rows, {"iops": "1/s", "bandwidth": "B/s", "lat_mean": "s"})


def run(
    job: str | PathLike[str] | None = None,
    *,
    on: Target,
    text: str | None = None,
    state: str | None = None,
    age: str | None = None,
    budget: str | None = None,
    scale: str | None = None,
    seed: int | None = None,
    record: str | PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress = "auto",
) -> Run:
    """Runs a job file of fio or a block trace; or the text of a job file.

    >>> job = "[r]\\nrw=randread\\nbs=4k\\niodepth=16\\ntime_based\\nruntime=10ms\\n"
    >>> run(text=job, on="p4510", budget="5 ms", scale="4Mi units").table["direction"]
    ['read']
    """
    if (job is None) == (text is None):
        raise InputError("a run needs a job file or a text", help="say run('job.fio') or run(text=...)")
    words = options(
        on=on,
        state=state,
        age=age,
        budget=budget,
        scale=scale,
        seed=seed,
        record=record,
        overwrite=overwrite,
    )
    if job is not None:
        return Run(answer(["run", fspath(job), *words], progress))
    with tempfile.NamedTemporaryFile("w", suffix=".fio") as file:
        file.write(text or "")
        file.flush()
        return Run(answer(["run", file.name, *words], progress))
