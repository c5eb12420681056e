"""All positions at once: one stage of every token of the sentence, as a heat map."""

from functools import lru_cache
from typing import ClassVar

from PySide6.QtWidgets import QHBoxLayout, QWidget

from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Appearance, Cell
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.stage_info import StageInfo, name_of
from ffn_explorer.state.text import say
from ffn_explorer.widgets.body import body_of
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.heatmap import HeatMap
from ffn_explorer.widgets.map_picture import MapPicture, MapWords
from ffn_explorer.widgets.map_source import (
    MODES,
    MapSource,
    begun,
    inside,
    limits_of,
    missing,
    mode_of,
    pair_at,
    pointed_at,
    shown_share,
    source_of,
    widest,
)
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.stage_tabs import StageTabs, Tab


class MapsPanel(Panel):
    """Tokens x columns at the pinned stage, or at the one that the pass has reached."""

    name: ClassVar[str] = "maps"
    reads: ClassVar[frozenset[str]] = frozenset(
        {
            "run", "stages", "selection", "hover", "point", "activity", "theta", "theta_relative", "other",
            "other_activity", "difference", "progress", "current", "views",
        }
    )  # fmt: skip

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build tabs and an empty map."""
        super().__init__(parent)
        self.tabs = StageTabs()
        self.modes = ModeTabs(len(MODES))
        self.modes.hide()
        self.map = HeatMap()
        above = QHBoxLayout()
        above.setSpacing(8)
        above.addWidget(self.tabs, 1)
        above.addWidget(self.modes)
        self.set_body(body_of(self.map, above=above))
        self.tabs.chosen.connect(self._pin)
        self.modes.chosen.connect(lambda mode: self.change_view(mode=mode))
        self.map.pointed.connect(self._point)
        self.map.chosen.connect(self._choose)
        self.map.zoomed.connect(self._zoom)
        self.map.stepped.connect(self._step)
        self.map.scaled.connect(self._write_note)

    def render_scene(self, scene: Scene) -> None:
        """Draw tabs, map and note."""
        run, shown = scene.run, stage_shown(scene)
        self._show_tabs(scene, shown)
        if run is None or shown is None:
            self.title.set_text(self.say("empty_title"))
            self.map.show_sentence(self.empty(), scene.look)
        else:
            mode = mode_of(scene, scene.view(self.name).mode)
            self.title.set_text(
                self.say(f"title_{mode}" if mode else "title", stage=self.say(name_of(shown, run.spec)))
            )
            why = missing(scene, run, mode, shown)
            source = source_of(scene, run, mode)
            if why is None and source is not None:
                self.map.show_picture(self._picture(scene, run, source, stage=shown))
            else:
                self.map.show_sentence(self.say(why or "computing"), scene.look)
        self.map.setAccessibleName(self.title.text)
        self.map.setAccessibleDescription(self.say("keys"))
        self._write_note()

    def table(self) -> list[list[str]] | None:
        """The values in sight: a row for each token, a column for each neuron or dimension."""
        picture = self.map.picture
        if picture is None:
            return None
        revealed = int(picture.progress * picture.exact.shape[1])
        first, past = picture.first, min(picture.first + picture.shown, revealed)
        header = [self.say("token"), *map(str, range(first, past))]
        values = picture.exact[:, first:past]
        return [header, *([name, *map(str, row)] for name, row in zip(picture.rows, values, strict=True))]

    def _show_tabs(self, scene: Scene, shown: Stage | None) -> None:
        pinned = scene.view(self.name).stage
        known = [info.stage for info in scene.stages]
        tabs = _tabs(scene.stages, scene.look.language)
        self.tabs.show_tabs(tabs, pinned=pinned if pinned in known else None, shown=shown, look=scene.look)
        self.modes.setVisible(scene.other is not None)
        if scene.other is not None:
            modes = [
                Mode(mode, self.say(f"mode_{mode or 'a'}"), self.say(f"mode_{mode or 'a'}_tip"))
                for mode in MODES
            ]
            chosen = mode_of(scene, scene.view(self.name).mode)
            self.modes.show_modes(modes, chosen=chosen, look=scene.look)

    def _picture(self, scene: Scene, run: RunResult, source: MapSource, *, stage: Stage) -> MapPicture:
        chosen, view = scene.selection, scene.view(self.name)
        exact = source.values[stage][chosen.sentence, : run.lengths[chosen.sentence]]  # [S, N]
        width, names = exact.shape[1], _names(run.tokens[chosen.sentence], scene.look)
        axis = widest(scene, run)
        shown = min(axis, view.shown or axis)
        pointed = pointed_at(scene, stage, width=width)
        revealed = int(shown_share(scene, stage) * width)
        lens = None
        if scene.look.lens:
            from ffn_explorer.widgets.map_lens import map_lens

            lens = map_lens(exact[:, :revealed], source.pyramids[stage].limit, pointed, names=names)
        return MapPicture(
            look=scene.look,
            stage=stage,
            made=source.pyramids[stage],
            share=source.share.get(stage),
            exact=exact,
            sentence=chosen.sentence,
            rows=names,
            axis=axis,
            first=min(max(0, view.first), axis - shown),
            shown=shown,
            progress=shown_share(scene, stage),
            row=chosen.token,
            column=inside(chosen.neuron if stage in WIDE else chosen.dim, width),
            hovered=pointed,
            words=self._words(scene, run, source, stage=stage, axis=axis),
            limits=limits_of(scene, run),
            lens=lens,
        )

    def _words(self, scene: Scene, run: RunResult, source: MapSource, *, stage: Stage, axis: int) -> MapWords:
        kinds = ("dimension", "neuron")
        kind = kinds[stage in WIDE]
        width = source.values[stage].shape[2]
        column = scene.selection.neuron if stage in WIDE else scene.selection.dim
        sizes = {"width": numbers.count(width), "axis": numbers.count(axis)}
        readout, short = self._readout(scene, run, source, stage=stage)
        return MapWords(
            axis=self.say(kind),
            axes=tuple(self.say(each) for each in kinds),
            rows=self.say("token"),
            unit=self.say("no_unit"),
            column="" if column is None else self.say(f"{kind}_n", n=numbers.count(column)),
            readout=readout,
            readout_short=short,
            beyond=tuple(self.say(key, **sizes) for key in ("beyond", "beyond_short"))
            if width < axis
            else (),
            waiting="" if begun(scene, stage) else self.say("waiting"),
        )

    def _readout(self, scene: Scene, run: RunResult, source: MapSource, *, stage: Stage) -> tuple[str, str]:
        """Exact value of the pointed cell, else of the chosen one, once it is reached; and in fewer words."""
        chosen, width = scene.selection, source.values[stage].shape[2]
        pointed = pointed_at(scene, stage, width=width)
        own = inside(chosen.neuron if stage in WIDE else chosen.dim, width)
        row = chosen.token if pointed[0] is None else pointed[0]
        column = own if pointed[1] is None else pointed[1]
        if column is None or column >= shown_share(scene, stage) * width:
            return "", ""
        kind = "neuron" if stage in WIDE else "dimension"
        token = shown_token(run.tokens[chosen.sentence][row], font(scene.look, "small"))
        value = self._value(scene, source, stage, at=(chosen.sentence, row, column))
        return self.say(f"value_{kind}", token=token, n=numbers.count(column), value=value), value

    def _value(self, scene: Scene, source: MapSource, stage: Stage, *, at: tuple[int, int, int]) -> str:
        """The value at (sentence, token, column); where A and B both have it, both and their difference."""
        both = pair_at(scene, stage, at)
        if both is None:
            return numbers.short(float(source.values[stage][at]))
        a, b = both
        said = {name: numbers.short(value) for name, value in (("a", a), ("b", b), ("difference", a - b))}
        return self.say("both", **said)

    def _write_note(self) -> None:
        scene, laid = self.scene, self.map.columns
        shown = None if scene is None else stage_shown(scene)
        if scene is None or scene.run is None or shown is None or laid is None:
            self.note.set_text("")
            return
        mode = mode_of(scene, scene.view(self.name).mode)
        source = source_of(scene, scene.run, mode)
        if source is None or shown not in source.pyramids:
            self.note.set_text("")
            return
        parts = self._scale_parts(shown, laid.per_pixel)
        if scene.run.expert_index is not None and shown in WIDE:
            parts.append(self.say("first_expert"))
        if shown in source.share:
            kind = "opacity_relative" if scene.theta_relative else "opacity"
            parts.append(self.say(kind, theta=numbers.axis(scene.theta)))
        bad = source.pyramids[shown].non_finite
        if bad:
            parts.insert(0, self.say("non_finite", n=numbers.count(bad)))
        short = ""
        if mode == "diff" and scene.difference is not None:
            short = self.say("relative", value=numbers.short(scene.difference.relative[shown]))
            parts.insert(0, short)
        self.note.set_text(self.say("joiner").join(parts), short=short)

    def _scale_parts(self, stage: Stage, per_pixel: float) -> list[str]:
        kind = "neuron" if stage in WIDE else "dimension"
        parts = []
        if per_pixel >= 1.0 and numbers.tenths(per_pixel) != "1":
            parts.append(self.say(f"pooled_{kind}", n=numbers.tenths(per_pixel)))
        else:
            parts.append(self.say(f"spread_{kind}", n=numbers.tenths(1.0 / per_pixel)))
        if self.map.rows_per_pixel > 1.0 and numbers.tenths(self.map.rows_per_pixel) != "1":
            parts.append(self.say("pooled_rows", n=numbers.tenths(self.map.rows_per_pixel)))
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
        self.change_view(stage=stage)

    def _zoom(self, first: int, shown: int) -> None:
        self.change_view(first=first, shown=shown)


def stage_shown(scene: Scene) -> Stage | None:
    """The pinned stage where this run has it, else the one to follow; None without a run.

    Gate and up play together: up is shown, or gate while a cell of the gate is chosen.
    """
    if scene.run is None:
        return None
    pinned = scene.view(MapsPanel.name).stage
    if pinned in scene.run.values:
        return pinned
    followed = scene.followed
    if followed in (Stage.GATE, Stage.UP) and Stage.GATE in scene.run.values:
        return Stage.GATE if scene.selection.stage is Stage.GATE else Stage.UP
    return followed if followed in scene.run.values else scene.run.stages[0]


@lru_cache(maxsize=8)
def _tabs(stages: tuple[StageInfo, ...], language: str) -> tuple[Tab, ...]:
    """The tab that follows the pass and those of the stages, kept from frame to frame."""
    follow = (say(language, f"panel.maps.{key}") for key in ("follow", "follow_tip"))
    return (
        Tab(None, *follow),
        *(
            Tab(info.stage, say(language, info.name), say(language, f"{info.name.key}_about"))
            for info in stages
        ),
    )


@lru_cache(maxsize=8)
def _names(tokens: tuple[str, ...], look: Appearance) -> tuple[str, ...]:
    """Labels of the rows, kept from frame to frame."""
    small = font(look, "small")
    return tuple(shown_token(token, small, whole=True) for token in tokens)
