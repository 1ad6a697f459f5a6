"""Thousands of points."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from . import _native
from ._call import Progress, Quantity, answer, options, several, text
from ._errors import DrivelabError, InputError
from .drive import Target
from .space import Space
from .table import Table, Tabular


_UNNAMED = "drivelab-sweep-"
"""What the name of a store begins with that nobody named."""


@dataclass(frozen=True)
class Sweep(Tabular):
    """What a sweep found. Its runs are in the directory ``store``."""

    store: str
    raw: Mapping[str, Any]
    _runs: tuple[dict[str, Any], ...] | None = field(default=None, repr=False, compare=False)
    """The runs, where the store is not there any more."""

    @property
    def table(self) -> Table:
        """Every run that ended: its factors, its seed, and a column a metric in base units."""
        if self._runs is not None:
            return Table(self._runs, self.raw["units"])
        rows = sorted(_journal(Path(self.store)), key=lambda row: str(row["id"]))
        return Table(map(_line, rows), self._units(rows))

    def __getstate__(self) -> dict[str, Any]:
        # A store that nobody named ends with this object; a copy elsewhere has its runs.
        if not _is_unnamed(self.store) or self._runs is not None:
            return dict(self.__dict__)
        table = self.table
        raw = {**self.raw, "units": table.units}
        return {"store": self.store, "raw": raw, "_runs": tuple(table)}

    @property
    def pareto(self) -> Table:
        """The points that no other is surely better than: factors, and numbers in base units."""
        return Table(map(_point, self.raw["pareto"]), self._units(self.raw["pareto"]))

    def _units(self, rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
        names = {name for row in rows for name in row.get("values") or ()}
        units = {name: unit for name in sorted(names) if (unit := _native.unit(name))}
        # Of a cost it is the currency.
        return {**units, **{goal["metric"]: goal["unit"] for goal in self.raw["objectives"]}}

    @property
    def effects(self) -> Table:
        """What each factor does by itself."""
        return Table(self.raw.get("effects") or ())

    @property
    def best(self) -> dict[str, Any] | None:
        """The best point by the first objective; None if none keeps the limits."""
        best = self.raw.get("best")
        return _point(best) if best else None

    @property
    def best_by_load(self) -> list[dict[str, Any]]:
        """The best point of each load, where several were given."""
        return [_point(best) for best in self.raw.get("best_by_load", [])]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What one should know of these numbers."""
        return tuple(self.raw.get("warnings") or ())

    @classmethod
    def open(cls, store: str | PathLike[str]) -> Sweep:
        """A sweep that was made before, from its directory: its runs, without a new answer."""
        if not Path(store, "journal.jsonl").exists():
            raise InputError(f"{fspath(store)} holds no sweep", help="it has a file journal.jsonl")
        return cls(fspath(store), {"objectives": (), "pareto": ()})

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.table)

    def __repr__(self) -> str:
        return repr(self.pareto)


def _is_unnamed(store: str) -> bool:
    place = Path(store)
    return place.parent == Path(tempfile.gettempdir()) and place.name.startswith(_UNNAMED)


