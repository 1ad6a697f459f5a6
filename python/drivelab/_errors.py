"""What is raised."""

from __future__ import annotations

import re

from . import _native


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


def raised(failed: _native.Failed) -> DrivelabError:
    """The exception for what a command says."""
    exit, mistakes = failed.args
    bug = any("a bug: " in message for message, _, _ in mistakes)
    kind = BugError if bug else InputError if exit == 2 else DrivelabError
    first, *rest = mistakes or [("no reason given", None, None)]
    return kind(*first, others=tuple(kind(*other) for other in rest))
