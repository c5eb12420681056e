"""CodeView: a short program, its lines tied to stages; the running ones are lit."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import LEFT, RIGHT, draw_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.picture_canvas import PictureCanvas
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import blend, theme_of

HANGING = "        "
"""Put in front of what continues a line that is too long for the card."""

_BREAKS = (", ", " + ", " * ", " / ", "(")


@dataclass(frozen=True, slots=True)
class CodeRow:
    """One line: its text, its stage, and a quiet note at the right (a shape, a value)."""

    text: str
    stage: Stage | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CodePicture:
    """All that CodeView draws. running: stages under way; chosen, pointed: by a person.

    first: row on top; None keeps the running lines in sight.
    """

    look: Appearance
    rows: tuple[CodeRow, ...]
    running: frozenset[Stage]
    chosen: Stage | None
    pointed: Stage | None
    first: int | None = None


@dataclass(frozen=True, slots=True)
class Drawn:
    """One drawn line: a row, or what continues it."""

    row: int
    text: str
    head: bool


class CodeView(PictureCanvas[CodePicture]):
    """Draws a CodePicture; long lines are wrapped for the eye only, the text itself stays as it is."""

    pointed = Signal(object)
    """Stage of the line under the pointer, or None."""
    chosen = Signal(object)
    """Stage of the line that a person clicked or stepped to."""
    scrolled = Signal(int)
    """Row that a person wants on top."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build it empty."""
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.moved.connect(self._report)

    def show_picture(self, picture: CodePicture) -> None:
        """Draw a picture; screen readers hear all of its lines."""
        self.setAccessibleDescription("\n".join(row.text for row in picture.rows))
        super().show_picture(picture)

    def paint_front(self, painter: QPainter) -> None:
        """Paint the lines."""
        picture = self.picture
        if picture is not None:
            for at, drawn in self._places(picture):
                self._draw(painter, picture, at, drawn=drawn)
            self._draw_scroll(painter, picture)
        super().paint_front(painter)

    def stage_at(self, at: QPointF) -> Stage | None:
        """Stage of the line at a position, None beside all or on a line of none."""
        picture = self.picture
        if picture is None:
            return None
        for place, drawn in self._places(picture):
            if place.top() <= at.y() < place.bottom():
                return picture.rows[drawn.row].stage
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the stage of a line."""
        super().mousePressEvent(event)
        stage = self.stage_at(event.position())
        if stage is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(stage)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll a program that is too long; one that fits leaves the wheel to others."""
        picture = self.picture
        if picture is None or not self._most(picture):
            event.ignore()
            return
        self._scroll(picture, -round(event.angleDelta().y() / 40))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and Down go to the line of the stage before or after; Ctrl with them scrolls."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        picture = self.picture
        if step is None or picture is None:
            super().keyPressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._scroll(picture, step)
        else:
            self._walk(picture, step)

    def _walk(self, picture: CodePicture, step: int) -> None:
        order = list(dict.fromkeys(row.stage for row in picture.rows if row.stage is not None))
        now = picture.chosen or next(iter(sorted(picture.running, key=list(Stage).index)), None)
        at = order.index(now) if now in order else -step if step > 0 else len(order)
        if 0 <= at + step < len(order):
            self.chosen.emit(order[at + step])

    def _scroll(self, picture: CodePicture, rows: int) -> None:
        now = self._first(picture)
        wanted = min(max(0, now + rows), self._most(picture))
        if wanted != now:
            self.scrolled.emit(wanted)

    def _report(self, at: QPointF | None) -> None:
        self.tell_pointed(None if at is None else self.stage_at(at))

    # Places -------------------------------------------------------------------------------------------------

    def _lines(self, picture: CodePicture) -> tuple[Drawn, ...]:
        left, right = self._sides(picture.look)
        return wrapped(tuple(row.text for row in picture.rows), picture.look, right - left)

    def _places(self, picture: CodePicture) -> Iterator[tuple[QRectF, Drawn]]:
        height = row_height(picture.look)
        lines = self._lines(picture)
        first = self._first(picture)
        for at, drawn in enumerate(lines[first : first + self._room(picture.look)]):
            yield QRectF(0, at * height, self.width(), height), drawn

    def _first(self, picture: CodePicture) -> int:
        """Row on top: the one that a person scrolled to, else the first that shows all running lines."""
        most = self._most(picture)
        if picture.first is not None:
            return min(picture.first, most)
        lit = [
            at
            for at, drawn in enumerate(self._lines(picture))
            if picture.rows[drawn.row].stage in picture.running
        ]
        room = self._room(picture.look)
        return min(most, lit[0], max(0, lit[-1] + 2 - room)) if lit else 0

    def _room(self, look: Appearance) -> int:
        return max(1, int(self.height() // row_height(look)))

    def _most(self, picture: CodePicture) -> int:
        """Rows that do not fit, and can be scrolled."""
        return max(0, len(self._lines(picture)) - self._room(picture.look))

    def _sides(self, look: Appearance) -> tuple[int, int]:
        return px(look, 14), self.width() - px(look, 8)

    # Picture ------------------------------------------------------------------------------------------------

    def _draw(self, painter: QPainter, picture: CodePicture, place: QRectF, *, drawn: Drawn) -> None:
        theme, row = theme_of(picture.look), picture.rows[drawn.row]
        left, right = self._sides(picture.look)
        if row.stage is not None:
            self._draw_ground(painter, picture, place, stage=row.stage)
        small = font(picture.look, "small", mono=True)
        comment = row.text.lstrip().startswith("#")
        lit = row.stage in picture.running
        ink = theme.muted if comment and not lit else theme.ink
        text = QRectF(left, place.top(), right - left, place.height())
        draw_text(painter, drawn.text, text, font=small, colour=ink, align=LEFT)
        width = QFontMetricsF(small).horizontalAdvance(drawn.text)
        note = QFontMetricsF(small).horizontalAdvance(row.note)
        if row.note and drawn.head and left + width + note + px(picture.look, 14) <= right:
            draw_text(painter, row.note, text, font=small, colour=theme.muted, align=RIGHT)

    def _draw_ground(self, painter: QPainter, picture: CodePicture, place: QRectF, *, stage: Stage) -> None:
        """Tint of a lit or chosen line, and the bar of its stage."""
        theme = theme_of(picture.look)
        colour = theme.stage(stage)
        share = _tint(picture, stage)
        if share:
            painter.fillRect(place, blend(colour.name(), theme.surface, share))
        wide = stage in picture.running or stage == picture.chosen
        bar = px(picture.look, 4) if wide else px(picture.look, 2)
        painter.fillRect(QRectF(0, place.top(), bar, place.height()), colour)

    def _draw_scroll(self, painter: QPainter, picture: CodePicture) -> None:
        most = self._most(picture)
        if not most:
            return
        look, theme = picture.look, theme_of(picture.look)
        total = len(self._lines(picture))
        length = max(px(look, 16), self.height() * self._room(look) / total)
        y = (self.height() - length) * self._first(picture) / most
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.muted))
        width = line_px(look, 3)
        painter.drawRoundedRect(QRectF(self.width() - width, y, width, length), width / 2, width / 2)


