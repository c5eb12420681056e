"""FlowPicture: everything the flow draws for one Scene at one size, placed but not yet painted."""

from dataclasses import dataclass
from functools import cached_property

from PySide6.QtGui import QPainterPath

from ffn_explorer.core.stages import WIDE, Stage, enters_down
from ffn_explorer.state.app_state import Appearance, Cell, Point
from ffn_explorer.state.formulas import residual
from ffn_explorer.state.result import Activity, Detail, Floats, RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.flow_bands import Band, bands_of, skip_path
from ffn_explorer.widgets.flow_columns import Box, Column, Grid
from ffn_explorer.widgets.flow_formulas import formulas_of
from ffn_explorer.widgets.flow_labels import Plan, Wording, plan, unit_of
from ffn_explorer.widgets.flow_numbers import cell_numbers
from ffn_explorer.widgets.flow_plates import Plate, place_plates
from ffn_explorer.widgets.flow_ribbons import Ribbon, ribbons_of, through
from ffn_explorer.widgets.flow_router import Choice, RouterBlock, place_router, wanted_width
from ffn_explorer.widgets.flow_strip import cells_on
from ffn_explorer.widgets.pooling import Columns

TALL_PX = 170.0
"""Height of a strip that bears ribbons of full thickness."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What decides the still picture, whatever the playback or the pointer does."""

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
    def ground(self) -> tuple[object, ...]:
        """What decides where everything stands: for all tokens alike, unless experts are chosen for each."""
        return self.subject.run, self.look, self.subject.size, self.choices

    def stand_on(self, other: "FlowPicture") -> None:
        """Take over all places from a picture with the same ground, instead of finding them again."""
        for name in ("plan", "router", "plates", "bands", "skip", "ribbon_unit", "gaps", "areas", "_laid"):
            if name in other.__dict__:
                self.__dict__[name] = other.__dict__[name]

    @cached_property
    def ribbon_unit(self) -> float:
        """Thickness of ribbons: that of the type, but finer where the strips are short."""
        tallest = max(column.box.h for column in self.grid.columns)
        return min(unit_of(self.look), max(0.6, tallest / TALL_PX))

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """Experts chosen for this token, strongest first; () for a dense FFN."""
        run = self.subject.run
        if run.expert_index is None or run.expert_weight is None:
            return ()
        index, weight = run.expert_index[self.at].tolist(), run.expert_weight[self.at].tolist()
        full = [False] * len(index) if run.expert_dropped is None else run.expert_dropped[self.at].tolist()
        return tuple(self._choice(n, w, dropped=d) for n, w, d in zip(index, weight, full))

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
        if room is None:
            return None
        boxes = [label.box for label in self.plan.labels] + [column.box for column in self.grid.columns]
        return place_router(self._say("router"), self.choices, room, self.look, clear_of=boxes)

    @cached_property
    def plates(self) -> tuple[Plate, ...]:
        """Formulas between the columns."""
        run = self.subject.run
        formulas = formulas_of(run.spec, run.request.settings, self.stages, run.has)
        taken = [] if self.router is None else [self.router.box]
        return place_plates(self.plan, formulas, self.look, taken=taken)

    @cached_property
    def ribbons(self) -> tuple[Ribbon, ...]:
        """Strongest contributions, weakest first; () until they are known."""
        detail = self.subject.detail
        return () if detail is None else ribbons_of(detail.paths, self.stages, self._rows())

    @cached_property
    def numbers(self) -> dict[Stage, tuple[str, ...]]:
        """What is printed into the cells of each strip; () where they are too small."""
        values = self.subject.run.values
        return {
            column.stage: cell_numbers(values[column.stage][self.at], column, self.look)
            for column in self.grid.columns
        }

    @cached_property
    def bands(self) -> tuple[Band, ...]:
        """Steps between the columns, in order."""
        return tuple(bands_of(self.stages))

    @cached_property
    def ribbons_by_band(self) -> dict[Band, tuple[Ribbon, ...]]:
        """Ribbons of each step that has some."""
        groups: dict[Band, list[Ribbon]] = {}
        for ribbon in self.ribbons:
            groups.setdefault(Band(ribbon.source, ribbon.target), []).append(ribbon)
        return {band: tuple(ribbons) for band, ribbons in groups.items()}

    @cached_property
    def skip(self) -> QPainterPath:
        """Line that carries x to the sum."""
        return skip_path(self.grid, next((p.box for p in self.plates if p.stage is Stage.RESIDUAL), None))

    def ribbons_at(self, cell: Cell) -> tuple[Ribbon, ...]:
        """Ribbons of a neuron or dimension; of a neuron that is not among the strongest, those between."""
        found = tuple(ribbon for ribbon in self.ribbons if ribbon.touches(cell.stage, cell.index))
        if found or cell.stage not in WIDE:
            return found
        return through(cell.index, self.stages, self._rows())

    def front(self, band: Band, share: float, scale: float) -> float:
        """How far from the left a step is done, on a whole device pixel; 0 before it, the whole width after.

        scale: device pixels per logical pixel.
        """
        if not 0.0 < share < 1.0:
            return float(share > 0.0) * self.subject.size[0]
        gap = self.gaps[band]
        return round((gap.x + share * gap.w) * scale) / scale

    @cached_property
    def gaps(self) -> dict[Band, Box]:
        """Area between the two strips of each step, from top to bottom."""
        found = {}
        for band in self.bands:
            left, right = self.grid.column(band.source).box.right, self.grid.column(band.target).box.x
            found[band] = Box(left, 0.0, right - left, self.grid.frame.height)
        return found

    @cached_property
    def areas(self) -> dict[Stage, Box]:
        """Area that each column's strip, label and plate may cover."""
        return {column.stage: self._area(column) for column in self.grid.columns}

    def _area(self, column: Column) -> Box:
        boxes = [column.box]
        boxes += [label.box for label in self.plan.labels if label.stage is column.stage]
        boxes += [plate.box for plate in self.plates if plate.stage is column.stage]
        if self.router is not None and column.stage is Stage.UP:
            boxes.append(self.router.box)
        pad = 8.0 * unit_of(self.look)
        left, top = min(box.x for box in boxes) - pad, min(box.y for box in boxes) - pad
        right, bottom = max(box.right for box in boxes) + pad, max(box.bottom for box in boxes) + pad
        return Box(left, top, right - left, bottom - top)

    @cached_property
    def _laid(self) -> dict[tuple[Stage, float], Columns]:
        """What `laid` has found."""
        return {}

    def laid(self, column: Column, scale: float) -> Columns:
        """Which values stand on which device pixel of a strip; scale: device pixels per logical pixel."""
        key = (column.stage, scale)
        if key not in self._laid:
            self._laid[key] = cells_on(self.subject.run, column, scale)
        return self._laid[key]

    def covers(self, x: float, y: float) -> bool:
        """Whether a plate or the router lies over this point."""
        boxes = [plate.box for plate in self.plates] + ([] if self.router is None else [self.router.box])
        return any(box.holds(x, y) for box in boxes)

    def _rows(self) -> dict[Stage, Floats]:
        """Exact values `[F]` of the wide stages at the token."""
        values = self.subject.run.values
        return {stage: values[stage][self.at] for stage in self.stages if stage in WIDE}

    def _choice(self, number: int, weight: float, *, dropped: bool) -> Choice:
        if dropped:
            values = {"number": number}
            return Choice(self._say("dropped", **values), self._say("dropped_short", **values), 0.0, dropped)
        written = f"{weight:.2f}"
        return Choice(self._say("expert", number=number, weight=written), f"{number} · {written}", weight)

    def _say(self, key: str, **values: object) -> str:
        return say(self.look.language, f"panel.stage.{key}", **values)

    def _wording(self, stage: Stage, count: int) -> Wording:
        name = str(stage)
        if stage is Stage.POST_NORM and self.subject.run.spec.norm.placement == "post":
            name = "post_norm_sum" if Stage.RESIDUAL in self.stages else name
        short = self._say(f"short.{name}")
        if stage is not Stage.RESIDUAL:
            return Wording(self._say(f"column.{name}"), short, f"[{count:,}]")
        # After a norm of out, whose own column says so, the whole sum would be too long a name.
        summed = residual(self.subject.run.spec)
        return Wording(short if "norm" in summed else summed, short, f"[{count:,}]")


