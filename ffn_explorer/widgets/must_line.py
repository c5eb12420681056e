"""MustLine: one line that is always read, in its shortest wording where there is little room."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QSizePolicy, QWidget

from ffn_explorer.widgets.labels import ElidedLabel


class MustLine(ElidedLabel):
    """A label that never gets narrower than its shortest wording: what is beside it can be scrolled to."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build it empty."""
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        """Room for the shortest wording."""
        metrics = QFontMetrics(self.font())
        least = min(metrics.horizontalAdvance(words) for words in (self.text, *self._shorter))
        return QSize(least + 2, self.sizeHint().height())
