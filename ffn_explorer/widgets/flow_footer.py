"""The line under the picture: what was counted at the left, where the numbers come from at the right."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

GAP_PX = 16


class Footer(QWidget):
    """Caption in the longest wording that leaves the origin its room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty line."""
        super().__init__(parent)
        self._captions: tuple[str, ...] = ("",)
        self._origin = ""
        self._colour = QColor()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_texts(self, captions: tuple[str, ...], origin: str) -> None:
        """Show a caption, given from the longest wording to the shortest, and an origin."""
        if (captions, origin) != (self._captions, self._origin):
            self._captions, self._origin = captions, origin
            self.setAccessibleName(f"{captions[0]} {origin}")
            self.update()

    def set_look(self, font: QFont, colour: str) -> None:
        """Take another font and colour."""
        self.setFont(font)
        self._colour = QColor(colour)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """One line of text."""
        return QSize(0, QFontMetrics(self.font()).height() + 2)

    def minimumSizeHint(self) -> QSize:
        """Any width will do."""
        return self.sizeHint()

    def shown(self) -> tuple[str, str]:
        """Caption and origin as they fit the present width."""
        metrics, width = QFontMetrics(self.font()), self.width()
        right = metrics.horizontalAdvance(self._origin) + GAP_PX if self._origin else 0
        caption = next(
            (c for c in self._captions if metrics.horizontalAdvance(c) + right <= width), self._captions[-1]
        )
        left = min(metrics.horizontalAdvance(caption) + 2, width)
        caption = metrics.elidedText(caption, Qt.TextElideMode.ElideRight, left)
        room = max(0, width - left - (GAP_PX if left else 0))
        return caption, metrics.elidedText(self._origin, Qt.TextElideMode.ElideRight, room)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint both texts; what is shortened stands whole in the tooltip."""
        caption, origin = self.shown()
        whole = (caption, origin) == (self._captions[0], self._origin)
        self.setToolTip("" if whole else f"{self._captions[0]}\n{self._origin}")
        painter = QPainter(self)
        painter.setPen(self._colour)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignLeft | middle), caption)
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignRight | middle), origin)
        painter.end()
