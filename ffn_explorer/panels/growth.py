"""Growth: FLOPs and bytes of one layer against the length S, and where attention overtakes the FFN."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar, get_args

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.budget import in_words
from ffn_explorer.core.model_bill import layer_bill
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.costing import MOST_TOKENS
from ffn_explorer.state.costs import Subject, beside_of, subject_of, tokens_in
from ffn_explorer.state.growth import Curve, Growth, Of, growth_of, spent_at
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.body import body_of
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.lines_plot import Dot, Line, LinesPicture, LinesPlot, decades, power_label
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.plot import Axes
from ffn_explorer.widgets.theme import blend, theme_of

MODES: tuple[Of, ...] = get_args(Of)
STEP = 2.0**0.25
"""Factor of one press of an arrow key, at least one token."""
_DEPTH = 2.0
"""Powers of ten below the FFN's FLOPs down to which curves are shown."""


class GrowthPanel(Panel):
    """FFN, projections and scores over S on logarithmic axes; a line stands at the S of the cost panels."""

    name: ClassVar[str] = "growth"
    reads: ClassVar[frozenset[str]] = frozenset({"settings", "file", "compare", "costing", "chips", "views"})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build tabs and readout over an empty plot."""
        super().__init__(parent)
        self.tabs = ModeTabs(len(MODES))
        self.readout = ElidedLabel(align=Qt.AlignmentFlag.AlignRight)
        self.plot = LinesPlot()
        above = QHBoxLayout()
        above.addWidget(self.tabs)
        above.addWidget(self.readout, 1)
        self.set_body(body_of(self.plot, above=above))
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
        subject = subject_of(scene.costing, scene.settings, scene.file)
        name = self.say(subject.name)
        self.title.set_text(self.say("title", name=name), short=self.say("title_short"))
        self.plot.setAccessibleName(self.title.text)
        mode = self._mode(scene)
        self.tabs.show_modes(
            [Mode(each, self.say(f"mode_{each}"), self.say(f"mode_{each}_tip")) for each in MODES],
            chosen=mode,
            look=scene.look,
        )
        growth = self._growth(scene, subject, mode)
        note = self._note(scene, growth, mode)
        if subject.file:
            note = self.say("note_assumed" if subject.assumed else "note_counted", note=note)
        self.note.set_text(note, short=self.say("note_short"))
        words, short, formulas = self._readout(growth, replace(_use(scene), tokens=tokens_in(scene)), mode)
        self.readout.set_text(words, short=short)
        self.readout.set_about(formulas)
        beside = beside_of(scene.costing, scene.settings, scene.compare, scene.file)
        other = None if beside is None else self._growth(scene, beside, mode, int(growth.tokens[-1]))
        self.plot.show_picture(self._picture(scene, growth, other, mode=mode))

    def table(self) -> list[list[str]] | None:
        """Every point of the curves of one layer."""
        scene = self.scene
        if scene is None:
            return None
        mode = self._mode(scene)
        found = self._growth(scene, subject_of(scene.costing, scene.settings, scene.file), mode)
        columns = (found.tokens, *(curve.values for curve in found.curves))
        rows = [[f"{value:.17g}" for value in row] for row in zip(*columns, strict=True)]
        return [["S", *(self.say(f"{curve.key}{_form(mode)}") for curve in found.curves)], *rows]

    def _growth(self, scene: Scene, subject: Subject, mode: Of, at_least: int = 0) -> Growth:
        # Rounded up, so that the curves stay while the line is dragged.
        far = 1 << (tokens_in(scene) - 1).bit_length()
        return growth_of(subject.one or subject.shape, _use(scene), of=mode, at_least=max(far, at_least))

    def _note(self, scene: Scene, growth: Growth, mode: Of) -> str:
        if mode == "bytes":
            return self.say("note_bytes", bits=scene.costing.bits, cache_bits=scene.costing.cache_bits)
        return self.say("note_causal" if growth.causal else "note_full")

    def _mode(self, scene: Scene) -> Of:
        chosen = scene.view(self.name).mode
        return next((mode for mode in MODES if mode == chosen), MODES[0])

    def _readout(self, growth: Growth, use: Use, mode: Of) -> tuple[str, str, str]:
        """What one layer spends at this S, and keeps; in few words; and the formulas of all that."""
        found, bill = spent_at(growth.model, use), layer_bill(growth.model, use)
        said = {
            "tokens": numbers.count(use.tokens),
            "ffn": numbers.axis(found.ffn),
            "projections": numbers.axis(found.projections),
            "scores": numbers.axis(found.scores),
            "share": numbers.percent(found.share),
            "ffn_bytes": in_words(found.ffn_bytes),
            "attention_bytes": in_words(found.attention_bytes),
            "cache": in_words(found.cache_bytes),
        }
        rows = [row.cached if mode == "bytes" else row.flops for row in bill.rows]
        formulas = "\n".join(dict.fromkeys(row.equation for row in rows if row.terms))
        form = _form(mode)
        return self.say(f"readout{form}", **said), self.say(f"readout{form}_short", **said), formulas

    def _picture(self, scene: Scene, growth: Growth, other: Growth | None, *, mode: Of) -> LinesPicture:
        theme = theme_of(scene.look)
        soft = blend(theme.muted, theme.surface, 0.9).name()
        styles = {
            "projections": (soft, 1.5, False),
            "scores": (soft, 1.5, True),
            "cache": (soft, 1.5, True),
            "attention": (theme.ink, 2.0, False),
            "ffn": (theme.stages[Stage.HIDDEN], 2.4, False),
        }
        low = floor_of(growth, mode)
        lines = []
        if other is not None:
            faint = blend(theme.muted, theme.surface, 0.55).name()
            lines = [
                line_of(other, curve, low, (faint, 1.6, curve.key != "ffn"))
                for curve in other.curves
                if curve.key in ("attention", "ffn", "cache")
            ]
        for curve in growth.curves:
            key = f"{curve.key}{_form(mode)}"
            names = (self.say(key), self.say(f"{key}_short"))
            lines.append(line_of(growth, curve, low, styles[curve.key], names=names))
        tokens = numbers.count(tokens_in(scene))
        return LinesPicture(
            look=scene.look,
            axes=self._axes(growth, mode),
            lines=tuple(lines),
            dots=tuple(self._meetings(growth, {key: style[0] for key, style in styles.items()})),
            cursor=math.log10(tokens_in(scene)),
            cursor_words=(self.say("at", tokens=tokens), tokens),
        )

    def _axes(self, growth: Growth, mode: Of) -> Axes:
        end = float(np.log10(growth.tokens[-1]))
        low = floor_of(growth, mode)
        top = max(float(curve.values[-1]) for curve in growth.curves)
        high = math.ceil(math.log10(max(top, 1.0)) * 2 + 0.2) / 2
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

    def _meetings(self, growth: Growth, colours: Mapping[str, str]) -> Iterator[Dot]:
        for number, (key, S, value) in enumerate(growth.meetings):
            said = numbers.whole_or_tenths(S)
            words = tuple(self.say(f"cross_{key}{form}", tokens=said) for form in ("", "_short"))
            tip = self.say(f"cross_{key}_tip", tokens=said)
            at = (math.log10(S), math.log10(value))
            yield Dot(*at, colours[key], (*words, said), number == 0, tip)

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


def line_of(
    growth: Growth, curve: Curve, low: float, style: tuple[str, float, bool], *, names: tuple[str, ...] = ()
) -> Line:
    """A curve on logarithmic axes; below the range it is not drawn, or it would run along the axis."""
    with np.errstate(divide="ignore"):
        power = np.log10(curve.values)
    colour, width, dashed = style
    return Line(np.log10(growth.tokens), np.where(power < low, np.nan, power), colour, names, width, dashed)


def floor_of(growth: Growth, mode: Of) -> float:
    """Power of ten at which the y axis begins."""
    base = max(float(growth.ffn[0]), 1.0)
    return math.floor(math.log10(base) - (1.0 if mode == "sequence" else _DEPTH))


def _use(scene: Scene) -> Use:
    """How the cost panels count, for one token."""
    counts = scene.costing
    return Use(1, causal=counts.causal, bits=counts.bits, cache_bits=counts.cache_bits)


def _form(mode: Of) -> str:
    """Ending of the keys of what the curves are called."""
    return "_bytes" if mode == "bytes" else ""
