"""Gate: gate and up as two routes, in which quadrant they meet, and which gates are nearly shut."""

from typing import ClassVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ffn_explorer.core.activation_table import FUNCTIONS
from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.view_modes import VIEW_MODES
from ffn_explorer.widgets.gate_lanes import GateLanes
from ffn_explorer.widgets.gate_map import Dots, GateMap
from ffn_explorer.widgets.gate_pictures import GatePictures
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.offer import Offer
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.picture_grid import PictureGrid

MODES = VIEW_MODES["gate"]
LEAST_PX = (400, 200)
"""Width and height of a picture beside or over the other, numbers included."""


class GatePanel(Panel):
    """The map of gate against up, and the lanes of one token; side by side where there is room."""

    name: ClassVar[str] = "gate"
    reads: ClassVar[frozenset[str]] = frozenset(
        {
            "run",
            "activity",
            "gate_view",
            "selection",
            "hover",
            "point",
            "theta",
            "theta_relative",
            "progress",
            "views",
        }
    )
    moves: ClassVar[frozenset[Stage]] = frozenset({Stage.GATE, Stage.UP, Stage.ACT, Stage.HIDDEN})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build tabs, both pictures, and the offer that stands where there is no gate."""
        super().__init__(parent)
        self.tabs = ModeTabs(len(MODES))
        self.map, self.lanes = GateMap(), GateLanes()
        self.grid = PictureGrid((self.map, self.lanes), least=LEAST_PX)
        self.offered = Offer()
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for widget in (self.tabs, self.grid, self.offered):
            column.addWidget(widget, 0 if widget is self.tabs else 1)
        self.set_body(body)
        self._known: tuple[tuple[object, ...], Dots | None] | None = None
        self.tabs.chosen.connect(lambda mode: self.change_view(mode=mode))
        self.offered.taken.connect(lambda: self.request(changes.set_setting("activation", "swiglu")))
        self.grid.arranged.connect(self._redraw)
        self.map.pointed.connect(self._point)
        self.map.chosen.connect(lambda neuron: self._choose_lane((None, neuron)))
        self.lanes.pointed.connect(self._point_lane)
        self.lanes.chosen.connect(self._choose_lane)
        self.lanes.zoomed.connect(lambda first, shown: self.change_view(first=first, shown=shown))
        self.lanes.scaled.connect(self._write_note)
        for picture in (self.map, self.lanes):
            picture.stepped.connect(self._step)

    def render_scene(self, scene: Scene) -> None:
        """Draw the pictures in sight, or say what is missing."""
        self.title.set_text(self.say("title"))
        run = scene.run
        gated = run is not None and Stage.GATE in run.values
        self.offered.setVisible(not gated)
        self.grid.setVisible(gated)
        if run is None or not gated:
            self.tabs.hide()
            fixed = run is None or run.request.source.opened is not None
            act = "" if fixed else self.say("choose_swiglu")
            sentence = self.empty() if run is None else self._no_gate(run)
            self.offered.show_offer(scene.look, sentence, act=act, tip=self.say("choose_swiglu_tip"))
        else:
            self._show_pictures(scene, run)
        self._write_note()

    def table(self) -> list[list[str]] | None:
        """Exact numbers of the chosen picture."""
        scene = self.scene
        if scene is None or scene.run is None or Stage.GATE not in scene.run.values:
            return None
        return GatePictures(self.say, scene, scene.run).table(self._mode(scene))

    def _no_gate(self, run: RunResult) -> str:
        settings = run.request.settings
        sizes = {"d_ff": numbers.count(settings.d_ff), "d_model": numbers.count(settings.d_model)}
        weights = numbers.count(settings.d_ff * settings.d_model)
        return self.say("no_gate", label=FUNCTIONS[run.spec.function].label, n=weights, **sizes)

    def _show_pictures(self, scene: Scene, run: RunResult) -> None:
        mode, view = self._mode(scene), scene.view(self.name)
        self.grid.show_pictures(MODES.index(mode), scene.look)
        modes = [Mode(name, self.say(name), self.say(f"{name}_tip")) for name in MODES]
        self.tabs.show_modes(modes, chosen=mode, look=scene.look)
        self.tabs.setVisible(len(self.grid.seen) < len(MODES))
        pictures: tuple[QWidget, ...] = (self.map, self.lanes)
        for index, picture in enumerate(pictures):
            picture.setAccessibleName(f"{self.say('title')}: {self.say(MODES[index])}")
            picture.setAccessibleDescription(self.say(f"{MODES[index]}_keys"))
        made = GatePictures(self.say, scene, run)
        if 0 in self.grid.seen:
            shown = made.map(self._dots(scene, run, made))
            if shown is None:
                self.map.show_sentence(self.say("waiting"), scene.look)
            else:
                self.map.show_picture(shown)
        if 1 in self.grid.seen:
            lanes = made.lanes(first=view.first, shown=view.shown)
            if lanes is None:
                self.lanes.show_sentence(self.say("dropped"), scene.look)
            else:
                self.lanes.show_picture(lanes)

    def _dots(self, scene: Scene, run: RunResult, made: GatePictures) -> Dots | None:
        """Neurons of the chosen token; kept until one of the things they follow from changes."""
        chosen, known = scene.selection, dict(scene.progress).get(Stage.ACT, 1.0) >= 1.0
        key = (run, chosen.sentence, chosen.token, scene.theta, scene.theta_relative, known)
        if self._known is None or self._known[0] != key:
            self._known = (key, made.dots())
        return self._known[1]

    def _write_note(self) -> None:
        scene = self.scene
        if scene is None or scene.run is None or Stage.GATE not in scene.run.values:
            self.note.set_text("")
            return
        made = GatePictures(self.say, scene, scene.run)
        shut = made.shut_words()
        parts = [shut[0]]
        laid = self.lanes.columns
        if 1 in self.grid.seen and laid is not None and laid.per_pixel > 1.0:
            per_pixel = f"{laid.per_pixel:,.1f}".removesuffix(".0")
            if per_pixel != "1":
                parts.append(self.say("pooled", n=per_pixel))
        if scene.run.expert_index is not None:
            parts.append(self.say("first_expert"))
        self.note.set_text(self.say("joiner").join(parts), short=shut)

    def _mode(self, scene: Scene) -> str:
        mode = scene.view(self.name).mode
        return mode if mode in MODES else MODES[0]

    def _redraw(self) -> None:
        if self.scene is not None:
            self.render_scene(self.scene)

    def _point(self, neuron: int | None) -> None:
        self.request(changes.hover(None if neuron is None else self._cell(Stage.GATE, neuron)))

    def _cell(self, stage: Stage, neuron: int) -> Cell | None:
        scene = self.scene
        if scene is None:
            return None
        return Cell(stage, scene.selection.sentence, scene.selection.token, neuron)

    def _point_lane(self, at: tuple[Stage | None, int] | None) -> None:
        stage, neuron = (None, None) if at is None else at
        if stage is None or neuron is None:
            self._point(neuron)
        else:
            self.request(changes.hover(self._cell(stage, neuron)))

    def _choose_lane(self, at: tuple[Stage | None, int]) -> None:
        stage, neuron = at
        if stage is None and self.scene is not None:  # the mask is no stage: what is looked at stays
            chosen = self.scene.selection.stage
            stage = chosen if chosen in WIDE else Stage.GATE
        cell = self._cell(stage or Stage.GATE, neuron)
        if cell is not None:
            self.request(changes.select_cell(cell))

    def _step(self, dx: int, dy: int) -> None:
        scene = self.scene
        if scene is not None:
            chosen = scene.selection.stage
            inside = chosen in (Stage.GATE, Stage.UP, Stage.ACT, Stage.HIDDEN)
            self.request(changes.step_selection(dx, dy, stage=chosen if inside else Stage.GATE))
