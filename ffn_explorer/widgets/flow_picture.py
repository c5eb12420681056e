"""FlowPicture: everything the flow draws for one Scene at one size, placed but not yet painted."""

from dataclasses import dataclass
from functools import cached_property

from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state.app_state import Appearance, Cell
from ffn_explorer.state.result import Activity, Detail, RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.flow_columns import Grid
from ffn_explorer.widgets.flow_formulas import formulas_of
from ffn_explorer.widgets.flow_labels import Plan, Wording, plan
from ffn_explorer.widgets.flow_plates import Plate, place_plates
from ffn_explorer.widgets.flow_ribbons import Ribbon, ribbons_of
from ffn_explorer.widgets.flow_router import Choice, RouterBlock, place_router, wanted_width

RIBBONS_UNTIL = 0.7
"""Share of a stage's progress in which its ribbons grow; its cells fill from `CELLS_FROM` on."""

CELLS_FROM = 0.3


@dataclass(frozen=True, slots=True)
class Subject:
    """What decides the still picture: equal subjects look alike, whatever the playback or the pointer does."""

    run: RunResult
    activity: Activity | None
    detail: Detail | None
    sentence: int
    token: int
    look: Appearance
    size: tuple[int, int]


@dataclass(frozen=True, eq=False)
class FlowPicture:
    """Placed parts of one subject."""

    subject: Subject

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Stages shown, left to right."""
        return self.subject.run.stages

    @property
    def look(self) -> Appearance:
        """Theme, language and scale."""
        return self.subject.look

    @property
    def at(self) -> tuple[int, int]:
        """Sentence and token shown."""
        return self.subject.sentence, self.subject.token

    @property
    def grid(self) -> Grid:
        """Columns."""
        return self.plan.grid

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """Experts chosen for this token, strongest first; () for a dense FFN."""
        run = self.subject.run
        if run.expert_index is None or run.expert_weight is None:
            return ()
        pairs = zip(run.expert_index[self.at].tolist(), run.expert_weight[self.at].tolist())
        return tuple(
            Choice(
                self._say("expert", number=number, weight=f"{weight:.2f}"), f"{number} · {weight:.2f}", weight
            )
            for number, weight in pairs
        )

    @cached_property
    def plan(self) -> Plan:
        """Columns and labels."""
        values = self.subject.run.values
        counts = tuple((stage, int(values[stage].shape[-1])) for stage in self.stages)
        words = tuple((stage, self._wording(stage, count)) for stage, count in counts)
        wanted = wanted_width(self._say("router"), self.choices, self.look) if self.choices else 0.0
        return plan(
            counts,
            words,
            size=self.subject.size,
            look=self.look,
            skip=Stage.RESIDUAL in self.stages,
            router=wanted,
        )

    @cached_property
    def router(self) -> RouterBlock | None:
        """The experts' block, where there is a router and room for it."""
        room = self.grid.router
        if room is None or room.w < 30.0:
            return None
        return place_router(self._say("router"), self.choices, room, self.look)

    @cached_property
    def plates(self) -> tuple[Plate, ...]:
        """Formulas between the columns."""
        run = self.subject.run
        formulas = formulas_of(run.spec, run.request.settings, self.stages)
        taken = [] if self.router is None else [self.router.box]
        return place_plates(self.plan, formulas, self.look, taken=taken)

    @cached_property
    def ribbons(self) -> tuple[Ribbon, ...]:
        """Strongest contributions, weakest first; () until they are known."""
        detail, values = self.subject.detail, self.subject.run.values
        if detail is None:
            return ()
        return ribbons_of(
            detail.paths, self.stages, {stage: values[stage][self.at] for stage in WIDE & values.keys()}
        )

    def _say(self, key: str, **values: object) -> str:
        return say(self.look.language, f"panel.stage.{key}", **values)

    def _wording(self, stage: Stage, count: int) -> Wording:
        name = str(stage)
        if stage is Stage.POST_NORM and self.subject.run.spec.norm.placement == "post":
            name = "post_norm_sum" if Stage.RESIDUAL in self.stages else name
        return Wording(self._say(f"column.{name}"), self._say(f"short.{name}"), f"[{count:,}]")


def subject_of(scene: Scene, size: tuple[int, int]) -> Subject | None:
    """Subject of a scene, or None while there is nothing to show."""
    run, chosen = scene.run, scene.selection
    if run is None or chosen.sentence >= len(run.tokens) or chosen.token >= run.lengths[chosen.sentence]:
        return None
    return Subject(run, scene.activity, scene.detail, chosen.sentence, chosen.token, scene.look, size)


def focus_of(scene: Scene, picture: FlowPicture) -> Cell | None:
    """The number pointed at, else the chosen one, if this picture has it; a neuron counts at every token."""
    for cell in (scene.hover, scene.selection.cell()):
        if cell is not None and cell.stage in picture.stages:
            return cell if cell.index < picture.grid.column(cell.stage).count else None
    return None


def ribbon_share(progress: float) -> float:
    """How far a stage's ribbons have grown, 0..1."""
    return min(1.0, progress / RIBBONS_UNTIL)


def cell_share(progress: float) -> float:
    """How much of a stage's strip is filled, 0..1 from the top."""
    return min(1.0, max(0.0, (progress - CELLS_FROM) / (1.0 - CELLS_FROM)))
