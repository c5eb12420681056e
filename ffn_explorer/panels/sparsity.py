"""Sparsity: the share of active neurons by token and by neuron, and how large the values are."""

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtWidgets import QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.result import Activity, RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.state.theta import default_theta
from ffn_explorer.state.view_modes import VIEW_MODES
from ffn_explorer.widgets.controlled import Controlled
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.picture_grid import PictureGrid
from ffn_explorer.widgets.row_scale import moved_theta, row_scale
from ffn_explorer.widgets.sparsity_pictures import SparsityPictures
from ffn_explorer.widgets.theta_control import ThetaControl, ThetaWords
from ffn_explorer.widgets.token_bars import TokenBar, TokenBars

if TYPE_CHECKING:
    from ffn_explorer.widgets.neuron_counts import NeuronCounts
    from ffn_explorer.widgets.spread_plot import SpreadPlot

MODES = VIEW_MODES["sparsity"]


class SparsityPanel(Panel):
    """Three pictures of one fact, |hidden| > theta; as many side by side as there is room for."""

    name: ClassVar[str] = "sparsity"
    reads: ClassVar[frozenset[str]] = frozenset(
        {
            "run",
            "activity",
            "spread",
            "other",
            "other_activity",
            "selection",
            "hover",
            "point",
            "theta",
            "theta_relative",
            "compare",
            "progress",
            "views",
        }
    )
    moves: ClassVar[frozenset[Stage]] = frozenset({Stage.ACT, Stage.HIDDEN})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build tabs, the control of theta, and three empty pictures."""
        super().__init__(parent)
        self.tabs = ModeTabs(len(MODES))
        self.theta = ThetaControl()
        self.bars = TokenBars()
        self.grid = PictureGrid((self.bars, lambda: self.counts, lambda: self.plot))
        self._known: tuple[tuple[object, ...], tuple[TokenBar, ...]] | None = None
        self.body = Controlled(self.tabs, self.theta, self.grid)
        self.set_body(self.body)
        self.tabs.chosen.connect(lambda mode: self.change_view(mode=mode))
        self.theta.chosen.connect(lambda value: self.request(changes.set_theta(value, gesture="theta")))
        self.theta.field.done.connect(self.gesture_ended)
        self.theta.field.done.connect(self._to_picture)
        self.theta.field.refused.connect(self.request)
        self.theta.kind_chosen.connect(self._set_kind)
        self.theta.reset.connect(lambda: self.request(changes.set_theta(None, relative=False)))
        self.grid.arranged.connect(self._redraw)
        self.bars.pointed.connect(lambda token: self.request(changes.point(token=token)))
        self.bars.chosen.connect(lambda token: self.request(changes.select_token(token)))
        self.bars.scrolled.connect(lambda scroll: self.change_view(scroll=scroll))
        self.bars.stepped.connect(lambda dx, dy: self.request(changes.step_selection(dx, dy)))

    def _to_picture(self) -> None:
        self._seen[min(self._seen)].setFocus()

    @cached_property
    def counts(self) -> "NeuronCounts":
        """The picture of neurons, made when it is first seen."""
        from ffn_explorer.widgets.neuron_counts import NeuronCounts

        made = NeuronCounts()
        made.pointed.connect(lambda neuron: self.request(changes.point(neuron=neuron)))
        made.chosen.connect(lambda neuron: self.request(changes.choose(neuron=neuron)))
        made.stepped.connect(self._step_neuron)
        return made

    @cached_property
    def plot(self) -> "SpreadPlot":
        """The picture of sizes, made when it is first seen."""
        from ffn_explorer.widgets.spread_plot import SpreadPlot

        made = SpreadPlot()
        made.wanted.connect(self._drag_theta)
        made.released.connect(self.gesture_ended)
        made.stepped.connect(self._step_theta)
        return made

    @property
    def _seen(self) -> "dict[int, TokenBars | NeuronCounts | SpreadPlot]":
        """Pictures in sight, by their place among MODES."""
        return {i: (self.bars if i == 0 else self.counts if i == 1 else self.plot) for i in self.grid.seen}

    def render_scene(self, scene: Scene) -> None:
        """Draw the pictures in sight, their tabs, and theta."""
        self.title.set_text(self.say("title"))
        mode = self._mode(scene)
        self.grid.show_pictures(MODES.index(mode), scene.look)
        self._show_controls(scene, mode)
        for index, picture in self._seen.items():
            picture.setAccessibleName(f"{self.say('title')}: {self.say(MODES[index])}")
            picture.setAccessibleDescription(self.say(f"{MODES[index]}_keys"))
        run, activity = scene.run, scene.activity
        if run is None or activity is None:
            self.note.set_text("")
            for picture in self._seen.values():
                picture.show_sentence(self.empty() if run is None else self.say("job.activity"), scene.look)
            return
        self._write_note(scene, run, activity)
        made = SparsityPictures(self.say, scene, run, activity)
        if 0 in self.grid.seen:
            rows = self._rows(scene, made)
            self.bars.show_picture(made.bars(rows, scroll=scene.view(self.name).scroll))
        if 1 in self.grid.seen:
            self.counts.show_picture(made.counts())
        if 2 in self.grid.seen:
            shown = made.spread()
            if shown is None:
                self.plot.show_sentence(self.say("waiting"), scene.look)
            else:
                self.plot.show_picture(shown)

    def table(self) -> list[list[str]] | None:
        """Exact numbers of the chosen picture."""
        scene = self.scene
        if scene is None or scene.run is None or scene.activity is None:
            return None
        made = SparsityPictures(self.say, scene, scene.run, scene.activity)
        return made.table(self._mode(scene))

    def _rows(self, scene: Scene, made: SparsityPictures) -> tuple[TokenBar, ...]:
        """Bars of the tokens; kept until one of the things they follow from changes."""
        key = (scene.look, scene.run, scene.activity, scene.other_activity, scene.selection.sentence)
        if self._known is None or self._known[0] != key:
            self._known = (key, made.rows())
        return self._known[1]

    def _show_controls(self, scene: Scene, mode: str) -> None:
        default, language = self._default(scene), scene.look.language
        self.tabs.show_modes(_modes(language), chosen=mode, look=scene.look)
        self.tabs.setVisible(len(self.grid.seen) < len(MODES))
        self.theta.show_theta(
            scene.theta,
            relative=scene.theta_relative,
            is_default=scene.theta == default and not scene.theta_relative,
            words=_theta_words(language, default),
            look=scene.look,
        )
        self.body.refresh(scene.look)

    def _write_note(self, scene: Scene, run: RunResult, activity: Activity) -> None:
        theta = self._theta_words(scene)
        shares = {"active": numbers.percent(activity.overall), "zero": numbers.percent(activity.zero_share)}
        parts, short = [theta], theta
        if dict(scene.progress).get(run.enters_down, 1.0) >= 1.0:
            parts = [self.say("note" if len(run.tokens) == 1 else "note_batch", theta=theta, **shares)]
            short = self.say("note_short", theta=theta, active=shares["active"])
            if scene.other_activity is not None:
                pair = {"active": shares["active"], "other": numbers.percent(scene.other_activity.overall)}
                parts = [self.say("note_pair", theta=theta, **pair)]
                short = self.say("note_pair_short", theta=theta, **pair)
        if run.expert_index is not None:
            parts.append(self.say("first_expert"))
        self.note.set_text(self.say("joiner").join(parts), short=short)

    def _theta_words(self, scene: Scene) -> str:
        kind = "relative_value" if scene.theta_relative else "absolute_value"
        return self.say("theta_is", theta=self.say(kind, theta=numbers.axis(scene.theta)))

    def _mode(self, scene: Scene) -> str:
        mode = scene.view(self.name).mode
        return mode if mode in MODES else MODES[0]

    def _default(self, scene: Scene) -> float:
        settings = scene.settings if scene.run is None else scene.run.request.settings
        return default_theta(settings, scene.compare)

    def _redraw(self) -> None:
        if self.scene is not None:
            self.render_scene(self.scene)

    def _set_kind(self, relative: bool) -> None:
        scene = self.scene
        if scene is not None:
            value = None if scene.theta == self._default(scene) else scene.theta
            self.request(changes.set_theta(value, relative=relative))

    def _drag_theta(self, size: float) -> None:
        """The line stands at a size; a relative theta is that many times the row's RMS."""
        scene = self.scene
        if scene is None or scene.run is None:
            return
        scale = row_scale(scene, scene.run)
        if scale > 0.0:
            self.request(changes.set_theta(float(f"{size / scale:.1e}"), gesture="theta"))

    def _step_theta(self, dx: int, dy: int) -> None:
        scene = self.scene
        if scene is None:
            return
        if dx and scene.spread is not None:
            value = moved_theta(scene.theta, dx, lowest=10.0 ** float(np.min(scene.spread.edges)))
            self.request(changes.set_theta(value, gesture="theta"))
        elif dy:
            self.request(changes.step_selection(0, dy))

    def _step_neuron(self, dx: int, dy: int) -> None:
        if self.scene is not None and self.scene.run is not None:
            self.request(changes.step_selection(dx, dy, stage=self.scene.run.enters_down))


@lru_cache(maxsize=4)
def _modes(language: str) -> tuple[Mode, ...]:
    """Tabs, kept from frame to frame."""
    said = ((name, f"panel.sparsity.{name}") for name in MODES)
    return tuple(Mode(name, say(language, key), say(language, f"{key}_tip")) for name, key in said)


@lru_cache(maxsize=8)
def _theta_words(language: str, default: float) -> ThetaWords:
    """Words of the control, kept from frame to frame."""
    words = ("name", "name_tip", "absolute", "relative", "kind_tip", "default", "default_tip")
    theta = numbers.axis(default)
    return ThetaWords(**{word: say(language, f"panel.sparsity.theta_{word}", theta=theta) for word in words})