def subject_of(scene: Scene, size: tuple[int, int]) -> Subject | None:
    """Subject of a scene, or None while there is nothing to show."""
    run, chosen = scene.run, scene.selection
    if run is None or chosen.sentence >= len(run.tokens) or chosen.token >= run.lengths[chosen.sentence]:
        return None
    return Subject(run, scene.activity, scene.detail, chosen.sentence, chosen.token, scene.look, size)


def pointed_of(scene: Scene, picture: FlowPicture) -> Cell | None:
    """The number pointed at, if this picture has it; a neuron or dimension counts at every token."""
    cell = scene.hover or _cell_of(scene.point, picture)
    if cell is None or cell.stage not in picture.stages:
        return None
    return cell if cell.index < picture.grid.column(cell.stage).count else None


def focus_of(scene: Scene, picture: FlowPicture) -> Cell | None:
    """The number pointed at, else the chosen one, if this picture has it; a neuron counts at every token."""
    for cell in (scene.hover or _cell_of(scene.point, picture), scene.selection.cell()):
        if cell is not None and cell.stage in picture.stages:
            return cell if cell.index < picture.grid.column(cell.stage).count else None
    return None


def _cell_of(point: Point | None, picture: FlowPicture) -> Cell | None:
    """The strip and value that stand for a neuron or dimension pointed at elsewhere."""
    if point is None:
        return None
    stage = point.stage if point.stage in picture.stages else None
    if point.neuron is not None and (point.dim is None or stage is None or stage in WIDE):
        wide = stage if stage in WIDE and stage is not None else enters_down(picture.stages)
        return Cell(wide, *picture.at, point.neuron)
    if point.dim is None:
        return None
    return Cell(Stage.OUT if stage is None or stage in WIDE else stage, *picture.at, point.dim)
