"""A layout that sets widgets side by side and goes on in a new row when the width is used up."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Rows of widgets, each vertically centred in its row."""

    def __init__(self, parent: QWidget | None = None, *, gap: int = 8, row_gap: int = 6) -> None:
        """Build an empty flow."""
        super().__init__(parent)
        self.spare: QWidget | None = None
        """A widget that is left out, with no size, where that saves a row."""
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self._row_gap = row_gap

    def addItem(self, item: QLayoutItem) -> None:
        """Add at the end."""
        self._items.append(item)

    def count(self) -> int:
        """How many items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Item at a place, or None."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override]
        """Remove an item."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """The flow takes no more height than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Height follows from the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Height of all rows at a width."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Place the widgets."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        """One row, as wide as all items."""
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in sizes) + self._gap * max(0, len(sizes) - 1)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:
        """The widest single item."""
        sizes = [item.minimumSize() for item in self._items if not item.isEmpty()]
        return QSize(max((s.width() for s in sizes), default=0), max((s.height() for s in sizes), default=0))

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Height of all rows; move: the widgets are placed."""
        spare = [item for item in self._items if item.widget() is self.spare and not item.isEmpty()]
        rows = self._rows(self._items, rect.width())
        fewer = self._rows([item for item in self._items if item not in spare], rect.width())
        left_out = len(fewer) < len(rows)
        y = rect.y()
        for row in fewer if left_out else rows:
            height = max(item.sizeHint().height() for item in row)
            if move:
                self._place(row, QPoint(rect.x(), y), height)
            y += height + self._row_gap
        if move and left_out:
            for item in spare:
                item.setGeometry(QRect(rect.topLeft(), QSize(0, 0)))
        return max(0, y - self._row_gap - rect.y())

    def _rows(self, items: list[QLayoutItem], width: int) -> list[list[QLayoutItem]]:
        """Items row by row, as they fit a width."""
        rows: list[list[QLayoutItem]] = []
        used = 0
        for item in (item for item in items if not item.isEmpty()):
            wide = item.sizeHint().width()
            if not rows or used + self._gap + wide > width:
                rows.append([item])
                used = wide
            else:
                rows[-1].append(item)
                used += self._gap + wide
        return rows

    def _place(self, row: list[QLayoutItem], start: QPoint, height: int) -> None:
        x = start.x()
        for item in row:
            size = item.sizeHint()
            item.setGeometry(QRect(QPoint(x, start.y() + (height - size.height()) // 2), size))
            x += size.width() + self._gap
