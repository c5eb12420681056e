"""StagePanel: one token's way through the FFN, from x to the residual, with its strongest contributions."""

from typing import ClassVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.flow_caption import counted
from ffn_explorer.widgets.flow_footer import Footer
from ffn_explorer.widgets.flow_view import FlowView
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.last_shown import LastShown
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.pass_tables import token_table

WORDS_UNTIL = 10
"""Numbers up to this one are written as words where the language does so."""


class StagePanel(Panel):
    """One position: columns of values, ribbons between them, and the numbers in words."""

    name: ClassVar[str] = "stage"
    reads: ClassVar[frozenset[str]] = frozenset(
        {
            "run", "stages", "chips", "selection", "hover", "point", "theta", "theta_relative", "activity",
            "detail", "progress", "current", "origin", "busy",
        }
    )  # fmt: skip

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build the view and the line under it."""
        super().__init__(parent)
        self.view = FlowView(self.tooltip, self)
        self.footer = Footer(self)
        self._shown = LastShown()
        self._captions: tuple[str, ...] = ("",)
        self._size = ("", "")
        self._widths = ""
        body = QWidget(self)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.view, 1)
        column.addWidget(self.footer)
        self.set_body(body)
        self.view.pointed.connect(lambda cell: self.request(changes.hover(cell)))
        self.view.chosen.connect(self._choose)
        self.view.walked.connect(lambda step: self.request(changes.step_selection(step, 0)))

    def restyle(self, scene: Scene) -> None:
        """Fonts and colours of the line under the picture."""
        super().restyle(scene)
        self.footer.set_look(font(scene.look, "small"), self.theme.muted)

    def render_scene(self, scene: Scene) -> None:
        """Draw the scene."""
        self.view.show_scene(scene, sentence=self.empty() if scene.run is None else "")
        look, run, chosen = scene.look, scene.run, scene.selection
        if self._shown.differs("title", look, scene.chips, chosen.token):
            self.title.set_text(self._title(scene))
            self.view.setAccessibleName(self.title.text)
        if self._shown.differs("run", look, run, scene.stages, scene.origin, scene.busy, len(scene.chips)):
            self.note.set_text(self._note(scene))
            self._size = ("", "") if run is None else self._size_of(scene, run)
            self._widths = self._widths_of(scene)
        counts = (counted(scene), run, scene.detail, chosen.sentence, chosen.token)
        if self._shown.differs("captions", look, scene.theta, scene.theta_relative, *counts):
            self._captions = self._captions_of(scene)
        right, details = self._size
        self.footer.set_texts(self._captions, right, details=details)
        self.view.setAccessibleDescription(f"{self._widths}. {self._captions[0]}")

    def table(self) -> list[list[str]] | None:
        """Every number of the token, stage by stage."""
        return None if self.scene is None else token_table(self.scene, self.say)

    def tooltip(self, cell: Cell) -> str:
        """Exact value of a cell."""
        value = None if self.scene is None else self.scene.value(cell)
        if value is None:
            return ""
        name = "x" if cell.stage is Stage.INPUT else str(cell.stage)
        return self.say("tip", name=name, index=numbers.count(cell.index), value=numbers.short(value))

    def _choose(self, cell: Cell | None) -> None:
        self.request(changes.clear_selection() if cell is None else changes.select_cell(cell))

    def _title(self, scene: Scene) -> str:
        token = scene.selection.token
        if token >= len(scene.chips):
            return self.say("title_empty")
        shown = shown_token(scene.chips[token].text, self.title.font())
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
        if not scene.run.spec.position_wise:
            return self.say("note_shift")
        rule = scene.run.spec.routing
        own = rule is not None and rule.capacity is not None
        if own or (settings.is_moe and settings.capacity_factor > 0):
            return self.say(f"note_capacity_{form}", number=number)
        return self.say(f"note_{form}", number=number)

    def _captions_of(self, scene: Scene) -> tuple[str, ...]:
        """What was counted, from the longest wording to the shortest."""
        found = counted(scene)
        if found is None:
            return ("",)
        key = "theta_relative" if scene.theta_relative else "theta"
        theta = self.say(key, theta=numbers.axis(scene.theta))
        values = {"total": numbers.count(found.total), "active": numbers.count(found.active), "theta": theta}
        if found.read == 0:
            return self.say("caption_before", **values), self.say("caption_before_short", **values)
        if found.read < found.total:
            values["read"] = numbers.count(found.read)
            return self.say("caption_during", **values), self.say("caption_during_short", **values)
        full = dropping_expert(scene)
        if full is not None:
            return self.say("caption_dropped", expert=full), self.say("caption_dropped_short", expert=full)
        values["share"] = numbers.percent(found.share)
        whole = self._whole(scene, values)
        return whole + self._memory(scene), whole, self.say("caption_short", **values)

    def _whole(self, scene: Scene, values: dict[str, str]) -> str:
        """The count in full; of experts, the first choice's."""
        assert scene.run is not None
        if scene.run.expert_index is None:
            return self.say("caption", **values)
        chosen = scene.run.expert_index[scene.selection.sentence, scene.selection.token, 0]
        return self.say("caption_expert", expert=int(chosen), **values)

    def _memory(self, scene: Scene) -> str:
        if scene.detail is None or len(scene.detail.paths.neuron) == 0:
            return ""
        paths = scene.detail.paths
        neuron, strength = numbers.count(int(paths.neuron[0])), numbers.short(float(paths.strength[0]))
        return self.say("memory", neuron=neuron, strength=strength)

    def _size_of(self, scene: Scene, run: RunResult) -> tuple[str, str]:
        """Parameters and origin; and weights, biases and cost, for the tooltip."""
        bill = run.bill
        total = numbers.count(bill.ffn_total)
        right = self.say("parameters_origin", total=total, origin=scene.origin)
        details = self.say(
            "parameters_tip",
            weights=numbers.count(bill.ffn_weights),
            biases=numbers.count(bill.ffn_total - bill.ffn_weights),
            total=total,
            tokens=numbers.count(sum(run.lengths)),
            flops=numbers.count(bill.ffn_flops),
        )
        return right, details

    def _widths_of(self, scene: Scene) -> str:
        """For screen readers: the stages with their sizes."""
        return ", ".join(f"{self.say(info.name)} {numbers.count(info.width)}" for info in scene.stages)


def dropping_expert(scene: Scene) -> int | None:
    """The first-choice expert where it had no room left for the chosen token, else None."""
    run, at = scene.run, (scene.selection.sentence, scene.selection.token, 0)
    if run is None or run.expert_index is None or run.expert_dropped is None or not run.expert_dropped[at]:
        return None
    return int(run.expert_index[at])
