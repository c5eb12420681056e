"""Paragraphs: wrapped lines of text in two groups, one at the top and one at the bottom, drawn by the kit."""

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.focus import KEYBOARD
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.icons import draw_icon
from ffn_explorer.widgets.page import (
    Laid,
    Page,
    Placed,
    font_of,
    indent_of,
    lay_out,
    line_height,
    middle_of,
    small_line,
)
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of


class Paragraphs(QWidget):
    """Draws a Page; scrolls where it is too long, without ever remembering how far.

    The bottom group stays in sight: the top one leaves out optional blocks, and scrolls above it.
    """

    scrolled = Signal(int)
    """Pixels that a person scrolled to."""
    focused = Signal()
    """The focus has come or gone; whoever stands around this draws the ring, clear of the text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty page."""
        super().__init__(parent)
        self._page = Page(Appearance())
        self._compact = False
        self._by_keyboard = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_page(self, page: Page) -> None:
        """Show another page."""
        self._page = page
        self.setAccessibleDescription("\n".join(block.text for block in (*page.top, *page.bottom)))
        self.update()

    def set_compact(self, compact: bool) -> None:
        """Show the brief lines alone, or everything."""
        if compact != self._compact:
            self._compact = compact
            self.update()

    def minimumSizeHint(self) -> QSize:
        """Room for the brief lines."""
        return QSize(px(self._page.look, 120), 2 * QFontMetrics(font(self._page.look, "small")).height())

    def height_for(self, width: int) -> int:
        """Height at which nothing has to scroll."""
        # Asked at no height, so that blocks keep the type that they name.
        return math.ceil(lay_out(self._page, width, 0).top.height)

    def most_scroll(self) -> int:
        """How far the page can be scrolled, in pixels."""
        return self._laid().most

    @property
    def ringed(self) -> bool:
        """Whether the keyboard brought the focus here."""
        return self._by_keyboard and self.hasFocus()

    # Acts ---------------------------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll a page that is too long; one that fits leaves the wheel to others."""
        if self._compact or not self.most_scroll():
            event.ignore()
            return
        self._scroll_by(-round(event.angleDelta().y() / 120 * 3 * self._line()))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up, Down, PageUp and PageDown scroll."""
        steps = {
            Qt.Key.Key_Up: -self._line(),
            Qt.Key.Key_Down: self._line(),
            Qt.Key.Key_PageUp: -self.height(),
            Qt.Key.Key_PageDown: self.height(),
        }
        step = steps.get(Qt.Key(event.key()))
        if step is None or self._compact or not self.most_scroll():
            event.ignore()
        else:
            self._scroll_by(step)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Remember what brought the focus."""
        self._by_keyboard = event.reason() in KEYBOARD
        super().focusInEvent(event)
        self.focused.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell that the focus is gone."""
        super().focusOutEvent(event)
        self.focused.emit()

    def _scroll_by(self, pixels: int) -> None:
        now = min(self._page.scroll, self.most_scroll())
        wanted = min(max(0, now + pixels), self.most_scroll())
        if wanted != self._page.scroll:
            self.scrolled.emit(wanted)

    # Picture ------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the brief lines, or both groups with a rule between them."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._compact:
            self._draw_brief(painter)
        else:
            self._draw_groups(painter)
        painter.end()

    def _draw_brief(self, painter: QPainter) -> None:
        line = self._line()
        shown = self._page.brief[: max(1, self.height() // line)]
        y = max(0.0, (self.height() - line * len(shown)) / 2)
        for block in shown:
            face = font_of(block, self._page.look)
            room = round(self.width() - indent_of(block, self._page.look))
            text = QFontMetrics(face).elidedText(block.text, Qt.TextElideMode.ElideRight, room)
            self._draw_block(painter, Placed(block, y, (text,)))
            y += line

    def _draw_groups(self, painter: QPainter) -> None:
        laid = self._laid()
        top, bottom = laid.top, laid.bottom
        scroll = min(self._page.scroll, laid.most)
        fixed = laid.pinned or not laid.most
        start = self.height() - bottom.height if fixed else top.height + middle_of(self._page) - scroll
        seen = start - middle_of(self._page) if laid.pinned else float(self.height())
        for placed in top.blocks:
            self._draw_block(painter, placed, shift=-scroll, until=seen)
        if bottom.blocks and start < self.height():
            y = start - middle_of(self._page) / 2
            painter.setPen(QPen(QColor(theme_of(self._page.look).border), line_px(self._page.look)))
            painter.drawLine(QPointF(0, y), QPointF(self.width(), y))
        for placed in bottom.blocks:
            self._draw_block(painter, placed, shift=start)
        if laid.most:
            self._draw_position(painter, scroll, laid.most, seen=seen)

    def _draw_block(
        self, painter: QPainter, placed: Placed, *, shift: float = 0.0, until: float | None = None
    ) -> None:
        """Paint the lines that stand whole above `until`: one cut through its middle would only disturb."""
        limit = (self.height() if until is None else until) + 1
        block, theme = placed.block, theme_of(self._page.look)
        face = font_of(block, self._page.look)
        height = line_height(face, self._page.look)
        y = placed.y + shift
        if block.icon and 0 <= y <= limit - height:
            side = px(self._page.look, 13)
            colour = theme.error if block.wrong else theme.ink if block.icon != "waits" else theme.muted
            square = QRectF(0, y + (height - side) / 2, side, side)
            width = line_px(self._page.look, 2)
            draw_icon(painter, block.icon, place=square, colour=QColor(colour), line=width)
        painter.setFont(face)
        painter.setPen(QColor(theme.ink if block.strong else theme.muted))
        left = indent_of(block, self._page.look)
        for line in placed.lines:
            place = QRectF(left, y, self.width() - left, height)
            if 0 <= y <= limit - height:
                painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine), line)
            y += height

    def _draw_position(self, painter: QPainter, scroll: int, most: int, *, seen: float) -> None:
        """A thin bar at the right: which part shows in the height `seen`."""
        look = self._page.look
        width = px(look, 4)
        length = max(px(look, 16), seen * seen / (seen + most))
        y = (seen - length) * scroll / most
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme_of(look).muted))
        painter.drawRoundedRect(QRectF(self.width() - width, y, width, length), width / 2, width / 2)

    def _laid(self) -> Laid:
        return lay_out(self._page, self.width(), self.height())

    def _line(self) -> int:
        return small_line(self._page.look)
