"""The line under the picture: active neurons at the left, parameters and origin at the right."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

GAP_PX = 16


class Footer(QWidget):
    """Caption in the longest wording that leaves the right side its room; that is cut at its end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty line."""
        super().__init__(parent)
        self._captions: tuple[str, ...] = ("",)
        self._right = ""
        self._details = ""
        self._colour = QColor()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_texts(self, captions: tuple[str, ...], right: str, *, details: str) -> None:
        """Show a caption, given from the longest wording to the shortest, and what stands at the right.

        right: what matters most stands first, for it is cut at its end.  details: more, for the tooltip.
        """
        if (captions, right, details) != (self._captions, self._right, self._details):
            self._captions, self._right, self._details = captions, right, details
            self.setAccessibleName(f"{captions[0]} {right}")
            self.setAccessibleDescription(details)
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
        """Texts at the left and at the right as they fit the present width."""
        metrics, width = QFontMetrics(self.font()), self.width()
        right = metrics.horizontalAdvance(self._right) + GAP_PX if self._right else 0
        caption = next(
            (c for c in self._captions if metrics.horizontalAdvance(c) + right <= width), self._captions[-1]
        )
        left = min(metrics.horizontalAdvance(caption) + 2, width)
        caption = metrics.elidedText(caption, Qt.TextElideMode.ElideRight, left)
        room = max(0, width - left - (GAP_PX if left else 0))
        return caption, metrics.elidedText(self._right, Qt.TextElideMode.ElideRight, room)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint both texts; the tooltip has them whole where they are shortened, and the details."""
        caption, right = self.shown()
        whole = (caption, right) == (self._captions[0], self._right)
        cut = [] if whole else [self._captions[0], self._right]
        self.setToolTip("\n".join(line for line in (*cut, self._details) if line))
        painter = QPainter(self)
        painter.setPen(self._colour)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignLeft | middle), caption)
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignRight | middle), right)
        painter.end()