def _journal(store: Path) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    for path in sorted(store.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue  # A line that was cut short is made again by the next sweep.
            if isinstance(row, dict) and "at" in row and row["id"] not in seen:
                seen.add(row["id"])
                yield row


def _numbers(one: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value["value"] for name, value in (one.get("values") or {}).items()}


def _point(one: Mapping[str, Any]) -> dict[str, Any]:
    return {**one["at"], **_numbers(one), "verdict": one.get("verdict")}


def _line(row: Mapping[str, Any]) -> dict[str, Any]:
    about = {"seed": row["seed"], "status": row["status"], "message": row.get("message")}
    return {"id": row["id"], **row["at"], **about, **_numbers(row)}


@dataclass(frozen=True)
class _Part:
    """What a worker made of a part of a sweep."""

    name: str
    text: bytes
    done: bool


def shard(words: list[str], number: int, of: int, known: Mapping[str, bytes], version: str) -> _Part:
    """Makes one part of a sweep as far as the others have come; where an executor runs it.

    A worker writes to no place of the sweep: it is given what it has to ``known`` of the store, and
    returns what it made. ``version`` is that of the process which keeps the store.
    """
    if version != _native.BUILD:
        raise InputError(
            f"a worker has drivelab {_native.BUILD}, and the sweep is made with {version}",
            help="install the same wheel on all nodes; what has ended is kept",
        )
    with tempfile.TemporaryDirectory(prefix=_UNNAMED) as folder:
        for name, kept in known.items():
            Path(folder, name).write_bytes(kept)
        made = answer(["sweep", "run", *words[1:], f"--shard={number}/{of}", f"--output={folder}"])
        name = _part(number, of)
        path = Path(folder, name)
        return _Part(name, path.read_bytes() if path.exists() else b"", bool(made["done"]))


_Call = tuple[list[str], int, int, Mapping[str, bytes], str]
"""What a worker is asked."""


def _part(number: int, of: int) -> str:
    return f"part-{number}-of-{of}.jsonl"


def sweep(
    space: Space | None = None,
    *,
    load: str | Iterable[str] | None = None,
    plan: str | PathLike[str] | None = None,
    on: Target | None = None,
    sampler: str | None = None,
    points: int | None = None,
    repeats: int | None = None,
    halving: int | None = None,
    race: bool = False,
    generations: int | None = None,
    subject_to: str | Iterable[str] = (),
    minimise: str | Iterable[str] = (),
    maximise: str | Iterable[str] = (),
    dwpd: float | None = None,
    cost: str | PathLike[str] | None = None,
    store: str | PathLike[str] | None = None,
    budget: str | None = None,
    scale: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    pool: Executor | None = None,
    shards: int | None = None,
    progress: Progress = "auto",
    **params: Quantity,
) -> Sweep:
    """Measures a load at many points and says which are best; several loads are a factor too.

    ``store`` is the directory that keeps the runs: killed or interrupted at any time, the same
    call goes on from there. Without it they are kept in a temporary directory that is removed with
    the answer; Ctrl-C leaves it and names it.

    ``pool`` is any :class:`concurrent.futures.Executor` (processes of this machine, Dask, MPI, Ray
    by :func:`drivelab.ray_executor`): its workers make the ``shards`` and return them, and this
    process alone writes to ``store``. What a worker had made of a part is lost with it, so more
    shards lose less. Files that ``load``, ``plan``, ``cost`` or targets name have to be where the
    workers are. The answer is the same to the last bit.

    >>> from drivelab import choice
    >>> found = sweep(Space(drive=choice("p4510", "pm9a3")), load="corner", read="100 %",
    ...               budget="5 ms", scale="4Mi units")
    >>> found.best["drive"]
    'pm9a3'
    """
    loads = several(load)
    if loads and params:
        own = ",".join(f"{key}={text(value)}" for key, value in params.items())
        loads = [f"{one},{own}" if "@" in one else f"{one}@{own}" for one in loads]
    elif params:
        raise InputError(f"`{next(iter(params))}` is a parameter of no load", help='say load="mixed"')
    words = ["sweep", *([text(plan)] if plan is not None else []), *(space.words if space else [])]
    words += options(
        load=loads,
        on=on,
        sampler=sampler,
        points=points,
        repeats=repeats,
        halving=halving,
        race=race,
        generations=generations,
        require=several(subject_to),
        minimise=several(minimise),
        maximise=several(maximise),
        dwpd=dwpd,
        cost=cost,
        budget=budget,
        scale=scale,
        seed=seed,
        threads=threads,
    )
    with ExitStack() as cleaning:
        if store is None:
            kept = tempfile.mkdtemp(prefix=_UNNAMED)
            cleaning.callback(shutil.rmtree, kept, ignore_errors=True)
        else:
            kept = fspath(store)
        try:
            if pool is not None:
                with _held(Path(kept)):
                    _spread(words, pool, shards or 32, Path(kept))
            found = Sweep(kept, answer([*words, *options(output=kept)], progress))
        except KeyboardInterrupt as stopped:
            # What has ended is not thrown away because nobody named a place for it.
            if store is None and any(Path(kept).glob("*.jsonl")):
                cleaning.pop_all()
                stopped.args = (f"the runs that ended are kept: sweep(..., store={kept!r})",)
            raise
        weakref.finalize(found, cleaning.pop_all().close)
    return found


@contextmanager
def _held(store: Path) -> Iterator[None]:
    """Keeps other processes out of a store while parts of it are made elsewhere."""
    store.mkdir(parents=True, exist_ok=True)
    with open(store / "lock", "ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = "another process works in this store"
            raise InputError(message, str(store), "wait for it, or name another store") from None
        yield


def _spread(words: list[str], pool: Executor, shards: int, store: Path) -> None:
    """Has all parts made. Rungs, rounds and generations follow from all runs before: when all parts
    have ended, those that are not done go on."""
    alone = [word for word in words if not word.startswith("--threads=")] + ["--threads=1"]
    while not _stage(alone, pool, shards, store):
        pass


def _stage(words: list[str], pool: Executor, shards: int, store: Path) -> bool:
    """Has each part made once and keeps it, and says whether all are done. A part whose worker was
    lost is made again, three times at most."""
    known = {path.name: path.read_bytes() for path in store.glob("*.jsonl")}
    numbers = range(1, shards + 1)
    calls: dict[int, _Call] = {n: (words, n, shards, known, _native.BUILD) for n in numbers}
    left = dict.fromkeys(numbers, 3)
    under_way: dict[Future[_Part], int] = {}
    done = True
    try:
        for number, call in calls.items():
            under_way[pool.submit(shard, *call)] = number
        while under_way:
            ended, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in ended:
                number, lost = under_way[future], future.exception()
                if lost is None:
                    done = _keep(store, future.result()) and done
                elif isinstance(lost, InputError) or not left[number]:
                    raise lost
                else:
                    left[number] -= 1
                    under_way[_again(pool, lost, calls[number])] = number
                del under_way[future]
    finally:
        for future in under_way:
            if not future.cancel() and future.done() and future.exception() is None:
                _keep(store, future.result())
    return done


def _keep(store: Path, made: _Part) -> bool:
    """Puts a part in the store, whole or not at all; whether nothing is left for it."""
    path = store / made.name
    beside = path.with_suffix(".new")
    with open(beside, "wb") as file:
        file.write(made.text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    return made.done


def _again(pool: Executor, lost: BaseException, call: _Call) -> Future[_Part]:
    """Has a part made again, unless the pool ended with its worker."""
    try:
        return pool.submit(shard, *call)
    except BrokenExecutor:
        raise DrivelabError(
            "a worker of the pool died, and the pool takes no more work",
            help="what has ended is kept: call sweep() with the same store and a new pool",
        ) from lost
