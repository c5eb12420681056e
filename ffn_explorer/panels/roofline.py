"""Roofline: what this machine can do, measured, and how near to it an FFN comes at S = 1 … 2,048."""

import math
from typing import ClassVar

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedLayout, QWidget

from ffn_explorer.core.roofline_records import Operating, Roofline
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.costs import tokens_in
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.body import body_of
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.lines_plot import Dot, Line, LinesPicture, LinesPlot, decades, power_label
from ffn_explorer.widgets.offer import Offer
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.plot import Axes
from ffn_explorer.widgets.theme import theme_of

NAMED = (1, 8, 32, 128, 512, 2_048)
"""Sizes whose points bear words, besides the one nearest to the S of the cost panels."""


class RooflinePanel(Panel):
    """The roof on logarithmic axes, and a point for each number of tokens that pass at once."""

    name: ClassVar[str] = "roofline"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"settings", "source", "costing", "roofline", "measuring", "roofline_refused", "chips"}
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build the plot, and the offer that stands in its place until something was measured."""
        super().__init__(parent)
        self.again = WordButton(self, flat=True)
        self._header.addWidget(self.again)
        self.plot = LinesPlot()
        self.offer_measure = Offer()
        self.readout = ElidedLabel(align=Qt.AlignmentFlag.AlignRight)
        self.page = body_of(self.plot, above=self.readout)
        body = QWidget(self)
        self._pages = QStackedLayout(body)
        self._pages.addWidget(self.offer_measure)
        self._pages.addWidget(self.page)
        self.set_body(body)
        self.again.clicked.connect(lambda: self.request(changes.measure_roofline()))
        self.offer_measure.taken.connect(lambda: self.request(changes.measure_roofline()))
        self.plot.chosen.connect(self._choose)
        self.plot.nudged.connect(self._step)

    def restyle(self, scene: Scene) -> None:
        """Fonts, colours and the words that a language decides."""
        super().restyle(scene)
        self.plot.setAccessibleDescription(self.say("keys"))
        self.again.set_look(scene.look)
        self.again.set_word(self.say("again"))
        self.readout.set_look(font(scene.look, "small", bold=True), self.theme.ink)

    def render_scene(self, scene: Scene) -> None:
        """Draw the roof and the points, or offer to measure."""
        found = scene.roofline
        self.title.set_text(self.say("title"), short=self.say("title_short"))
        self.plot.setAccessibleName(self.title.text)
        self.again.setVisible(found is not None)
        self.again.setEnabled(not scene.measuring)
        self.again.explain(self.say("again"), self._tip(scene, "again_tip"))
        if found is None:
            self._show_offer(scene)
            return
        self._pages.setCurrentWidget(self.page)
        self.note.set_text(
            self._note(scene, found), short=tuple(filter(None, (self._other(scene, found), found.dtype)))
        )
        self.note.set_about(self._note(scene, found))
        point = self._nearest(scene, found)
        said = [self._said(found, point, f"point{form}") for form in ("", "_least", "_least_short")]
        if scene.roofline_refused is not None:
            said = [self.say(scene.roofline_refused)]
        self.readout.set_text(said[0], short=tuple(said[1:]))
        self.plot.show_picture(self._picture(scene, found))

    def table(self) -> list[list[str]] | None:
        """Every point with what it computed, moved and took."""
        found = None if self.scene is None else self.scene.roofline
        if found is None:
            return None
        keys = ("tokens", "flops", "bytes", "intensity", "seconds", "rate", "bound", "reached")
        rows = [
            [
                str(point.tokens), str(point.flops), str(point.bytes), repr(point.intensity),
                repr(point.seconds), repr(point.rate), repr(found.roof.bound(point.intensity)),
                repr(found.reached(point)),
            ]
            for point in found.points
        ]  # fmt: skip
        return [[self.say(f"table_{key}") for key in keys], *rows]

    def _show_offer(self, scene: Scene) -> None:
        self._pages.setCurrentWidget(self.offer_measure)
        self.note.set_text("")
        if scene.measuring:
            self.offer_measure.show_offer(scene.look, self.say("measuring"))
            return
        refused = scene.roofline_refused
        sentence = self.say("offer", **self._ffn(scene)) if refused is None else self.say(refused)
        self.offer_measure.show_offer(
            scene.look, sentence, act=self.say("measure"), tip=self._tip(scene, "measure_tip")
        )

    def _tip(self, scene: Scene, key: str) -> str:
        """What is measured: an FFN of random weights, of the settings' sizes or an opened layer's."""
        return self.say(key if scene.source.opened is None else f"{key}_file", **self._ffn(scene))

    def _ffn(self, scene: Scene) -> dict[str, str]:
        s = scene.settings
        sizes = {"d_model": numbers.count(s.d_model), "d_ff": numbers.count(s.d_ff)}
        return {**sizes, "dtype": s.dtype, "device": s.device}

    def _note(self, scene: Scene, found: Roofline) -> str:
        """Where it was measured, and of which FFN where that is not the one on screen."""
        sizes = "" if scene.source.opened is None else self.say("sizes_file")
        other = self._other(scene, found) or sizes
        return self.say("joiner").join(filter(None, (found.machine, found.dtype, other)))

    def _other(self, scene: Scene, found: Roofline) -> str:
        """Which FFN was measured, where that is not the one on screen."""
        s = scene.settings
        if (found.d_model, found.d_ff, found.activation) == (s.d_model, s.d_ff, s.activation):
            return ""
        sizes = {"d_model": numbers.count(found.d_model), "d_ff": numbers.count(found.d_ff)}
        return self.say("other_ffn", **sizes, activation=found.activation)

    def _picture(self, scene: Scene, found: Roofline) -> LinesPicture:
        theme, roof = theme_of(scene.look), found.roof
        low = math.floor(math.log10(min(point.intensity for point in found.points)) * 2) / 2
        high = math.log10(max(roof.ridge, *(point.intensity for point in found.points))) + 0.3
        x = np.array([low, math.log10(roof.ridge), high])
        y = np.log10([roof.bound(10.0**power) for power in x])
        top = math.ceil(y[-1] * 4 + 1) / 4
        bottom = math.floor(min(*y, *(math.log10(point.rate) for point in found.points)) * 2) / 2
        x_ticks = decades(low, high, most=6)
        axes = Axes(
            x=(low, high),
            y=(bottom, top),
            x_ticks=x_ticks,
            y_ticks=decades(bottom, top, most=6),
            x_name=(self.say("x"), self.say("x_short")),
            y_name=self.say("y"),
            x_labels=tuple(map(power_label, x_ticks)),
        )
        return LinesPicture(
            look=scene.look,
            axes=axes,
            lines=(Line(x, y, theme.ink, (), 2.0),),
            dots=(*self._roof_dots(found, theme.muted), *self._dots(scene, found)),
        )

    def _roof_dots(self, found: Roofline, colour: str) -> tuple[Dot, ...]:
        """The ridge, which says both limits."""
        roof = found.roof
        said = {
            "rate": numbers.axis(roof.flops_per_s),
            "read": numbers.axis(roof.bytes_per_s),
            "ridge": numbers.tenths(roof.ridge),
        }
        at = (math.log10(roof.ridge), math.log10(roof.flops_per_s))
        words = tuple(self.say(key, **said) for key in ("ridge", "ridge_short", "ridge_least"))
        return (Dot(*at, colour, words, False, self.say("ridge_tip", **said)),)

    def _nearest(self, scene: Scene, found: Roofline) -> Operating:
        """The point nearest to the S of the cost panels."""
        now = tokens_in(scene)
        return min(found.points, key=lambda point: abs(math.log(point.tokens / now)))

    def _dots(self, scene: Scene, found: Roofline) -> tuple[Dot, ...]:
        theme, nearest = theme_of(scene.look), self._nearest(scene, found)
        made = []
        for point in found.points:
            strong = point is nearest
            named = strong or point.tokens in NAMED
            words = (self.say("point_short", tokens=numbers.count(point.tokens)),) if named else ()
            at = (math.log10(point.intensity), math.log10(point.rate))
            tip = self._said(found, point, "point_tip")
            made.append(Dot(*at, theme.stages[Stage.HIDDEN], words, strong, tip))
        return tuple(made)

    def _said(self, found: Roofline, point: Operating, key: str) -> str:
        bound = found.roof.bound(point.intensity)
        limit = "memory" if point.intensity < found.roof.ridge else "compute"
        return self.say(
            key,
            tokens=numbers.count(point.tokens),
            time=numbers.short(1_000.0 * point.seconds),
            least=numbers.short(1_000.0 * point.flops / bound),
            rate=numbers.axis(point.rate),
            reached=numbers.percent(found.reached(point)),
            intensity=numbers.short(point.intensity),
            limit=self.say(f"limit_{limit}"),
        )

    def _step(self, steps: int) -> None:
        """Count for the next point."""
        scene = self.scene
        if scene is not None and scene.roofline is not None:
            points = scene.roofline.points
            at = points.index(self._nearest(scene, scene.roofline)) + steps
            self.request(changes.set_costing(tokens=points[min(max(0, at), len(points) - 1)].tokens))

    def _choose(self, dot: int) -> None:
        """Count for as many tokens as the point has; the ridge comes first among the dots."""
        found = None if self.scene is None else self.scene.roofline
        if found is not None and dot:
            self.request(changes.set_costing(tokens=found.points[dot - 1].tokens))
