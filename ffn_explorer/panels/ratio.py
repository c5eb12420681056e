"""Ratio: how wide an FFN can be for its weights, with a gate or without: 4 D becomes 8/3 D."""

import math
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from ffn_explorer.core.cost import matrices_of
from ffn_explorer.core.settings import LIMITS
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.shapes import equal_widths, ratio_of, weights_of_one
from ffn_explorer.state.visible import visible
from ffn_explorer.widgets.axes import ticks
from ffn_explorer.widgets.body import body_of
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.lines_plot import Dot, Line, LinesPicture, LinesPlot
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.plot import Axes
from ffn_explorer.widgets.theme import theme_of

_STEP = 0.25
"""One press of an arrow key, in units of F / D."""
_FINE = 24
"""A drag goes by 1/_FINE of D: thirds and eighths are met exactly."""


class RatioPanel(Panel):
    """Weights of one FFN against F / D, with two matrices and with three; the line moves F itself."""

    name: ClassVar[str] = "ratio"
    reads: ClassVar[frozenset[str]] = frozenset({"settings", "compare", "source"})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build a readout over an empty plot."""
        super().__init__(parent)
        self.readout = ElidedLabel(align=Qt.AlignmentFlag.AlignRight)
        self.plot = LinesPlot(plain=True)
        self.set_body(body_of(self.plot, above=self.readout))
        self.plot.picked.connect(lambda x: self._set_ratio(round(x * _FINE) / _FINE))
        self.plot.nudged.connect(self._nudge)
        self.plot.released.connect(self.gesture_ended)
        self.plot.chosen.connect(self._to_match)

    def restyle(self, scene: Scene) -> None:
        """Fonts, colours and the words that a language decides."""
        super().restyle(scene)
        self.readout.set_look(font(scene.look, "small", bold=True), self.theme.ink)
        self.plot.setAccessibleDescription(self.say("keys"))

    def render_scene(self, scene: Scene) -> None:
        """Draw both lines, the widths of equal weights, and the width there is."""
        s, weights = scene.settings, weights_of_one(scene.settings, scene.compare)
        self.title.set_text(self.say("title"), short=self.say("title_short"))
        self.plot.setAccessibleName(self.title.text)
        own = numbers.count(matrices_of(s) * s.d_model * s.d_ff)
        said = {"d_ff": numbers.count(s.d_ff), "ratio": ratio_words(ratio_of(s)), "weights": own}
        key = "readout_expert" if s.is_moe else "readout"
        self.readout.set_text(self.say(key, **said), short=self.say("readout_short", **said))
        basis = "usual" if scene.compare is None else "compared"
        opened = scene.source.opened
        if opened is not None:
            basis = "file"
        name = "" if opened is None else visible(Path(opened.path).name)
        note = self.say(f"note_{basis}", weights=numbers.whole_or_tenths(weights), file=name)
        self.note.set_text(note, short=self.say("note_short", weights=numbers.axis(float(weights))))
        self.plot.show_picture(self._picture(scene, weights))

    def table(self) -> list[list[str]] | None:
        """The widths of equal weights."""
        if self.scene is None:
            return None
        widths = equal_widths(self.scene.settings, self.scene.compare)
        d = self.scene.settings.d_model
        rows = [[str(n), repr(float(width)), repr(float(width) / d)] for n, width in widths.items()]
        return [[self.say("table_matrices"), "Dff", "Dff / D"], *rows]

    def _picture(self, scene: Scene, weights: Fraction) -> LinesPicture:
        s, theme = scene.settings, theme_of(scene.look)
        widths = equal_widths(s, scene.compare)
        now = float(ratio_of(s))
        end = max(6.0, 1.25 * max(now, float(widths[2]) / s.d_model))
        top = 1.05 * max(float(weights) * 1.2, 3.0 * s.d_model**2 * min(end, max(now, 5.0)))
        ends = np.array([0.0, end])
        area = s.d_model**2
        colours = (theme.stages[Stage.UP], theme.stages[Stage.GATE])
        lines = [
            self._matrices(n, min(end, top / (n * area)), area, colour)
            for n, colour in zip(widths, colours, strict=True)
        ]
        guide = Line(ends, np.array([float(weights)] * 2), theme.muted, (), 1.2, dashed=True)
        dots = []
        for n, width, colour in zip(widths, widths.values(), colours, strict=True):
            ratio = Fraction(width) / s.d_model
            values = {"n": n, "d_ff": numbers.whole_or_tenths(width), "ratio": ratio_words(ratio)}
            words = (self.say("match", **values), self.say("match_short", **values))
            strong = s.gated == (n == 3)
            dots.append(
                Dot(float(ratio), float(weights), colour, words, strong, self.say("match_tip", **values))
            )
        movable = scene.source.plain
        return LinesPicture(
            look=scene.look,
            axes=Axes(
                x=(0.0, end),
                y=(0.0, top),
                x_ticks=ticks(0.0, end, most=8),
                y_ticks=ticks(0.0, top, most=5),
                x_name=(self.say("x", d_model=numbers.count(s.d_model)), self.say("x_short")),
                y_name=self.say("y"),
            ),
            lines=(guide, *lines),
            dots=tuple(dots),
            cursor=min(end, now) if movable else None,
            cursor_words=(self.say("at", ratio=ratio_words(ratio_of(s))),),
        )

    def _matrices(self, n: int, end: float, area: int, colour: str) -> Line:
        names = (self.say(f"matrices_{n}"), self.say(f"matrices_{n}_short"))
        return Line(np.array([0.0, end]), np.array([0.0, n * area * end]), colour, names, 2.4)

    def _set_ratio(self, ratio: float) -> None:
        scene = self.scene
        if scene is not None and scene.source.plain and ratio > 0.0:
            limit = LIMITS["d_ff"][1] / scene.settings.d_model
            self.request(changes.set_ratio(min(limit, ratio), gesture="ratio line"))

    def _nudge(self, steps: int) -> None:
        if self.scene is not None:
            now = float(ratio_of(self.scene.settings)) / _STEP
            at = math.floor(now + 1e-9) if steps > 0 else math.ceil(now - 1e-9)
            self._set_ratio(max(_STEP, (at + steps) * _STEP))

    def _to_match(self, dot: int) -> None:
        """The width at which the form under way has the weights to match."""
        scene = self.scene
        if scene is not None and scene.source.plain and scene.settings.gated == (dot == 1):
            self.request(changes.match_parameters())


def ratio_words(ratio: Fraction) -> str:
    """Words such as "4", "8/3" and "2.667": a fraction with a small denominator as such."""
    if ratio.limit_denominator(12) == ratio:
        return str(ratio)
    return numbers.short(float(ratio), digits=4)
