from collections.abc import Callable

VERSION: str
BUILD: str

class Failed(Exception):
    """Exit code, and each mistake: message, place, help."""

    args: tuple[int, list[tuple[str, str | None, str | None]]]

def call(words: list[str], on_progress: Callable[[float, str], object] | None = None) -> bytes: ...
def stream(columns: str) -> object: ...
def unit(metric: str) -> str: ...