def _tint(picture: CodePicture, stage: Stage) -> float:
    """How strongly a line's ground takes its stage's colour."""
    if stage in picture.running:
        return 0.24
    if stage == picture.chosen:
        return 0.15
    return 0.09 if stage == picture.pointed else 0.0


def row_height(look: Appearance) -> int:
    """Height of one line."""
    return round(QFontMetricsF(font(look, "small", mono=True)).height()) + px(look, 4)


@lru_cache(maxsize=32)
def wrapped(texts: tuple[str, ...], look: Appearance, width: int) -> tuple[Drawn, ...]:
    """Lines as drawn at a width; a long one breaks after a comma or an operator."""
    advance = QFontMetricsF(font(look, "small", mono=True)).horizontalAdvance("0")
    room = max(16, int(width / advance))
    drawn: list[Drawn] = []
    for number, text in enumerate(texts):
        if not text and drawn and not drawn[-1].text:
            continue  # one empty line parts as well as two do
        rest, head = text, True
        while len(rest) > room:
            at = _break(rest, room)
            drawn.append(Drawn(number, rest[:at].rstrip(), head))
            rest, head = HANGING + rest[at:].lstrip(), False
        drawn.append(Drawn(number, rest, head))
    return tuple(drawn)


def _break(text: str, room: int) -> int:
    """Where a line is cut: after the last comma, operator or bracket that fits, else hard."""
    start = len(text) - len(text.lstrip()) + 1
    for mark in _BREAKS:
        at = text.rfind(mark, start, room)
        if at > 0:
            return at + len(mark.rstrip()) if mark.strip() in (",", "(") else at + 1
    return room
