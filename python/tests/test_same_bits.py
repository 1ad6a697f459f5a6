"""The package gives the same bits as the command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import drivelab as dl


def told(program: Path, *words: str) -> dict:
    ran = subprocess.run([program, *words, "--json"], capture_output=True, check=True)
    return json.loads(ran.stdout)


def test_a_test(program: Path, small: dict[str, str]) -> None:
    own = dl.test("mixed", on=dl.Drive("p4510", give_up="10 %"), read="70 %", qd=16, seed=3, **small)
    words = ["--on=p4510@give_up=10 %", "--param=read=70 %", "--param=qd=16", "--seed=3"]
    options = [f"--{name}={value}" for name, value in small.items()]
    assert own.raw == told(program, "test", "mixed", *words, *options)["targets"][0]


def test_a_job(program: Path, tmp_path: Path, small: dict[str, str]) -> None:
    job = tmp_path / "job.fio"
    job.write_text("[w]\nrw=randwrite\nbs=4k\niodepth=4\ntime_based\nruntime=20ms\n")
    options = [f"--{name}={value}" for name, value in small.items()]
    own, theirs = dl.run(job, on="p4510", **small).fio, told(program, "run", str(job), "--on=p4510", *options)
    assert own["jobs"] == theirs["jobs"]
    assert own["jobs"] == dl.run(text=job.read_text(), on="p4510", **small).fio["jobs"]


def test_versions_agree(program: Path) -> None:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.split()[-1] == dl.__version__
