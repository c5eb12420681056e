"""Notices above the board: one sentence to the person, what is under way, what is offered; never a dialog."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.quoting import harmless
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import Text, catalogue, say, text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

WIDEST_PX = 760
GAP_PX = 10
LONGEST = 4_000
"""Characters of a sentence that are measured; no notice has room for more."""


class Notice(QFrame):
    """A sentence and up to two buttons on a dark card."""

    def __init__(self, parent: QWidget, *buttons: QPushButton) -> None:
        """Build a hidden notice."""
        super().__init__(parent)
        self.setObjectName("notice")
        self.sentence = ""
        self.label = QLabel()
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        # A sentence may name a path or a number that a person wants to take along.
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self.label, 1)
        for button in buttons:
            button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            row.addWidget(button)
        self.hide()

    def tell(self, sentence: str, look: Appearance) -> None:
        """Show a sentence; "" hides the notice."""
        fresh = sentence != self.sentence or self.isHidden()
        self.sentence = sentence
        self.label.setFont(font(look))
        for button in self.findChildren(QPushButton):
            button.setFont(font(look, "small", bold=True))
        self.label.setText(sentence)
        self.setVisible(bool(sentence))
        if sentence and fresh:
            self.setAccessibleName(sentence)
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def wanted_size(self, widest: int, tallest: int) -> QSize:
        """Size for its sentence, wrapped where it would be wider than `widest`.

        What would be taller than `tallest` ends in "…", and the tip has the rest: the buttons stay in sight.
        """
        metrics = self.label.fontMetrics()
        rest = self.sizeHint().width() - self.label.sizeHint().width()
        sentence = self.sentence[:LONGEST]
        width = min(metrics.horizontalAdvance(sentence) + 4, max(80, widest - rest))

        def height(text: str) -> int:
            room = QRect(0, 0, width, 10_000_000)
            return metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, text).height() + 20

        shown = self.sentence
        if len(sentence) < len(shown) or height(sentence) > tallest:
            fitting = bisect_right(range(len(sentence)), tallest, key=lambda n: height(f"{sentence[:n]}…"))
            shown = f"{sentence[: max(0, fitting - 1)]}…"
        self.label.setText(shown)
        self.label.setToolTip("" if shown == self.sentence else sentence)
        buttons = [b.sizeHint().height() for b in self.findChildren(QPushButton) if not b.isHidden()]
        return QSize(width + rest, max(height(shown), *(button + 16 for button in buttons), 16))


@dataclass(frozen=True, slots=True)
class Offer:
    """A sentence, and what can be done about it; act: catalogue key of the button's words."""

    sentence: Text
    act: str


class Notices(QObject):
    """Message, work under way and offer, laid over the bottom of a board, so that nothing below moves."""

    dismissed = Signal()
    """A person has read the message."""
    cancel_asked = Signal()
    """A person wants the work under way stopped."""
    offer_taken = Signal()
    """A person wants what is offered."""
    offer_declined = Signal()
    """A person does not want it."""

    def __init__(self, over: QWidget) -> None:
        """Build the notices over a widget; `bottom` pixels of it stay free."""
        super().__init__(over)
        self._over = over
        self._details = ""
        self._look = Appearance()
        self._read = ""
        self.bottom = 0
        self.copy_button, self.close_button, self.cancel_button = QPushButton(), QPushButton(), QPushButton()
        self.take_button, self.decline_button = QPushButton(), QPushButton()
        self.message = Notice(over, self.copy_button, self.close_button)
        self.busy = Notice(over, self.cancel_button)
        self.offer = Notice(over, self.take_button, self.decline_button)
        self.copy_button.clicked.connect(self._copy)
        self.close_button.clicked.connect(self.dismiss)
        self.cancel_button.clicked.connect(self.cancel_asked)
        self.take_button.clicked.connect(self.offer_taken)
        self.decline_button.clicked.connect(self.offer_declined)
        over.installEventFilter(self)

    def show_scene(self, scene: Scene, *, details: str = "", offer: Offer | None = None) -> None:
        """Show the scene's message and work, and what is offered; details can be copied for a report."""
        language = scene.look.language
        self._look, self._details = scene.look, details
        self.copy_button.setText(say(language, "window.copy_details"))
        self.close_button.setText(say(language, "window.close_message"))
        self.cancel_button.setText(say(language, "window.cancel"))
        self.take_button.setText(say(language, offer.act) if offer else "")
        self.decline_button.setText(say(language, "window.close_message"))
        self.copy_button.setVisible(bool(details))
        # Where an offer mends it, the panels' own words are enough.
        told = scene.message if offer is None or scene.message != scene.no_run else None
        message = say(language, harmless(_labelled(told))) if told else ""
        if message != self._read:
            self._read = ""
        self.message.tell("" if self._read else message, scene.look)
        self.busy.tell(say(language, harmless(scene.busy)) if scene.busy else "", scene.look)
        self.offer.tell(say(language, harmless(offer.sentence)) if offer else "", scene.look)
        self._place()

    def dismiss(self) -> bool:
        """Hide the message that a person has read; False if there was none."""
        if self.message.isHidden():
            return False
        self._read = self.message.sentence
        self.message.hide()
        self._place()
        self.dismissed.emit()
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the place when the board changes its size."""
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{self.message.sentence}\n\n{self._details}")

    def _place(self) -> None:
        """Stack the notices from the bottom up, centred."""
        widest = min(self._over.width() - 2 * GAP_PX, px(self._look, WIDEST_PX))
        below = self._over.height() - self.bottom - GAP_PX
        for notice in (self.message, self.busy, self.offer):
            if notice.isHidden():
                continue
            size = notice.wanted_size(widest, min(below - GAP_PX, self._over.height() // 2))
            corner = QPoint((self._over.width() - size.width()) // 2, below - size.height())
            notice.setGeometry(QRect(corner, size))
            notice.raise_()
            below -= size.height() + GAP_PX


def _labelled(what: Text) -> Text:
    """The same sentence with settings called what their knobs are called in this window."""
    known = catalogue("en")

    def called(name: str, value: Any) -> Any:  # noqa: ANN401 - numbers and strings alike
        key = f"control.{value}"
        return text(key) if name in ("field", "other") and key in known else value

    return Text(what.key, tuple((name, called(name, value)) for name, value in what.values))
