"""Calls of commands: words in, JSON out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from typing import Any, Literal, TypeAlias

from . import _native
from ._errors import InputError, raised

OnProgress: TypeAlias = Callable[[float, str], object]
Progress: TypeAlias = OnProgress | Literal["auto"] | None
Quantity: TypeAlias = str | int | float | bool


def text(value: object) -> str:
    """A value as the command line has it.

    >>> text(True), text(16), text("70 %")
    ('true', '16', '70 %')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return fspath(value) if isinstance(value, PathLike) else str(value)


def several(given: Any) -> list[Any]:
    """What may be one or several, as a list: a text is one.

    >>> several("iops"), several(["iops", "power"]), several(None)
    (['iops'], ['iops', 'power'], [])
    """
    if given is None:
        return []
    is_one = isinstance(given, (str, PathLike)) or not isinstance(given, Iterable)
    return [given] if is_one else list(given)


def options(**given: object) -> list[str]:
    """Options of the command line; what is None is left out, a list is said once for each.

    >>> options(seed=3, age=None, quiet=True, metric=["iops", "power"])
    ['--seed=3', '--quiet', '--metric=iops', '--metric=power']
    """
    words = []
    for name, value in given.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, (list, tuple)):
            words += [f"{option}={text(one)}" for one in value]
        else:
            words.append(f"{option}={text(value)}")
    return words


def pairs(option: str, given: Mapping[str, object]) -> list[str]:
    """``--option=key=value`` for each."""
    return [f"--{option}={key}={text(value)}" for key, value in given.items()]


class _Bar:
    """A bar of tqdm, where it is installed and somebody looks."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self.bar = tqdm(total=1.0, leave=False, bar_format="{desc} {percentage:3.0f} % |{bar}| {elapsed}")

    def __call__(self, share: float, what: str) -> None:
        self.bar.set_description_str(what[:60], refresh=False)
        self.bar.update(share - self.bar.n)

    def close(self) -> None:
        self.bar.close()


def _auto() -> _Bar | None:
    if not ("ipykernel" in sys.modules or sys.stderr.isatty()):
        return None
    try:
        return _Bar()
    except ImportError:
        return None


def call(words: Iterable[str], progress: Progress = None) -> bytes:
    """Does what the words of a command line say and returns what it would print.

    Ctrl-C ends what runs and raises ``KeyboardInterrupt`` within two seconds.
    """
    bar = _auto() if progress == "auto" else None
    hear: OnProgress | None = bar if progress == "auto" else progress
    try:
        return _native.call(list(words), hear)
    except _native.Failed as failed:
        raise raised(failed) from None
    finally:
        if bar is not None:
            bar.close()


def answer(words: Iterable[str], progress: Progress = None) -> Any:
    """The same for a command that answers in JSON."""
    return json.loads(call([*words, "--json"], progress))


def single(values: Mapping[str, object]) -> None:
    """Refuses values that are no quantities."""
    for name, value in values.items():
        if not isinstance(value, (str, int, float)):
            raise InputError(f"`{name}` is {value!r}", help='write a quantity as text, "70 %"')
