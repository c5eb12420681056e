"""WrapRow: widgets side by side that go on in another row where they do not all fit."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.sizes import px


class WrapRow(QWidget):
    """Children at the sizes they ask for, from the left, as high as the rows that they need."""

    def __init__(self, children: Sequence[QWidget], parent: QWidget | None = None) -> None:
        """Take the children, in order."""
        super().__init__(parent)
        self._inside = tuple(children)
        self._look = Appearance()
        for child in children:
            child.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_look(self, look: Appearance) -> None:
        """Take another look, once the children have it, and place them anew."""
        self._look = look
        self.updateGeometry()
        self._place(self.width())

    def hasHeightForWidth(self) -> bool:
        """More rows in less width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Height of the rows at a width."""
        return self._place(width, move=False)

    def sizeHint(self) -> QSize:
        """All in one row."""
        gap = px(self._look, 6)
        width = sum(child.sizeHint().width() + gap for child in self._inside) - gap
        return QSize(width, self._height())

    def minimumSizeHint(self) -> QSize:
        """The widest child, and as many rows as the present width needs."""
        widest = max(child.sizeHint().width() for child in self._inside)
        return QSize(widest, self._place(max(widest, self.width()), move=False))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the children anew."""
        super().resizeEvent(event)
        self._place(event.size().width())

    def _height(self) -> int:
        return max(child.sizeHint().height() for child in self._inside)

    def _place(self, width: int, *, move: bool = True) -> int:
        """Go through the rows; the height that they take."""
        gap, line = px(self._look, 6), self._height()
        x = y = 0
        for child in self._inside:
            size = child.sizeHint()
            if x and x + size.width() > width:
                x, y = 0, y + line + gap
            if move:
                child.setGeometry(x, y + (line - size.height()) // 2, size.width(), size.height())
            x += size.width() + gap
        return y + line
