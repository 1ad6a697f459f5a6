"""A sweep on Dask, of which a worker is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import dask
from distributed import Client, LocalCluster

import drivelab as dl

SPACE = dl.Space(give_up=dl.linear("0 %", "25 %"), qd=dl.log2(1, 64))


def made(store: Path, **more: Any) -> dl.Sweep:
    return dl.sweep(
        SPACE, on="p4510", load="mixed", read="70 %", points=64, store=store,
        budget="100 ms", scale="4Mi units", progress=None, **more,
    )


def test_a_worker_that_dies_costs_no_point(tmp_path: Path) -> None:
    alone = made(tmp_path / "alone")
    dask.config.set({"distributed.worker.multiprocessing-method": "spawn"})
    shape = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with (
        LocalCluster(host="127.0.0.1", dashboard_address=None, **shape) as cluster,
        Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())
        assert len(pids) == 2
        found: list[dl.Sweep] = []
        pool = client.get_executor(retries=5)
        spread = lambda: found.append(made(tmp_path / "dask", pool=pool, shards=16))
        sweep = threading.Thread(target=spread)
        sweep.start()
        # Some parts are there, others are not.
        while len(list((tmp_path / "dask").glob("part-*.jsonl"))) < 3:
            assert sweep.is_alive()
            time.sleep(0.05)
        os.kill(pids[0], signal.SIGKILL)
        sweep.join(240)
        assert not sweep.is_alive() and len(found) == 1
    assert len(found[0].table) == len(alone.table) == 64
    tables = [(tmp_path / name / "points.parquet").read_bytes() for name in ("alone", "dask")]
    assert tables[0] == tables[1]
