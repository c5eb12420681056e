"""Labels that shorten with an ellipsis instead of being cut, and keep the whole text in their tooltip."""

from functools import lru_cache

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ffn_explorer.widgets.plain_tip import plain_tip

LEAST_LETTERS = 8
"""Fewer than these, with the ellipsis, would only disturb: then nothing is shown."""


class ElidedLabel(QWidget):
    """One line of text: whole, else in a shorter wording, else elided at the right."""

    def __init__(
        self, parent: QWidget | None = None, *, align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft
    ) -> None:
        """Build an empty label."""
        super().__init__(parent)
        self._text = ""
        self._shorter: tuple[str, ...] = ()
        self._about = ""
        self._colour = QColor()
        self._align = align
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """The whole text."""
        return self._text

    def set_text(self, text: str, *, short: str | tuple[str, ...] = "") -> None:
        """Show another text; short: what stands where there is no room for all of it.

        Of several, the first that fits is taken; the last one may be "": rather nothing than a piece.
        """
        shorter = short if isinstance(short, tuple) else (short,) if short else ()
        if (text, shorter) == (self._text, self._shorter):
            return
        before = self._asked()
        self._text, self._shorter = text, shorter
        self.setAccessibleName(text)
        if self._asked() != before:
            self.updateGeometry()
        self._tell()

    def set_about(self, about: str) -> None:
        """Say in the tooltip what this is about."""
        if about != self._about:
            self._about = about
            self.setAccessibleDescription(about)
            self._tell()

    def set_look(self, font: QFont, colour: str) -> None:
        """Take another font and colour."""
        if font == self.font() and QColor(colour) == self._colour:
            return
        self.setFont(font)
        self._colour = QColor(colour)
        self.updateGeometry()
        self._tell()

    def sizeHint(self) -> QSize:
        """Room for the whole text."""
        return QSize(_advance(self._text, self.font()) + 2, QFontMetrics(self.font()).height() + 2)

    def minimumSizeHint(self) -> QSize:
        """Any width will do; the height never shrinks."""
        return QSize(0, self.sizeHint().height())

    def shown(self) -> str:
        """The text as it fits the present width."""
        font, width = self.font(), self.width()
        text = self._text
        for text in (self._text, *self._shorter):
            # An advance is rounded: a text that fills the width to the last pixel may be elided.
            if _advance(text, font) < width:
                return text
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, width)
        return "" if shown != text and len(shown) < LEAST_LETTERS else shown

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the text to the width at hand."""
        super().resizeEvent(event)
        self._tell()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the text, shortened to the width at hand."""
        painter = QPainter(self)
        painter.setPen(self._colour)
        painter.drawText(self.rect(), int(self._align | Qt.AlignmentFlag.AlignVCenter), self.shown())
        painter.end()

    def _asked(self) -> int:
        """Width that a layout gives it for its text, if it asks for any."""
        ignored = self.sizePolicy().horizontalPolicy() == QSizePolicy.Policy.Ignored
        return 0 if ignored else _advance(self._text, self.font())

    def _tell(self) -> None:
        """Have the tooltip say the whole of a shortened text, in sight or not."""
        whole = self._text if self.shown() != self._text else ""
        self.setToolTip(plain_tip("\n".join(filter(None, (whole, self._about)))))
        self.update()


@lru_cache(maxsize=1_024)
def _advance(text: str, font: QFont) -> int:
    """Width of a line in pixels; a label asks for it when its text changes and again when it is painted."""
    return QFontMetrics(font).horizontalAdvance(text)
