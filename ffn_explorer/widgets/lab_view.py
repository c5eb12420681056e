"""LabView: canvas of the position lab: a row per token, or the table of formats, over a caption."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.canvas import Canvas
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.lab_rows import RowsPicture, RowsPlan, paint_rows, rows_in
from ffn_explorer.widgets.lab_table import TablePicture, line_height, paint_table
from ffn_explorer.widgets.place_words import caption_lines, draw_lines
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of

USUAL_ROWS = 5
"""Rows that the caption leaves room for, where there are so many."""

LEAST_ROWS = 2
"""Rows that are left to stand beside the first line of the caption."""

AXIS_LINES = 3.6
"""Lines of type that heads and axis take."""


@dataclass(frozen=True, slots=True)
class LabPicture:
    """What is shown: rows or a table, and sentences under it, each in wordings with the longest first."""

    look: Appearance
    rows: RowsPicture | None
    table: TablePicture | None
    caption: tuple[tuple[str, ...], ...]


class LabView(Canvas):
    """Paints a LabPicture; the pointer finds tokens."""

    pointed = Signal(object)
    """Token under the pointer, or None; only when it changes."""
    chosen = Signal(int)
    """Token clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build it empty."""
        super().__init__(parent)
        self._picture: LabPicture | None = None
        self._plan: RowsPlan | None = None
        self._caption = QRectF()
        self._lines: tuple[str, ...] = ()
        self.moved.connect(self._report)

    def show_picture(self, picture: LabPicture | None, look: Appearance, *, sentence: str = "") -> None:
        """Draw a picture, or nothing but a sentence."""
        self._picture, self.sentence = picture, sentence
        self.set_look(look)
        self.lay_out()

    def lay_out(self) -> None:
        """Divide the height between rows and caption."""
        super().lay_out()
        picture, self._plan = self._picture, None
        if picture is not None:
            room = self._room(picture)
            if picture.rows is not None:
                self._plan = rows_in(room, picture.rows)

    def token_at(self, at: QPointF) -> int | None:
        """Token whose row a point lies in."""
        return None if self._plan is None else self._plan.token_at(at.y())

    def paint_front(self, painter: QPainter) -> None:
        """Paint rows or table, and the caption."""
        picture = self._picture
        if picture is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            if picture.rows is not None and self._plan is not None:
                paint_rows(painter, picture.rows, self._plan)
            elif picture.table is not None:
                paint_table(painter, picture.table, self._above())
            small = font(picture.look, "small")
            draw_lines(painter, self._lines, self._caption, font=small, colour=theme_of(picture.look).muted)
        super().paint_front(painter)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the token of the row."""
        super().mousePressEvent(event)
        token = self.token_at(event.position())
        if token is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(token)

    def _report(self, at: QPointF | None) -> None:
        self.tell_pointed(None if at is None else self.token_at(at))

    def _above(self) -> Box:
        return Box(1, 0, self.width() - 2, max(1.0, self._caption.top() - px(self.look, 5)))

    def _room(self, picture: LabPicture) -> Box:
        """What the caption leaves, with the caption's lines under it."""
        small = font(picture.look, "small")
        line = QFontMetricsF(small).height()
        if picture.table is not None:
            most = self.height() - line_height(picture.look) * (len(picture.table.lines) + 1)
        else:
            rows = min(USUAL_ROWS, len(picture.rows.rows) if picture.rows is not None else 0)
            most = self.height() - (rows + AXIS_LINES) * line
            most = max(most, min(line, self.height() - (LEAST_ROWS + AXIS_LINES) * line))
        width = max(1, self.width() - 4)
        self._lines = caption_lines(picture.caption, small, width=width, height=max(0.0, most))
        height = len(self._lines) * line
        self._caption = QRectF(2, self.height() - height - px(picture.look, 2), width, height)
        return self._above()
