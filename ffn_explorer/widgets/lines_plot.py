"""LinesPlot: named lines, dots with their words, and a line across that follows a drag and the arrow keys."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import LEFT, advance, draw_text, fitting
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.lines_picture import Dot, Line, LinesPicture, decades, power_label
from ffn_explorer.widgets.plot import Axes, Plot, line_pen
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of

__all__ = ["Dot", "Line", "LinesPicture", "LinesPlot", "decades", "power_label"]

_REACH_PX = 10
_MOST_LINES = 8
_LOOKS = 9
"""Places along a word at which a line is looked for."""
NAMES_SHARE = 0.34
"""Share of the width that names at the right may take."""


class LinesPlot(Plot[LinesPicture]):
    """Shows a LinesPicture."""

    picked = Signal(float)
    """Place along x where a person wants the movable line."""
    nudged = Signal(int)
    """Steps along x with the arrow keys."""
    released = Signal()
    """A person let the line go."""
    pointed = Signal(object)
    """Number of the dot under the pointer, or None; only when it changes."""
    chosen = Signal(int)
    """Number of the dot that was clicked."""

    def __init__(self, parent: QWidget | None = None, *, plain: bool = False) -> None:
        """Build an empty plot; plain: whether y counts itself, with lines at 0, and not powers of ten."""
        super().__init__(parent)
        self._held: Axes | None = None
        """Axes at the press: those on screen may follow the line, and would run away with it."""
        self._named: tuple[tuple[str, ...], ...] = ()
        self._plain = plain
        self._zero.setVisible(plain)
        self._items = self.add_curves(_MOST_LINES)
        self.moved.connect(self._report)

    def show_picture(self, picture: LinesPicture) -> None:
        """Draw a picture."""
        self.picture, self.sentence = picture, ""
        self.set_look(picture.look)
        self._draw_lines(picture)
        names = tuple(line.name for line in picture.lines)
        if names != self._named:
            # The room that they take is part of the layout.
            self._named, self._laid_out = names, None
        self.set_axes(picture.axes, picture.look)
        if picture.cursor is None:
            self.unsetCursor()
        else:
            self.setCursor(Qt.CursorShape.SplitHCursor)

    def paint_front(self, painter: QPainter) -> None:
        """Paint the movable line, dots and words over the lines."""
        super().paint_front(painter)
        picture = self.picture
        if picture is None or self.area.width() <= 0 or self.area.height() <= 0:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        taken: list[QRectF] = []
        self._paint_line_names(painter, picture)
        if picture.cursor is not None:
            taken.append(self._paint_cursor(painter, picture))
            across = self.point_of(picture.cursor, 0.0).x()
            taken.append(QRectF(across - 1, self.area.top(), 2, self.area.height()))
        self._paint_dots(painter, picture, taken)

    def dot_at(self, at: QPointF) -> int | None:
        """Number of the nearest dot in reach."""
        picture = self.picture
        if picture is None or self.axes is None:
            return None
        reach = px(self.look, _REACH_PX)
        far = [(self.point_of(dot.x, dot.y) - at).manhattanLength() for dot in picture.dots]
        nearest = min(range(len(far)), key=far.__getitem__, default=None)
        return nearest if nearest is not None and far[nearest] <= reach else None

    def y_label(self, tick: float) -> str:
        """Powers of ten are said as numbers."""
        return super().y_label(tick) if self._plain else power_label(tick)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a dot, else bring the line here and hold it."""
        super().mousePressEvent(event)
        if event.button() != Qt.MouseButton.LeftButton or self.picture is None:
            return
        dot = self.dot_at(event.position())
        if dot is not None:
            self.chosen.emit(dot)
        elif self.picture.cursor is not None:
            self._held = self.axes
            self._pick(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the line."""
        if self._held and not event.buttons() & Qt.MouseButton.LeftButton:
            self._release()  # the release went elsewhere
        if self._held:
            self._pick(event.position())
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let it go."""
        super().mouseReleaseEvent(event)
        if self._held and event.button() == Qt.MouseButton.LeftButton:
            self._release()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right move the line."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if steps is None or self.picture is None:
            super().keyPressEvent(event)
        else:
            self.nudged.emit(steps)

    def _release(self) -> None:
        self._held = None
        self.released.emit()

    def _pick(self, at: QPointF) -> None:
        if self._held is not None:
            low, high = self._held.x
            share = (at.x() - self.area.left()) / max(1.0, self.area.width())
            self.picked.emit(min(high, max(low, low + share * (high - low))))

    def _report(self, at: QPointF | None) -> None:
        dot = None if at is None or self._held else self.dot_at(at)
        tip = "" if dot is None or self.picture is None else self.picture.dots[dot].tip
        self.setToolTip(tip)
        self.tell_pointed(dot)

    def _draw_lines(self, picture: LinesPicture) -> None:
        for item, line in zip(self._items, (*picture.lines, *[None] * _MOST_LINES), strict=False):
            item.setVisible(line is not None)
            if line is not None:
                pen = line_pen(line.colour, line_px(picture.look, line.width), dashed=line.dashed)
                item.setData(line.x, line.y, pen=pen)

    def _area(self, axes: Axes) -> QRectF:
        """Room for the names of the lines at their right ends."""
        area = super()._area(axes)
        if self.picture is not None:
            bold = font(self.look, "small", bold=True)
            names = [self._name(line) for line in self.picture.lines if line.name]
            widest = max((advance(name, bold) for name in names), default=0.0)
            if widest:
                area.setRight(min(area.right(), self.width() - widest - px(self.look, 12)))
        return area

    def _name(self, line: Line) -> str:
        bold = font(self.look, "small", bold=True)
        return fitting(line.name, bold, self.width() * NAMES_SHARE)

    def _paint_line_names(self, painter: QPainter, picture: LinesPicture) -> None:
        """Names at the right ends of their lines, kept apart."""
        bold = font(self.look, "small", bold=True)
        high = QFontMetricsF(bold).height()
        named = [line for line in picture.lines if line.name and line.y.size]
        ends = [self.point_of(0.0, float(line.y[-1])).y() for line in named]
        left = self.area.right() + px(self.look, 8)
        for line, middle in zip(named, kept_apart(ends, high, self.area), strict=True):
            place = QRectF(left, middle - high / 2, self.width() - left, high)
            draw_text(painter, self._name(line), place, font=bold, colour=line.colour, align=LEFT)

    def _paint_cursor(self, painter: QPainter, picture: LinesPicture) -> QRectF:
        theme = theme_of(self.look)
        assert picture.cursor is not None
        x = self.point_of(picture.cursor, 0.0).x()
        painter.setPen(QPen(QColor(theme.ink), line_px(self.look, 1.5)))
        painter.drawLine(QPointF(x, self.area.top()), QPointF(x, self.area.bottom()))
        painter.setBrush(QColor(theme.surface))
        radius = px(self.look, 5.5)
        painter.drawEllipse(QPointF(x, self.area.bottom()), radius, radius)
        at = QPointF(x, self.area.top() + QFontMetricsF(font(self.look, "small")).height() / 2)
        return self._paint_words(painter, picture.cursor_words, at, [], strong=True)

    def _paint_dots(self, painter: QPainter, picture: LinesPicture, taken: list[QRectF]) -> None:
        theme, radius = theme_of(self.look), px(self.look, 4.5)
        for dot in picture.dots:
            at = self.point_of(dot.x, dot.y)
            painter.setPen(QPen(QColor(dot.colour), line_px(self.look, 2.0)))
            painter.setBrush(QColor(dot.colour if dot.strong else theme.surface))
            painter.drawEllipse(at, radius, radius)
        # A word must hide neither another word nor a dot.
        taken += [
            QRectF(self.point_of(dot.x, dot.y), QSizeF()).adjusted(-radius, -radius, radius, radius)
            for dot in picture.dots
        ]
        for dot in sorted(picture.dots, key=lambda dot: not dot.strong):
            if dot.words:
                at = self.point_of(dot.x, dot.y)
                taken.append(self._paint_words(painter, dot.words, at, taken, strong=dot.strong))

    def _paint_words(
        self, painter: QPainter, words: Sequence[str], at: QPointF, taken: Sequence[QRectF], *, strong: bool
    ) -> QRectF:
        """Words beside a point, inside and over no others, where that is possible."""
        theme, face = theme_of(self.look), font(self.look, "small", bold=strong)
        inside = self.area.adjusted(-1, -1, 1, 1)
        free = [
            (text, place)
            for text, place in _places(words, at, self.look, strong=strong)
            if inside.contains(place) and not any(place.intersects(other) for other in taken)
        ]
        if not free:
            return QRectF()
        # Rather over no line: a shorter wording comes before a longer one that would cover some.
        text, place = min(free, key=lambda found: self._covered(found[1]))
        ground = QColor(theme.surface)
        ground.setAlphaF(0.85)
        painter.fillRect(place, ground)
        colour = theme.ink if strong else theme.muted
        draw_text(painter, text, place.adjusted(2, 0, 0, 0), font=face, colour=colour, align=LEFT)
        return place

    def _covered(self, place: QRectF) -> int:
        """How many lines run through a place."""
        picture = self.picture
        assert picture is not None
        assert self.axes is not None
        left, right = (self.values_at(QPointF(x, 0.0))[0] for x in (place.left(), place.right()))
        count = 0
        for line in (each for each in picture.lines if each.x.size):
            x = np.linspace(max(left, line.x[0]), min(right, line.x[-1]), _LOOKS)
            if x[0] < x[-1]:
                y = np.interp(x, line.x, line.y)
                pixels = [self.point_of(0.0, float(each)).y() for each in y if np.isfinite(each)]
                count += any(place.top() - 1 <= each <= place.bottom() + 1 for each in pixels)
        return count


def _places(words: Sequence[str], at: QPointF, look: Appearance, *, strong: bool) -> list[tuple[str, QRectF]]:
    """Where each wording could stand: right, left, above or below of a point."""
    face = font(look, "small", bold=strong)
    high, gap = QFontMetricsF(face).height(), px(look, 6)
    made = []
    for text in words:
        wide = advance(text, face) + 5
        right, left = at.x() + gap, at.x() - gap - wide
        above, below = at.y() - gap - high, at.y() + gap
        corners = [
            (right, above), (right, below), (left, above), (left, below), (right, at.y() - high / 2),
            (left, at.y() - high / 2), (at.x() - wide / 2, above), (at.x() - wide / 2, below),
        ]  # fmt: skip
        made += [(text, QRectF(x, y, wide, high)) for x, y in corners]
    return made


def kept_apart(middles: Sequence[float], high: float, area: QRectF) -> list[float]:
    """The same heights, moved as little as needed so that none is nearer than `high` to another."""
    order = sorted(range(len(middles)), key=middles.__getitem__)
    made = list(middles)
    for _ in range(8 * len(order)):  # each pass halves what is missing, or better
        for upper, lower in pairwise(order):
            short = high - (made[lower] - made[upper])
            if short > 1e-9:
                made[upper] -= short / 2
                made[lower] += short / 2
    lowest, highest = max(made, default=0.0) - area.bottom(), area.top() - min(made, default=0.0)
    shift = -lowest if lowest > 0.0 else max(0.0, highest)
    return [y + shift for y in made]
