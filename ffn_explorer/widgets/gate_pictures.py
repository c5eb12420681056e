"""What the pictures of the gate show of a Scene, in words and numbers."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core import sparsity
from ffn_explorer.core.activation_table import FUNCTIONS
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.formulas import memory_value
from ffn_explorer.state.result import Floats, GateView, RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.gate_lanes import Lane, LanesPicture, LaneWords
from ffn_explorer.widgets.gate_map import Density, Dots, GateColumn, GateMapPicture, GateMapWords
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.marks import Marked
from ffn_explorer.widgets.reveal import cell_share

Say = Callable[..., str]
MOST_DOTS = 600
STAGES = (Stage.GATE, Stage.ACT, Stage.UP, Stage.HIDDEN)
QUADRANTS = ("pp", "pm", "mp", "mm")
"""Signs of gate and up: plus plus, plus minus, minus plus, minus minus."""


class GatePictures:
    """Makes both pictures of a gated run."""

    def __init__(self, say: Say, scene: Scene, run: RunResult) -> None:
        """Take what to show."""
        self._speak, self.scene, self.run = say, scene, run
        self.sentence, self.token = scene.selection.sentence, scene.selection.token
        self.computed = bool(run.computed[self.sentence, self.token])
        self.done = dict(scene.progress)
        self.width = run.values[Stage.GATE].shape[2]

    def _say(self, key: str, **values: str) -> str:
        return self._speak(f"panel.gate.{key}", **values)

    def row(self, stage: Stage) -> Floats:
        """Values `[F]` of a stage at the chosen token."""
        row: Floats = self.run.values[stage][self.sentence, self.token]
        return row

    def shut(self) -> NDArray[np.bool_]:
        """Which gates `[F]` of the chosen token are nearly shut at the theta in force."""
        act = self.row(Stage.ACT)
        open_ = sparsity.active(act, self.scene.theta, relative=self.scene.theta_relative)
        nearly: NDArray[np.bool_] = ~open_ & ~np.isnan(act)
        return nearly

    # Map ----------------------------------------------------------------------------------------------------

    def map(self, dots: Dots | None) -> GateMapPicture | None:
        """Density, dots and numbers; None while they are being counted."""
        scene, view = self.scene, self.scene.gate_view
        if view is None:
            return None
        return GateMapPicture(
            look=scene.look,
            density=Density(view.x_edges, view.y_edges, view.counts),
            dots=dots,
            source=(self.run, self.sentence, self.token, scene.activity),
            progress=min(self.done.get(Stage.GATE, 1.0), self.done.get(Stage.UP, 1.0)),
            chosen=scene.selection.neuron,
            pointed=self._pointed_neuron(),
            columns=self._columns(view),
            words=self._map_words(view, dots),
        )

    def dots(self) -> Dots | None:
        """Neurons of the chosen token; None where nothing was computed for it."""
        if not self.computed:
            return None
        gate, up = self.row(Stage.GATE), self.row(Stage.UP)
        inside = np.flatnonzero(np.isfinite(gate) & np.isfinite(up))
        places = np.unique(np.linspace(0, max(0, len(inside) - 1), MOST_DOTS).astype(np.int64))
        shut = self.shut() if self.done.get(Stage.ACT, 1.0) >= 1.0 else None
        return Dots(gate, up, shut, inside[places] if inside.size else inside)

    def _columns(self, view: GateView) -> tuple[GateColumn, ...]:
        """All tokens, the chosen one, and both of B where it is gated."""
        made = [self._column(view, self._say("all"), "all", row=None)]
        here = view.sentence == self.sentence and self.token < len(view.shut) and self.computed
        name = self._say("one", token=self._token_name())
        if here:
            made.append(self._column(view, name, "one", row=self.token))
        if view.other is not None:
            made.insert(1, self._column(view.other, self._say("all_b"), "other", row=None))
            if here:
                made.append(self._column(view.other, self._say("one_b"), "other", row=self.token))
        return tuple(made)

    def _column(self, view: GateView, head: str, kind: str, *, row: int | None) -> GateColumn:
        quadrants = view.quadrants.sum(axis=0) if row is None else view.quadrants[row]
        shut = int(view.shut.sum() if row is None else view.shut[row])
        total = max(1, int(quadrants.sum()))
        known = min(self.done.get(Stage.GATE, 1.0), self.done.get(Stage.UP, 1.0)) >= 1.0
        shares = [numbers.percent(int(count) / total) if known else "" for count in quadrants]
        share = numbers.percent(shut / total) if self.done.get(Stage.ACT, 1.0) >= 1.0 else ""
        return GateColumn(head, (shares[0], shares[1], shares[2], shares[3]), share, kind)

    def _map_words(self, view: GateView, dots: Dots | None) -> GateMapWords:
        marks = [Marked("density", self._say("mark_all"), self._say("mark_all_short"))]
        if dots is not None:
            drawn = {"n": numbers.count(len(dots.drawn)), "total": numbers.count(self.width)}
            every = len(dots.drawn) == self.width
            words = self._say("mark_every" if every else "mark_some", token=self._token_name(), **drawn)
            marks.append(Marked("dot", words, self._say("one", token=self._token_name())))
            if dots.shut is not None:
                marks.append(Marked("shut", self._say("shut"), self._say("shut_short")))
        empty = "" if view.counts.any() else self._say("nothing")
        return GateMapWords(
            x_name=self._say("x_axis"),
            y_name=self._say("y_axis"),
            quadrants=(
                self._say("quadrant_pp"),
                self._say("quadrant_pm"),
                self._say("quadrant_mp"),
                self._say("quadrant_mm"),
            ),
            shut=self._say("shut"),
            condition=(self.condition(view.theta, relative=view.relative),),
            legend=tuple(marks),
            readout=self._readout(),
            empty=empty,
        )

    # Lanes --------------------------------------------------------------------------------------------------

    def lanes(self, *, first: int, shown: int) -> LanesPicture | None:
        """Strips of the chosen token; None where nothing was computed for it."""
        scene = self.scene
        if not self.computed:
            return None
        count = min(self.width, shown or self.width)
        neuron = scene.selection.neuron
        return LanesPicture(
            look=scene.look,
            place=(self.sentence, self.token),
            lanes=self._lanes(),
            width=self.width,
            first=min(max(0, first), self.width - count),
            shown=count,
            chosen=neuron,
            pointed=self._pointed_neuron(),
            words=LaneWords(
                axis=self._say("neuron"),
                readout=self._readout(),
                chosen="" if neuron is None else self._say("neuron_n", n=numbers.count(neuron)),
            ),
        )

    def _lanes(self) -> tuple[Lane, ...]:
        run, scene = self.run, self.scene
        made = []
        for stage in STAGES:
            pyramid = run.pyramids[stage]
            name = self.act_name() if stage is Stage.ACT else self._say(f"lane_{stage}")
            scale = f"±{numbers.axis(pyramid.limit)}"
            shown = cell_share(self.done.get(stage, 1.0))
            made.append(Lane(name, scale, stage, self.row(stage), pyramid, None, shown))
        # The mask is what the product does to up, so it is drawn as the product is formed.
        share = () if scene.activity is None else scene.activity.share.get(Stage.ACT, ())
        shown, act = cell_share(self.done.get(Stage.HIDDEN, 1.0)), run.pyramids[Stage.ACT]
        words = self._say("lane_mask_scale")
        made.append(Lane(self._say("lane_mask"), words, Stage.HIDDEN, self.row(Stage.ACT), act, share, shown))
        return tuple(made)

    # Words and tables ---------------------------------------------------------------------------------------

    def act_name(self) -> str:
        """The function of the gate: "SiLU(gate)", or "act = gate" where there is none."""
        if self.run.spec.function == "identity":
            return self._say("act_identity")
        return self._say("act_of_gate", label=FUNCTIONS[self.run.spec.function].label)

    def condition(self, theta: float, *, relative: bool) -> str:
        """When a gate counts as nearly shut: "|SiLU(gate)| ≤ 0.1"."""
        function = self.run.spec.function
        name = "gate" if function == "identity" else f"{FUNCTIONS[function].label}(gate)"
        key = "condition_relative" if relative else "condition"
        return self._say(key, act=name, theta=numbers.axis(theta))

    def shut_words(self) -> tuple[str, ...]:
        """The share of the sentence's gates that are nearly shut, once it is known, and what that means.

        In wordings, the longest first; θ is in every one of them.
        """
        view, scene = self.scene.gate_view, self.scene
        if view is None or self.done.get(Stage.ACT, 1.0) < 1.0 or not view.counts.any():
            return (self._say("note", condition=self.condition(scene.theta, relative=scene.theta_relative)),)
        share = numbers.percent(int(view.shut.sum()) / max(1, int(view.quadrants.sum())))
        condition = self.condition(view.theta, relative=view.relative)
        theta = numbers.axis(view.theta) + (" × RMS" if view.relative else "")
        short = self._say("note_share_short", share=share, theta=theta)
        return self._say("note_share", share=share, condition=condition), short

    def _readout(self) -> tuple[str, ...]:
        """Numbers of the pointed or chosen neuron at the chosen token, as far as the pass has come."""
        neuron = self._pointed_neuron()
        neuron = self.scene.selection.neuron if neuron is None else neuron
        if not self.computed:
            return (self._say("dropped"), "")
        if neuron is None or not 0 <= neuron < self.width:
            return (self._say("choose"), "")
        known = [stage for stage in STAGES if self.done.get(stage, 1.0) >= 1.0]
        if Stage.GATE not in known:
            return ("",)
        values = {str(stage): numbers.short(float(self.row(stage)[neuron])) for stage in STAGES}
        name = self.act_name() if self.run.spec.function != "identity" else self._say("act_word")
        words = {"neuron": numbers.count(neuron), "act_name": name, **values}
        if Stage.HIDDEN not in known:
            return (self._say("numbers_before", **words), "")
        if memory_value(self.run.spec) != "f(z) · up":
            # An offset, a scale or a norm: act times up alone is not the number shown.
            words["hidden"] = f"{memory_value(self.run.spec).replace('f(z)', 'act')} = {values['hidden']}"
        product = self._say("numbers", **words)
        shut = bool(self.shut()[neuron])
        return ((self._say("numbers_shut", **words), product) if shut else (product,)) + (
            self._say("numbers_medium", **words),
            self._say("numbers_short", **words),
            "",
        )

    def _pointed_neuron(self) -> int | None:
        pointed = self.scene.pointed
        elsewhere = pointed.token is not None and pointed.token != self.token
        return None if elsewhere else pointed.neuron

    def _token_name(self) -> str:
        tokens = self.run.tokens[self.sentence]
        return shown_token(tokens[self.token], font(self.scene.look, "small"))

    def table(self, mode: str) -> list[list[str]] | None:
        """Exact numbers: each neuron of the chosen token, or each token's quadrants."""
        if mode == "lanes":
            if not self.computed:
                return None
            head = [self._say("neuron"), *(str(stage) for stage in STAGES), self._say("shut")]
            rows = zip(*(self.row(stage).tolist() for stage in STAGES), self.shut().tolist(), strict=True)
            return [head, *([str(i), *map(repr, row[:4]), str(int(row[4]))] for i, row in enumerate(rows))]
        view = self.scene.gate_view
        if view is None:
            return None
        tokens = self.run.tokens[view.sentence]
        quadrants = [self._say(f"quadrant_{signs}") for signs in QUADRANTS]
        head = [self._say("column_position"), self._say("column_token"), *quadrants, self._say("shut")]
        rows_ = zip(view.quadrants.tolist(), view.shut.tolist(), strict=True)
        return [head, *([str(i), tokens[i], *map(str, row), str(n)] for i, (row, n) in enumerate(rows_))]
