"""Knobs: a label and an editor for each row of CONTROLS, showing a Scene and asking for changes."""

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ffn_explorer.app.controls.editors import ChoiceEdit, FloatEdit, IntEdit, RatioEdit, TickEdit, parse_ratio
from ffn_explorer.app.controls.table import Control
from ffn_explorer.core.activation_table import ACTIVATIONS, OFFERED
from ffn_explorer.core.errors import SettingError
from ffn_explorer.core.settings import CHOICES, LIMITS
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.change import Change
from ffn_explorer.state.known_file import facts_of, file_name
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import Text, say, text
from ffn_explorer.widgets.fonts import font

THETA_LIMIT = 1e6
LEFT_BY_FILES = frozenset({"dtype", "device", "seed", "theta", "layer"})
"""Knobs that stay free while a file is open; seed is that of hidden states where the file has none."""
Editor = IntEdit | FloatEdit | ChoiceEdit | RatioEdit | TickEdit


class Knob(QWidget):
    """One knob: label and editor side by side in the bar, label above the editor elsewhere."""

    requested = Signal(object)

    def __init__(self, row: Control, editor: Editor) -> None:
        """Put an editor under or beside its label."""
        super().__init__()
        self.row = row
        self.editor = editor
        self.refusal: Text | None = None
        """Why it cannot be used now."""
        self.label = QLabel(self)
        self.label.setObjectName("knob-label")
        self.label.setBuddy(editor)
        if isinstance(editor, IntEdit | FloatEdit):
            editor.refused.connect(self.requested)
        inline = row.group == "bar" or row.kind == "flag"
        box = self.box = QHBoxLayout(self) if inline else QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        # A box without words of its own brings its distance to the label with it.
        box.setSpacing(0 if row.kind == "flag" else 6 if inline else 2)
        if row.kind == "flag":
            box.addWidget(editor)
            box.addWidget(self.label, 1)
        elif row.kind == "ratio":
            # It stands right after Dff and shows ×4: words would only cost room.
            self.label.hide()
            box.addWidget(editor)
        else:
            box.addWidget(self.label)
            box.addWidget(editor)

    def show_scene(self, scene: Scene) -> None:
        """Show the scene's value, language and whether this knob can be used now."""
        language = scene.look.language
        name = say(language, f"control.{self.row.field}")
        refusal = self.refusal = _refusal(self.row, scene)
        tip = say(language, f"control.{self.row.field}_tip" if refusal is None else refusal)
        self.label.setFont(font(scene.look, "small" if self.row.kind != "flag" else "body"))
        self.label.setText(name)
        self.editor.setFont(font(scene.look, "body"))
        self.editor.setAccessibleName(name)
        self.editor.setAccessibleDescription(tip)
        self.setToolTip(tip)
        self.setEnabled(refusal is None)
        self.show_value(scene)

    def show_value(self, scene: Scene) -> None:
        """Show the scene's value in the editor; every kind has its own way."""
        raise NotImplementedError

    def choose(self, value: Any) -> None:  # noqa: ANN401 - any field of Settings
        """Ask for a new value; a burst of steps of one number is one undo step, a choice or tick always."""
        gesture = f"knob:{self.row.field}" if self.row.kind in ("int", "float") else ""
        self.requested.emit(changes.set_setting(self.row.field, value, gesture=gesture))


def _refusal(row: Control, scene: Scene) -> Text | None:
    """Why a knob cannot be used with this scene: a file decides it, or another setting is in its way."""
    opened = scene.source.opened
    if opened is not None and row.field not in LEFT_BY_FILES:
        return text("control.opened_decides", file=file_name(opened.path))
    return None if row.usable(scene.settings) else text(row.needs)


class IntKnob(Knob):
    """Whole numbers within LIMITS."""

    def __init__(self, row: Control) -> None:
        """Build the editor."""
        low, high = LIMITS[row.field]
        self.edit = IntEdit(int(low), int(high), int(row.step))
        super().__init__(row, self.edit)
        self.edit.chosen.connect(self.choose)

    def show_value(self, scene: Scene) -> None:
        """Show the number; the layer ends at the last one there is."""
        if self.row.field == "layer":
            self.edit.setMaximum(scene.settings.layers - 1)
        if self.row.field == "head_dim":
            self.edit.setSpecialValueText(say(scene.look.language, "control.head_dim_auto"))
        self.edit.show_value(getattr(scene.settings, self.row.field))


