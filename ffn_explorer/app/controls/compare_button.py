"""CompareButton: pin a baseline, compare with another activation, exchange, end; says what A and B are."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from ffn_explorer.core.activation_table import OFFERED
from ffn_explorer.state import changes
from ffn_explorer.state.change import Change
from ffn_explorer.state.compared import differences, pair
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font


class CompareButton(QToolButton):
    """A menu button; while there is a B, its text says what is compared."""

    requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build it with an empty menu, filled when it opens."""
        super().__init__(parent)
        self.setObjectName("preset")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._scene: Scene | None = None
        self._words = self._short = ""
        self.rows = QMenu(self)
        self.others = QMenu(self.rows)
        self.rows.aboutToShow.connect(self.fill)
        self.setMenu(self.rows)

    def show_scene(self, scene: Scene) -> None:
        """Take the comparison of a scene."""
        self._scene = scene
        language, compare = scene.look.language, scene.compare
        self.setFont(font(scene.look, "small"))
        self._words = self._short = say(language, "compare.button")
        tip = say(language, "compare.tip")
        if compare is not None:
            self._words = say(language, pair(scene.settings, scene.edits, compare))
            self._short = "A | B"
            found = differences(scene.settings, scene.edits, compare)
            lines = [
                say(language, "compare.line", name=delta.name, a=delta.before, b=delta.after)
                for delta in found
            ]
            head = "compare.pinned" if compare.pinned else "compare.other"
            tip = "\n".join((say(language, head), *(lines or [say(language, "compare.same")])))
        self.setAccessibleName(
            f"{say(language, 'compare.button')}: {self._words}" if compare else self._words
        )
        self.setAccessibleDescription(tip)
        self.setToolTip(tip)
        self.set_short(False)

    def set_short(self, on: bool, /) -> None:
        """Say less where there is little room."""
        self.setText(self._short if on else self._words)

    def fill(self) -> None:
        """Put in what can be done now."""
        scene, menu = self._scene, self.rows
        menu.clear()
        if scene is None:
            return
        menu.setFont(font(scene.look))
        compared = scene.compare
        self._add("action.pin", changes.pin(), keys="C")
        self._add_activations(scene)
        menu.addSeparator()
        for key, change, keys in (
            ("action.swap", changes.swap_compared(), "V"),
            ("action.compare_end", changes.set_compare(None), "N"),
        ):
            self._add(key, change, keys=keys).setEnabled(compared is not None)

    def _add_activations(self, scene: Scene) -> None:
        others, compared = self.others, scene.compare
        others.clear()
        others.setTitle(say(scene.look.language, "compare.with"))
        others.setFont(self.rows.font())
        # The activation of a file is part of what its weights were trained with.
        others.setEnabled(scene.source.opened is None)
        self.rows.addMenu(others)
        for name, row in OFFERED.items():
            wanted = scene.settings.with_(activation=name)
            action = others.addAction(row.label)
            action.setCheckable(True)
            action.setChecked(compared is not None and compared.settings == wanted)
            action.triggered.connect(
                lambda _=False, wanted=wanted: self.requested.emit(changes.set_compare(wanted))
            )

    def _add(self, key: str, change: Change, *, keys: str) -> QAction:
        assert self._scene is not None
        action = self.rows.addAction(f"{say(self._scene.look.language, key)}\t{keys}")
        action.triggered.connect(lambda: self.requested.emit(change))
        return action
