"""What is raised."""

from __future__ import annotations

import re

from . import _native


#: An option of the command line, with its value where one surely stands behind it.
_OPTION = re.compile(r"--([a-z][a-z-]*[a-z])(?:[= ](\d[^\s,;)]*|[A-Z]{2,}\S*|'[^']*'))?")
#: What the reader of arguments says of one, and where it points to.
_ARGUMENT = re.compile(r"'--([a-z][a-z-]*[a-z])(?: <[^>]*>)?'|\n+For more information, try '--help'\.")
#: The same where all that follows belongs to it.
_CODE = re.compile(r"--([a-z][a-z-]*[a-z])[= ]?")


def spoken(text: str) -> str:
    """What the command line says, in Python's words; what is a command of it stays one.

    >>> spoken("runs have too few I/Os to know it; measure more (--budget) or --repeats 3")
    'runs have too few I/Os to know it; measure more (`budget=`) or `repeats=3`'
    >>> spoken("say `--load-state FILE`, or look at `drivelab test --help`")
    'say `load_state=FILE`, or look at `drivelab test --help`'
    """

    text = _ARGUMENT.sub(lambda said: f"`--{said[1]}`" if said[1] else "", text)

    def named(option: re.Match[str]) -> str:
        value = option[2] if option.re is _OPTION and option[2] else ""
        return f"{option[1].replace('-', '_')}={value}"

    parts = text.split("`")
    for i, part in enumerate(parts):
        if i % 2 == 0:
            parts[i] = _OPTION.sub(lambda option: f"`{named(option)}`", part)
        elif not part.startswith("drivelab"):
            parts[i] = _CODE.sub(named, part)
    return "`".join(parts)


class DrivelabError(Exception):
    """Something was tried and failed.

    Attributes:
        message: what is wrong, in a sentence
        help: how to fix it, if that is known
        file, line, column: where, if it is in a file or an argument
        others: mistakes that were found with this one
    """

    def __init__(
        self,
        message: str,
        place: str | None = None,
        help: str | None = None,
        others: tuple[DrivelabError, ...] = (),
    ) -> None:
        super().__init__(message, place, help, others)
        self.message = message
        self.place = place
        self.help = help
        self.others = others
        parts = re.fullmatch(r"(.*?)(?::(\d+))?(?::(\d+))?", place or "", re.DOTALL)
        file, line, column = parts.groups() if parts else (place, None, None)
        self.file: str | None = file or None
        self.line = int(line) if line else None
        self.column = int(column) if column else None

    def __str__(self) -> str:
        text = self.message
        if self.place:
            text += f"\n  --> {self.place}"
        if self.help:
            text += f"\n  help: {self.help}"
        return "\n".join([text, *map(str, self.others)])


class InputError(DrivelabError, ValueError):
    """What was asked for is wrong: an unknown name, a missing unit, values that cannot be. Nothing
    was run."""


class BugError(DrivelabError):
    """A law was broken or a panic happened: please report it."""


def _place(place: str) -> str:
    """A file, or an argument."""
    return spoken(place).strip("`") if place.startswith("--") else place


def raised(failed: _native.Failed) -> DrivelabError:
    """The exception for what a command says."""
    exit, mistakes = failed.args
    bug = any("a bug: " in message for message, _, _ in mistakes)
    kind = BugError if bug else InputError if exit == 2 else DrivelabError
    said = [
        (spoken(message), place and _place(place), help and spoken(help))
        for message, place, help in mistakes or [("no reason given", None, None)]
    ]
    first, *rest = said
    return kind(*first, others=tuple(kind(*other) for other in rest))
