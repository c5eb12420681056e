"""What tests of the window share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


@pytest.fixture
def style_given_back(qapp: QApplication) -> Iterator[None]:
    """The style of the whole application is a window's or a picture's; other tests start without it."""
    palette, font = qapp.palette(), qapp.font()
    yield
    qapp.setStyleSheet("")
    qapp.setPalette(palette)
    qapp.setFont(font)
