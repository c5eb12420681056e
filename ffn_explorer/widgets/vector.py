"""Vector: whether a painter writes shapes and words into a file, where nothing may be kept as an image."""

from PySide6.QtGui import QPaintEngine, QPainter

_ENGINES = (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf, QPaintEngine.Type.Picture)

FINER = 4.0
"""Device pixels per logical pixel of the images that a vector picture holds: heat maps, strips, hatching."""


def is_vector(painter: QPainter) -> bool:
    """Whether what is painted can be enlarged afterwards: SVG and PDF, not a screen or an image."""
    return painter.isActive() and painter.paintEngine().type() in _ENGINES
