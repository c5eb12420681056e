"""Choices: answers or acts under each other, each a button with wrapped words; the picked one marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.buttons import DrawnButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.icons import draw_icon
from ffn_explorer.widgets.page import line_height, wrap
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme

Mark = Literal["", "right", "wrong", "try"]

_GAP_PX, _PAD_PX, _SIGN_PX = 5, 7, 22
_ICONS = {"right": "holds", "wrong": "breaks", "try": "right"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of them. sign: a letter before the words, where no mark stands.  picked: a person took it.

    usable: whether it can be taken now.
    """

    words: str
    sign: str = ""
    mark: Mark = ""
    picked: bool = False
    usable: bool = True


class Choices(QWidget):
    """Buttons as wide as the widget, as high as their words; arrows go from one to the next."""

    chosen = Signal(int)
    """Place of the one that a person took."""

    def __init__(self, most: int, parent: QWidget | None = None) -> None:
        """Build room for so many."""
        super().__init__(parent)
        self.look = Appearance()
        self._shown, self._wide = 0, 0
        self.buttons = tuple(_ChoiceButton(self) for _ in range(most))
        for at, button in enumerate(self.buttons):
            button.clicked.connect(lambda _=False, at=at: self.chosen.emit(at))
            button.hide()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_choices(
        self, choices: Sequence[Choice], look: Appearance, *, wide: int, role: str = "body"
    ) -> None:
        """Show these, at most as many as there is room for.

        wide: pixels that their words have at least, which decide their height.  role: of their words' font.
        """
        self._wide = wide
        self.look, self._shown = look, min(len(choices), len(self.buttons))
        for button, choice in zip(self.buttons, choices, strict=False):
            button.show_choice(choice, look, role)
        for at, button in enumerate(self.buttons):
            button.setVisible(at < self._shown)
        self.setVisible(bool(self._shown))
        self._arrange()

    def sizeHint(self) -> QSize:
        """As high as all of them."""
        return QSize(0, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place them anew."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Place the buttons, and take the height that they need."""
        y, gap = 0, px(self.look, _GAP_PX)
        for button in self.buttons[: self._shown]:
            high = button.height_for(self._wide)
            button.setGeometry(0, y, self.width(), high)
            y += high + gap
        wanted = max(0, y - gap)
        if wanted != self.minimumHeight() or wanted != self.maximumHeight():
            self.setFixedHeight(wanted)


class _ChoiceButton(DrawnButton):
    """Words in a frame, with a letter or a mark before them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._choice = Choice("")
        self._role = "body"

    def show_choice(self, choice: Choice, look: Appearance, role: str) -> None:
        """Take what to show."""
        self.set_look(look)
        self._choice, self._role = choice, role
        self.setEnabled(choice.usable)
        self.setCursor(Qt.CursorShape.PointingHandCursor if choice.usable else Qt.CursorShape.ArrowCursor)
        self.explain(f"{choice.sign} {choice.words}".strip(), "")
        self.update()

    def height_for(self, width: int) -> int:
        """Height of the wrapped words at a width."""
        lines = len(self._lines(width))
        return lines * line_height(font(self.look, self._role), self.look) + 2 * px(self.look, _PAD_PX)

    def sizeHint(self) -> QSize:
        """As placed."""
        return self.size()

    def draw_face(self, painter: QPainter, theme: Theme) -> None:
        """Frame, sign and words."""
        choice = self._choice
        line = line_px(self.look, 2 if choice.picked or choice.mark == "right" else 1)
        face = QRectF(self.rect()).adjusted(line / 2, line / 2, -line / 2, -line / 2)
        strong = choice.picked or choice.mark == "right"
        painter.setPen(QPen(QColor(theme.ink if strong else theme.border), line))
        painter.setBrush(self.fill(theme, rest=theme.sunken if choice.picked else theme.surface))
        painter.drawRoundedRect(face, px(self.look, 6), px(self.look, 6))
        ink = QColor(theme.ink if choice.usable or strong else theme.muted)
        pad, sign = px(self.look, _PAD_PX), self._sign_wide
        body = font(self.look, self._role, bold=strong)
        high = line_height(body, self.look)
        place = QRectF(pad, pad, sign, high)
        if choice.mark:
            side = px(self.look, 12)
            spot = QRectF(place.left(), place.center().y() - side / 2, side, side)
            draw_icon(painter, _ICONS[choice.mark], place=spot, colour=ink, line=line_px(self.look, 1.8))
        elif choice.sign:
            painter.setPen(ink)
            painter.setFont(font(self.look, self._role, bold=True))
            painter.drawText(
                place, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), choice.sign
            )
        painter.setPen(ink)
        painter.setFont(body)
        for at, words in enumerate(self._lines(self.width())):
            row = QRectF(pad + sign, pad + at * high, self.width() - 2 * pad - sign, high)
            painter.drawText(row, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), words)

    def _lines(self, width: int) -> tuple[str, ...]:
        # Measured in bold, so that marking one moves none.
        room = width - 2 * px(self.look, _PAD_PX) - self._sign_wide
        return wrap(self._choice.words, font(self.look, self._role, bold=True), room)

    @property
    def _sign_wide(self) -> float:
        """Width of the sign's column, which grows with the type."""
        grown = font(self.look, self._role).pixelSize() / font(self.look).pixelSize()
        return px(self.look, _SIGN_PX) * grown
