"""Stage card: what one stage means, what goes in and comes out, an example, and where it goes next."""

from typing import ClassVar

import numpy as np
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state import changes, numbers, timeline
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene, StageInfo
from ffn_explorer.state.text import Text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.page import Block, Page
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.paragraphs import Paragraphs
from ffn_explorer.widgets.stage_tabs import StageTabs, Tab

EXAMPLES = 4
"""Numbers of the example row that are written out."""


class CardPanel(Panel):
    """The card of the pointed stage, else of the one under way; its tabs lead to the other stages."""

    name: ClassVar[str] = "card"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "stages", "current", "progress", "selection", "hover", "point", "views"}
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build tabs and page."""
        super().__init__(parent)
        self.tabs = StageTabs()
        self.page = Paragraphs(self)
        body = QWidget(self)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.tabs)
        column.addWidget(self.page, 1)
        self.set_body(body)
        self.tabs.chosen.connect(self._go)
        self.page.scrolled.connect(lambda y: self.change_view(first=y))
        self.page.focused.connect(self.update)

    def restyle(self, scene: Scene) -> None:
        """Words that a language decides."""
        super().restyle(scene)
        self.page.setAccessibleName(self.say("name"))

    def render_scene(self, scene: Scene) -> None:
        """Draw the card."""
        shown = stage_shown(scene)
        self._show_tabs(scene, shown)
        view = scene.view(self.name)
        if scene.run is None or shown is None:
            self.title.set_text(self.say("title_empty"))
            blocks: tuple[Block, ...] = (Block(self.empty(), role="body", strong=False),)
        else:
            info = next(info for info in scene.stages if info.stage == shown)
            self.title.set_text(self.say("title", stage=self.say(info.name)))
            blocks = self._blocks(scene, scene.run, info)
        self.page.show_page(Page(scene.look, blocks, brief=blocks[:2], scroll=view.first))

    def table(self) -> list[list[str]] | None:
        """The whole row of the example."""
        scene = self.scene
        shown = None if scene is None else stage_shown(scene)
        if scene is None or scene.run is None or shown is None:
            return None
        row = _row(scene, scene.run, shown)
        return [["index", str(shown)], *([str(at), repr(value.item())] for at, value in enumerate(row))]

    def _show_tabs(self, scene: Scene, shown: Stage | None) -> None:
        tabs = [
            Tab(info.stage, self.say(info.name), self.say(f"{info.name.key}_about")) for info in scene.stages
        ]
        self.tabs.show_tabs(tabs, pinned=shown, shown=shown, look=scene.look)

    def _blocks(self, scene: Scene, run: RunResult, info: StageInfo) -> tuple[Block, ...]:
        key = info.name.key.removeprefix("stage.")
        dtype = run.request.settings.dtype
        given, shape_out = info.stage is Stage.INPUT, numbers.shape(info.shape_out)
        shape_in = "" if given else numbers.shape(info.shape_in)
        return (
            Block(self._means(run, info, key), role="body", roomy="title", reserve=3),
            Block(info.formula, mono=True, reserve=1),
            Block(self.say("input", what=self._inputs(scene, info), shape=shape_in), strong=False),
            Block(self.say("output", name=name_of(info.stage), shape=shape_out, dtype=dtype), strong=False),
            self._example(scene, run, info),
            Block(self.say("next", what=self._next(scene, info)), strong=False),
            Block(self._beware(run, info, key), icon="waits", strong=False, reserve=2, optional=True),
        )

    def _means(self, run: RunResult, info: StageInfo, key: str) -> str:
        """What the stage is; of an opened layer, what it is there."""
        words = _x_words(run)
        if info.stage is Stage.INPUT and words is not None:
            return self.say("means_input_npy" if run.x_from == "npy" else "means_input_file", x=words)
        if info.stage is Stage.RESIDUAL and run.spec.norm.placement == "parallel":
            return self.say("means_residual_parallel")
        if info.stage is Stage.GATE and run.spec.gate_sparsity:
            return self.say("means_gate_sparse", share=numbers.percent(run.spec.gate_sparsity))
        return self.say(f"means_{key}")

    def _beware(self, run: RunResult, info: StageInfo, key: str) -> str:
        cut = info.stage is Stage.ACT and run.spec.gate_sparsity > 0
        return self.say("beware_act_sparse" if cut else f"beware_{key}")

    def _inputs(self, scene: Scene, info: StageInfo) -> str:
        names = [self.say(other.name) for other in _before(scene, info.stage)]
        words = None if scene.run is None else _x_words(scene.run)
        given = self.say("previous_layer") if words is None else self.say(words)
        return self.say("joiner").join(names) if names else given

    def _next(self, scene: Scene, info: StageInfo) -> str:
        names = [self.say(other.name) for other in _after(scene, info.stage)]
        if names:
            return self.say("joiner").join(names)
        run = scene.run
        if run is None or run.request.source.opened is None:
            return self.say("next_layer")
        return self.say("next_layer_file" if run.spec.residual else "next_hidden_file")

    def _example(self, scene: Scene, run: RunResult, info: StageInfo) -> Block:
        """First numbers of the token's row, and the chosen one, once the pass has reached them."""
        if dict(scene.progress).get(info.stage, 0.0) < 1.0:
            return Block(self.say("waiting"), strong=False, reserve=2)
        row = _row(scene, run, info.stage)
        written = ", ".join(numbers.short(float(value)) for value in row[:EXAMPLES])
        more = ", …" if len(row) > EXAMPLES else ""
        chosen = scene.selection
        place = (chosen.token, chosen.sentence) if scene.look.transposed else (chosen.sentence, chosen.token)
        index = f"{name_of(info.stage)}[{place[0]}, {place[1]}]"
        token = shown_token(run.tokens[chosen.sentence][chosen.token], font(scene.look, "small"))
        said = self.say("example", token=token, row=f"{index} = [{written}{more}]")
        at = _index(scene, info)
        if at is None or at >= len(row):
            return Block(said, mono=True, reserve=2)
        kind = "neuron" if info.stage in WIDE else "dimension"
        value = numbers.short(float(row[at]), digits=4)
        chosen_one = self.say(f"example_{kind}", n=numbers.count(at), value=value)
        return Block(f"{said}\n{chosen_one}", mono=True, reserve=2)

    def _go(self, stage: Stage) -> None:
        """Go to the end of that stage, and look at it where something is chosen."""
        scene = self.scene
        if scene is not None and scene.run is not None and stage in scene.run.stages:
            if scene.selection.stage is not None:
                self.request(changes.choose(stage=stage))
            self.request(changes.seek(timeline.time_of(stage, scene.run.stages)))


