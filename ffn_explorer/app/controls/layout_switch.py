"""LayoutSwitch: the layouts side by side, or one button with all of them where there is little room."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.layouts import LAYOUTS
from ffn_explorer.state.text import say
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, theme_of

GAP_PX = 2


class Choice(WordButton):
    """One word of the switch; the one in force stands on a lighter ground."""

    def __init__(self, parent: QWidget) -> None:
        """Build it."""
        super().__init__(parent)
        self.setCheckable(True)

    def nextCheckState(self) -> None:
        """What is in force comes from outside; a click only asks for it."""

    def draw_face(self, painter: QPainter, theme: Theme) -> None:
        """Ground, where it is in force or pointed at, and word."""
        if self.isChecked() or self.underMouse():
            width = line_px(self.look)
            face = QRectF(self.rect()).adjusted(width, width, -width, -width)
            painter.setPen(QPen(QColor(theme.border), width))
            painter.setBrush(self.fill(theme, rest=theme.surface))
            painter.drawRoundedRect(face, px(self.look, 6), px(self.look, 6))
        painter.setPen(QColor(theme.ink if self.isChecked() else theme.muted))
        painter.setFont(font(self.look, "small"))
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), self.text())


class LayoutSwitch(QWidget):
    """Shows which layout is in force and asks for another."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build words and button."""
        super().__init__(parent)
        self._look = Appearance()
        self.choices = {name: Choice(self) for name in LAYOUTS}
        self.button = QToolButton(self)
        self.button.setObjectName("preset")
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.menu = QMenu(self.button)
        self.button.setMenu(self.menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(GAP_PX, GAP_PX, GAP_PX, GAP_PX)
        row.setSpacing(GAP_PX)
        for name, choice in self.choices.items():
            row.addWidget(choice)
            choice.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
        row.addWidget(self.button)
        self.button.hide()

    def show_layout(self, name: str, look: Appearance) -> None:
        """Show which one is in force, in this look."""
        self._look = look
        self.menu.clear()
        self.menu.setFont(font(look))
        for place, (each, choice) in enumerate(self.choices.items(), 1):
            word = say(look.language, f"layout.{each}")
            choice.set_look(look)
            choice.set_word(word)
            choice.explain(
                say(look.language, "layout.name", name=word), say(look.language, f"layout.{each}_tip")
            )
            choice.setChecked(each == name)
            row = self.menu.addAction(f"{word}\tCtrl+{place}")
            row.setCheckable(True)
            row.setChecked(each == name)
            row.triggered.connect(lambda _=False, name=each: self.chosen.emit(name))
        word = say(look.language, f"layout.{name}")
        self.button.setFont(font(look, "small"))
        self.button.setText(word)
        self.button.setAccessibleName(say(look.language, "layout.name", name=word))
        self.button.setToolTip(say(look.language, "layout.tip"))
        self.update()

    def words_width(self) -> int:
        """Width with all words side by side."""
        return sum(choice.sizeHint().width() + GAP_PX for choice in self.choices.values()) + GAP_PX

    def set_words(self, on: bool, /) -> None:
        """Words side by side, or one button."""
        self.button.setVisible(not on)
        for choice in self.choices.values():
            choice.setVisible(on)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the ground that holds the words together."""
        if not self.button.isHidden():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme_of(self._look).sunken))
        painter.drawRoundedRect(QRectF(self.rect()), px(self._look, 8), px(self._look, 8))
        painter.end()
