"""The bar at the top: name, presets, the main knobs, and the door to the others."""

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from ffn_explorer.app.controls.flow_layout import FlowLayout
from ffn_explorer.app.controls.knobs import make_knob
from ffn_explorer.app.controls.model_menu import ModelMenu
from ffn_explorer.app.controls.presets import PRESETS
from ffn_explorer.app.controls.table import controls_in
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font

if TYPE_CHECKING:
    from ffn_explorer.app.controls.more import MoreKnobs

READS = ("look", "settings", "source", "theta", "theta_relative")


class ControlBar(QWidget):
    """The knobs of a synthetic FFN; a pure function of the Scene, like a panel."""

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
        self.brand = QLabel("FFN Explorer")
        self.brand.setObjectName("brand")
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
        self._flow_host = QWidget()
        flow = FlowLayout(self._flow_host)
        for widget in (self.brand, self.preset, *self.knobs, self.more_button):
            flow.addWidget(widget)
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
        for button in (self.preset, self.more_button):
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

    def open_knob(self, field: str) -> str:
        """Put the keyboard into a knob, in the bar or among the others.

        Returns "", or the key of the sentence that says why the knob cannot be used now.
        """
        knob = next(knob for knob in (*self.knobs, *self.more.knobs) if knob.row.field == field)
        if not knob.isEnabled():
            return knob.row.needs
        if knob in self.more.knobs:
            self.more.open_under(self.more_button)
        knob.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return ""

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
        for button, key in ((self.preset, "control.preset"), (self.more_button, "control.more")):
            button.setFont(font(scene.look, "body"))
            button.setText(say(language, key))
            button.setToolTip(say(language, f"{key}_tip"))
            button.setAccessibleName(say(language, key))
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