def _x_words(run: RunResult) -> Text | None:
    """What flows into the layer of an opened file; None without one."""
    if run.request.source.opened is None:
        return None
    from ffn_explorer.state.opened_words import x_words  # the first picture needs none of it

    return x_words(run.request.source.opened, run.x_from)


_NAMES = {Stage.INPUT: "x", Stage.NORM: "norm", Stage.RESIDUAL: "y"}


def name_of(stage: Stage) -> str:
    """Name of a stage's tensor in formulas."""
    return _NAMES.get(stage, str(stage))


def stage_shown(scene: Scene) -> Stage | None:
    """The pointed stage where this run has it, else the one to follow."""
    if scene.run is None:
        return None
    wanted = (scene.pointed.stage, scene.followed)
    return next((stage for stage in wanted if stage in scene.run.values), scene.run.stages[0])


def _row(scene: Scene, run: RunResult, stage: Stage) -> np.ndarray:
    row: np.ndarray = run.values[stage][scene.selection.sentence, scene.selection.token]
    return row


def _index(scene: Scene, info: StageInfo) -> int | None:
    """The pointed neuron or dimension, else the chosen one."""
    pointed, chosen = scene.pointed, scene.selection
    if info.stage in WIDE:
        return chosen.neuron if pointed.neuron is None else pointed.neuron
    return chosen.dim if pointed.dim is None else pointed.dim


def _before(scene: Scene, stage: Stage) -> list[StageInfo]:
    """Stages that a stage reads."""
    return [info for info in scene.stages if stage in (after.stage for after in _after(scene, info.stage))]


def _after(scene: Scene, stage: Stage) -> list[StageInfo]:
    """Stages that read a stage."""
    order = [info.stage for info in scene.stages]
    gated = Stage.GATE in order
    reads: dict[Stage, tuple[Stage, ...]] = {
        Stage.INPUT: (Stage.NORM,) if Stage.NORM in order else (Stage.GATE, Stage.UP),
        Stage.NORM: (Stage.GATE, Stage.UP),
        Stage.GATE: (Stage.ACT,),
        Stage.UP: (Stage.HIDDEN,) if gated else (Stage.ACT,),
        Stage.ACT: (Stage.HIDDEN,) if Stage.HIDDEN in order else (Stage.OUT,),
        Stage.HIDDEN: (Stage.OUT,),
    }
    if Stage.RESIDUAL in order:
        reads[Stage.INPUT] = (*reads[Stage.INPUT], Stage.RESIDUAL)
    wanted = reads.get(stage, tuple(order[order.index(stage) + 1 : order.index(stage) + 2]))
    return [info for info in scene.stages if info.stage in wanted]
