"""Painting of the stream in the memory theatre: sums that fill up, x that slides under them, and y."""

import math

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPen

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.widgets.axes import ticks
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, draw_text
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theatre_plan import Line, brief
from ffn_explorer.widgets.theatre_play import Brush, bar_of, place_of
from ffn_explorer.widgets.theatre_time import cosine_at, sums


class StreamBrush(Brush):
    """Paints what the memories write into, and the input pattern that it starts from."""

    def _input(self, line: Line) -> None:
        """One feature of the pattern: its name, and its number on a ground while it is on."""
        value = self.play.cast.x[line.index][1]
        on = value != 0.0
        face, colour = (self.bold, self.theme.ink) if on else (self.small, self.theme.muted)
        draw_text(self.painter, line.text, line.name, font=face, colour=colour, align=LEFT)
        draw_text(self.painter, numbers.axis(value), line.number, font=face, colour=colour, align=RIGHT)

    def paint(self) -> None:
        """The pattern's features, every lane, and the axis under the last one."""
        for line in self.plan.x:
            self._input(line)
        actors = [(row.actor, row.flight) for row in self.plan.rows]
        running = sums(self.play.cast, actors, self.play.moment, flying=self.plan.flying)
        for line in self.plan.lanes:
            if line.index < 0:
                self._cosine(line)
            else:
                self._lane(line, running[line.index])
        if any(line.index >= 0 and line.bar.width() for line in self.plan.lanes):
            self._axis()

    def _lane(self, line: Line, running: float) -> None:
        """What the memories have written so far; then x slides under it, and both end at y."""
        lane, moment, theme = self.play.cast.lanes[line.index], self.play.moment, self.theme
        span, painter = self.play.cast.span, self.painter
        self._line_ground(line, lane.dim)
        x = lane.x * moment.added
        y = lane.y if moment.added >= 1.0 else x + running + (lane.y - lane.x - lane.out) * moment.added
        painter.setPen(Qt.PenStyle.NoPen)
        if line.bar.width() and math.isfinite(x + y):
            painter.setBrush(QColor(theme.stages[Stage.INPUT]))
            painter.drawRect(bar_of(line.bar, (0.0, x), span, thick=1.0))
            painter.setBrush(QColor(theme.positive if y > x else theme.negative))
            painter.drawRect(bar_of(line.bar, (x, y), span, thick=0.6))
        if line.bar.width():
            self.zero(line.bar, span)
        shown = moment.flown > 0.0
        face = self.bold if shown and running else self.small
        ink = theme.ink if shown and (running or x) else theme.muted
        draw_text(painter, line.text, line.name, font=face, colour=ink, align=LEFT)
        if shown:
            draw_text(painter, brief(y), line.number, font=face, colour=ink, align=RIGHT)

    def _cosine(self, line: Line) -> None:
        """How close the sum so far points to the sum of all."""
        shown = self.play.moment.flown > 0.0
        value = cosine_at(self.play.cast, self.play.moment, flying=self.plan.flying) if shown else 0.0
        theme, painter = self.theme, self.painter
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.sunken))
        painter.drawRect(line.bar)
        if math.isfinite(value) and value > 0.0:
            painter.setBrush(QColor(theme.stages[Stage.OUT]))
            painter.drawRect(bar_of(line.bar, (0.0, min(1.0, value)), (0.0, 1.0), thick=1.0))
        draw_text(painter, line.text, line.name, font=self.small, colour=theme.muted, align=LEFT)
        if shown:
            said = brief(value)
            draw_text(painter, said, line.number, font=self.small, colour=theme.ink, align=RIGHT)

    def _line_ground(self, line: Line, dim: int) -> None:
        play, painter, theme = self.play, self.painter, self.theme
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.sunken))
        painter.drawRect(line.bar)
        if dim in (play.dim, play.pointed_dim):
            ink = theme.ink if dim == play.dim else theme.muted
            painter.setPen(QPen(QColor(ink), line_px(play.look, 1.5)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect((line.bar if line.bar.width() else self._around(line)).adjusted(-1, -1, 1, 1))

    def _around(self, line: Line) -> QRectF:
        """Close around a name that stands without a bar."""
        metrics, gap = QFontMetricsF(self.bold), px(self.play.look, 3)
        wide, high = metrics.horizontalAdvance(line.text), metrics.height()
        return QRectF(line.name.left() - gap, line.name.center().y() - high / 2, wide + 2 * gap, high)

    def _axis(self) -> None:
        """Ticks under the last lane."""
        last, look = self.plan.lanes[-1], self.play.look
        low, high = self.play.cast.span
        line = QFontMetricsF(self.small).height()
        top = last.bar.bottom() + px(look, 3)
        muted = self.theme.muted
        needed = QFontMetricsF(self.small).horizontalAdvance(self.play.words.unit)
        wide = max(last.number.width(), needed)
        name = QRectF(last.number.right() - wide, top, wide, line)
        draw_text(self.painter, self.play.words.unit, name, font=self.small, colour=muted, align=RIGHT)
        if high <= low:
            return
        for tick in ticks(low, high, most=max(1, int(last.bar.width() // px(look, 48)))):
            x = place_of(last.bar, tick, (low, high))
            place = QRectF(x - px(look, 30), top, 2 * px(look, 30), line)
            draw_text(self.painter, numbers.axis(tick), place, font=self.small, colour=muted, align=CENTRE)
