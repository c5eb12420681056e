"""The option that writes the expected pictures anew, and the folder where differences go."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-snapshots",
        action="store_true",
        help="write the expected pictures anew",
    )


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Say whether the expected pictures are to be written anew."""
    # Unknown where this folder was not named on the command line.
    return bool(request.config.getoption("--update-snapshots", default=False))


@pytest.fixture
def output() -> Path:
    """Return the folder for what a failing test leaves to look at; git ignores it."""
    folder = HERE.parent / "output" / "snapshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
