"""What the guide and the notebooks show runs as it stands there."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

ROOT = Path(os.environ["DRIVELAB_ROOT"])
NOTEBOOKS = sorted(path.name for path in ROOT.glob("examples/*.ipynb"))


def test_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs/guide/python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 5
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "guide"}
    for block in blocks:
        exec(compile(block, "docs/guide/python.md", "exec"), names)
    said = capsys.readouterr().out
    assert "1/s, from" in said and "a unit of the right kind is missing" in said


def test_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "README.md").read_text()
    [block] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    less = block.replace("points=64", 'points=16, budget="5 ms", scale="4Mi units"')
    assert less != block
    names: dict[str, object] = {"__name__": "readme"}
    exec(compile(less, "README.md", "exec"), names)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "notebook"}
    for cell in json.loads((ROOT / "examples" / name).read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), name, "exec"), names)


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS
