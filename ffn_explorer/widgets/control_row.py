"""ControlRow: one group of controls at the left and one at the right, or under it where both do not fit."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

GAP_PX = 8


class ControlRow(QWidget):
    """Keeps both whole; its height follows its width."""

    def __init__(self, left: QWidget, right: QWidget, parent: QWidget | None = None) -> None:
        """Take both groups."""
        super().__init__(parent)
        self._left, self._right = left, right
        for widget in (left, right):
            widget.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def refresh(self) -> None:
        """Place both anew after their words or sizes changed."""
        self.updateGeometry()
        self._place()

    def sizeHint(self) -> QSize:
        """Both in one line."""
        return QSize(self._one_line(), self._height(one_line=True))

    def minimumSizeHint(self) -> QSize:
        """Any width will do."""
        return QSize(1, self._height(one_line=self.width() >= self._one_line()))

    def hasHeightForWidth(self) -> bool:
        """Less width may need a second line."""
        return True

    def heightForWidth(self, width: int) -> int:
        """One line or two."""
        return self._height(one_line=width >= self._one_line())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place both anew."""
        super().resizeEvent(event)
        self._place()

    def _one_line(self) -> int:
        left, right = (w.sizeHint().width() if not w.isHidden() else 0 for w in (self._left, self._right))
        return left + right + (GAP_PX if left and right else 0)

    def _height(self, *, one_line: bool) -> int:
        heights = [w.sizeHint().height() for w in (self._left, self._right) if not w.isHidden()]
        return max(heights, default=0) if one_line else sum(heights) + GAP_PX // 2

    def _place(self) -> None:
        left, right = self._left.sizeHint(), self._right.sizeHint()
        one_line = self.width() >= self._one_line()
        high = self._height(one_line=True)
        self._left.setGeometry(0, (high - left.height()) // 2 if one_line else 0, left.width(), left.height())
        top = (high - right.height()) // 2
        if not one_line:
            top = 0 if self._left.isHidden() else left.height() + GAP_PX // 2
        self._right.setGeometry(max(0, self.width() - right.width()), top, right.width(), right.height())
