"""Hairlines in the bar of parameters: where the rows of a neuron or a dimension lie in their matrices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.unit_costs import row_share
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of


@dataclass(frozen=True, slots=True)
class Hairline:
    """One row of a matrix: key of its piece, where in the piece it lies (0..1), and whether it is chosen."""

    key: str
    share: float
    chosen: bool


def hairlines_of(scene: Scene, run: RunResult) -> tuple[Hairline, ...]:
    """Rows of the chosen neuron and dimension, and over them those of the pointed ones.

    A neuron is one row of W_up and of W_gate, a dimension of out one row of W_down.
    """
    chosen, pointed, index = scene.selection, scene.pointed, run.expert_index
    own = None if index is None else int(index[chosen.sentence, chosen.token, scene.slot])
    there = own if pointed.expert is None else pointed.expert
    settings = run.request.settings
    found = []
    for neuron, dim, expert, is_chosen in (
        (chosen.neuron, chosen.dim, own, True),
        (pointed.neuron, pointed.dim, there, False),
    ):
        if neuron is not None and neuron < settings.d_ff:
            share = row_share(settings, neuron, wide=True, expert=expert, ffn=run.ffn)
            found += [Hairline(key, share, is_chosen) for key in ("gate", "up")]
        if dim is not None and dim < settings.d_model:
            share = row_share(settings, dim, wide=False, expert=expert, ffn=run.ffn)
            found.append(Hairline("down", share, is_chosen))
    return tuple(found)


def draw_hairlines(
    painter: QPainter,
    hairlines: Sequence[Hairline],
    pieces: Mapping[str, tuple[QRectF, QRectF]],
    look: Appearance,
) -> None:
    """Paint them over the pieces, reaching a little below, and around the letters; the pointed ones dotted.

    pieces: key -> place of the piece and of the letters in it.
    """
    theme = theme_of(look)
    flat, reach = Qt.PenCapStyle.FlatCap, px(look, 4)
    halo = QPen(QColor(theme.surface), line_px(look, 3.0), Qt.PenStyle.SolidLine, flat)
    for line in hairlines:
        rect, letters = pieces.get(line.key, (QRectF(), QRectF()))
        if rect.isEmpty():
            continue
        x, bottom = rect.left() + rect.width() * line.share, rect.bottom() + reach
        ends = [(rect.top(), bottom)]
        if letters.left() <= x <= letters.right():
            ends = [(rect.top(), letters.top()), (letters.bottom(), bottom)]
        style = Qt.PenStyle.SolidLine if line.chosen else Qt.PenStyle.DotLine
        for pen in (halo, QPen(QColor(theme.ink), line_px(look, 1.4), style, flat)):
            painter.setPen(pen)
            for start, end in ends:
                painter.drawLine(QPointF(x, start), QPointF(x, end))
