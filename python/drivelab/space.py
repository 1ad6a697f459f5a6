"""What a sweep varies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ._call import Quantity, text
from ._errors import InputError


@dataclass(frozen=True)
class Values:
    """The values of one factor, as the command line has them."""

    text: str


def choice(*values: Quantity) -> Values:
    """One of these.

    >>> choice("p4510", "pm9a3").text
    'p4510,pm9a3'
    """
    if not values:
        raise InputError("a choice needs values", help='say choice("p4510", "pm9a3")')
    return Values(",".join(map(text, values)))


def linear(low: Quantity, high: Quantity, count: int | None = None) -> Values:
    """From low to high, evenly; ``count`` is how many values a grid takes.

    >>> linear("0 %", "25 %").text
    '0 %..25 %'
    """
    return Values(f"{text(low)}..{text(high)}" + (f" in {count}" if count else ""))


def log(low: Quantity, high: Quantity, count: int | None = None) -> Values:
    """The same, evenly in ratios.

    >>> log("50 us", "800 us").text
    '50 us..800 us log'
    """
    return Values(f"{text(low)}..{text(high)} log" + (f" in {count}" if count else ""))


def log2(low: int, high: int) -> Values:
    """From low to high, doubling.

    >>> log2(1, 64).text
    '1..64 log2'
    """
    return Values(f"{low}..{high} log2")


class Space:
    """Factors and their values. A factor is ``drive``, ``system``, ``target``, ``give_up``, a
    parameter of the load, or a value of the model; a dot of its path is written ``__``.

    >>> space = Space(drive=choice("p4510", "pm9a3"), flash__dies=choice("64 dies", "128 dies"))
    >>> space.words
    ['--vary=drive=p4510,pm9a3', '--vary=flash.dies=64 dies,128 dies']
    """

    def __init__(self, factors: Mapping[str, Values] | None = None, **more: Values) -> None:
        named = {name.replace("__", "."): values for name, values in more.items()}
        self.factors: dict[str, Values] = {**(factors or {}), **named}
        for name, values in self.factors.items():
            if not isinstance(values, Values):
                raise InputError(f"`{name}` is {values!r}", help="use choice, linear, log or log2")

    @property
    def words(self) -> list[str]:
        """As the command line has it."""
        return [f"--vary={name}={values.text}" for name, values in self.factors.items()]

    def __eq__(self, other: object) -> bool:
        return self.factors == other.factors if isinstance(other, Space) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.words))

    def __repr__(self) -> str:
        return f"Space({self.factors!r})"
