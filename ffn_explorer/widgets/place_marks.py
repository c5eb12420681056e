"""What is chosen and pointed at in a layer: the token that enters, hairlines of neurons and dimensions."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of


@dataclass(frozen=True, slots=True)
class LayerMark:
    """A neuron (wide) or a dimension: where it lies from top to bottom, 0..1, and whether it is chosen."""

    share: float
    wide: bool
    chosen: bool


def layer_marks(scene: Scene, settings: Settings) -> tuple[LayerMark, ...]:
    """The chosen neuron and dimension, and over them the pointed ones."""
    found = []
    for at, chosen in ((scene.selection, True), (scene.pointed, False)):
        for index, total, wide in ((at.neuron, settings.d_ff, True), (at.dim, settings.d_model, False)):
            if index is not None and index < total:
                found.append(LayerMark((index + 0.5) / total, wide, chosen))
    return tuple(found)


def token_names(scene: Scene, run: RunResult) -> tuple[str, ...]:
    """The pointed token, else the chosen one: whole, then shorter and shorter."""
    tokens, pointed = run.tokens[scene.selection.sentence], scene.pointed.token
    at = scene.selection.token if pointed is None or pointed >= len(tokens) else pointed
    name = shown_token(tokens[at], font(scene.look, "small", bold=True))
    return (name, *(f"{name[:count]}…" for count in range(len(name) - 1, 0, -1)))


def draw_layer_marks(
    painter: QPainter,
    marks: tuple[LayerMark, ...],
    stage: Stage,
    *,
    place: QRectF,
    letters: QRectF,
    look: Appearance,
) -> None:
    """Paint those that a stage counts across its place and a little beyond, around its letters."""
    reach, ink = px(look, 3), QColor(theme_of(look).ink)
    for mark in marks:
        if mark.wide != (stage in WIDE):
            continue
        y = place.top() + place.height() * mark.share
        ends = [(place.left() - reach, place.right() + reach)]
        if letters.top() <= y <= letters.bottom():
            ends = [(ends[0][0], letters.left()), (letters.right(), ends[0][1])]
        style = Qt.PenStyle.SolidLine if mark.chosen else Qt.PenStyle.DotLine
        painter.setPen(QPen(ink, line_px(look, 1.4), style, Qt.PenCapStyle.FlatCap))
        for start, end in ends:
            painter.drawLine(QPointF(start, y), QPointF(end, y))
