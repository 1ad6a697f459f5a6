"""Sweeps: on executors, over workers that die, and as the command line makes them."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import tempfile
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import drivelab as dl
from drivelab import sweeping

SPACE = dl.Space(drive=dl.choice("p4510", "pm9a3"), give_up=dl.choice("0 %", "10 %"), qd=dl.choice(1, 16))


def made(store: Path, **more: Any) -> dl.Sweep:
    return dl.sweep(
        SPACE, load="mixed", read="70 %", subject_to=["read_lat_p99 < 1 ms"], maximise=["iops"],
        store=store, budget="5 ms", scale="4Mi units", **more,
    )


def bits(sweep: dl.Sweep) -> bytes:
    return Path(sweep.store, "points.parquet").read_bytes()


class Killing(Executor):
    """A pool of processes of which each loses its worker once, in the middle of a part."""

    def __init__(self) -> None:
        self.killed = 0

    def submit(self, call: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(1, mp_context=context)
        future = pool.submit(call, *args, **kwargs)
        if self.killed < 2:
            self.killed += 1
            for process in pool._processes.values():
                os.kill(process.pid, signal.SIGKILL)
        return future


def test_the_answer(tmp_path: Path) -> None:
    sweep = made(tmp_path / "one")
    assert len(sweep.table) == 8 and set(sweep.table["status"]) == {"ok"}
    best = sweep.best
    assert best is not None and best["iops"] == max(sweep.pareto["iops"])
    units = sweep.table.units
    assert (units["iops"], units["read_lat_p99"], units["power"]) == ("1/s", "s", "W")
    assert {row["factor"] for row in sweep.effects} == {"drive", "give_up", "qd"}
    again = dl.Sweep.open(sweep.store)
    assert again.table.rows == sweep.table.rows


def test_a_temporary_store_goes_with_its_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    two = dl.Space(drive=dl.choice("p4510", "pm9a3"))
    sweep = dl.sweep(
        two, load="corner", read="100 %", subject_to="iops > 1 kIOPS", maximise="iops",
        budget="5 ms", scale="4Mi units",
    )
    assert len(sweep.table) == 2 and [str(path) for path in tmp_path.iterdir()] == [sweep.store]
    copy, table = pickle.loads(pickle.dumps(sweep)), sweep.table
    del sweep
    assert copy.table == table and not list(tmp_path.iterdir())
    assert pickle.loads(pickle.dumps(copy)).table == table
    assert pickle.loads(pickle.dumps(two)) == two
    with pytest.raises(dl.InputError):
        dl.sweep(two, load="no such load", budget="5 ms")
    assert not list(tmp_path.iterdir())


def test_loads_are_a_factor(tmp_path: Path) -> None:
    sweep = dl.sweep(
        dl.Space(drive=dl.choice("p4510", "pm9a3")), load=["mixed@read=70%", "corner@read=100%"], qd=8,
        maximise=["iops"], store=tmp_path / "loads", budget="5 ms", scale="4Mi units",
    )
    assert [best["load"] for best in sweep.best_by_load] == ["mixed@read=70%,qd=8", "corner@read=100%,qd=8"]
    assert sweep.best is None and len(sweep.table) == 4


def test_executors_give_the_same_bits(tmp_path: Path) -> None:
    alone = bits(made(tmp_path / "alone"))
    with ThreadPoolExecutor(2) as pool:
        assert bits(made(tmp_path / "threads", pool=pool, shards=3)) == alone
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert bits(made(tmp_path / "processes", pool=pool, shards=4)) == alone


def test_what_follows_from_all_runs_is_spread_too(tmp_path: Path) -> None:
    """The second rung and generation follow from the first, which all parts have made by then."""
    with ThreadPoolExecutor(2) as pool:
        for name, more in {"halving": {"halving": 2}, "generations": {"generations": 2, "points": 2}}.items():
            alone = bits(made(tmp_path / name, **more))
            assert bits(made(tmp_path / f"{name}-spread", pool=pool, shards=3, **more)) == alone


def test_a_worker_that_is_killed_costs_no_point(tmp_path: Path) -> None:
    alone = bits(made(tmp_path / "alone"))
    pool = Killing()
    assert bits(made(tmp_path / "killed", pool=pool, shards=2)) == alone
    assert pool.killed == 2


class Broken(Executor):
    """A pool that takes two parts, loses the worker of both and then takes nothing more."""

    def __init__(self) -> None:
        self.given: list[Future[Any]] = []

    def submit(self, call: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        if len(self.given) == 2:
            raise BrokenExecutor("a worker died")
        future: Future[Any] = Future()
        future.set_exception(BrokenExecutor("a worker died"))
        self.given.append(future)
        return future


def test_a_pool_that_ended_with_its_worker_is_said(tmp_path: Path) -> None:
    with pytest.raises(dl.DrivelabError, match="takes no more work") as caught:
        made(tmp_path / "broken", pool=Broken(), shards=2)
    assert "new pool" in (caught.value.help or "")
    assert len(made(tmp_path / "broken").table) == 8


class Distant(Executor):
    """A pool whose workers are told of no place of the sweep."""

    def __init__(self, store: Path) -> None:
        self.store = store

    def submit(self, call: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        assert str(self.store) not in repr((args, kwargs))
        before = sorted(self.store.iterdir())
        future: Future[Any] = Future()
        future.set_result(call(*args, **kwargs))
        assert sorted(self.store.iterdir()) == before
        return future


def test_only_the_caller_writes_to_the_store(tmp_path: Path) -> None:
    alone = bits(made(tmp_path / "alone"))
    store = tmp_path / "spread"
    assert bits(made(store, pool=Distant(store), shards=3)) == alone


def test_a_worker_of_another_build_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(dl.InputError, match="a worker has drivelab"):
        sweeping.shard(["sweep"], 1, 2, {}, "0.0.1+of-another")


def test_two_processes_on_one_store_are_told(tmp_path: Path) -> None:
    store = tmp_path / "one"
    with sweeping._held(store), pytest.raises(dl.InputError, match="another process works"):
        made(store, pool=Distant(store), shards=2)