class FloatKnob(Knob):
    """Numbers within LIMITS."""

    def __init__(self, row: Control) -> None:
        """Build the editor."""
        low, high = LIMITS[row.field]
        self.edit = FloatEdit(low, high, row.step)
        super().__init__(row, self.edit)
        self.edit.chosen.connect(self.choose)

    def show_value(self, scene: Scene) -> None:
        """Show the number."""
        if self.row.field == "capacity_factor":
            self.edit.setSpecialValueText(say(scene.look.language, "control.no_limit"))
        self.edit.show_value(getattr(scene.settings, self.row.field))


class ChoiceKnob(Knob):
    """One of CHOICES, or one of the devices found."""

    def __init__(self, row: Control) -> None:
        """Build the list."""
        self.edit = ChoiceEdit()
        self.devices: tuple[str, ...] = ("cpu",)
        super().__init__(row, self.edit)
        self.edit.chosen.connect(self.choose)

    def show_value(self, scene: Scene) -> None:
        """Show the choices in the scene's language."""
        field, language = self.row.field, scene.look.language
        value = getattr(scene.settings, field)
        if field == "activation" and _unknown_function(scene):
            rows = [(value, say(language, "control.unknown_function"))]
        elif field == "activation":
            shown = OFFERED if value in OFFERED else {**OFFERED, value: ACTIVATIONS[value]}
            rows = [(name, row.label) for name, row in shown.items()]
        elif field == "device":
            names = self.devices if value in self.devices else (*self.devices, value)
            rows = [(name, name.upper()) for name in names]
        else:
            rows = [(name, say(language, f"choice.{field}.{name}")) for name in CHOICES[field]]
        self.edit.show_choices(rows, value)


def _unknown_function(scene: Scene) -> bool:
    """Whether a file is open that does not say the activation of the layer looked at."""
    facts = facts_of(scene.source.opened)
    return facts is not None and not facts.layers[scene.settings.layer].activation


class FlagKnob(Knob):
    """Yes or no."""

    def __init__(self, row: Control) -> None:
        """Build the box."""
        self.edit = TickEdit()
        super().__init__(row, self.edit)
        self.edit.clicked.connect(self.choose)

    def show_value(self, scene: Scene) -> None:
        """Show the tick."""
        self.edit.setChecked(getattr(scene.settings, self.row.field))


class RatioKnob(Knob):
    """Dff / D; setting it sets Dff."""

    def __init__(self, row: Control) -> None:
        """Build the list."""
        self.edit = RatioEdit()
        super().__init__(row, self.edit)
        self.edit.chosen.connect(self.choose)

    def choose(self, typed: str) -> None:
        """Ask for the ratio typed, or for the sentence that says why it is none."""
        ratio = parse_ratio(typed)
        self.requested.emit(
            not_a_ratio(typed) if ratio is None else changes.set_ratio(ratio, gesture="knob:ratio")
        )

    def show_value(self, scene: Scene) -> None:
        """Show the ratio in force."""
        self.edit.show_ratio(scene.settings.d_ff, scene.settings.d_model)


def not_a_ratio(typed: str) -> Change:
    """A change that cannot be made, with its reason."""

    def refuse(_state: AppState) -> AppState:
        raise SettingError("error.ratio", value=typed)

    return Change("undo.ratio", refuse)


class ThetaKnob(Knob):
    """Threshold of "active"; a tick makes it relative to the row's root mean square."""

    def __init__(self, row: Control) -> None:
        """Build the editor and the tick."""
        self.edit = FloatEdit(0.0, THETA_LIMIT, row.step)
        super().__init__(row, self.edit)
        self._theta = 0.0
        self.relative = QCheckBox()
        self.relative.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.box.addWidget(self.relative)
        self.edit.chosen.connect(
            lambda value: self.requested.emit(changes.set_theta(value, gesture="knob:theta"))
        )
        self.relative.clicked.connect(
            lambda on: self.requested.emit(changes.set_theta(self._theta, relative=on))
        )

    def show_value(self, scene: Scene) -> None:
        """Show theta in force and its kind."""
        # The editor rounds and is bounded; the tick beside it must not change the number.
        self._theta = scene.theta
        self.edit.show_value(scene.theta)
        name = say(scene.look.language, "control.theta_relative")
        self.relative.setFont(font(scene.look, "body"))
        self.relative.setText(name)
        self.relative.setChecked(scene.theta_relative)


KINDS: dict[str, type[IntKnob | FloatKnob | ChoiceKnob | FlagKnob | RatioKnob | ThetaKnob]] = {
    "int": IntKnob,
    "float": FloatKnob,
    "choice": ChoiceKnob,
    "flag": FlagKnob,
    "ratio": RatioKnob,
    "theta": ThetaKnob,
}


def make_knob(row: Control) -> Knob:
    """Knob for a row of CONTROLS."""
    return KINDS[row.kind](row)
