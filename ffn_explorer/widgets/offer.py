"""Offer: what a panel says where it has nothing to show, with a button that helps."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of


class Offer(QWidget):
    """A sentence in the middle, and under it one button; without words for it the button is not there."""

    taken = Signal()
    """A person pressed the button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build both, empty."""
        super().__init__(parent)
        self._sentence = QLabel(self)
        self._sentence.setWordWrap(True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.button = QPushButton(self)
        self.button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.clicked.connect(self.taken)
        column = QVBoxLayout(self)
        column.addStretch(1)
        column.addWidget(self._sentence)
        column.addSpacing(6)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def show_offer(self, look: Appearance, sentence: str, *, act: str = "", tip: str = "") -> None:
        """Show a sentence, and what the button does."""
        self._sentence.setText(sentence)
        self._sentence.setFont(font(look, "body"))
        # A style sheet of its own: the application's would otherwise decide the colour.
        self._sentence.setStyleSheet(f"color: {theme_of(look).muted}")
        self.button.setVisible(bool(act))
        self.button.setText(act)
        self.button.setFont(font(look, "body"))
        self.button.setMinimumHeight(px(look, 28))
        self.button.setToolTip(tip or act)
        self.button.setAccessibleName(act)
