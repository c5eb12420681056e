"""Painting of one Transformer layer: the stream, norms and sums around each sublayer, the FFN's stages."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.place_marks import LayerMark, draw_layer_marks
from ffn_explorer.widgets.place_plan import INSIDE, Kind, Placed, Plan, Sizes
from ffn_explorer.widgets.place_words import draw_fitting
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend, theme_of

DONE_SHARE = 0.22
CURRENT_SHARE = 0.45
"""How strongly a stage's colour fills its cell, once done and while under way: ink stays readable on both."""


@dataclass(frozen=True, slots=True)
class LayerPicture:
    """What is drawn of a layer. labels: wordings of each block, the longest first; counts: under them.

    mixed: whether the attention mixer runs before the FFN.  lit: whether this layer is the one computed.
    """

    look: Appearance
    labels: tuple[tuple[Kind, tuple[str, ...]], ...]
    stages: tuple[tuple[Stage, tuple[str, ...]], ...]
    norm: str
    ends: tuple[str, str]
    """What stands over the stream where it comes in and where it leaves."""
    token: tuple[str, tuple[str, ...]] | None
    """Where it comes in with a token: words over it, and under it the token, the longest wording first."""
    lit: bool
    mixed: bool
    progress: tuple[tuple[Stage, float], ...] = ()
    current: Stage | None = None
    chosen: Stage | None = None
    pointed: Stage | None = None
    marks: tuple[LayerMark, ...] = ()


FOOT_LINES = 7
"""Lines of type that a layer must be high before one of them is kept for words under the norms."""

START_PX = 42
"""Room for the name of the token that comes in; the same for every token: nothing moves under a pointer."""

ROOMY_PX = 380
"""Width from which nothing of two sublayers has to be drawn narrower than usual."""


def sizes_of(look: Appearance, room: Box, *, sublayers: int, small: bool = False) -> Sizes:
    """Fixed lengths at this look and room; small: of a layer that only stands beside the main one."""
    line = QFontMetricsF(font(look, "small")).height()
    narrow = min(1.0, max(0.4, room.w / px(look, ROOMY_PX)))
    share = narrow * (0.8 if small else 1.0)
    slab, plus, gap = (share * px(look, size) for size in (9, 14, 7))
    foot = line + 1 if room.h >= FOOT_LINES * line and not small else 0.0
    title = 0.0 if small else line + px(look, 3)
    end = share * px(look, 18)
    named = not small and room.w >= px(look, ROOMY_PX) * sublayers / 2
    start = px(look, START_PX) if named else end
    return Sizes(slab, plus, gap, start=start, end=end, title=title, foot=foot, narrow=narrow)


def paint_layer(painter: QPainter, picture: LayerPicture, plan: Plan) -> None:
    """Paint all of it; nothing is kept."""
    theme = theme_of(picture.look)
    _paint_stream(painter, picture, plan, theme=theme)
    for placed in plan.sublayers:
        _paint_residual(painter, picture, placed, top=plan.top, y=plan.y)
        if placed.kind == "ffn":
            _paint_ffn(painter, picture, plan, theme=theme)
        else:
            _paint_attention(painter, picture, placed, theme=theme)
        for slab in (placed.before, placed.after):
            if slab is not None:
                _paint_slab(painter, picture, slab, plan=plan, theme=theme)
    if picture.lit:
        _paint_norm_names(painter, picture, plan, theme=theme)
        _paint_input(painter, picture, plan, theme=theme)


def _paint_stream(painter: QPainter, picture: LayerPicture, plan: Plan, *, theme: Theme) -> None:
    """The line from x to y, with an arrow head."""
    ink = QColor(theme.muted)
    painter.setPen(QPen(ink, line_px(picture.look, 1.6)))
    painter.drawLine(QPointF(plan.left, plan.y), QPointF(plan.right, plan.y))
    head = px(picture.look, 5)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    tip = QPointF(plan.right, plan.y)
    painter.drawPolygon([tip, tip + QPointF(-1.6 * head, -head), tip + QPointF(-1.6 * head, head)])
    _paint_ends(painter, picture, plan, colour=theme.stages[Stage.INPUT])


def _paint_ends(painter: QPainter, picture: LayerPicture, plan: Plan, *, colour: str) -> None:
    """Words where the stream comes in and leaves: a token's name stands under it, its symbol above."""
    bold, gap = font(picture.look, "small", bold=True), px(picture.look, 6)
    line, first = QFontMetricsF(bold).height(), plan.sublayers[0]
    above = QRectF(plan.left, plan.y - line - gap, first.fork - plan.left - 2, line)
    lead: tuple[str, ...] = picture.ends[:1]
    if picture.token is not None:
        # Below the stream there is room up to the first norm or block: the way around starts upwards.
        right = (first.before or first.block).x
        below = QRectF(plan.left, plan.y + gap / 2, right - plan.left - 2, line)
        if draw_fitting(painter, picture.token[1], below, font=bold, colour=theme_of(picture.look).ink):
            lead = (picture.token[0], picture.ends[0])
    draw_fitting(painter, lead, above, font=bold, colour=colour)
    end = plan.right - plan.end
    place = QRectF(end, above.top(), plan.end, line)
    draw_fitting(painter, picture.ends[1:], place, font=bold, colour=colour)


