"""A sweep on a cluster of Ray: a worker is killed, then one of two nodes, and another one joins."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_DEDUP_LOGS="0")

import ray
from ray.cluster_utils import Cluster
from sweeps import made, parts, same_tables

import drivelab as dl

SMALL_STORE = 80_000_000


def busy_workers() -> list[int]:
    """Processes that make a part: Ray calls each by what it does."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            name = (process / "cmdline").read_bytes()
        except OSError:
            continue  # It has ended meanwhile.
        if name.startswith(b"ray::shard"):
            found.append(int(process.name))
    return found


def test_a_worker_and_a_node_that_die_cost_no_point(tmp_path: Path) -> None:
    made(tmp_path / "alone")
    head = {"num_cpus": 0, "object_store_memory": SMALL_STORE, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=SMALL_STORE) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        found: list[dl.Sweep] = []
        spread = lambda: found.append(made(tmp_path / "ray", pool=dl.ray_executor(), shards=16))
        sweep = threading.Thread(target=spread)
        sweep.start()
        # Some parts are there, others are not.
        while parts(tmp_path / "ray") < 3 or not (workers := busy_workers()):
            assert sweep.is_alive()
            time.sleep(0.05)
        os.kill(workers[0], signal.SIGKILL)
        while parts(tmp_path / "ray") < 6:
            assert sweep.is_alive()
            time.sleep(0.05)
        cluster.remove_node(nodes[1], allow_graceful=False)
        cluster.add_node(num_cpus=1, object_store_memory=SMALL_STORE)
        sweep.join(240)
        assert not sweep.is_alive() and len(found) == 1
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert same_tables(tmp_path / "alone", tmp_path / "ray")
