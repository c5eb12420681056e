"""NumberGrid: a small table of named numbers that can be typed over, for the weights of a tiny FFN."""

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QToolTip, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.number_grid_paint import paint_grid
from ffn_explorer.widgets.number_grid_plan import (
    HEAD,
    ROOMIER,
    Grid,
    GridCell,
    GridPlan,
    Place,
    compact_line,
    plan_of,
)
from ffn_explorer.widgets.plain_tip import plain_tip

_ARROWS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class NumberGrid(QWidget):
    """Arrows move; Enter, F2, a double click or typing opens a cell; Space flips it, Delete takes its row."""

    typed = Signal(object, str)
    """Place of a cell, and what a person typed in it."""
    flipped = Signal(object)
    """Place of a cell that a person pressed Space on."""
    removed = Signal(object)
    """Place of a cell on which a person pressed Delete."""
    picked = Signal(int, int)
    """Row and column that a person went to; -1 for names."""
    scrolled = Signal(int, int)
    """First row and column that a person scrolled to."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty grid and its editor, unseen."""
        super().__init__(parent)
        self._grid = Grid(Appearance(), "", "", (), ())
        self._at = (0, 0)
        self._editing: GridCell | None = None
        self.editor = QLineEdit(self)
        self.editor.hide()
        self.editor.installEventFilter(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_grid(self, grid: Grid) -> None:
        """Show other numbers; an open editor stays with the cell it belongs to."""
        self._grid = grid
        self.editor.setFont(font(grid.look, "small"))
        self._at = self._inside(*self._at)
        self.setAccessibleName(grid.name)
        self._tell()
        self.update()

    @property
    def at(self) -> tuple[int, int]:
        """Row and column of the cursor."""
        return self._at

    @property
    def place(self) -> Place | None:
        """What the cell under the cursor stands for; of a cell that cannot be typed in, the row's name."""
        cell = self._cell()
        if cell is None or cell.place is not None:
            return None if cell is None else cell.place
        return None if self._at[0] == HEAD else self._grid.cell(self._at[0], HEAD).place

    def whole_height(self) -> int:
        """Least height in which every row is in sight."""
        return round(compact_line(self._grid) * (len(self._grid.rows) + 1)) + 4

    def most_height(self) -> int:
        """Height beyond which the lines grow no more."""
        return round(ROOMIER * self.whole_height())

    def minimumSizeHint(self) -> QSize:
        """A few cells."""
        line = round(compact_line(self._grid))
        return QSize(4 * line, line)

    def rect_of(self, row: int, column: int) -> QRectF | None:
        """Place of a cell, None while it is out of sight."""
        return self._plan().rect(row, column)

    # Acts ---------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move, open, flip or remove; other keys belong to the window."""
        key, cell = Qt.Key(event.key()), self._cell()
        if key in _ARROWS and self._grid.rows:
            down, right = _ARROWS[key]
            self.go(self._at[0] + down, self._at[1] + right)
        elif cell is None or cell.place is None:
            event.ignore()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self.open()
        elif key == Qt.Key.Key_Space:
            self.flipped.emit(cell.place)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit(cell.place)
        elif event.text() and event.text() in "0123456789-−.,":
            self.open(event.text())
        else:
            event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the cell under the pointer."""
        found = self._found(event.position())
        if event.button() is Qt.MouseButton.LeftButton and found is not None:
            self.go(*found)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the cell under the pointer."""
        if self._found(event.position()) is not None:
            self.open()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll rows, and columns with Shift; a grid that is all in sight leaves the wheel to others."""
        plan = self._plan()
        step = -1 if event.angleDelta().y() + event.angleDelta().x() > 0 else 1
        sideways = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) or not event.angleDelta().y()
        row, column = plan.first_row, plan.first_column
        wanted = (row, column + step) if sideways or not plan.most_row else (row + step, column)
        kept = (min(max(0, wanted[0]), plan.most_row), min(max(0, wanted[1]), plan.most_column))
        if kept == (row, column):
            event.ignore()
            return
        self.scrolled.emit(*kept)
        event.accept()

    def go(self, row: int, column: int) -> None:
        """Move the cursor to a cell, as near as there is one, and bring it into sight."""
        self._at = self._inside(row, column)
        row, column = self._at
        plan = self._plan()
        first_row, first_column = plan.first_row, plan.first_column
        if row != HEAD:
            first_row = min(max(first_row, row - plan.rows_seen + 1), row)
        if column != HEAD:
            while plan.rect(HEAD, column) is None and first_column < column:
                first_column += 1
                plan = plan_of(self._scrolled_to(first_row, first_column), self.width(), self.height())
            first_column = min(first_column, column)
        if (first_row, first_column) != (self._plan().first_row, self._plan().first_column):
            self.scrolled.emit(first_row, first_column)
        self._tell()
        self.update()
        self.picked.emit(row, column)

    def open(self, text: str = "") -> None:
        """Open the cell under the cursor for typing; text replaces what stands there."""
        cell, place = self._cell(), self.rect_of(*self._at)
        if cell is None or cell.place is None or place is None:
            return
        self._editing = cell
        self.editor.setFont(font(self._grid.look, self._plan().role))
        self.editor.setText(text or cell.typed)
        self.editor.setAccessibleName(self.accessibleDescription())
        self.editor.setGeometry(place.toAlignedRect())
        self.editor.show()
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        if not text:
            self.editor.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the open editor: Enter and Tab keep what was typed, Esc leaves it."""
        if watched is self.editor and event.type() is QEvent.Type.KeyPress:
            assert isinstance(event, QKeyEvent)
            key = event.key()
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._close(keep=True)
            elif key == Qt.Key.Key_Escape:
                self._close(keep=False)
            elif key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
                self._close(keep=True)
                self._next(-1 if key == Qt.Key.Key_Backtab else 1)
            else:
                return False
            return True
        if watched is self.editor and event.type() is QEvent.Type.FocusOut:
            self._close(keep=True, focus=False)
        return False

    def _close(self, *, keep: bool, focus: bool = True) -> None:
        cell, self._editing = self._editing, None
        if cell is None:
            return
        text = self.editor.text()
        self.editor.hide()
        if focus:
            self.setFocus(Qt.FocusReason.TabFocusReason)
        if keep and cell.place is not None and text.strip() != cell.typed:
            self.typed.emit(cell.place, text)

    def _next(self, step: int) -> None:
        """Open the next cell that can be typed in; past the last one, stay."""
        row, column = self._at
        width = len(self._grid.columns) + 1
        for flat in range((row + 1) * width + column + 1 + step, 10_000_000 if step > 0 else -1, step):
            if not 0 <= flat < width * (len(self._grid.rows) + 1):
                return
            to = (flat // width - 1, flat % width - 1)
            if self._grid.cell(*to).place is not None:
                self.go(*to)
                self.open()
                return

    # Picture ------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the grid, and the cursor while the keyboard is here."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        cursor = self._at if self.hasFocus() or self.editor.isVisible() else None
        paint_grid(painter, self._grid, self._plan(), cursor=cursor)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Tell the whole text of a cell under a resting pointer."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            found = self._found(QPointF(event.pos()))
            text = "" if found is None else self._grid.cell(*found).text
            QToolTip.showText(event.globalPos(), plain_tip(text), self)
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the cursor."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the cursor away."""
        super().focusOutEvent(event)
        self.update()

    def _plan(self) -> GridPlan:
        return plan_of(self._grid, self.width(), self.height())

    def _scrolled_to(self, row: int, column: int) -> Grid:
        return replace(self._grid, first_row=row, first_column=column)

    def _inside(self, row: int, column: int) -> tuple[int, int]:
        rows, columns = len(self._grid.rows), len(self._grid.columns)
        row, column = max(HEAD, min(row, rows - 1)), max(HEAD, min(column, columns - 1))
        return (row, 0) if row == HEAD and column == HEAD and columns else (row, column)

    def _cell(self) -> GridCell | None:
        return self._grid.cell(*self._at) if self._grid.rows else None

    def _found(self, at: QPointF) -> tuple[int, int] | None:
        cells = self._plan().seen(len(self._grid.rows))
        return next(((row, column) for row, column, place in cells if place.contains(at)), None)

    def _tell(self) -> None:
        """Row, column and text of the cursor's cell, for screen readers."""
        if self._grid.rows:
            row, column = self._at
            named = (self._grid.cell(row, HEAD).text, self._grid.cell(HEAD, column).text)
            words = [*named, self._grid.cell(row, column).text]
            self.setAccessibleDescription(", ".join(dict.fromkeys(words)))
