"""WordChipView: groups of chips to point at, to click, and to walk along with the keys."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, RIGHT, advance, draw_text, elided
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.plain_tip import plain_tip
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import blend, theme_of
from ffn_explorer.widgets.word_chips import ChipBoard, Laid, PlacedChip, PlacedGroup, lay_out

GROUND, BAR = 0.13, 0.3
"""Opacity of a chip's colour on the surface, and of its bar."""

RADIUS_PX = 5


class WordChipView(QWidget):
    """Draws a ChipBoard; where the keyboard stands is its own, as a focus ring is."""

    chosen = Signal(str, int)
    """A chip was clicked: its group's name and its key."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build without chips."""
        super().__init__(parent)
        self.board = ChipBoard(Appearance(), ())
        self.laid = Laid((), (), 0.0)
        self.at = 0
        """Chip at which the keyboard stands."""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)

    def show_board(self, board: ChipBoard) -> None:
        """Draw other chips."""
        if board == self.board:
            return
        self.board = board
        self._lay_out()
        self.setAccessibleDescription(
            "; ".join(
                f"{group.head}: {', '.join(chip.text for chip in group.chips) or group.sentence}"
                for row in board.rows
                for group in row.groups
            )
        )

    def minimumSizeHint(self) -> QSize:
        """Any size will do."""
        return QSize(1, 1)

    def height_for(self, board: ChipBoard, width: int, most: int) -> int:
        """Height of a board at a width, `most` at the most."""
        return min(most, round(lay_out(board, width, most).height) + 1)

    def height_needed(self, width: int) -> float:
        """Height at a width of the rows that are never left out, a line of chips each."""
        rows = tuple(row for row in self.board.rows if not row.need)
        return lay_out(ChipBoard(self.board.look, rows), width, 0.0).height

    def has_room_for(self, name: str, width: int, height: int) -> bool:
        """Whether a group of that name would stand in a place."""
        return any(placed.group.name == name for placed in lay_out(self.board, width, height).groups)

    def chip_at(self, at: QPointF) -> int | None:
        """Place of the chip under a position."""
        return next((i for i, placed in enumerate(self.laid.chips) if placed.place.contains(at)), None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the chips anew."""
        super().resizeEvent(event)
        self._lay_out()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the chip that is clicked."""
        found = self.chip_at(event.position())
        if found is None or event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self.at = found
        self._choose()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A hand over chips."""
        hand = self.chip_at(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows go from chip to chip, Enter and Space choose."""
        key, count = event.key(), len(self.laid.chips)
        if not count:
            event.ignore()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._go(self.at + (1 if key == Qt.Key.Key_Right else -1))
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._go(self._beyond(1 if key == Qt.Key.Key_Down else -1))
        else:
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard stands."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        super().focusOutEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        """Explain the chip or the head under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tip(self.tip_at(QPointF(event.pos()))), self)
            return True
        return super().event(event)

    def tip_at(self, at: QPointF) -> str:
        """What stands under a position, in words; "" for nothing."""
        found = self.chip_at(at)
        if found is not None:
            return self.laid.chips[found].chip.tip
        return next((g.group.tip for g in self.laid.groups if g.head.contains(at)), "")

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint heads, chips and the ring of the keyboard."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for group in self.laid.groups:
            self._paint_head(painter, group)
        for number, placed in enumerate(self.laid.chips):
            self._paint_chip(painter, placed, here=number == self.at and self.hasFocus())
        painter.end()

    def _paint_head(self, painter: QPainter, placed: PlacedGroup) -> None:
        theme, small, group = theme_of(self.board.look), font(self.board.look, "small"), placed.group
        head = elided(group.head, small, placed.head.width())
        draw_text(painter, head, placed.head, font=small, colour=theme.muted, align=LEFT)
        room = placed.head.width() - advance(head, small) - px(self.board.look, 14)
        note = next((word for word in group.note if advance(word, small) <= room), "")
        if note:
            faint = blend(theme.muted, theme.surface, 1.0).name()
            draw_text(painter, note, placed.head, font=small, colour=faint, align=RIGHT)
        if group.sentence:
            body = elided(group.sentence, small, placed.body.width())
            draw_text(painter, body, placed.body, font=small, colour=theme.muted, align=LEFT)

    def _paint_chip(self, painter: QPainter, placed: PlacedChip, *, here: bool) -> None:
        look, chip, place = self.board.look, placed.chip, placed.place
        theme, radius = theme_of(look), px(look, RADIUS_PX)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(blend(chip.colour, theme.surface, GROUND))
        painter.drawRoundedRect(place, radius, radius)
        if chip.share > 0.0:
            painter.save()
            painter.setClipRect(QRectF(place.left(), place.top(), place.width() * chip.share, place.height()))
            painter.setBrush(blend(chip.colour, theme.surface, BAR))
            painter.drawRoundedRect(place, radius, radius)
            painter.restore()
        body = font(look, "body")
        inside = place.adjusted(px(look, 4), 0, -px(look, 4), 0)
        words = elided(chip.text, body, inside.width())
        draw_text(painter, words, inside, font=body, colour=theme.ink, align=CENTRE)
        if here:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.focus), line_px(look, 2)))
            painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), radius, radius)

    def _lay_out(self) -> None:
        self.laid = lay_out(self.board, self.width(), self.height())
        self.at = min(self.at, max(0, len(self.laid.chips) - 1))
        self.update()

    def _go(self, wanted: int) -> None:
        at = min(max(0, wanted), len(self.laid.chips) - 1)
        if at != self.at:
            self.at = at
            self.update()

    def _beyond(self, down: int) -> int:
        """The nearest chip in the line above or below."""
        here = self.laid.chips[self.at].place
        lines = {chip.place.top() for chip in self.laid.chips if (chip.place.top() - here.top()) * down > 0}
        if not lines:
            return self.at
        line = min(lines, key=lambda top: abs(top - here.top()))
        there = [i for i, chip in enumerate(self.laid.chips) if chip.place.top() == line]
        return min(there, key=lambda i: abs(self.laid.chips[i].place.center().x() - here.center().x()))

    def _choose(self) -> None:
        if self.laid.chips:
            placed = self.laid.chips[self.at]
            self.update()
            self.chosen.emit(placed.group, placed.chip.key)
