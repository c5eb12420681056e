"""StagePanel: one token's way through the FFN, from x to the residual, with its strongest contributions."""

from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.flow_caption import counted
from ffn_explorer.widgets.flow_view import FlowView
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import drawable
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.panel import Panel

WORDS_UNTIL = 10
"""Numbers up to this one are written as words where the language does so."""


class StagePanel(Panel):
    """One position: columns of values, ribbons between them, and the numbers in words."""

    name: ClassVar[str] = "stage"
    reads: ClassVar[frozenset[str]] = frozenset(
        {
            "run", "stages", "chips", "selection", "hover", "theta", "theta_relative", "activity", "detail", "progress",
            "current", "origin", "busy",
        }
    )  # fmt: skip

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build the view and the line under it."""
        super().__init__(parent)
        self.view = FlowView(self.tooltip, self)
        self.caption = ElidedLabel(self)
        self.origin = ElidedLabel(self, align=Qt.AlignmentFlag.AlignRight)
        self.origin.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        body = QWidget(self)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.view, 1)
        line = QHBoxLayout()
        line.setSpacing(16)
        line.addWidget(self.caption, 1)
        line.addWidget(self.origin)
        column.addLayout(line)
        self.set_body(body)
        self.view.pointed.connect(lambda cell: self.request(changes.hover(cell)))
        self.view.chosen.connect(self._choose)
        self.view.walked.connect(lambda step: self.request(changes.step_selection(step, 0)))

    def restyle(self, scene: Scene) -> None:
        """Fonts and colours of the line under the picture."""
        super().restyle(scene)
        self.caption.set_look(font(scene.look, "small"), self.theme.muted)
        self.origin.set_look(font(scene.look, "small"), self.theme.muted)

    def render_scene(self, scene: Scene) -> None:
        """Draw the scene."""
        self.view.show_scene(scene, sentence=self.say("empty") if scene.run is None else "")
        self.title.set_text(self._title(scene))
        self.note.set_text(self._note(scene))
        self.origin.set_text(self.say(scene.origin))
        self.caption.set_text(self._caption(scene))
        self.view.setAccessibleName(self.title.text)
        self.view.setAccessibleDescription(self._description(scene))

    def tooltip(self, cell: Cell) -> str:
        """Name and exact value of a cell."""
        scene = self.scene
        value = None if scene is None else scene.value(cell)
        if scene is None or value is None:
            return ""
        name = next(self.say(info.name) for info in scene.stages if info.stage is cell.stage)
        return self.say("tip", name=name, symbol=cell.stage, index=cell.index, value=numbers.short(value))

    def _choose(self, cell: Cell | None) -> None:
        self.request(changes.clear_selection() if cell is None else changes.select_cell(cell))

    def _title(self, scene: Scene) -> str:
        token = scene.selection.token
        if token >= len(scene.chips):
            return self.say("title_empty")
        shown = drawable(scene.chips[token].text, self.title.font())
        return self.say("title", token=shown, position=token)

    def _note(self, scene: Scene) -> str:
        if scene.run is None:
            return "" if scene.busy is None else self.say(scene.busy)
        others = len(scene.chips) - 1
        settings = scene.run.request.settings
        if others <= 0:
            return self.say("note_alone")
        form, number = "one" if others == 1 else "many", ""
        if 1 < others <= WORDS_UNTIL:
            number = self.say(f"panel.stage.number.{others}")
        elif others > WORDS_UNTIL:
            number = self.say("number_digits", n=numbers.count(others))
        if settings.mixer:
            return self.say(f"note_mixed_{form}", number=number)
        if settings.is_moe and settings.capacity_factor > 0:
            return self.say(f"note_capacity_{form}", number=number)
        return self.say(f"note_{form}", number=number)

    def _caption(self, scene: Scene) -> str:
        found = counted(scene)
        if found is None:
            return ""
        theta = self.say(
            "theta_relative" if scene.theta_relative else "theta", theta=numbers.axis(scene.theta)
        )
        total = numbers.count(found.total)
        if found.read == 0:
            return self.say("caption_before", theta=theta, total=total)
        values = {"active": numbers.count(found.active), "theta": theta}
        if found.read < found.total:
            return self.say("caption_during", read=numbers.count(found.read), **values)
        return self.say("caption", total=total, share=numbers.percent(found.share), **values) + self._memory(
            scene
        )

    def _memory(self, scene: Scene) -> str:
        if scene.detail is None or len(scene.detail.paths.neuron) == 0:
            return ""
        paths = scene.detail.paths
        neuron, strength = numbers.count(int(paths.neuron[0])), numbers.short(float(paths.strength[0]))
        return self.say("memory", neuron=neuron, strength=strength)

    def _description(self, scene: Scene) -> str:
        """For screen readers: the stages with their sizes, and the caption."""
        sizes = ", ".join(f"{self.say(info.name)} {numbers.count(info.width)}" for info in scene.stages)
        return f"{sizes}. {self.caption.text}"
