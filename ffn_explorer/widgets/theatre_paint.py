"""Painting of the memory theatre: keys that light up, values on their way, and the stream that they fill."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.axes import ticks
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, draw_text, fitting
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theatre_cast import Cast
from ffn_explorer.widgets.theatre_plan import Line, Plan, Row, brief
from ffn_explorer.widgets.theatre_time import Moment, cosine_at, sums, travelled
from ffn_explorer.widgets.theme import Theme, blend, theme_of

FAINT = 0.16
"""Opacity of the ground behind the memory that answers most."""


@dataclass(frozen=True, slots=True)
class Words:
    """Wordings of the headings, longest first, and of the axis of the stream."""

    x: tuple[str, ...]
    memories: tuple[str, ...]
    stream: tuple[str, ...]
    cosine: tuple[str, ...]
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
    """Paints one Play on its Plan."""

    def __init__(self, painter: QPainter, play: Play, plan: Plan) -> None:
        """Take all three, with the theme and type that follow."""
        self.painter, self.play, self.plan = painter, play, plan
        self.theme: Theme = theme_of(play.look)
        self.small = font(play.look, "small")
        self.bold = font(play.look, "small", bold=True)

    def paint(self) -> None:
        """Everything, from the back to the front."""
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._heads()
        for row in self.plan.rows:
            self._row_ground(row)
        self._reading()
        self._flights()
        for row in self.plan.rows:
            self._row(row)
        for line in self.plan.x:
            self._input(line)
        self._stream()

    def _heads(self) -> None:
        words, theme = self.play.words, self.theme
        stages = (Stage.INPUT, Stage.ACT, Stage.OUT)
        wordings = (words.x, words.memories, words.stream)
        for place, wording, stage in zip(self.plan.heads, wordings, stages, strict=True):
            if place.width() > 0:
                said = fitting(wording, self.bold, place.width())
                colour = theme.stages[stage]
                draw_text(self.painter, said, place, font=self.bold, colour=colour, align=LEFT)

    # Memories -----------------------------------------------------------------------------------------------

    def _row_ground(self, row: Row) -> None:
        """The line lights up as the memory answers; what is pointed at lies on a quiet ground."""
        actor, play = row.actor, self.play
        painter, theme = self.painter, self.theme
        place = row.whole.adjusted(0, 1, 0, -1)
        radius = px(play.look, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        if actor.neuron is not None and actor.neuron == play.pointed_neuron:
            painter.setBrush(QColor(theme.sunken))
            painter.drawRoundedRect(place, radius, radius)
        lit = self._strength(row) * play.moment.answered
        if lit > 0.0:
            painter.setBrush(_clear(theme.stages[Stage.ACT], FAINT * lit))
            painter.drawRoundedRect(place, radius, radius)
        if actor.neuron is not None and actor.neuron == play.neuron:
            painter.setPen(QPen(QColor(theme.ink), line_px(play.look, 1.5)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(place, radius, radius)

    def _strength(self, row: Row) -> float:
        low, high = self.play.cast.answers
        most = max(-low, high)
        m = row.actor.m
        return 0.0 if m is None or not math.isfinite(m) or most == 0.0 else abs(m) / most

    def _row(self, row: Row) -> None:
        actor, moment, theme = row.actor, self.play.moment, self.theme
        answers = moment.flown > 0.0 if actor.neuron is None else moment.answered > 0.0 and bool(actor.m)
        ink = theme.ink if answers else theme.muted
        face = self.bold if answers and actor.neuron is not None else self.small
        draw_text(self.painter, actor.name, row.name, font=face, colour=ink, align=LEFT)
        if actor.neuron is None:
            return
        self._key(row)
        shown = actor.m if moment.answered > 0.0 else actor.z if moment.read > 0.0 else None
        self._answer_bar(row)
        if shown is not None:
            said = brief(shown)
            draw_text(self.painter, said, row.number, font=self.small, colour=ink, align=RIGHT)
        if row.note.width() and moment.answered > 0.0:
            muted = theme.muted
            draw_text(self.painter, actor.note, row.note, font=self.small, colour=muted, align=RIGHT)

    def _key(self, row: Row) -> None:
        """The key as cells in the colours of sign; a frame marks the features that are on."""
        count = len(row.actor.key)
        if not row.key.width() or not count:
            return
        side = row.key.width() / count
        most = max((abs(k) for actor in self.play.cast.actors for k in actor.key), default=0.0) or 1.0
        for d, weight in enumerate(row.actor.key):
            cell = QRectF(row.key.left() + d * side + 1, row.key.top(), side - 2, row.key.height())
            hue = self.theme.positive if weight > 0 else self.theme.negative
            on = self.play.cast.by_hand and self.play.cast.x[d][1] != 0.0
            self.painter.setPen(
                QPen(QColor(self.theme.ink if on else self.theme.border), line_px(self.play.look))
            )
            self.painter.setBrush(blend(hue, self.theme.surface, abs(weight) / most))
            self.painter.drawRect(cell)

    def _answer_bar(self, row: Row) -> None:
        """How well the key matches (thin, quiet), and the answer over it."""
        low, high = self.play.cast.answers
        moment, painter, theme = self.play.moment, self.painter, self.theme
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.sunken))
        painter.drawRoundedRect(row.bar, 2, 2)
        for value, share, thick, quiet in (
            (row.actor.z, moment.read, 0.4, True),
            (row.actor.m, moment.answered, 1.0, False),
        ):
            if value is None or not math.isfinite(value) or share <= 0.0:
                continue
            hue = theme.positive if value > 0 else theme.negative
            painter.setBrush(QColor(theme.muted if quiet else hue))
            painter.drawRect(_bar(row.bar, (0.0, value * share), (low, high), thick=thick))
        self._zero(row.bar, (low, high))

    # What moves ---------------------------------------------------------------------------------------------

    def _reading(self) -> None:
        """From each feature that is on to the keys that read it."""
        share = self.play.moment.read
        if share <= 0.0 or not self.plan.x:
            return
        products = {
            (row.whole.center().y(), line.number.center().y()): row.actor.key[line.index]
            * self.play.cast.x[line.index][1]
            for row in self.plan.rows
            if row.actor.key
            for line in self.plan.x
        }
        most = max(map(abs, products.values()), default=0.0)
        left, right = self.plan.x[0].number.right() + 3, self.plan.rows[0].whole.left()
        for (to, start), product in products.items():
            if product:
                path = _path(QPointF(left, start), QPointF(right, to))
                self._ribbon(path, product / most, share, moving=0.0 < share < 1.0)

    def _flights(self) -> None:
        """Each value on its way to the lanes that it writes, one after the other."""
        moment, plan = self.play.moment, self.plan
        lanes = [line for line in plan.lanes if line.index >= 0]
        parts = [abs(part) for row in plan.rows for part in row.actor.parts if math.isfinite(part)]
        most = max(parts, default=0.0)
        for row in plan.rows:
            flight = moment.flight(row.flight, plan.flying)
            if flight <= 0.0 or most == 0.0 or not row.actor.parts:
                continue
            for line in lanes:
                part = row.actor.parts[line.index]
                if part and math.isfinite(part):
                    start = QPointF(row.whole.right(), row.whole.center().y())
                    end = QPointF(line.name.left() - 3, line.name.center().y())
                    share = travelled(flight)
                    self._ribbon(_path(start, end), part / most, share, moving=flight < 1.0)

    def _ribbon(self, path: QPainterPath, strength: float, share: float, *, moving: bool) -> None:
        """A path up to a share of its way, as wide as what goes along it, with a dot at its head."""
        painter, look = self.painter, self.play.look
        hue = self.theme.positive if strength > 0 else self.theme.negative
        bounds = path.boundingRect().adjusted(-1, -px(look, 8), 0, px(look, 8))
        bounds.setWidth(bounds.width() * share)
        width = line_px(look, 1.0) + px(look, 5) * abs(strength)
        painter.save()
        painter.setClipRect(bounds)
        painter.setPen(QPen(_clear(hue, 0.5), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        painter.restore()
        if moving and share < 1.0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(hue))
            radius = px(look, 3) + px(look, 3) * abs(strength)
            painter.drawEllipse(_point_at(path, share), radius, radius)

    # Stream -------------------------------------------------------------------------------------------------

    def _input(self, line: Line) -> None:
        """One feature of the pattern: its name, and its number on a ground while it is on."""
        name, value = self.play.cast.x[line.index]
        on = value != 0.0
        face, colour = (self.bold, self.theme.ink) if on else (self.small, self.theme.muted)
        draw_text(self.painter, name, line.name, font=face, colour=colour, align=LEFT)
        draw_text(self.painter, numbers.axis(value), line.number, font=face, colour=colour, align=RIGHT)

    def _stream(self) -> None:
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
            painter.drawRect(_bar(line.bar, (0.0, x), span, thick=1.0))
            painter.setBrush(QColor(theme.positive if y > x else theme.negative))
            painter.drawRect(_bar(line.bar, (x, y), span, thick=0.6))
        if line.bar.width():
            self._zero(line.bar, span)
        shown = moment.flown > 0.0
        face = self.bold if shown and running else self.small
        ink = theme.ink if shown and (running or x) else theme.muted
        draw_text(painter, lane.name, line.name, font=face, colour=ink, align=LEFT)
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
            painter.drawRect(_bar(line.bar, (0.0, min(1.0, value)), (0.0, 1.0), thick=1.0))
        said = fitting(self.play.words.cosine, self.small, line.name.width())
        draw_text(painter, said, line.name, font=self.small, colour=theme.muted, align=LEFT)
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
            painter.drawRect((line.bar if line.bar.width() else line.name).adjusted(-1, -1, 1, 1))

    def _zero(self, bar: QRectF, span: tuple[float, float]) -> None:
        x = _place(bar, 0.0, span)
        self.painter.setPen(QPen(QColor(self.theme.muted), line_px(self.play.look)))
        self.painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()))

    def _axis(self) -> None:
        """Ticks under the last lane."""
        last, look = self.plan.lanes[-1], self.play.look
        low, high = self.play.cast.span
        line = QFontMetricsF(self.small).height()
        top = last.bar.bottom() + px(look, 3)
        muted = self.theme.muted
        name = QRectF(last.number.left(), top, last.number.width(), line)
        draw_text(self.painter, self.play.words.unit, name, font=self.small, colour=muted, align=RIGHT)
        if high <= low:
            return
        for tick in ticks(low, high, most=max(1, int(last.bar.width() // px(look, 48)))):
            x = _place(last.bar, tick, (low, high))
            place = QRectF(x - px(look, 30), top, 2 * px(look, 30), line)
            draw_text(self.painter, numbers.axis(tick), place, font=self.small, colour=muted, align=CENTRE)


def _place(bar: QRectF, value: float, span: tuple[float, float]) -> float:
    low, high = span
    share = 0.0 if high <= low else (value - low) / (high - low)
    return bar.left() + min(1.0, max(0.0, share)) * bar.width()


def _bar(bar: QRectF, ends: tuple[float, float], span: tuple[float, float], *, thick: float) -> QRectF:
    left, right = sorted(_place(bar, end, span) for end in ends)
    height = bar.height() * thick
    return QRectF(left, bar.top() + (bar.height() - height) / 2, right - left, height)


def _path(start: QPointF, end: QPointF) -> QPainterPath:
    path = QPainterPath(start)
    bend = (end.x() - start.x()) / 2
    path.cubicTo(QPointF(start.x() + bend, start.y()), QPointF(end.x() - bend, end.y()), end)
    return path


def _point_at(path: QPainterPath, share: float) -> QPointF:
    return path.pointAtPercent(min(1.0, max(0.0, share)))


def _clear(colour: str, opacity: float) -> QColor:
    made = QColor(colour)
    made.setAlphaF(opacity)
    return made
