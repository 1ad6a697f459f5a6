"""A drive, an array or a cached volume, with what is changed about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from ._call import Quantity, answer, text


@dataclass(frozen=True, init=False)
class Drive:
    """A target: a name of the library, a model file, a real path, or a served drive.

    A drive is a value: it can be compared, hashed and pickled.

    >>> Drive("p4510", set={"flash.dies": "64 dies"}, give_up="10 %").text
    'p4510@give_up=10 %,flash.dies=64 dies'
    """

    name: str
    changes: tuple[tuple[str, str], ...]

    def __init__(
        self,
        name: str | PathLike[str],
        *,
        set: Mapping[str, Quantity] | None = None,
        give_up: Quantity | None = None,
    ) -> None:
        """``set`` changes values of the model by their paths, ``give_up`` is the share of the user
        capacity that becomes spare area."""
        changes = {} if give_up is None else {"give_up": text(give_up)}
        changes.update((key, text(value)) for key, value in (set or {}).items())
        object.__setattr__(self, "name", fspath(name))
        object.__setattr__(self, "changes", tuple(changes.items()))

    @property
    def text(self) -> str:
        """As the command line has it."""
        changes = ",".join(f"{key}={value}" for key, value in self.changes)
        return f"{self.name}@{changes}" if changes else self.name

    @property
    def facts(self) -> dict[str, float]:
        """What the model states without a run, in base units (B, s, W).

        >>> Drive("p4510").facts["capacity"]
        8000000000000.0
        """
        told: dict[str, Any] = answer(["test", "facts", f"--on={self.text}"])
        metrics = told["targets"][0]["metrics"]
        return {name: float(value["value"]) for name, value in metrics.items()}

    def __str__(self) -> str:
        return self.text


Target = Drive | str | PathLike[str]