def _paint_input(painter: QPainter, picture: LayerPicture, plan: Plan, *, theme: Theme) -> None:
    """The point at which x enters the FFN's sublayer."""
    marked = Stage.INPUT in (picture.chosen, picture.pointed)
    painter.setBrush(theme.stage(Stage.INPUT))
    ring = QPen(QColor(theme.ink), line_px(picture.look, 2.2)) if marked else QPen(Qt.PenStyle.NoPen)
    painter.setPen(ring)
    radius = px(picture.look, 5 if marked or picture.current is Stage.INPUT else 3)
    painter.drawEllipse(QPointF(plan.ffn.fork, plan.y), radius, radius)


def _paint_residual(
    painter: QPainter, picture: LayerPicture, placed: Placed, *, top: float, y: float
) -> None:
    """The way around a sublayer, and the sum that ends it."""
    if placed.plus is None:
        return
    theme = theme_of(picture.look)
    real = picture.lit and (placed.kind == "ffn" or (picture.mixed and placed.kind == "self"))
    done = dict(picture.progress).get(Stage.RESIDUAL, 1.0) if placed.kind == "ffn" else 1.0
    colour = theme.stage(Stage.RESIDUAL) if real else blend(theme.muted, theme.surface, 0.6)
    middle = placed.plus.middle[0]
    bend = min(px(picture.look, 7), (y - top) / 2)
    path = QPainterPath(QPointF(placed.fork, y))
    path.lineTo(placed.fork, top + bend)
    path.quadTo(placed.fork, top, placed.fork + bend, top)
    path.lineTo(middle - bend, top)
    path.quadTo(middle, top, middle, top + bend)
    path.lineTo(middle, placed.plus.y)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, line_px(picture.look, 1.6)))
    painter.drawPath(path)
    lit = real and placed.kind == "ffn"
    share = (CURRENT_SHARE if picture.current is Stage.RESIDUAL else DONE_SHARE) * done if lit else 0.0
    painter.setBrush(blend(colour.name(), theme.surface, share))
    marked = lit and Stage.RESIDUAL in (picture.chosen, picture.pointed)
    painter.setPen(
        QPen(QColor(theme.ink) if marked else colour, line_px(picture.look, 2.2 if marked else 1.6))
    )
    disc = _rect(placed.plus)
    painter.drawEllipse(disc)
    arm = disc.width() * 0.27
    centre = disc.center()
    painter.drawLine(centre - QPointF(arm, 0), centre + QPointF(arm, 0))
    painter.drawLine(centre - QPointF(0, arm), centre + QPointF(0, arm))


def _paint_attention(painter: QPainter, picture: LayerPicture, placed: Placed, *, theme: Theme) -> None:
    """A block that is computed only by the mixer, and else drawn with a broken edge."""
    look = picture.look
    real = picture.lit and picture.mixed and placed.kind == "self"
    edge = QPen(QColor(theme.ink if real else theme.muted), line_px(look, 1.6 if real else 1.0))
    if not real:
        edge.setDashPattern([3.0, 3.0])
    painter.setPen(edge)
    painter.setBrush(blend(theme.ink, theme.surface, 0.10 if real else 0.03))
    painter.drawRoundedRect(_rect(placed.block), px(look, 5), px(look, 5))
    place = _rect(placed.block).adjusted(2, 2, -2, -2)
    if placed.kind == "self" and picture.lit:
        # The lower end of this block belongs to the mixer's switch.
        place.setHeight(max(0.0, place.height() - switch_height(look)))
    words, face = dict(picture.labels)[placed.kind], font(look, "small", bold=picture.lit)
    draw_fitting(painter, words, place, font=face, colour=theme.ink if picture.lit else theme.muted)


def switch_height(look: Appearance) -> int:
    """Room for the mixer's switch at the lower end of its block."""
    return round(QFontMetricsF(font(look, "small")).height()) + px(look, 6)


