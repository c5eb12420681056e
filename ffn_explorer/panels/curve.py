"""Activation: the function's curve, and where the neurons of the chosen token stand on it."""

import math
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QWidget

from ffn_explorer.core import sparsity
from ffn_explorer.core.activation_table import FUNCTIONS
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.formulas import applied, bounded
from ffn_explorer.state.result import Curve, Detail, Floats, RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.axes import ticks
from ffn_explorer.widgets.curve_plot import CurvePicture, CurvePlot, Histogram, Mark
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.legend import Entry
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.pass_tables import curve_table
from ffn_explorer.widgets.plot import Axes

LIMIT = 4.0
"""z is shown on ±this (no unit)."""

MOST_DOTS = 600

LEAST_BAR = 0.05
"""Width of the narrowest bar, in z (no unit): a few pixels."""

_ROOM_BELOW = 0.25
"""Room under the zero line for the histogram, as a share of the curve's height."""


class Neurons(NamedTuple):
    """One token's neurons: z and f(z), each `[F]`; which are drawn; half the band of theta; and counts."""

    z: Floats
    value: Floats
    dots: NDArray[np.int64]
    band: float
    histogram: Histogram | None
    active: int
    not_finite: int
    beyond: int
    """Neurons whose z is farther from 0 than ±`LIMIT`."""
    tallest: int
    """Neurons in the tallest bar in sight."""


