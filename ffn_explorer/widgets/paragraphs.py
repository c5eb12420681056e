"""Paragraphs: wrapped lines of text in two groups, one at the top and one at the bottom, drawn by the kit."""

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTextLayout,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.icons import draw_icon
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph. reserve: lines that its group keeps for it, so that a longer text moves nothing else."""

    text: str
    role: str = "small"
    bold: bool = False
    mono: bool = False
    strong: bool = True
    """Ink, or the quieter colour."""
    reserve: int = 1
    icon: str = ""
    """Icon of ICONS before the first line."""
    wrong: bool = False
    """Icon in the colour of errors."""


@dataclass(frozen=True, slots=True)
class Page:
    """All that Paragraphs draws. scroll: pixels; brief: what is left where there is little height."""

    look: Appearance
    top: tuple[Block, ...] = ()
    bottom: tuple[Block, ...] = ()
    brief: tuple[Block, ...] = ()
    scroll: int = 0


@dataclass(frozen=True, slots=True)
class _Placed:
    """A block with its lines, and how far down its group it stands."""

    block: Block
    y: float
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """Blocks close together; the lines kept for them and not used stand empty at the end."""

    blocks: tuple[_Placed, ...]
    height: float
    kept: float
    """Height with the lines that are kept."""


class Paragraphs(QWidget):
    """Draws a Page; scrolls where it is too long, without ever remembering how far."""

    scrolled = Signal(int)
    """Pixels that a person scrolled to."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty page."""
        super().__init__(parent)
        self._page = Page(Appearance())
        self._compact = False
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

    def most_scroll(self) -> int:
        """How far the page can be scrolled, in pixels."""
        top, bottom = self._groups()
        return max(0, round(top.height + bottom.height + self._middle()) - self.height())

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
        if self.hasFocus():
            width = line_px(self._page.look, 2)
            painter.setPen(QPen(QColor(theme_of(self._page.look).focus), width))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inset = width / 2
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), 4, 4)
        painter.end()

    def _draw_brief(self, painter: QPainter) -> None:
        line = self._line()
        shown = self._page.brief[: max(1, self.height() // line)]
        y = max(0.0, (self.height() - line * len(shown)) / 2)
        for block in shown:
            face = self._font(block)
            room = round(self.width() - self._indent(block))
            text = QFontMetrics(face).elidedText(block.text, Qt.TextElideMode.ElideRight, room)
            self._draw_block(painter, _Placed(block, y, (text,)))
            y += line

    def _draw_groups(self, painter: QPainter) -> None:
        top, bottom = self._groups()
        most = self.most_scroll()
        scroll = min(self._page.scroll, most)
        start = self.height() - bottom.height if not most else top.height + self._middle() - scroll
        for placed in top.blocks:
            self._draw_block(painter, placed, shift=-scroll)
        if bottom.blocks and start < self.height():
            y = start - self._middle() / 2
            painter.setPen(QPen(QColor(theme_of(self._page.look).border), line_px(self._page.look)))
            painter.drawLine(QPointF(0, y), QPointF(self.width(), y))
        for placed in bottom.blocks:
            self._draw_block(painter, placed, shift=start)
        if most:
            self._draw_position(painter, scroll, most)

    def _draw_block(self, painter: QPainter, placed: _Placed, *, shift: float = 0.0) -> None:
        block, theme = placed.block, theme_of(self._page.look)
        face = self._font(block)
        height = self._line_height(face)
        y = placed.y + shift
        if block.icon and self._whole(y, height):
            side = px(self._page.look, 13)
            colour = theme.error if block.wrong else theme.ink if block.icon != "waits" else theme.muted
            square = QRectF(0, y + (height - side) / 2, side, side)
            width = line_px(self._page.look, 2)
            draw_icon(painter, block.icon, place=square, colour=QColor(colour), line=width)
        painter.setFont(face)
        painter.setPen(QColor(theme.ink if block.strong else theme.muted))
        left = self._indent(block)
        for line in placed.lines:
            place = QRectF(left, y, self.width() - left, height)
            if self._whole(y, height):
                painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine), line)
            y += height

    def _draw_position(self, painter: QPainter, scroll: int, most: int) -> None:
        """A thin bar at the right: which part of the page shows."""
        look = self._page.look
        width, shown = px(look, 4), self.height() / (self.height() + most)
        length = max(px(look, 16), self.height() * shown)
        y = (self.height() - length) * scroll / most
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme_of(look).muted))
        painter.drawRoundedRect(QRectF(self.width() - width, y, width, length), width / 2, width / 2)

    # Layout -------------------------------------------------------------------------------------------------

    def _groups(self) -> tuple[_Group, _Group]:
        top, bottom = self._group(self._page.top), self._group(self._page.bottom)
        if top.kept + bottom.kept + self._middle() > self.height():
            return top, bottom  # no room to keep lines empty
        return replace(top, height=top.kept), replace(bottom, height=bottom.kept)

    def _group(self, blocks: tuple[Block, ...]) -> _Group:
        y = kept = 0.0
        placed = []
        gap = px(self._page.look, 5)
        for block in blocks:
            face = self._font(block)
            lines = _wrap(block.text, face, self.width() - self._indent(block) - px(self._page.look, 8))
            placed.append(_Placed(block, y, lines))
            y += len(lines) * self._line_height(face) + gap
            kept += block.reserve * self._line_height(face) + gap
        if not placed:
            return _Group((), 0.0, 0.0)
        return _Group(tuple(placed), y - gap, max(y, kept) - gap)

    def _font(self, block: Block) -> QFont:
        return font(self._page.look, block.role, bold=block.bold, mono=block.mono)

    def _indent(self, block: Block) -> float:
        return float(px(self._page.look, 20)) if block.icon else 0.0

    def _whole(self, y: float, height: float) -> bool:
        """Whether a line shows whole; one cut through its middle would only disturb."""
        return y >= 0 and y + height <= self.height() + 1

    def _line_height(self, face: QFont) -> int:
        return QFontMetrics(face).height() + px(self._page.look, 2)

    def _middle(self) -> int:
        return px(self._page.look, 17)

    def _line(self) -> int:
        return self._line_height(font(self._page.look, "small"))


def _wrap(text: str, face: QFont, width: float) -> tuple[str, ...]:
    """Lines of a text at a width; words too long for a line are broken."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        layout = QTextLayout(paragraph, face)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1.0, width))
            # Positions count UTF-16 units, as Qt's strings do.
            units = paragraph.encode("utf-16-le", "surrogatepass")
            start, length = line.textStart(), line.textLength()
            lines.append(
                units[2 * start : 2 * (start + length)].decode("utf-16-le", "surrogatepass").rstrip()
            )
        layout.endLayout()
    return tuple(lines)
