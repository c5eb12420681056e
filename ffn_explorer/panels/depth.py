"""Depth: many narrow layers or few wide ones, at the same weights."""

import math
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.model_bill import model_bill
from ffn_explorer.core.settings import LIMITS
from ffn_explorer.core.shape_of import model_shape
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.costs import tokens_in
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.shapes import DEPTHS, Shape, budget_of, ratio_of, shape_of, shapes_at
from ffn_explorer.state.visible import visible
from ffn_explorer.widgets.axes import ticks
from ffn_explorer.widgets.body import body_of
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.lines_plot import Dot, Line, LinesPicture, LinesPlot
from ffn_explorer.widgets.number_edit import FloatEdit, IntEdit
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.plot import Axes
from ffn_explorer.widgets.theme import theme_of

LEAST_RATIO, MOST_RATIO = 0.0001, LIMITS["d_ff"][1]
"""Smallest and largest F / D that can be typed."""


class DepthPanel(Panel):
    """D against the number of layers, at equal weights; the line and the fields move the network itself."""

    name: ClassVar[str] = "depth"
    reads: ClassVar[frozenset[str]] = frozenset({"settings", "source", "costing", "chips"})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build fields and readout over an empty plot."""
        super().__init__(parent)
        self.labels = (QLabel(), QLabel())
        self.layers = IntEdit(1, DEPTHS[-1], 1)
        self.ratio = FloatEdit(LEAST_RATIO, MOST_RATIO, 0.25, decimals=4)
        self.readout = ElidedLabel(align=Qt.AlignmentFlag.AlignRight)
        self.plot = LinesPlot(plain=True)
        self.set_body(self._body())
        self.layers.chosen.connect(lambda n: self.request(changes.reshape(layers=n, gesture="reshape")))
        self.ratio.chosen.connect(lambda r: self.request(changes.reshape(ratio=_near(r), gesture="reshape")))
        for edit in (self.layers, self.ratio):
            edit.done.connect(self.gesture_ended)
            edit.done.connect(self.plot.setFocus)
            edit.refused.connect(self.request)
        self.plot.picked.connect(lambda x: self._set_layers(round(2.0**x)))
        self.plot.nudged.connect(self._nudge)
        self.plot.chosen.connect(self._to_depth)
        self.plot.released.connect(self.gesture_ended)

    def _body(self) -> QWidget:
        above = QHBoxLayout()
        above.setSpacing(6)
        for label, edit in zip(self.labels, (self.layers, self.ratio), strict=True):
            label.setBuddy(edit)
            above.addWidget(label)
            above.addWidget(edit)
        above.addWidget(self.readout, 1)
        return body_of(self.plot, above=above)

    def restyle(self, scene: Scene) -> None:
        """Fonts, colours and the words that a language decides."""
        super().restyle(scene)
        self.readout.set_look(font(scene.look, "small", bold=True), self.theme.ink)
        for label, edit, key in zip(self.labels, (self.layers, self.ratio), ("layers", "ratio"), strict=True):
            label.setFont(font(scene.look, "small"))
            label.setText(self.say(key))
            edit.setFont(font(scene.look, "body"))
            edit.setAccessibleName(self.say(f"{key}_name"))
            edit.setToolTip(self.say(f"{key}_tip"))
        self.plot.setAccessibleDescription(self.say("keys"))

    def render_scene(self, scene: Scene) -> None:
        """Draw the networks of the budget, and the one there is."""
        s, weights = scene.settings, budget_of(scene.costing, scene.settings)
        self.title.set_text(self.say("title"), short=self.say("title_short"))
        self.plot.setAccessibleName(self.title.text)
        self._show_note(scene, weights)
        self.note.set_about(self.say("about"))
        self.layers.show_value(s.layers)
        self.ratio.show_value(float(ratio_of(s)))
        for edit in (self.layers, self.ratio):
            edit.setEnabled(scene.source.plain)
        said = self._said(scene, shape_of(s, tokens_in(scene)))
        bill = model_bill(model_shape(s), Use(1))
        self.readout.set_about("\n".join(row.count.equation for row in bill.rows if row.is_matrix))
        self.readout.set_text(self.say("readout", **said), short=self.say("readout_short", **said))
        self.plot.show_picture(self._picture(scene, self._shapes(scene)))

    def _show_note(self, scene: Scene, weights: int) -> None:
        opened, whole, brief = scene.source.opened, numbers.count(weights), numbers.axis(weights)
        if opened is None:
            self.note.set_text(self.say("note", weights=whole), short=self.say("note_short", weights=brief))
            return
        values = {"file": visible(Path(opened.path).name), "layers": numbers.count(scene.settings.layers)}
        note = self.say("note_file", weights=whole, **values)
        self.note.set_text(note, short=self.say("note_file_short", weights=brief, **values))

    def table(self) -> list[list[str]] | None:
        """The networks of the budget."""
        if self.scene is None:
            return None
        keys = ("layers", "d_model", "d_ff", "weights", "flops", "cached")
        rows = [
            (n.settings.layers, n.settings.d_model, n.settings.d_ff, n.weights, n.flops, n.cached)
            for n in self._shapes(self.scene)
        ]
        return [[self.say(f"table_{key}") for key in keys], *(list(map(str, row)) for row in rows)]

    def _shapes(self, scene: Scene) -> tuple[Shape, ...]:
        weights = budget_of(scene.costing, scene.settings)
        return shapes_at(scene.settings, weights, tokens=tokens_in(scene))

    def _said(self, scene: Scene, shape: Shape) -> dict[str, str]:
        return {
            "layers": numbers.count(shape.settings.layers),
            "d_model": numbers.count(shape.settings.d_model),
            "d_ff": numbers.count(shape.settings.d_ff),
            "weights": numbers.count(shape.weights),
            "flops": numbers.axis(shape.flops),
            "cached": numbers.axis(shape.cached),
            "tokens": numbers.count(tokens_in(scene)),
        }

    def _picture(self, scene: Scene, shapes: tuple[Shape, ...]) -> LinesPicture:
        theme, s = theme_of(scene.look), scene.settings
        colour, dots = theme.stages[Stage.HIDDEN], []
        for shape in shapes:
            said = self._said(scene, shape)
            at = (math.log2(shape.settings.layers), float(shape.settings.d_model))
            words = (self.say("dot", **said), said["d_model"])
            layers = shape.settings.layers
            chosen, doubled = layers == s.layers, layers & (layers - 1) == 0
            named = words if chosen or doubled else ()
            dots.append(Dot(*at, colour, named, chosen, self.say("tip", **said)))
        # As far as the networks go; the axis grows for the one there is, and no farther.
        deepest = max(DEPTHS[-1], s.layers)
        powers = tuple(float(power) for power in range(math.ceil(math.log2(deepest)) + 1))
        top = 1.15 * max([s.d_model, *(shape.settings.d_model for shape in shapes)])
        return LinesPicture(
            look=scene.look,
            axes=Axes(
                x=(0.0, powers[-1]),
                y=(0.0, top),
                x_ticks=powers,
                y_ticks=ticks(0.0, top, most=5),
                x_name=(self.say("x"),),
                y_name=self.say("y"),
                x_labels=tuple(numbers.count(round(2**power)) for power in powers),
            ),
            lines=(Line(np.array([dot.x for dot in dots]), np.array([dot.y for dot in dots]), colour),),
            dots=tuple(dots),
            cursor=math.log2(s.layers) if scene.source.plain else None,
            cursor_words=(self.say("at", layers=numbers.count(s.layers)),),
        )

    def _set_layers(self, layers: int) -> None:
        scene = self.scene
        low, high = 1, DEPTHS[-1]
        if scene is not None and scene.source.plain:
            wanted = int(min(high, max(low, layers)))
            self.request(changes.reshape(layers=wanted, gesture="reshape line"))

    def _nudge(self, steps: int) -> None:
        if self.scene is not None:
            self._set_layers(self.scene.settings.layers + steps)

    def _to_depth(self, dot: int) -> None:
        if self.scene is not None:
            self._set_layers(self._shapes(self.scene)[dot].settings.layers)


def _near(ratio: float) -> Fraction:
    return Fraction(ratio).limit_denominator(10_000)
