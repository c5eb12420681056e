"""Device pixels per logical pixel: the screen's, or those of a finer picture that is being made."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from PySide6.QtWidgets import QWidget

_wanted: ContextVar[float | None] = ContextVar("wanted", default=None)


def ratio_of(widget: QWidget) -> float:
    """How many device pixels stand side by side in one logical pixel of what a widget paints."""
    return _wanted.get() or widget.devicePixelRatioF()


@contextmanager
def finer(ratio: float) -> Iterator[None]:
    """While this lasts, pictures that are laid out count so many device pixels, whatever their screen has."""
    token = _wanted.set(ratio)
    try:
        yield
    finally:
        _wanted.reset(token)
