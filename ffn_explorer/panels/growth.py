"""Growth: FLOPs of one layer against the length of the sequence, and where attention overtakes the FFN."""

import math
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.costing import MOST_TOKENS
from ffn_explorer.state.costs import Subject, beside_of, subject_of, tokens_in
from ffn_explorer.state.growth import Growth, growth_of
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.lines_plot import Dot, Line, LinesPicture, LinesPlot, decades, power_label
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.plot import Axes
from ffn_explorer.widgets.theme import blend, theme_of

MODES = ("token", "sequence")
STEP = 2.0**0.25
"""Factor of one press of an arrow key, at least one token."""
_DEPTH = 2.0
"""Powers of ten below the FFN's FLOPs down to which curves are shown."""


class GrowthPanel(Panel):
    """FFN, projections and scores over S on logarithmic axes; a line stands at the S of the cost panels."""

    name: ClassVar[str] = "growth"
    reads: ClassVar[frozenset[str]] = frozenset({"settings", "compare", "costing", "chips", "views"})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build tabs and readout over an empty plot."""
        super().__init__(parent)
        self.tabs = ModeTabs(len(MODES))
        self.readout = ElidedLabel(align=Qt.AlignmentFlag.AlignRight)
        self.plot = LinesPlot()
        body, above = QWidget(self), QHBoxLayout()
        above.addWidget(self.tabs)
        above.addWidget(self.readout, 1)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(above)
        column.addWidget(self.plot, 1)
        self.set_body(body)
        self.tabs.chosen.connect(lambda mode: self.change_view(mode=mode))
        self.plot.picked.connect(lambda power: self._set_tokens(round(10.0**power)))
        self.plot.nudged.connect(self._nudge)
        self.plot.released.connect(self.gesture_ended)
        self.plot.chosen.connect(self._to_crossing)

    def restyle(self, scene: Scene) -> None:
        """Fonts, colours and the words that a language decides."""
        super().restyle(scene)
        self.readout.set_look(font(scene.look, "small", bold=True), self.theme.ink)
        self.plot.setAccessibleDescription(self.say("keys"))

    def render_scene(self, scene: Scene) -> None:
        """Draw curves, crossings and the line at S."""
        subject = subject_of(scene.costing, scene.settings)
        name = self.say(subject.name)
        self.title.set_text(self.say("title", name=name), short=self.say("title_short"))
        self.plot.setAccessibleName(self.title.text)
        mode = self._mode(scene)
        self.tabs.show_modes(
            [Mode(each, self.say(f"mode_{each}"), self.say(f"mode_{each}_tip")) for each in MODES],
            chosen=mode,
            look=scene.look,
        )
        tokens = tokens_in(scene)
        growth = growth_of(subject.shape, causal=scene.costing.causal, at_least=tokens)
        self.note.set_text(self.say("note_causal" if growth.causal else "note_full"))
        words, short = self._readout(growth, tokens)
        self.readout.set_text(words, short=short)
        beside = beside_of(scene.costing, scene.settings, scene.compare)
        self.plot.show_picture(self._picture(scene, growth, beside, mode=mode, tokens=tokens))

    def table(self) -> list[list[str]] | None:
        """Every point of the curves: FLOPs of one layer for S tokens."""
        if self.scene is None:
            return None
        subject = subject_of(self.scene.costing, self.scene.settings)
        found = growth_of(subject.shape, causal=self.scene.costing.causal, at_least=tokens_in(self.scene))
        columns = (found.tokens, found.ffn, found.projections, found.scores)
        rows = [[f"{value:.0f}" for value in row] for row in zip(*columns, strict=True)]
        return [["S", *(self.say(key) for key in ("ffn", "projections", "scores"))], *rows]

    def _mode(self, scene: Scene) -> str:
        chosen = scene.view(self.name).mode
        return chosen if chosen in MODES else MODES[0]

    def _readout(self, growth: Growth, tokens: int) -> tuple[str, str]:
        """What one layer spends at this S."""
        ffn, projections = (float(of[0]) * tokens for of in (growth.ffn, growth.projections))
        scores = growth.exact_scores(tokens)
        whole = ffn + projections + scores
        said = {
            "tokens": numbers.count(tokens),
            "ffn": numbers.axis(ffn),
            "projections": numbers.axis(projections),
            "scores": numbers.axis(scores),
            "share": numbers.percent(ffn / whole if whole else 0.0),
        }
        return self.say("readout", **said), self.say("readout_short", **said)

    def _picture(
        self, scene: Scene, growth: Growth, beside: Subject | None, *, mode: str, tokens: int
    ) -> LinesPicture:
        theme = theme_of(scene.look)
        ffn, ink = theme.stages[Stage.HIDDEN], theme.ink
        soft = blend(theme.muted, theme.surface, 0.9).name()
        rows = [
            ("projections", growth.projections, soft, 1.5, False),
            ("scores", growth.scores, soft, 1.5, True),
            ("attention", growth.attention, ink, 2.0, False),
            ("ffn", growth.ffn, ffn, 2.4, False),
        ]
        lines = [
            self._line(growth, values, colour, mode=mode, key=key, width=width, dashed=dashed)
            for key, values, colour, width, dashed in rows
        ]
        if beside is not None:
            other = growth_of(beside.shape, causal=scene.costing.causal, at_least=int(growth.tokens[-1]))
            faint = blend(theme.muted, theme.surface, 0.55).name()
            lines = [
                self._line(other, other.ffn, faint, mode=mode, key="", width=1.6, dashed=False),
                self._line(other, other.attention, faint, mode=mode, key="", width=1.6, dashed=True),
                *lines,
            ]
        return LinesPicture(
            look=scene.look,
            axes=self._axes(growth, mode),
            lines=tuple(lines),
            dots=self._crossings(growth, mode, ink=ink, soft=soft),
            cursor=math.log10(tokens),
            cursor_words=(self.say("at", tokens=numbers.count(tokens)), numbers.count(tokens)),
        )

    def _line(
        self, growth: Growth, values: NDArray[np.float64], colour: str, *, mode: str, key: str, width: float,
        dashed: bool,
    ) -> Line:  # fmt: skip
        y = values / growth.tokens if mode == "token" else values
        low = self._floor(growth, mode)
        with np.errstate(divide="ignore"):
            power = np.log10(y)
        # Below the range a curve is not drawn, or it would run along the axis.
        power = np.where(power < low, np.nan, power)
        names = (self.say(key), self.say(f"{key}_short")) if key else ()
        return Line(np.log10(growth.tokens), power, colour, names, width, dashed)

    def _floor(self, growth: Growth, mode: str) -> float:
        base = max(float(growth.ffn[0]), 1.0)
        return math.floor(math.log10(base) - (_DEPTH if mode == "token" else 1.0))

    def _axes(self, growth: Growth, mode: str) -> Axes:
        end = float(np.log10(growth.tokens[-1]))
        top = max(float(values[-1]) for values in (growth.ffn, growth.attention))
        top = top / float(growth.tokens[-1]) if mode == "token" else top
        low, high = self._floor(growth, mode), math.ceil(math.log10(max(top, 1.0)) * 2 + 0.2) / 2
        x_ticks = decades(0.0, end, most=8)
        return Axes(
            x=(0.0, end),
            y=(low, max(high, low + 1)),
            x_ticks=x_ticks,
            y_ticks=decades(low, high, most=6),
            x_name=(self.say("x"),),
            y_name=self.say(f"y_{mode}"),
            x_labels=tuple(map(power_label, x_ticks)),
        )

    def _crossings(self, growth: Growth, mode: str, *, ink: str, soft: str) -> tuple[Dot, ...]:
        found = growth.crossings
        rows = (
            ("attention", found.attention_equals_ffn, ink, True),
            ("scores", found.scores_equal_ffn, soft, False),
        )
        dots = []
        for key, S, colour, strong in rows:
            if S is None or S < 1:
                continue
            y = float(growth.ffn[0]) * (1.0 if mode == "token" else float(S))
            said = length(S)
            words = tuple(self.say(f"cross_{key}{form}", tokens=said) for form in ("", "_short"))
            tip = self.say(f"cross_{key}_tip", tokens=said)
            dots.append(Dot(math.log10(S), math.log10(y), colour, (*words, said), strong, tip))
        return tuple(dots)

    def _to_crossing(self, number: int) -> None:
        picture = self.plot.picture
        if picture is not None:
            self._set_tokens(round(10.0 ** picture.dots[number].x))

    def _nudge(self, steps: int) -> None:
        if self.scene is not None:
            now = tokens_in(self.scene)
            further = (
                max(now + 1, math.ceil(now * STEP)) if steps > 0 else min(now - 1, math.floor(now / STEP))
            )
            self._set_tokens(further)

    def _set_tokens(self, tokens: int) -> None:
        self.request(changes.set_costing(tokens=min(MOST_TOKENS, max(1, tokens))))


def length(S: Fraction) -> str:
    """A length as a whole number, or with one decimal."""
    return numbers.count(int(S)) if S.denominator == 1 else numbers.tenths(float(S))
