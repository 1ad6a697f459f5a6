"""The sweep that clusters make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import drivelab as dl

SPACE = dl.Space(give_up=dl.linear("0 %", "25 %"), qd=dl.log2(1, 64))


def made(store: Path, **more: Any) -> dl.Sweep:
    return dl.sweep(
        SPACE, on="p4510", load="mixed", read="70 %", points=64, store=store,
        budget="100 ms", scale="4Mi units", progress=None, **more,
    )


def parts(store: Path) -> int:
    """Parts that have begun."""
    return len(list(store.glob("part-*.jsonl")))


def same_tables(alone: Path, spread: Path) -> bool:
    """Whether both have every row, and the same bytes."""
    tables = [(store / "points.parquet").read_bytes() for store in (alone, spread)]
    return len(dl.Sweep.open(spread).table) == 64 and tables[0] == tables[1]
