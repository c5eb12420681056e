"""Corner: at the end of the tokens' line, a hint, what is changed inside the FFN, comparison and layout."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ffn_explorer.app.controls.compare_button import CompareButton
from ffn_explorer.app.controls.layout_switch import LayoutSwitch
from ffn_explorer.state import changes
from ffn_explorer.state.flash import edit_words
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.buttons import WordButton

GAP_PX = 8
WORDS_SHARE = 0.24
"""The layouts stand as words where they take no more than this share of the line."""
LONG_SHARE = 0.52
"""The whole corner says all it can within this share of the line; the rest belongs to the tokens."""


class Corner(QWidget):
    """A pure function of the Scene, the layout in force and the hint due."""

    requested = Signal(object)
    layout_asked = Signal(str)
    hint_dismissed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build its parts."""
        super().__init__(parent)
        self.hint = WordButton(self)
        self.tags = {name: WordButton(self) for name in ("keep", "banned", "forced")}
        self.compare = CompareButton(self)
        self.switch = LayoutSwitch(self)
        self._hint_name = ""
        self._room = 0
        self._shown: tuple[object, ...] = ()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(GAP_PX)
        for widget in (self.hint, *self.tags.values(), self.compare, self.switch):
            self._row.addWidget(widget)
        self.hint.hide()
        for name, tag in self.tags.items():
            tag.hide()
            tag.clicked.connect(lambda _=False, name=name: self.requested.emit(changes.drop_edit(name)))
        self.hint.clicked.connect(lambda: self.hint_dismissed.emit(self._hint_name))
        self.compare.requested.connect(self.requested)
        self.switch.chosen.connect(self.layout_asked)

    def show_scene(self, scene: Scene, *, layout: str, hint: str | None) -> None:
        """Show what is in force."""
        wanted = (scene.look, scene.source, scene.settings, scene.edits, scene.compare, layout, hint)
        if wanted == self._shown:
            return
        self._shown = wanted
        look, language = scene.look, scene.look.language
        on = dict(edit_words(scene.edits))
        for name, tag in self.tags.items():
            tag.set_look(look)
            words = say(language, on[name]) if name in on else ""
            tag.set_word(f"{words}  ×" if words else "")
            tag.explain(say(language, "edit.remove", what=words), say(language, "edit.remove", what=words))
            tag.setVisible(name in on)
        self._hint_name = hint or ""
        self.hint.set_look(look)
        self.hint.set_word(f"{say(language, f'hint.{hint}')}  ×" if hint else "")
        tip = say(language, "hint.dismiss")
        self.hint.explain(f"{self.hint.text()} {tip}".strip(), tip)
        self.compare.show_scene(scene)
        self.switch.show_layout(layout, look)
        self.fit(self._room)

    def fit(self, room: int) -> None:
        """Say as much as a line of this width has room for."""
        self._room = room
        self.switch.set_words(self.switch.words_width() <= WORDS_SHARE * room)
        self.compare.set_short(False)
        self.hint.setVisible(bool(self.hint.text()))
        if self.sizeHint().width() > LONG_SHARE * room:
            self.hint.hide()
        if self.sizeHint().width() > LONG_SHARE * room:
            self.compare.set_short(True)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Room for what is shown now."""
        shown = [widget for widget in self._parts() if not widget.isHidden()]
        width = sum(self._width(widget) for widget in shown) + GAP_PX * max(0, len(shown) - 1)
        return QSize(width, max((widget.sizeHint().height() for widget in shown), default=0))

    def minimumSizeHint(self) -> QSize:
        """The same: no word is cut."""
        return self.sizeHint()

    def _parts(self) -> tuple[QWidget, ...]:
        return (self.hint, *self.tags.values(), self.compare, self.switch)

    def _width(self, widget: QWidget) -> int:
        if widget is self.switch and self.switch.button.isHidden():
            return self.switch.words_width()
        return widget.sizeHint().width()
