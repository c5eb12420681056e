"""ButtonRow: small buttons side by side, going on in another line where the width ends."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.buttons import DrawnButton
from ffn_explorer.widgets.sizes import px

_GAP_PX = 6


class ButtonRow(QWidget):
    """Holds buttons in the order given; its height follows from its width. Put the dispensable ones last."""

    def __init__(self, buttons: tuple[DrawnButton, ...], parent: QWidget | None = None) -> None:
        """Take the buttons."""
        super().__init__(parent)
        self._buttons = buttons
        self._look = Appearance()
        self._most = 0
        for button in buttons:
            button.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_look(self, look: Appearance) -> None:
        """Take another look."""
        self._look = look
        for button in self._buttons:
            button.set_look(look)
        self.arrange()

    def set_most(self, lines: int) -> None:
        """Show at most this many lines, 0 for all; buttons that come later are left out."""
        if lines != self._most:
            self._most = lines
            self.arrange()

    def arrange(self) -> None:
        """Place the buttons anew, after words or widths have changed."""
        height = self._place(self.width())
        if height != self.height() or height != self.minimumHeight():
            self.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        """As high as its lines."""
        return QSize(0, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the buttons anew."""
        super().resizeEvent(event)
        self.arrange()

    def _place(self, width: int) -> int:
        gap, x, y, line, lines = px(self._look, _GAP_PX), 0, 0, 0, 1
        for button in self._buttons:
            size = button.sizeHint()
            if x and x + size.width() > width:
                lines += 1
                if not self._most or lines <= self._most:
                    x, y, line = 0, y + line + gap, 0
            shown = not self._most or lines <= self._most
            button.setVisible(shown)
            if not shown:
                continue
            button.setGeometry(x, y, size.width(), size.height())
            x, line = x + size.width() + gap, max(line, size.height())
        return y + line
