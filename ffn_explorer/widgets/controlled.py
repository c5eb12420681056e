"""Controlled: a picture under a line of controls, of which the lesser give way where there is no room."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theta_control import ThetaControl

GAP_PX = 8
TWO_LINES_FROM_PX = 250
"""Height from which controls that do not fit side by side may take two lines."""


class Controlled(QWidget):
    """Tabs at the left, controls at the right or under them, the picture below."""

    def __init__(self, tabs: QWidget, controls: ThetaControl, picture: QWidget) -> None:
        """Take all three."""
        super().__init__()
        self._tabs, self._controls, self._picture = tabs, controls, picture
        self._look = Appearance()
        for widget in (tabs, controls, picture):
            widget.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setMinimumSize(1, 1)

    def refresh(self, look: Appearance) -> None:
        """Place all anew after words or sizes changed."""
        self._look = look
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place all anew."""
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        """Side by side; else in two lines where it is high enough; else only what is needed most."""
        tabs = self._tabs.sizeHint() if not self._tabs.isHidden() else self._tabs.sizeHint() * 0
        shown, below = self._fit(tabs.width())
        self._controls.setVisible(shown)
        hint = self._controls.sizeHint() if shown else tabs
        line = max(tabs.height(), hint.height() if shown and not below else 0)
        self._tabs.setGeometry(QRect(0, (line - tabs.height()) // 2, tabs.width(), tabs.height()))
        gap = px(self._look, 4)
        top = line + gap if below else (line - hint.height()) // 2
        if shown:
            left = max(0, self.width() - hint.width())
            self._controls.setGeometry(QRect(left, top, hint.width(), hint.height()))
        used = (top + hint.height() if below else line) + gap
        self._picture.setGeometry(QRect(0, used, self.width(), max(1, self.height() - used)))

    def _fit(self, tabs: int) -> tuple[bool, bool]:
        """Whether the controls are shown, and whether under the tabs; they are made compact if they must."""
        controls = self._controls
        gap = px(self._look, GAP_PX) if tabs else 0
        for compact in (False, True):
            controls.set_compact(compact)
            if tabs + gap + controls.sizeHint().width() <= self.width():
                return True, False
            if not compact and self.height() >= px(self._look, TWO_LINES_FROM_PX):
                return True, True
        return False, False
