"""What tests share: small runs, and the command line beside the package."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

#: So little work that a run takes a tenth of a second.
SMALL = {"budget": "5 ms", "scale": "4Mi units"}


@pytest.fixture
def small() -> dict[str, str]:
    return dict(SMALL)


@pytest.fixture(scope="session")
def program() -> Path:
    """The command line of the same source."""
    return Path(os.environ["DRIVELAB"])
