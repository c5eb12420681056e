"""One moment of the memory theatre as values, and the marks that all its painters share."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import line_px
from ffn_explorer.widgets.theatre_cast import Cast
from ffn_explorer.widgets.theatre_plan import Plan
from ffn_explorer.widgets.theatre_time import Moment
from ffn_explorer.widgets.theme import Theme, theme_of


@dataclass(frozen=True, slots=True)
class Words:
    """Wordings of the headings, longest first, and of the axis of the stream."""

    x: tuple[str, ...]
    memories: tuple[str, ...]
    stream: tuple[str, ...]
    unit: str


@dataclass(frozen=True, slots=True)
class Play:
    """One moment of one cast; neuron and dim are what is chosen, and what is pointed at."""

    look: Appearance
    cast: Cast
    moment: Moment
    words: Words
    neuron: int | None
    dim: int | None
    pointed_neuron: int | None
    pointed_dim: int | None


class Brush:
    """Base of the painters of a Play on its Plan."""

    def __init__(self, painter: QPainter, play: Play, plan: Plan) -> None:
        """Take all three, with the theme and type that follow."""
        self.painter, self.play, self.plan = painter, play, plan
        self.theme: Theme = theme_of(play.look)
        self.small = font(play.look, "small")
        self.bold = font(play.look, "small", bold=True)

    def zero(self, bar: QRectF, span: tuple[float, float]) -> None:
        """A line where the values of a bar are 0."""
        x = place_of(bar, 0.0, span)
        self.painter.setPen(QPen(QColor(self.theme.muted), line_px(self.play.look)))
        self.painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()))


def place_of(bar: QRectF, value: float, span: tuple[float, float]) -> float:
    """Position of a value along a bar; what lies beyond stands at its end."""
    low, high = span
    share = 0.0 if high <= low else (value - low) / (high - low)
    return bar.left() + min(1.0, max(0.0, share)) * bar.width()


def bar_of(bar: QRectF, ends: tuple[float, float], span: tuple[float, float], *, thick: float) -> QRectF:
    """Rectangle between two values of a bar; thick: share of its height."""
    left, right = sorted(place_of(bar, end, span) for end in ends)
    height = bar.height() * thick
    return QRectF(left, bar.top() + (bar.height() - height) / 2, right - left, height)


def path_of(start: QPointF, end: QPointF) -> QPainterPath:
    """A smooth way from left to right."""
    path = QPainterPath(start)
    bend = (end.x() - start.x()) / 2
    path.cubicTo(QPointF(start.x() + bend, start.y()), QPointF(end.x() - bend, end.y()), end)
    return path


def clear(colour: str, opacity: float) -> QColor:
    """A colour that lets what is behind it through."""
    made = QColor(colour)
    made.setAlphaF(opacity)
    return made
