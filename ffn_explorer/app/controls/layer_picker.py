"""LayerPicker: which layer of the opened file is looked at, by the numbers that the file gives its layers."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from ffn_explorer.app.controls.editors import ChoiceEdit, IntEdit
from ffn_explorer.state.app_state import Opened
from ffn_explorer.state.known_file import facts_of
from ffn_explorer.state.opened_changes import select_layer
from ffn_explorer.state.quoting import quoted
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font

if TYPE_CHECKING:
    from ffn_explorer.state.file_facts import FileFacts


class LayerPicker(QWidget):
    """A number field, and with several stacks a list of them; hidden without a file."""

    requested = Signal(object)
    done = Signal()
    """A person is done with it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build it hidden."""
        super().__init__(parent)
        self._opened: Opened | None = None
        self._facts: FileFacts | None = None
        self._place = 0
        self.label, self.span = QLabel(), QLabel()
        self.label.setObjectName("knob-label")
        self.span.setObjectName("knob-label")
        self.stacks = ChoiceEdit()
        self.edit = IntEdit(0, 0, 1)
        self.label.setBuddy(self.edit)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for widget in (self.label, self.stacks, self.edit, self.span):
            row.addWidget(widget)
        self.edit.chosen.connect(self._choose)
        self.edit.refused.connect(self.requested)
        self.stacks.chosen.connect(self._enter)
        for editor in (self.edit, self.stacks):
            editor.done.connect(self.done)
        self.hide()

    def show_scene(self, scene: Scene) -> None:
        """Show the layer of a scene, and where the layers end."""
        opened = scene.source.opened
        facts = self._facts = facts_of(opened)
        self.setVisible(facts is not None)
        if facts is None:
            return
        language = scene.look.language
        self._place = scene.settings.layer
        layer = facts.layers[self._place]
        numbers = self._numbers(layer.stack)
        name, tip = say(language, "source.layer"), say(language, "source.layer_tip")
        for label in (self.label, self.span):
            label.setFont(font(scene.look, "small"))
        self.label.setText(name)
        self.span.setText(say(language, "source.span", first=min(numbers), last=max(numbers)))
        self.edit.setFont(font(scene.look, "body"))
        self.edit.setAccessibleName(name)
        self.edit.setAccessibleDescription(tip)
        self.edit.setRange(min(numbers), max(numbers))
        self.edit.show_value(layer.index)
        self.stacks.setVisible(len(facts.stacks) > 1)
        self.stacks.setFont(font(scene.look, "body"))
        self.stacks.setAccessibleName(say(language, "source.stack"))
        self.stacks.show_choices([(stack, quoted(stack, 24)) for stack in facts.stacks], layer.stack)
        self.setToolTip(tip)

    def _numbers(self, stack: str) -> dict[int, int]:
        """Number of each layer of a stack -> its place in the file's list."""
        assert self._facts is not None
        return {layer.index: at for at, layer in enumerate(self._facts.layers) if layer.stack == stack}

    def _choose(self, number: int) -> None:
        """Go to a layer of this stack; where a number is left out, to the next one in the same direction."""
        if self._facts is None:
            return
        here = self._facts.layers[self._place]
        numbers = self._numbers(here.stack)
        beyond = [n for n in numbers if (n >= number if number > here.index else n <= number)]
        wanted = min(beyond, key=lambda n: abs(n - number), default=here.index)
        self.requested.emit(select_layer(numbers[wanted], gesture="knob:layer"))

    def _enter(self, stack: str) -> None:
        """Go to the layer of the same number in another stack, or to its nearest."""
        if self._facts is None:
            return
        here = self._facts.layers[self._place].index
        numbers = self._numbers(stack)
        nearest = min(numbers, key=lambda n: (abs(n - here), n))
        self.requested.emit(select_layer(numbers[nearest]))
