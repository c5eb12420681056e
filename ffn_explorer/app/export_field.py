"""ExportField: one thing that a person chooses of an export, with its label and what it means."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QHBoxLayout, QLabel, QWidget

from ffn_explorer.app.controls.editors import ChoiceEdit
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.number_edit import FloatEdit, IntEdit
from ffn_explorer.widgets.sizes import px

if TYPE_CHECKING:
    from ffn_explorer.app.exports import Wish
    from ffn_explorer.app.window import Window


@dataclass(frozen=True, slots=True)
class Part:
    """An editor with its words: "export.field.<name>", and "export.field.<name>_tip"."""

    name: str
    label: QLabel
    holder: QWidget
    editor: QWidget


class ExportField(QObject):
    """Editors for a part of a Wish, one row each; subclasses say how they show one and what they hold."""

    changed = Signal()
    """A person has chosen something else."""
    refused = Signal(object)
    """A Change that cannot be made, for a number out of range: its sentence tells the range."""

    def __init__(self, window: "Window") -> None:
        """Build it for a window, empty."""
        super().__init__()
        self.window = window
        self.look = window.look
        self.parts: list[Part] = []
        """What stands in the dialog, from top to bottom."""

    def add(self, name: str, editor: QWidget, *beside: QWidget) -> None:
        """Another row: an editor, with other things at its right."""
        label = QLabel(self.say(f"export.field.{name}"))
        label.setObjectName("knob-label")
        label.setFont(font(self.look, "small"))
        label.setBuddy(editor)
        tip = self.say(f"export.field.{name}_tip")
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(px(self.look, 8))
        for widget in (editor, *beside):
            widget.setFont(font(self.look, "body"))
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
            if isinstance(widget, QComboBox | QAbstractSpinBox):
                widget.setAccessibleName(widget.accessibleName() or label.text())
                widget.setAccessibleDescription(tip)
        row.addStretch(1)
        for widget in (label, editor):
            widget.setToolTip(tip)
        self.parts.append(Part(name, label, holder, editor))

    def follow(self, *edits: ChoiceEdit | IntEdit | FloatEdit) -> None:
        """Hear what a person chooses in these editors, and which numbers they refuse."""
        for edit in edits:
            edit.chosen.connect(lambda _: self.changed.emit())
            if isinstance(edit, IntEdit | FloatEdit):
                edit.refused.connect(self.refused)

    def say(self, key: str) -> str:
        """A word in the window's language."""
        return say(self.look.language, key)

    def fits(self, wish: "Wish") -> bool:
        """Whether there is anything to choose as things are."""
        del wish
        return True

    def offer(self, wish: "Wish") -> None:
        """Show what a wish holds, which must not be heard as a change."""
        raise NotImplementedError

    def put(self, wish: "Wish") -> "Wish":
        """The wish with what stands here."""
        raise NotImplementedError


class ChoiceField(ExportField):
    """A part of a Wish that is chosen from a list; subclasses name it and say what there is."""

    name: ClassVar[str]

    def __init__(self, window: "Window") -> None:
        """Build it for a window."""
        super().__init__(window)
        self.edit = ChoiceEdit()
        self.add(self.name, self.edit)
        self.follow(self.edit)

    def put(self, wish: "Wish") -> "Wish":
        """The wish with what is chosen."""
        return replace(wish, **{self.name: self.edit.currentData() or getattr(wish, self.name)})


class WholeField(ExportField):
    """A part of a Wish that is a whole number; subclasses name it, its limits and the size of a step."""

    name: ClassVar[str]
    limits: ClassVar[tuple[int, int]]
    step: ClassVar[int]

    def __init__(self, window: "Window") -> None:
        """Build it for a window."""
        super().__init__(window)
        self.edit = IntEdit(*self.limits, self.step)
        self.add(self.name, self.edit)
        self.follow(self.edit)

    def offer(self, wish: "Wish") -> None:
        """Show the number."""
        self.edit.show_value(getattr(wish, self.name))

    def put(self, wish: "Wish") -> "Wish":
        """The wish with this number."""
        changes: dict[str, Any] = {self.name: self.edit.value()}
        return replace(wish, **changes)
