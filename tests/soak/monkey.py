"""A monkey at the window: random changes, keys, clicks and wheels, each written down."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from random import Random

from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from ffn_explorer.app.window import Window
from ffn_explorer.core.activation_table import ACTIVATIONS
from ffn_explorer.core.settings import CHOICES
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Cell, View
from ffn_explorer.state.change import Change
from ffn_explorer.state.layouts import LAYOUTS

REMEMBERED = 60
"""Last steps that are told on failure."""

POPUP_MS = 40

KEYS = (
    Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home,
    Qt.Key.Key_End, Qt.Key.Key_Tab, Qt.Key.Key_Backspace, Qt.Key.Key_Escape, Qt.Key.Key_P, Qt.Key.Key_L,
    Qt.Key.Key_T, Qt.Key.Key_M, Qt.Key.Key_B, Qt.Key.Key_F, Qt.Key.Key_G, Qt.Key.Key_Plus, Qt.Key.Key_Minus,
    Qt.Key.Key_0, Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_4, Qt.Key.Key_Return, Qt.Key.Key_X,
    Qt.Key.Key_Z, Qt.Key.Key_C, Qt.Key.Key_V, Qt.Key.Key_N,
)  # fmt: skip
SENTENCES = ("Lost?", "鍵は机の上。", "a b c d e f g h i j", "one\ntwo words\nthree", "😀 é", " ", "x" * 40)
SIZES = ((1_024, 640), (1_280, 720), (1_600, 1_000), (1_120, 900))


def settings_change(draw: Random) -> Change:
    """Return a knob turned, sometimes to where it cannot go."""
    name, value = draw.choice(
        (
            ("d_model", draw.choice((1, 2, 7, 24, 64, 0, -3))),
            ("d_ff", draw.choice((1, 5, 32, 200, 70_000))),
            ("activation", draw.choice(tuple(ACTIVATIONS))),
            ("norm", draw.choice(CHOICES["norm"])),
            ("norm_placement", draw.choice(CHOICES["norm_placement"])),
            ("bias", draw.random() < 0.5),
            ("residual", draw.random() < 0.5),
            ("experts", draw.choice((1, 2, 4))),
            ("top_k", draw.choice((1, 2, 3))),
            ("mixer", draw.random() < 0.5),
            ("heads", draw.choice((1, 2, 3))),
            ("dtype", draw.choice(CHOICES["dtype"])),
            ("dropout", draw.choice((0.0, 0.5))),
            ("training", draw.random() < 0.5),
            ("layer", draw.choice((0, 1, 9))),
            ("seed", draw.randrange(5)),
        )
    )
    return changes.set_setting(name, value, gesture=draw.choice(("", "drag")))


def cell(draw: Random) -> Cell:
    """Return a number of the trace that may or may not exist."""
    return Cell(draw.choice(tuple(Stage)), draw.randrange(3), draw.randrange(9), draw.randrange(80))


def change(draw: Random) -> Change:
    """Return any change a person can ask for."""
    makers: tuple[Callable[[], Change], ...] = (
        lambda: settings_change(draw),
        lambda: settings_change(draw),
        lambda: changes.set_ratio(draw.choice((0.5, 8 / 3, 4.0))),
        lambda: changes.set_sentences(draw.choice(SENTENCES)),
        lambda: changes.reorder_token(0, draw.randrange(8), to=draw.randrange(8)),
        lambda: changes.select_token(draw.randrange(12)),
        lambda: changes.select_sentence(draw.randrange(4)),
        lambda: changes.select_cell(cell(draw)),
        lambda: changes.hover(draw.choice((None, cell(draw)))),
        lambda: changes.set_theta(draw.choice((None, 0.0, 0.3)), relative=draw.random() < 0.5),
        lambda: changes.seek(draw.random()),
        changes.play,
        lambda: changes.set_speed(draw.choice((0.25, 1.0, 8.0))),
        lambda: changes.set_theme(draw.choice(("light", "dark", "projector"))),
        lambda: changes.set_language(draw.choice(("en", "ja"))),
        lambda: changes.set_scale(draw.choice((1.0, 1.25, 2.0))),
        lambda: changes.set_view(
            "maps", View(draw.choice((None, Stage.UP)), draw.randrange(40), draw.randrange(60))
        ),
        changes.preset_2017,
        changes.clear_selection,
    )
    return draw.choice(makers)()


def close_popup() -> None:
    """Take away the menu or list that stands over the window."""
    if popup := QApplication.activePopupWidget():
        popup.close()


class Monkey:
    """Acts on a window until it is told to stop; `steps` holds what it did last."""

    def __init__(self, window: Window, seed: int) -> None:
        """Take a window and a seed."""
        self._window = window
        self._draw = Random(seed)
        self.steps: deque[str] = deque(maxlen=REMEMBERED)
        self.count = 0

    def act(self) -> None:
        """Do one thing."""
        self.count += 1
        acts = (
            self._change,
            self._change,
            self._change,
            self._key,
            self._click,
            self._wheel,
            self._undo,
            self._resize,
            self._rearrange,
        )
        self._draw.choice(acts)()
        close_popup()

    def _note(self, what: str) -> None:
        self.steps.append(f"{self.count} {what}")

    def _change(self) -> None:
        made = change(self._draw)
        self._note(f"change {made.what}")
        self._window.director.request(made)

    def _undo(self) -> None:
        back = self._draw.random() < 0.6
        self._note("undo" if back else "redo")
        session = self._window.director.session
        session.undo() if back else session.redo()

    def _key(self) -> None:
        key = self._draw.choice(KEYS)
        target = QApplication.focusWidget() or self._window
        self._note(f"key {key.name} to {type(target).__name__}")
        QTest.keyClick(target, key)

    def _place(self) -> tuple[QWidget, QPoint] | None:
        seen = [
            widget
            for widget in self._window.findChildren(QWidget)
            if widget.isVisible() and widget.window() is self._window and not widget.visibleRegion().isEmpty()
        ]
        if not seen:
            return None
        widget = self._draw.choice(seen)
        at = QPoint(
            self._draw.randrange(max(1, widget.width())), self._draw.randrange(max(1, widget.height()))
        )
        return widget, at

    def _click(self) -> None:
        found = self._place()
        if found is not None:
            widget, at = found
            self._note(f"click {type(widget).__name__} {widget.objectName()!r} at {at.x()}, {at.y()}")
            act = QTest.mouseDClick if self._draw.random() < 0.1 else QTest.mouseClick
            # A button's menu holds up the click until it is closed.
            QTimer.singleShot(POPUP_MS, self._window, close_popup)
            act(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)

    def _wheel(self) -> None:
        found = self._place()
        if found is None:
            return
        widget, at = found
        turn = self._draw.choice((-120, 120, 360))
        self._note(f"wheel {turn} over {type(widget).__name__} at {at.x()}, {at.y()}")
        none, phase = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
        place = QPointF(widget.mapToGlobal(at))
        event = QWheelEvent(
            QPointF(at), place, QPoint(), QPoint(0, turn), Qt.MouseButton.NoButton, none, phase, False
        )
        QApplication.sendEvent(widget, event)

    def _resize(self) -> None:
        if self._draw.random() < 0.2 and not self._window.isFullScreen():
            size = self._draw.choice(SIZES)
            self._note(f"size {size}")
            self._window.resize(*size)

    def _rearrange(self) -> None:
        """Another layout, another panel in the place of one, or one that fills the board."""
        arrangement, there = self._window.arrangement, list(self._window.board.panels)
        way = self._draw.randrange(4)
        name = self._draw.choice(tuple(LAYOUTS) if way == 0 else tuple(PANELS))
        self._note(f"{('layout', 'instead', 'bring', 'fill')[way]} {name}")
        if way == 0:
            arrangement.use(name)
        elif way == 1:
            arrangement.stand_instead(self._draw.choice(there), name)
        elif way == 2:
            arrangement.bring(name)
        else:
            self._window.board.fill(name)
