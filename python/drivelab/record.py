"""Records: what was measured, on what, and with which program."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from ._call import call


@dataclass(frozen=True)
class Record:
    """A saved result.

    >>> import tempfile
    >>> from drivelab import test
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     small = dict(qd=1, budget="5 ms", scale="4Mi units", record=folder + "/one.json")
    ...     result = test("corner", on="p4510", read="100 %", **small)
    ...     record = Record.open(folder + "/one.json")
    ...     record.report(folder + "/one.html")
    >>> record.raw["result"]["kind"]
    'method'
    """

    path: str
    raw: Mapping[str, Any]

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Record:
        """Reads a Record that a command or a ``record=`` argument has saved."""
        with open(path, encoding="utf-8") as file:
            return cls(fspath(path), json.load(file))

    def rerun(self) -> str:
        """Makes it again and says whether the same came out, to the last bit."""
        return call(["rerun", self.path]).decode()

    def report(self, to: str | PathLike[str], title: str | None = None) -> None:
        """Writes a page of it."""
        words = ["report", self.path, f"--output={fspath(to)}", "--overwrite"]
        call(words + ([f"--title={title}"] if title else []))
