"""A sweep on Dask, of which a worker is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import dask
from distributed import Client, LocalCluster
from sweeps import made, parts, same_tables

import drivelab as dl


def test_a_worker_that_dies_costs_no_point(tmp_path: Path) -> None:
    made(tmp_path / "alone")
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
        while parts(tmp_path / "dask") < 3:
            assert sweep.is_alive()
            time.sleep(0.05)
        os.kill(pids[0], signal.SIGKILL)
        sweep.join(240)
        assert not sweep.is_alive() and len(found) == 1
    assert same_tables(tmp_path / "alone", tmp_path / "dask")
