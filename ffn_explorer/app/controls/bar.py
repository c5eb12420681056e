"""The bar at the top: name, source and layer, presets, the main knobs, and the door to the others."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from ffn_explorer.app.controls.flow_layout import FlowLayout
from ffn_explorer.app.controls.knobs import Knob, make_knob
from ffn_explorer.app.controls.model_menu import ModelMenu
from ffn_explorer.app.controls.presets import PRESETS
from ffn_explorer.app.controls.source_button import SourceButton
from ffn_explorer.app.controls.table import controls_in
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import Text, say
from ffn_explorer.widgets.fonts import font

if TYPE_CHECKING:
    from ffn_explorer.app.controls.layer_picker import LayerPicker
    from ffn_explorer.app.controls.more import MoreKnobs

READS = ("look", "settings", "source", "file", "theta", "theta_relative")

IDLE = ("ratio", "bias", "experts")
"""Knobs that say nothing while a file is open whose layer has no bias and no experts."""


class ControlBar(QWidget):
    """Source and knobs of the FFN; a pure function of the Scene, like a panel."""

    requested = Signal(object)
    left = Signal()
    """A person is done with a knob: the keyboard goes back to the pictures."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build the bar from CONTROLS and PRESETS."""
        super().__init__(parent)
        self.setObjectName("bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._scene: Scene | None = None
        self._devices: tuple[str, ...] | None = None
        self._away: set[QWidget] = set()
        self.brand = QLabel("FFN Explorer")
        self.brand.setObjectName("brand")
        self.source = SourceButton()
        self.layer_place = QWidget()
        """Holds the layer picker once a file is open."""
        inside = QHBoxLayout(self.layer_place)
        inside.setContentsMargins(0, 0, 0, 0)
        self.layer_place.hide()
        self.preset = QToolButton()
        self.preset.setObjectName("preset")
        self.preset.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._presets = QMenu(self.preset)
        self.preset.setMenu(self._presets)
        self.models = ModelMenu(self._presets)
        self.models.requested.connect(self.requested)
        self.knobs = [make_knob(row) for row in controls_in("bar")]
        self.more_button = QToolButton()
        self.more_button.setObjectName("more")
        self.more_button.clicked.connect(lambda: self.more.open_under(self.more_button))
        self.unfold_button = QToolButton()
        self.unfold_button.setObjectName("more")
        self.unfold_button.clicked.connect(lambda: self.fold(False))
        self.unfold_button.hide()
        self.folded = False
        """Whether the knobs are put away, as in a lecture, where the pictures need the room."""
        self._flow_host = QWidget()
        flow = FlowLayout(self._flow_host)
        firsts = (self.brand, self.source, self.layer_place, self.preset)
        for widget in (*firsts, *self.knobs, self.more_button, self.unfold_button):
            flow.addWidget(widget)
        # The title bar says it too; a row less leaves more to the pictures.
        flow.spare = self.brand
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self._flow_host.setSizePolicy(policy)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(16, 8, 12, 8)
        self._row.setSpacing(10)
        self._row.addWidget(self._flow_host, 1)
        for knob in self.knobs:
            knob.requested.connect(self.requested)
            knob.editor.done.connect(self.left)
        # A click on a button takes no keyboard from the pictures; Tab still reaches it.
        for button in (self.preset, self.more_button, self.unfold_button):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    @cached_property
    def more(self) -> "MoreKnobs":
        """The other knobs, built when they are first asked for."""
        from ffn_explorer.app.controls.more import MoreKnobs  # not wanted before the first picture

        made = MoreKnobs(self)
        # Style what is new before it gets its fonts: polished after them, it would lose them.
        for widget in (made, *made.findChildren(QWidget)):
            widget.ensurePolished()
        made.requested.connect(self.requested)
        if self._devices is not None:
            made.set_devices(self._devices)
        if self._scene is not None:
            made.show_scene(self._scene)
        return made

    @cached_property
    def picker(self) -> "LayerPicker":
        """The layer picker, built when a file is first open."""
        from ffn_explorer.app.controls.layer_picker import LayerPicker  # not wanted before the first picture

        made = LayerPicker(self.layer_place)
        layout = self.layer_place.layout()
        assert layout is not None
        layout.addWidget(made)
        for widget in (made, *made.findChildren(QWidget)):
            widget.ensurePolished()
        made.requested.connect(self.requested)
        made.done.connect(self.left)
        return made

    def add_right(self, widget: QWidget) -> None:
        """Place a button of the window at the right end."""
        self._row.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)

    def set_devices(self, devices: tuple[str, ...]) -> None:
        """Offer the devices that torch has found."""
        self._devices = devices
        if self._has_more:
            self.more.set_devices(devices)
            if self._scene is not None:
                self.more.show_scene(self._scene)

    def open_knob(self, field: str) -> Text | None:
        """Put the keyboard into a knob, in the bar or among the others; or say why it cannot be used now."""
        self.fold(False)
        knob = next(knob for knob in (*self.knobs, *self.more.knobs) if knob.row.field == field)
        if knob.refusal is not None:
            return knob.refusal
        if knob in self.more.knobs:
            self.more.open_under(self.more_button)
        knob.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return None

    def fold(self, folded: bool, /) -> None:
        """Put the knobs away behind one button, or bring them back."""
        if folded != self.folded:
            self.folded = folded
            self.unfold_button.setVisible(folded)
            self.refresh()

    def refresh(self) -> None:
        """Show again what is in force, after something else was refused."""
        scene, self._scene = self._scene, None
        if scene is not None:
            self.offer(scene)

    def offer(self, scene: Scene) -> None:
        """Show a scene if something that the knobs read has changed."""
        old, self._scene = self._scene, scene
        if old is not None and all(getattr(old, name) == getattr(scene, name) for name in READS):
            return
        language = scene.look.language
        self.brand.setFont(font(scene.look, "title", bold=True))
        words = ("control.preset", "control.more", "control.unfold")
        for button, key in zip((self.preset, self.more_button, self.unfold_button), words, strict=True):
            button.setFont(font(scene.look, "body"))
            button.setText(say(language, key))
            button.setToolTip(say(language, f"{key}_tip"))
            button.setAccessibleName(say(language, key))
        self._show_source(scene)
        self._fill_presets(scene)
        for knob in self.knobs:
            knob.show_scene(scene)
        if self._has_more:
            self.more.show_scene(scene)
        self._flow_host.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        """Tall enough for all rows at the present width."""
        margins = self._row.contentsMargins()
        inner = self._flow_host.width() or 1_000
        height = self._flow_host.heightForWidth(inner) + margins.top() + margins.bottom()
        return QSize(600, height)

    @property
    def _has_more(self) -> bool:
        """Whether the other knobs are there already."""
        return "more" in self.__dict__

    def _show_source(self, scene: Scene) -> None:
        self.source.show_scene(scene)
        opened = scene.source.opened is not None
        if opened or "picker" in self.__dict__:
            self.picker.show_scene(scene)
            self.layer_place.setVisible(not self.picker.isHidden())
        # What a file leaves nothing to choose of would only cost a second row.
        self._put_away({
            self.preset: opened or self.folded, self.more_button: self.folded,
            **{knob: self.folded or (opened and _is_idle(knob, scene)) for knob in self.knobs},
        })  # fmt: skip

    def _put_away(self, wanted: Mapping[QWidget, bool]) -> None:
        """Hide some parts and bring others back; one that stays is left alone, lest its first size change."""
        for widget, away in wanted.items():
            if away != (widget in self._away):
                widget.setHidden(away)
                self._away ^= {widget}

    def _fill_presets(self, scene: Scene) -> None:
        menu = self._presets
        menu.clear()
        menu.setFont(font(scene.look, "body"))
        for row in PRESETS:
            action = menu.addAction(say(scene.look.language, f"preset.{row.name}"))
            action.triggered.connect(lambda _=False, change=row.change: self.requested.emit(change()))
        menu.addSeparator()
        self.models.show_scene(scene)
        self.models.setFont(font(scene.look, "body"))
        menu.addMenu(self.models)


def _is_idle(knob: Knob, scene: Scene) -> bool:
    return knob.row.field in IDLE and getattr(scene.settings, knob.row.field, 1) in (False, 1)
