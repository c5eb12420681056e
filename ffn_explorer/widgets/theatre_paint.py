"""Painting of the memory theatre: keys that light up, and values on their way into the stream."""

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from ffn_explorer.core.stages import Stage
from ffn_explorer.widgets.drawn_text import LEFT, RIGHT, draw_text, fitting
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theatre_plan import Row, brief
from ffn_explorer.widgets.theatre_play import Brush, bar_of, clear, path_of
from ffn_explorer.widgets.theatre_stream import StreamBrush
from ffn_explorer.widgets.theatre_time import travelled
from ffn_explorer.widgets.theme import blend

LEAST_BAR = 8
"""Width of the shortest bar worth drawing (light theme, scale 1)."""

FAINT = 0.16
"""Opacity of the ground behind the memory that answers most."""


class StageBrush(Brush):
    """Paints the whole stage: headings, memories, what moves, and the stream."""

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
        StreamBrush(self.painter, self.play, self.plan).paint()

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
            painter.setBrush(clear(theme.stages[Stage.ACT], FAINT * lit))
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
        draw_text(self.painter, row.text, row.name, font=face, colour=ink, align=LEFT)
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
        if row.bar.width() < px(self.play.look, LEAST_BAR):
            return
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
            painter.drawRect(bar_of(row.bar, (0.0, value * share), (low, high), thick=thick))
        self.zero(row.bar, (low, high))

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
                path = path_of(QPointF(left, start), QPointF(right, to))
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
                    self._ribbon(path_of(start, end), part / most, share, moving=flight < 1.0)

    def _ribbon(self, path: QPainterPath, strength: float, share: float, *, moving: bool) -> None:
        """A path up to a share of its way, as wide as what goes along it, with a dot at its head."""
        painter, look = self.painter, self.play.look
        hue = self.theme.positive if strength > 0 else self.theme.negative
        bounds = path.boundingRect().adjusted(-1, -px(look, 8), 0, px(look, 8))
        bounds.setWidth(bounds.width() * share)
        width = line_px(look, 1.0) + px(look, 5) * abs(strength)
        painter.save()
        painter.setClipRect(bounds)
        painter.setPen(QPen(clear(hue, 0.5), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        painter.restore()
        if moving and share < 1.0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(hue))
            radius = px(look, 3) + px(look, 3) * abs(strength)
            painter.drawEllipse(path.pointAtPercent(share), radius, radius)
