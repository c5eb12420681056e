"""All positions at once: one stage of every token of the sentence, as a heat map."""

from dataclasses import replace
from functools import lru_cache
from typing import ClassVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Appearance, Cell, View
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.heatmap import HeatMap
from ffn_explorer.widgets.map_picture import MapPicture, MapWords
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.reveal import cell_share
from ffn_explorer.widgets.stage_tabs import StageTabs, Tab


class MapsPanel(Panel):
    """Tokens x columns at the pinned stage, or at the one that the pass has reached."""

    name: ClassVar[str] = "maps"
    reads: ClassVar[frozenset[str]] = frozenset(
        {
            "run",
            "stages",
            "selection",
            "hover",
            "activity",
            "theta",
            "theta_relative",
            "progress",
            "current",
            "views",
        }
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build tabs and an empty map."""
        super().__init__(parent)
        self.tabs = StageTabs()
        self.map = HeatMap()
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.tabs)
        column.addWidget(self.map, 1)
        self.set_body(body)
        self.tabs.chosen.connect(self._pin)
        self.map.pointed.connect(self._point)
        self.map.chosen.connect(self._choose)
        self.map.zoomed.connect(self._zoom)
        self.map.stepped.connect(self._step)
        self.map.scaled.connect(self._write_note)

    def render_scene(self, scene: Scene) -> None:
        """Draw tabs, map and note."""
        shown = stage_shown(scene)
        self._show_tabs(scene, shown)
        if scene.run is None or shown is None:
            self.title.set_text(self.say("empty_title"))
            self.map.set_look(scene.look)
            self.map.show_sentence(self.say("empty"))
        else:
            name = next((info.name for info in scene.stages if info.stage == shown), f"stage.{shown}")
            self.title.set_text(self.say("title", stage=self.say(name)))
            self.map.show_map(self._picture(scene, scene.run, shown))
        self.map.setAccessibleName(self.title.text)
        self.map.setAccessibleDescription(self.say("keys"))
        self._write_note()

    def _show_tabs(self, scene: Scene, shown: Stage | None) -> None:
        pinned = scene.view(self.name).stage
        known = [info.stage for info in scene.stages]
        tabs = [Tab(None, self.say("follow"), self.say("follow_tip"))]
        tabs += [
            Tab(info.stage, self.say(info.name), self.say(f"{info.name.key}_about")) for info in scene.stages
        ]
        self.tabs.show_tabs(tabs, pinned=pinned if pinned in known else None, shown=shown, look=scene.look)

    def _picture(self, scene: Scene, run: RunResult, stage: Stage) -> MapPicture:
        chosen, view = scene.selection, scene.view(self.name)
        exact = run.values[stage][chosen.sentence, : run.lengths[chosen.sentence]]  # [S, N]
        width = exact.shape[1]
        axis = max(values.shape[2] for values in run.values.values())
        shown = min(axis, view.shown or axis)
        return MapPicture(
            look=scene.look,
            stage=stage,
            made=run.pyramids[stage],
            share=None if scene.activity is None else scene.activity.share.get(stage),
            exact=exact,
            sentence=chosen.sentence,
            rows=_names(run.tokens[chosen.sentence], scene.look),
            axis=axis,
            first=min(max(0, view.first), axis - shown),
            shown=shown,
            progress=_shown_share(scene, stage),
            row=chosen.token,
            column=_inside(chosen.neuron if stage in WIDE else chosen.dim, width),
            hovered=_pointed(scene.hover, stage, chosen.sentence, width=width),
            words=self._words(scene, run, stage, axis=axis),
            limits=tuple(made.limit for made in run.pyramids.values()),
        )

    def _words(self, scene: Scene, run: RunResult, stage: Stage, *, axis: int) -> MapWords:
        kinds = ("dimension", "neuron")
        kind = kinds[stage in WIDE]
        width = run.values[stage].shape[2]
        column = scene.selection.neuron if stage in WIDE else scene.selection.dim
        sizes = {"width": numbers.count(width), "axis": numbers.count(axis)}
        return MapWords(
            axis=self.say(kind),
            axes=tuple(self.say(each) for each in kinds),
            rows=self.say("token"),
            unit=self.say("no_unit"),
            column="" if column is None else self.say(f"{kind}_n", n=numbers.count(column)),
            readout=self._readout(scene, run, stage),
            beyond=self.say("beyond", **sizes) if width < axis else "",
            waiting="" if _begun(scene, stage) else self.say("waiting"),
        )

    def _readout(self, scene: Scene, run: RunResult, stage: Stage) -> str:
        """Exact value of the pointed cell, else of the chosen one, once the pass has reached it."""
        chosen, width = scene.selection, run.values[stage].shape[2]
        at = _pointed(scene.hover, stage, chosen.sentence, width=width)
        if at is None:
            column = _inside(chosen.neuron if stage in WIDE else chosen.dim, width)
            at = None if column is None else (chosen.token, column)
        if at is None or at[1] >= _shown_share(scene, stage) * width:
            return ""
        kind = "neuron" if stage in WIDE else "dimension"
        value = float(run.values[stage][chosen.sentence, at[0], at[1]])
        token = shown_token(run.tokens[chosen.sentence][at[0]], font(scene.look, "small"))
        return self.say(f"value_{kind}", token=token, n=numbers.count(at[1]), value=numbers.short(value))

    def _write_note(self) -> None:
        scene, laid = self.scene, self.map.columns
        shown = None if scene is None else stage_shown(scene)
        if scene is None or scene.run is None or shown is None or laid is None:
            self.note.set_text("")
            return
        parts = self._scale_parts(shown, laid.per_pixel)
        if scene.run.expert_index is not None and shown in WIDE:
            parts.append(self.say("first_expert"))
        if scene.activity is not None and shown in scene.activity.share:
            kind = "opacity_relative" if scene.theta_relative else "opacity"
            parts.append(self.say(kind, theta=numbers.axis(scene.theta)))
        bad = scene.run.pyramids[shown].non_finite
        if bad:
            parts.insert(0, self.say("non_finite", n=numbers.count(bad)))
        self.note.set_text(self.say("joiner").join(parts))

    def _scale_parts(self, stage: Stage, per_pixel: float) -> list[str]:
        kind = "neuron" if stage in WIDE else "dimension"
        parts = []
        if per_pixel >= 1.0 and _places(per_pixel) != "1":
            parts.append(self.say(f"pooled_{kind}", n=_places(per_pixel)))
        else:
            parts.append(self.say(f"spread_{kind}", n=_places(1.0 / per_pixel)))
        if self.map.rows_per_pixel > 1.0 and _places(self.map.rows_per_pixel) != "1":
            parts.append(self.say("pooled_rows", n=_places(self.map.rows_per_pixel)))
        return parts

    def _cell(self, row: int, column: int) -> Cell | None:
        scene = self.scene
        shown = None if scene is None else stage_shown(scene)
        if scene is None or shown is None:
            return None
        return Cell(shown, scene.selection.sentence, row, column)

    def _point(self, at: tuple[int, int] | None) -> None:
        self.request(changes.hover(None if at is None else self._cell(*at)))

    def _choose(self, row: int, column: int | None) -> None:
        cell = None if column is None else self._cell(row, column)
        self.request(changes.select_token(row) if cell is None else changes.select_cell(cell))

    def _step(self, dx: int, dy: int) -> None:
        shown = None if self.scene is None else stage_shown(self.scene)
        self.request(changes.step_selection(dx, dy, stage=shown))

    def _pin(self, stage: Stage | None) -> None:
        self._view(stage=stage)

    def _zoom(self, first: int, shown: int) -> None:
        self._view(first=first, shown=shown)

    def _view(self, **chosen: object) -> None:
        if self.scene is not None:
            view: View = replace(self.scene.view(self.name), **chosen)  # type: ignore[arg-type] # checked by View
            self.request(changes.set_view(self.name, view))


def stage_shown(scene: Scene) -> Stage | None:
    """The pinned stage where this run has it, else the one the pass has reached; None without a run.

    Gate and up play together: up is shown, or gate while a cell of the gate is chosen.
    """
    if scene.run is None:
        return None
    pinned = scene.view(MapsPanel.name).stage
    if pinned in scene.run.values:
        return pinned
    if scene.current in (Stage.GATE, Stage.UP) and Stage.GATE in scene.run.values:
        return Stage.GATE if scene.selection.stage is Stage.GATE else Stage.UP
    return scene.current if scene.current in scene.run.values else scene.run.stages[0]


@lru_cache(maxsize=8)
def _names(tokens: tuple[str, ...], look: Appearance) -> tuple[str, ...]:
    """Labels of the rows, kept from frame to frame."""
    small = font(look, "small")
    return tuple(shown_token(token, small, whole=True) for token in tokens)


def _begun(scene: Scene, stage: Stage) -> bool:
    return dict(scene.progress).get(stage, 1.0) > 0.0


def _shown_share(scene: Scene, stage: Stage) -> float:
    """Share of the columns revealed: the same as of the stage's strip."""
    return cell_share(dict(scene.progress).get(stage, 1.0))


def _inside(column: int | None, width: int) -> int | None:
    return column if column is not None and 0 <= column < width else None


def _pointed(cell: Cell | None, stage: Stage, sentence: int, *, width: int) -> tuple[int, int] | None:
    """Row and column that another panel or this one points at, where this stage counts the same things."""
    if cell is None or cell.sentence != sentence or (cell.stage in WIDE) != (stage in WIDE):
        return None
    return (cell.token, cell.index) if 0 <= cell.index < width else None


def _places(value: float) -> str:
    """One decimal, without a trailing zero."""
    return f"{value:,.1f}".removesuffix(".0")
