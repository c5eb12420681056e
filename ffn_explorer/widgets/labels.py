"""Labels that shorten with an ellipsis instead of being cut, and keep the whole text in their tooltip."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget


class ElidedLabel(QWidget):
    """One line of text, elided at the right when there is no room."""

    def __init__(
        self, parent: QWidget | None = None, *, align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft
    ) -> None:
        """Build an empty label."""
        super().__init__(parent)
        self._text = ""
        self._colour = QColor()
        self._align = align
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """The whole text."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show another text."""
        if text == self._text:
            return
        self._text = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def set_look(self, font: QFont, colour: str) -> None:
        """Take another font and colour."""
        if font == self.font() and QColor(colour) == self._colour:
            return
        self.setFont(font)
        self._colour = QColor(colour)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Room for the whole text."""
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self._text) + 2, metrics.height() + 2)

    def minimumSizeHint(self) -> QSize:
        """Any width will do; the height never shrinks."""
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the text, shortened to the width at hand."""
        shown = QFontMetrics(self.font()).elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
        self.setToolTip(self._text if shown != self._text else "")
        painter = QPainter(self)
        painter.setPen(self._colour)
        painter.drawText(self.rect(), int(self._align | Qt.AlignmentFlag.AlignVCenter), shown)
        painter.end()