def _paint_ffn(painter: QPainter, picture: LayerPicture, plan: Plan, *, theme: Theme) -> None:
    look, block = picture.look, plan.ffn.block
    accent = theme.stages[Stage.HIDDEN]
    painter.setPen(
        QPen(QColor(accent if picture.lit else theme.muted), line_px(look, 2.0 if picture.lit else 1.0))
    )
    painter.setBrush(blend(accent, theme.surface, 0.07 if picture.lit else 0.03))
    painter.drawRoundedRect(_rect(block), px(look, 5), px(look, 5))
    words = dict(picture.labels)["ffn"]
    face = font(look, "small", bold=True)
    line = QFontMetricsF(face).height()
    if not picture.lit:
        draw_fitting(painter, words, _rect(block), font=face, colour=theme.muted)
        return
    title = QRectF(block.x + 2, block.y + 1, block.w - 4, line)
    draw_fitting(painter, words, title, font=face, colour=theme.ink)
    for before, after in plan.funnels:
        _paint_funnel(painter, before, after, theme=theme)
    done = dict(picture.progress)
    for cell in plan.cells:
        if cell.stage in INSIDE:
            _paint_cell(painter, picture, cell.stage, cell.box, done=done.get(cell.stage, 1.0))


def _paint_funnel(painter: QPainter, before: Box, after: Box, *, theme: Theme) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(blend(theme.muted, theme.surface, 0.22))
    corners = [
        (before.right, before.y),
        (after.x, after.y),
        (after.x, after.bottom),
        (before.right, before.bottom),
    ]
    painter.drawPolygon([QPointF(x, y) for x, y in corners])


def _paint_cell(painter: QPainter, picture: LayerPicture, stage: Stage, box: Box, *, done: float) -> None:
    """A stage, filled from the left as the pass goes through it."""
    look, theme = picture.look, theme_of(picture.look)
    colour, current = theme.stages[stage], stage is picture.current
    rect, radius = _rect(box), px(look, 3)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(rect, radius, radius)
    if done > 0.0:
        painter.save()
        painter.setClipRect(QRectF(rect.left(), rect.top(), rect.width() * done, rect.height()))
        painter.setBrush(blend(colour, theme.surface, CURRENT_SHARE if current else DONE_SHARE))
        painter.drawRoundedRect(rect, radius, radius)
        painter.restore()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(colour), line_px(look, 2.2 if current else 1.2)))
    painter.drawRoundedRect(rect, radius, radius)
    if stage in (picture.chosen, picture.pointed):
        chosen = stage is picture.chosen
        painter.setPen(QPen(QColor(theme.ink), line_px(look, 2.2 if chosen else 1.2)))
        painter.drawRoundedRect(rect.adjusted(-2, -2, 2, 2), radius + 2, radius + 2)
    face, words = font(look, "small", bold=current), dict(picture.stages)[stage]
    draw_fitting(painter, words, rect.adjusted(1, 0, -1, 0), font=face, colour=theme.ink)
    metrics = QFontMetricsF(face)
    letters = QRectF(0, 0, metrics.horizontalAdvance(words[0]) + 6, metrics.height())
    letters.moveCenter(rect.center())
    draw_layer_marks(painter, picture.marks, stage, place=rect, letters=letters, look=look)


def _paint_slab(painter: QPainter, picture: LayerPicture, slab: Box, *, plan: Plan, theme: Theme) -> None:
    """A norm: filled as its stage goes, where it is the FFN's own."""
    stage = next((cell.stage for cell in plan.cells if cell.box == slab), None) if picture.lit else None
    colour = theme.stages[Stage.NORM]
    edge = colour if stage is not None else blend(colour, theme.surface, 0.6).name()
    done = dict(picture.progress).get(stage, 1.0) if stage is not None else 0.0
    share = (CURRENT_SHARE if stage is picture.current else DONE_SHARE) * done if stage else 0.0
    marked = stage is not None and stage in (picture.chosen, picture.pointed)
    painter.setBrush(blend(colour, theme.surface, share))
    painter.setPen(QPen(QColor(theme.ink if marked else edge), line_px(picture.look, 2.2 if marked else 1.2)))
    painter.drawRoundedRect(_rect(slab), 2, 2)
    if stage is not None:
        look, marks = picture.look, picture.marks
        draw_layer_marks(painter, marks, stage, place=_rect(slab), letters=QRectF(), look=look)


def _paint_norm_names(painter: QPainter, picture: LayerPicture, plan: Plan, *, theme: Theme) -> None:
    """The word under each norm that stays clear of the one before it."""
    small = font(picture.look, "small")
    wide = QFontMetricsF(small).horizontalAdvance(picture.norm) + 2
    free = plan.left
    slabs = [slab for placed in plan.sublayers for slab in (placed.before, placed.after) if slab is not None]
    for slab in slabs:
        place = QRectF(slab.middle[0] - wide / 2, slab.bottom + 1, wide, plan.foot)
        if place.left() >= free and place.right() <= plan.right:
            draw_fitting(painter, (picture.norm,), place, font=small, colour=theme.muted)
            free = place.right() + px(picture.look, 3)


def _rect(box: Box) -> QRectF:
    return QRectF(box.x, box.y, box.w, box.h)