class CurvePanel(Panel):
    """Curve, histogram of pre-activations and dots, for the chosen token."""

    name: ClassVar[str] = "curve"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "other", "detail", "selection", "hover", "point", "theta", "theta_relative", "progress"}
    )

    moves: ClassVar[frozenset[Stage]] = frozenset({Stage.UP, Stage.GATE, Stage.ACT})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty plot."""
        super().__init__(parent)
        self.plot = CurvePlot()
        self.set_body(self.plot)
        self._known: tuple[tuple[object, ...], Neurons] | None = None
        self.plot.pointed.connect(self._point)
        self.plot.chosen.connect(self._choose)
        self.plot.stepped.connect(lambda dx, dy: self.request(changes.step_selection(dx, dy)))

    def render_scene(self, scene: Scene) -> None:
        """Draw curve, histogram, dots and words."""
        run = scene.run
        gated = run is not None and Stage.GATE in run.values
        self.title.set_text(self.say("title_gate" if gated else "title"))
        self.plot.setAccessibleName(self.title.text)
        if run is None:
            self.note.set_text("")
            self.plot.show_sentence(self.empty(), scene.look)
            return
        self.note.set_text(self._formula(run))
        self.plot.show_picture(self._picture(scene, run, self._neurons(scene, run)))

    def table(self) -> list[list[str]] | None:
        """What enters and leaves the function at the token, once the pass has come so far."""
        scene = self.scene
        if scene is None or scene.run is None or dict(scene.progress).get(Stage.ACT, 0.0) < 1.0:
            return None
        neurons = self._neurons(scene, scene.run)
        return curve_table(neurons.z, neurons.value, self.say)

    def _formula(self, run: RunResult) -> str:
        row = FUNCTIONS[run.spec.function]
        plain = row.label.isidentifier() or row.label.endswith("²")
        key = "named" if plain and ":" not in row.formula else "described"
        # Parameters that a file has learned, or another alpha, stand where the bare name would.
        own = applied(run.spec, "z")
        label = row.label if own in (f"{row.label}(z)", "z", "σ(z)") else own
        said = self.say("described" if label != row.label else key, label=label, formula=row.formula)
        if run.spec.act_limit is None:
            return said
        return self.say("bounded", formula=said, bounded=bounded("f(z)", run.spec.act_limit))

    def _neurons(self, scene: Scene, run: RunResult) -> Neurons:
        """Values at the chosen token; kept until one of the things they follow from changes."""
        chosen = scene.selection
        key = (run, chosen.sentence, chosen.token, scene.theta, scene.theta_relative, scene.detail)
        if self._known is None or self._known[0] != key:
            at = (chosen.sentence, chosen.token)
            made = neurons_at(run, at, theta=scene.theta, relative=scene.theta_relative, detail=scene.detail)
            self._known = (key, made)
        return self._known[1]

    def _picture(self, scene: Scene, run: RunResult, neurons: Neurons) -> CurvePicture:
        enters = run.enters_act
        done = dict(scene.progress)
        curve = (run.curve.z, run.curve.value)
        beside = None if scene.other is None else scene.other.curve
        other = None if beside is None else (beside.z, beside.value)
        chosen = run.tokens[scene.selection.sentence][scene.selection.token]
        token = shown_token(chosen, font(scene.look, "small"))
        name = self.say("x_gate" if enters is Stage.GATE else "x_up", token=token)
        names = (name, self.say("x_short", token=token), self.say("x_least"))
        return CurvePicture(
            look=scene.look,
            axes=replace(axes_of(run.curve, beside), x_name=names, y_name=self.say("y")),
            curve=curve,
            slope=(run.curve.z, run.curve.slope),
            other=other,
            enters=enters,
            band=neurons.band,
            histogram=neurons.histogram,
            every=(neurons.z, neurons.value),
            dots=neurons.dots,
            entered=done.get(enters, 1.0),
            progress=done.get(Stage.ACT, 1.0),
            marks=self._marks(scene, run, neurons),
            legend=self._legend(scene, run, neurons, drawn=len(neurons.dots)),
        )

    def _marks(self, scene: Scene, run: RunResult, neurons: Neurons) -> tuple[Mark, ...]:
        """The chosen neuron, and the pointed one over it."""
        done, pointed = dict(scene.progress), scene.pointed
        if done.get(run.enters_act, 1.0) < 1.0:
            return ()
        # A neuron that is pointed at without a token counts at the chosen one.
        hovered = pointed.neuron if pointed.token in (None, scene.selection.token) else None
        chosen, marks = scene.selection.neuron, []
        for neuron in dict.fromkeys((chosen, hovered)):
            if neuron is None or neuron >= len(neurons.z):
                continue
            z, value = float(neurons.z[neuron]), float(neurons.value[neuron])
            if np.isfinite(z) and np.isfinite(value):
                known = "neuron" if done.get(Stage.ACT, 1.0) >= 1.0 else "neuron_before"
                values = {"n": numbers.count(neuron), "z": numbers.short(z), "value": numbers.short(value)}
                words, short = (self.say(key, **values) for key in (known, f"{known}_short"))
                marks.append(Mark(z, value, words, chosen=neuron == chosen, short=short))
        return tuple(marks)

    def _legend(self, scene: Scene, run: RunResult, neurons: Neurons, *, drawn: int) -> tuple[Entry, ...]:
        done, total = dict(scene.progress), len(neurons.z)
        known, entered = done.get(Stage.ACT, 1.0) > 0.0, done.get(run.enters_act, 1.0) > 0.0
        entries = []
        if known and total:
            on = neurons.active
            words = ("open", "shut") if run.enters_act is Stage.GATE else ("active", "silent")
            theta = numbers.axis(scene.theta)
            theta = self.say("theta_relative", theta=theta) if scene.theta_relative else theta
            counted = {"n": numbers.count(on), "total": numbers.count(total), "theta": theta}
            rest = numbers.count(total - on)
            for mark, word, values in zip(("active", "silent"), words, (counted, {"n": rest})):
                entries.append(Entry(mark, self.say(word, **values), self.say(f"{word}_short", **values)))
        if scene.other is not None:
            label = FUNCTIONS[scene.other.spec.function].label
            entries.append(Entry("other", self.say("other", label=label)))
        entries.append(Entry("slope", self.say("slope")))
        if entered:
            entries += self._remarks(run, neurons)
        if known and drawn < total:
            sizes = {"n": numbers.count(drawn), "total": numbers.count(total)}
            entries.append(Entry("", self.say("drawn", **sizes)))
        return tuple(entries)

    def _remarks(self, run: RunResult, neurons: Neurons) -> list[Entry]:
        """What the picture leaves out, and the scale of its bars."""
        if not neurons.z.size:
            return [self._remark("dropped")]
        said = []
        if neurons.not_finite:
            said.append(self._remark("non_finite", n=numbers.count(neurons.not_finite)))
        if neurons.beyond:
            sizes = {"n": numbers.count(neurons.beyond), "limit": numbers.axis(LIMIT)}
            said.append(Entry("", self.say("beyond", **sizes)))
        if neurons.histogram is not None:
            said.append(self._remark("tallest", n=numbers.count(neurons.tallest)))
        if run.expert_index is not None:
            said.append(self._remark("first_expert"))
        return said

    def _remark(self, key: str, **values: str) -> Entry:
        return Entry("", self.say(key, **values), self.say(f"{key}_short", **values))

    def _cell(self, neuron: int) -> Cell | None:
        scene = self.scene
        if scene is None or scene.run is None:
            return None
        return Cell(scene.run.enters_act, scene.selection.sentence, scene.selection.token, neuron)

    def _point(self, neuron: int | None) -> None:
        self.request(changes.hover(None if neuron is None else self._cell(neuron)))

    def _choose(self, neuron: int) -> None:
        cell = self._cell(neuron)
        if cell is not None:
            self.request(changes.select_cell(cell))


def neurons_at(
    run: RunResult, at: tuple[int, int], *, theta: float, relative: bool, detail: Detail | None
) -> Neurons:
    """Neurons of one token, at = (sentence, token), and their histogram once its edges are known.

    None where its first expert dropped it: the zeros that stand there were not computed.
    """
    z, value = run.values[run.enters_act][at], run.values[Stage.ACT][at]
    if run.expert_dropped is not None and run.expert_dropped[at][0]:
        z, value, detail = z[:0], value[:0], None
    active = sparsity.active(value, theta, relative=relative)
    finite = value[np.isfinite(value)].astype(np.float64)
    rms = float(np.sqrt((finite**2).mean())) if finite.size else 0.0
    histogram = None
    if detail is not None:
        histogram = _histogram(z, active, detail.edges)
    inside = np.flatnonzero(np.isfinite(z) & np.isfinite(value))
    places = np.linspace(0, max(0, len(inside) - 1), MOST_DOTS).astype(np.int64)
    # Rising: each once. np.unique would import numpy.ma, and the first picture would wait for it.
    places = places[np.diff(places, prepend=-1) > 0]
    dots = inside[places] if inside.size else inside
    return Neurons(
        z,
        value,
        dots,
        theta * rms if relative else theta,
        histogram,
        active=int(active.sum()),
        not_finite=int((~np.isfinite(z)).sum()),
        beyond=int((np.abs(z[np.isfinite(z)]) > LIMIT).sum()),
        tallest=0 if histogram is None else _tallest(histogram),
    )


def _tallest(shown: Histogram) -> int:
    """Neurons in the tallest bar in sight."""
    inside = (shown.edges[1:] > -LIMIT) & (shown.edges[:-1] < LIMIT)
    return int((shown.active + shown.silent)[inside].max(initial=0))


def _histogram(z: Floats, active: NDArray[np.bool_], edges: Floats) -> Histogram:
    """Neurons between edges; bars that would be too thin to see become fewer, as wide as `LEAST_BAR`."""
    limit = float(edges[-1])
    if edges[1] - edges[0] < LEAST_BAR:
        half = math.ceil(limit / LEAST_BAR)
        edges = LEAST_BAR * np.arange(-half, half + 1)
    lit, rest = (np.histogram(z[kept & np.isfinite(z)], bins=edges)[0] for kept in (active, ~active))
    return Histogram(edges, lit.astype(np.int64), rest.astype(np.int64))


@lru_cache(maxsize=4)
def axes_of(curve: Curve, other: Curve | None) -> Axes:
    """Axes without names that hold these curves on ±LIMIT, with room for the histogram below zero."""
    seen = np.concatenate([one.value[np.abs(one.z) <= LIMIT] for one in (curve, other) if one is not None])
    seen = seen[np.isfinite(seen)]
    low, high = float(min(0.0, seen.min(initial=0.0))), float(seen.max(initial=0.0)) or 1.0
    # A little more than the lowest value, so that its tick label stays clear of those of the x axis.
    bottom = min(low - 0.06 * (high - low), -_ROOM_BELOW * high)
    y_ticks = ticks(low, high, most=5)
    return Axes(
        x=(-LIMIT, LIMIT),
        y=(bottom, high),
        x_ticks=ticks(-LIMIT, LIMIT, most=4),
        y_ticks=y_ticks,
        x_name=(),
        y_name="",
    )
