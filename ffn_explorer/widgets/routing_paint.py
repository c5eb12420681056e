"""Painter of the routing map itself: cells, tokens, experts, and what is chosen or pointed at."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from ffn_explorer.state import numbers
from ffn_explorer.widgets.axes import whole_ticks
from ffn_explorer.widgets.drawn_text import CENTRE, RIGHT, draw_text
from ffn_explorer.widgets.layers import hatch_scale
from ffn_explorer.widgets.routing_frame import MARKED_PX, RoutingFrame
from ffn_explorer.widgets.routing_image import routing_image, sequential
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import blend, diverging, ink_on

_COVERED_PX = 8.0


class RoutingCells(RoutingFrame):
    """Paints the map, the names beside it and the numbers under it."""

    def paint_cells(self) -> None:
        """Paint what lies at the back."""
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._cells()
        self._banned()

    def paint_names(self) -> None:
        """Paint tokens, experts, and the frames around what is chosen or pointed at."""
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        self._rows()
        self._experts()
        self._inside()
        self._frames()

    @property
    def shown(self) -> QRectF:
        """The part of the map that the pass has shown."""
        area = QRectF(self.places.area)
        area.setWidth(area.width() * self.picture.share)
        return area

    def _cells(self) -> None:
        painter, area, picture = self.painter, self.places.area, self.picture
        painter.fillRect(area, QColor(self.theme.surface))
        painter.setPen(QPen(QColor(self.theme.border), 0))
        painter.drawRect(area.adjusted(-1, -1, 0, 0))
        if picture.share <= 0.0:
            draw_text(
                painter, picture.words.waiting, area, font=self.small, colour=self.theme.muted, align=CENTRE
            )
            return
        painter.save()
        painter.setClipRect(self.shown)
        scale = hatch_scale(painter)
        pixels = (int(area.width() * scale), int(area.height() * scale))
        painter.drawImage(area, routing_image(picture, pixels))
        if min(self.wide, self.high) >= MARKED_PX:
            self._grid()
            self._marks()
        painter.restore()

    def _grid(self) -> None:
        self.painter.setPen(QPen(QColor(self.theme.grid), 0))
        area = self.places.area
        for column in range(1, self.picture.shown):
            x = round(area.left() + column * self.wide)
            self.painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        for row in range(1, self.picture.table.tokens):
            y = round(area.top() + row * self.high)
            self.painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))

    def _marks(self) -> None:
        """Numbers in the cells that have room, and a cross where the expert was full."""
        table, picture = self.picture.table, self.picture
        metrics = QFontMetricsF(self.small)
        for token in range(table.tokens):
            for slot, expert in enumerate(table.index[token].tolist()):
                if not self.in_sight(expert):
                    continue
                place = self.cell(token, expert)
                if table.lost[token, slot]:
                    self._cross(place)
                elif picture.mode == "logits":
                    self.painter.setPen(QPen(QColor(self.theme.ink), line_px(self.look, 1.5)))
                    self.painter.drawRect(place.adjusted(2, 2, -2, -2))
                value = (
                    table.weight[token, slot] if picture.mode == "weights" else table.logits[token, expert]
                )
                words = numbers.short(float(value), digits=2)
                room = metrics.horizontalAdvance(words) + 4 <= self.wide and metrics.height() <= self.high + 1
                if room and not table.lost[token, slot]:
                    colour = ink_on(self._colour(float(value)).name())
                    draw_text(self.painter, words, place, font=self.small, colour=colour, align=CENTRE)

    def _colour(self, value: float) -> QColor:
        """Colour of a chosen cell of this value."""
        if not np.isfinite(value):
            return QColor(self.theme.non_finite)
        share = min(1.0, abs(value) / self.picture.limit)
        if self.picture.mode == "weights":
            level, table = 2 + round(253 * share), sequential(self.theme)
        else:
            level, table = 128 + round(127 * share * (1 if value >= 0 else -1)), diverging(self.theme)
        return QColor(*table[level].tolist())

    def _cross(self, place: QRectF) -> None:
        self.painter.setPen(QPen(QColor(self.theme.muted), line_px(self.look)))
        inner = place.adjusted(2, 2, -2, -2)
        self.painter.drawRect(inner)
        self.painter.drawLine(inner.topLeft(), inner.bottomRight())
        self.painter.drawLine(inner.topRight(), inner.bottomLeft())

    def _banned(self) -> None:
        """Columns of dropped experts lie under a hatch."""
        hatch = blend(self.theme.muted, self.theme.surface, 0.45)
        for expert in sorted(self.picture.banned):
            if self.in_sight(expert):
                column = QRectF(self.cell(0, expert))
                column.setHeight(self.places.area.height())
                self.painter.fillRect(column, blend(self.theme.sunken, self.theme.surface, 0.7))
                self.painter.fillRect(column, QBrush(hatch, Qt.BrushStyle.BDiagPattern))

    def _rows(self) -> None:
        picture, area = self.picture, self.places.area
        every = max(1, -(-int(self.places.line * 0.92 * len(picture.rows)) // max(1, int(area.height()))))
        right = area.left() - px(self.look, 8)
        for row, name in enumerate(picture.rows):
            strong = row in (picture.token, picture.pointed_token)
            chosen = picture.token
            if not strong and (row % every or (every > 1 and abs(row - chosen) < every)):
                continue
            if every > 1 and row == picture.pointed_token and 0 < abs(row - chosen) < every:
                continue
            middle = area.top() + (row + 0.5) * self.high
            place = QRectF(0, middle - self.places.line / 2, right, self.places.line)
            self.write(name, place, align=RIGHT, strong=row == chosen)

    def _experts(self) -> None:
        """Numbers under the columns; dropped ones struck through, the forced one pinned."""
        picture, place = self.picture, self.places.ticks
        first, past = picture.first, picture.first + picture.shown
        bold = QFontMetricsF(self.bold)
        widest = bold.horizontalAdvance(f"{past - 1}") + px(self.look, 8)
        most = max(1, int(place.width() / widest))
        named = [picture.pointed_expert, picture.expert, picture.forced, *sorted(picture.banned)]
        kept = [expert for expert in named if expert is not None and self.in_sight(expert)]
        ticks = range(first, past) if past - first <= most else whole_ticks(first, past - 1, most=most)
        taken: list[QRectF] = []
        for expert in dict.fromkeys([*kept, *ticks]):
            middle = self.column_x(expert + 0.5)
            label = QRectF(middle - widest / 2, place.top() + px(self.look, 4), widest, self.places.line)
            label.moveLeft(min(max(label.left(), place.left() - widest / 2), place.right() - widest / 2))
            if any(label.intersects(other) for other in taken):
                continue
            taken.append(label.adjusted(1, 0, -1, 0))
            self._expert(expert, label)

    def _inside(self) -> None:
        """A line in the colour of the stage looked at, under the experts in which it runs for the token."""
        picture, place = self.picture, self.places.ticks
        if picture.stage is None or picture.share <= 0.0:
            return
        for expert in picture.visited:
            if self.in_sight(expert):
                thick, width = line_px(self.look, 3), max(2.0, 0.8 * self.wide)
                left = self.column_x(expert + 0.5) - width / 2
                under = QRectF(left, place.top() + px(self.look, 1), width, thick)
                self.painter.fillRect(under, self.theme.stage(picture.stage))

    def _expert(self, expert: int, label: QRectF) -> None:
        picture = self.picture
        strong = expert in (picture.expert, picture.forced)
        self.write(f"{expert}", label, align=CENTRE, strong=strong)
        middle, line = label.center(), line_px(self.look, 1.5)
        if expert in picture.banned:
            half = QFontMetricsF(self.bold).horizontalAdvance(f"{expert}") / 2 + px(self.look, 3)
            self.painter.setPen(QPen(QColor(self.theme.ink), line))
            self.painter.drawLine(
                QPointF(middle.x() - half, middle.y()), QPointF(middle.x() + half, middle.y())
            )
        if expert == picture.forced:
            reach = px(self.look, 4)
            tip = QPointF(middle.x(), self.places.ticks.top() + px(self.look, 5))
            self.painter.setPen(Qt.PenStyle.NoPen)
            self.painter.setBrush(QColor(self.theme.ink))
            sides = (QPointF(-reach, -reach * 1.6), QPointF(reach, -reach * 1.6))
            self.painter.drawPolygon(QPolygonF([tip, *(tip + side for side in sides)]))
            self.painter.setBrush(Qt.BrushStyle.NoBrush)

    def _frames(self) -> None:
        """Lines around the chosen token and expert, and thinner ones around those pointed at."""
        picture, area = self.picture, self.places.area
        if picture.share <= 0.0:
            return
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        # Around cells that a line would cover, not on them.
        out_x, out_y = (1.5 if side < _COVERED_PX else 0.0 for side in (self.wide, self.high))
        sets = (
            (picture.pointed_token, picture.pointed_expert, 1.0, self.theme.muted),
            (picture.token, picture.expert, 2.0, self.theme.ink),
        )
        for token, expert, width, colour in sets:
            self.painter.setPen(QPen(QColor(colour), line_px(self.look, width)))
            if token is not None and token < picture.table.tokens:
                top = area.top() + token * self.high
                row = QRectF(area.left() - 1, top - 0.5, area.width() + 1, self.high)
                self.painter.drawRect(row.adjusted(0, -out_y, 0, out_y))
            if expert is not None and self.in_sight(expert):
                column = QRectF(self.column_x(expert), area.top() - 1, self.wide, area.height() + 1)
                self.painter.drawRect(column.adjusted(-out_x, 0, out_x, 0))
