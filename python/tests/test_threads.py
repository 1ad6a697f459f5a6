"""Python goes on while drivelab works, Ctrl-C ends it at once, and progress is told."""

from __future__ import annotations

import os
import pickle
import signal
import tempfile
import threading
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import drivelab as dl

LONG = {"budget": "2000 s", "scale": "4Mi units"}


def test_another_thread_runs_meanwhile() -> None:
    ticks, over = [], threading.Event()

    def tick() -> None:
        while not over.wait(0.01):
            ticks.append(time.monotonic())

    ticker = threading.Thread(target=tick)
    ticker.start()
    began = time.monotonic()
    dl.test("corner", on="p4510", read="100 %", budget="500 ms", scale="4Mi units")
    took = time.monotonic() - began
    over.set()
    ticker.join()
    # A thread that waits for the interpreter's lock would tick twice at most.
    assert len(ticks) > 0.2 * took / 0.01


def test_threads_agree(small: dict[str, str]) -> None:
    def one(seed: int) -> dict:
        return dict(dl.test("mixed", on="p4510", read="70 %", seed=seed, **small).raw)

    with ThreadPoolExecutor(4) as pool:
        many = list(pool.map(one, [1, 2, 3, 1]))
    assert many[0] == many[3] == one(1)
    assert many[0] != many[1]


def test_ctrl_c_ends_a_run() -> None:
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        dl.test("corner", on="p4510", read="100 %", **LONG)
    assert time.monotonic() - began < 8.0
    # The next call is another one.
    assert dl.test("corner", on="p4510", read="100 %", budget="5 ms")["iops"].value > 0


def test_ctrl_c_keeps_what_a_sweep_has_made(tmp_path: Path) -> None:
    def made(store: Path, points: int) -> dl.Sweep:
        space = dl.Space(give_up=dl.linear("0 %", "25 %"), qd=dl.log2(1, 64))
        return dl.sweep(
            space, on="p4510", load="mixed", read="70 %", points=points, store=store,
            budget="20 ms", scale="4Mi units", threads=1,
        )

    def interrupt() -> None:
        journal = tmp_path / "a" / "journal.jsonl"
        # A head and two runs, however slow the machine is.
        while not journal.exists() or len(journal.read_bytes().splitlines()) < 3:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        made(tmp_path / "a", 32)
    kept = len(dl.Sweep.open(tmp_path / "a").table)
    assert 2 <= kept < 32
    made(tmp_path / "a", 32)
    made(tmp_path / "b", 32)
    tables = [(tmp_path / name / "points.parquet").read_bytes() for name in "ab"]
    assert tables[0] == tables[1]


def test_ctrl_c_keeps_them_where_no_store_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def interrupt() -> None:
        def lines() -> int:
            return sum(len(one.read_bytes().splitlines()) for one in tmp_path.glob("*/journal.jsonl"))

        while lines() < 3:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt, match="store=") as stopped:
        dl.sweep(
            dl.Space(give_up=dl.linear("0 %", "25 %")), on="p4510", load="mixed", read="70 %",
            points=64, budget="20 ms", scale="4Mi units", threads=1,
        )
    [store] = tmp_path.iterdir()
    assert repr(str(store)) in str(stopped.value)
    assert 2 <= len(dl.Sweep.open(store).table) < 64


class StopsAfterOne(Executor):
    """An executor that does one call, and is interrupted in the second."""

    done = False

    def submit(self, call: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.done:
            raise KeyboardInterrupt
        self.done = True
        future: Future[Any] = Future()
        future.set_result(call(*args, **kwargs))
        return future


def test_ctrl_c_keeps_the_parts_of_a_pool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: dict[str, str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    space = dl.Space(give_up=dl.linear("0 %", "25 %"))
    with pytest.raises(KeyboardInterrupt, match="store="):
        dl.sweep(space, on="p4510", load="mixed", read="70 %", points=4, pool=StopsAfterOne(),
                 shards=2, **small)
    [store] = tmp_path.iterdir()
    assert [part.name for part in store.glob("*.jsonl")] == ["part-1-of-2.jsonl"]


def test_progress_is_told(small: dict[str, str]) -> None:
    heard: list[tuple[float, str]] = []
    dl.test("corner", on="p4510", read="100 %", budget="1 s", scale="4Mi units",
            progress=lambda share, what: heard.append((share, what)))
    shares = [share for share, _ in heard]
    assert shares and shares == sorted(shares) and all(0 <= share <= 1 for share in shares)


def test_an_error_in_a_listener_ends_the_run() -> None:
    def listener(share: float, what: str) -> None:
        raise RuntimeError("enough")

    began = time.monotonic()
    with pytest.raises(RuntimeError, match="enough"):
        dl.test("corner", on="p4510", read="100 %", progress=listener, **LONG)
    assert time.monotonic() - began < 8.0


def test_everything_is_pickled_by_value(small: dict[str, str]) -> None:
    drive = dl.Drive("p4510", set={"flash.dies": "128 dies"}, give_up="10 %")
    result = dl.test("mixed", on=drive, read="70 %", **small)
    for one in (drive, result, result["iops"], result.table, result.histograms, dl.choice("a", "b")):
        assert pickle.loads(pickle.dumps(one)) == one
    assert {drive: 1}[dl.Drive("p4510", set={"flash.dies": "128 dies"}, give_up="10 %")] == 1
