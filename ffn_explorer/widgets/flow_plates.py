"""Plates: the formulas between the columns, shortened or left out before they would touch anything."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.flow_bands import bands_of
from ffn_explorer.widgets.flow_columns import Box, Grid
from ffn_explorer.widgets.flow_formulas import Formula
from ffn_explorer.widgets.flow_labels import Plan, unit_of
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.theme import Theme

MARGIN_PX = 6.0
"""Least distance of a plate from strips, labels and other plates."""

MOST_COVERED = 0.78
"""Share of the way between two columns that a whole formula may cover: the ribbons must stay in sight."""

SHIFTS = (0.0, 0.3, 0.6)
"""How far down a plate between two short strips may go to clear their labels, in its own heights."""

SHORT_STEPS = frozenset({Stage.NORM, Stage.POST_NORM, Stage.RESIDUAL})


@dataclass(frozen=True, slots=True)
class Plate:
    """A formula at its place."""

    stage: Stage
    text: str
    shape: str
    box: Box


def place_plates(
    plan: Plan, formulas: Sequence[Formula], look: Appearance, *, taken: Sequence[Box]
) -> tuple[Plate, ...]:
    """Every formula in the longest wording that stays clear of strips, labels, `taken` and other plates.

    Gate and up get the same wording, since they are read together.
    """
    made: list[Plate] = []
    blocked = [*(column.box for column in plan.grid.columns), *(label.box for label in plan.labels), *taken]
    pair = [formula for formula in formulas if formula.stage in (Stage.GATE, Stage.UP)]
    for formula in formulas:
        group = pair if formula in pair else [formula]
        if formula is not group[0]:
            continue
        shifts = SHIFTS if formula.stage in SHORT_STEPS else SHIFTS[:1]
        tries = product(zip(*(_wordings(each, look) for each in group)), shifts)
        for wordings, shift in tries:
            plates = [
                _placed(each, word, plan.grid, taken, shift=shift) for each, word in zip(group, wordings)
            ]
            covers = any(_covers(plate, plan.grid) for plate in plates)
            last = all(plate.text == each.texts[-1] for plate, each in zip(plates, group))
            fits = all(_fits(plate.box, plan.grid, blocked) for plate in plates)
            if fits and not _touch(plates) and (last or not covers):
                made += plates
                blocked += [plate.box for plate in plates]
                break
    return tuple(made)


def _placed(
    formula: Formula, wording: tuple[Box, str, str], grid: Grid, taken: Sequence[Box], *, shift: float
) -> Plate:
    box, text, shape = wording
    spot = _spot(formula.stage, tuple(column.stage for column in grid.columns), grid, taken)
    return Plate(
        formula.stage, text, shape, box.moved(spot.x() - box.w / 2, spot.y() + (shift - 0.5) * box.h)
    )


def _fits(box: Box, grid: Grid, blocked: Sequence[Box]) -> bool:
    inside = box.y >= 0.0 and box.bottom <= grid.frame.height
    return inside and not any(box.meets(other, MARGIN_PX) for other in blocked)


def _covers(plate: Plate, grid: Grid) -> bool:
    """Whether a plate of a step with a matrix hides too much of its ribbons."""
    if plate.stage in SHORT_STEPS:
        return False
    after = grid.column(plate.stage).box.x
    ends = (column.box.right for column in grid.columns if column.box.right < after)
    # In a sliver of a card the columns meet: then there is no gap, and any plate covers too much.
    before = max(ends, default=after)
    return plate.box.w > MOST_COVERED * (after - before)


def _touch(plates: Sequence[Plate]) -> bool:
    return any(one.box.meets(other.box, MARGIN_PX) for one, other in combinations(plates, 2))


def plate_font(text: str, look: Appearance) -> QFont:
    """Mono, except for signs that only the other face has."""
    return font(look, "small", mono="⊙" not in text)


def draw_plate(
    painter: QPainter, plate: Plate, *, look: Appearance, theme: Theme, begun: bool, moving: bool
) -> None:
    """Paint one plate: quiet before its step, framed in its colour while it runs, plain afterwards."""
    unit = unit_of(look)
    colour = theme.stage(plate.stage)
    painter.setPen(QPen(colour if moving else QColor(theme.border), theme.line_px * (1.6 if moving else 1.0)))
    face = QColor(theme.surface)
    face.setAlphaF(0.94)
    painter.setBrush(face)
    box = QRectF(plate.box.x, plate.box.y, plate.box.w, plate.box.h)
    painter.drawRoundedRect(box, 6.0 * unit, 6.0 * unit)
    ink = QColor(theme.ink if begun else theme.muted)
    painter.setFont(plate_font(plate.text, look))
    painter.setPen(ink)
    if not plate.shape:
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, plate.text)
        return
    top = QFontMetricsF(plate_font(plate.text, look)).height() + 3.0 * unit
    painter.drawText(QRectF(box.x(), box.y(), box.width(), top), Qt.AlignmentFlag.AlignCenter, plate.text)
    painter.setFont(font(look, "small"))
    painter.setPen(QColor(theme.muted))
    under = QRectF(box.x(), box.y() + top - 2.0 * unit, box.width(), box.height() - top + 1.0 * unit)
    painter.drawText(under, Qt.AlignmentFlag.AlignCenter, plate.shape)


def _wordings(formula: Formula, look: Appearance) -> list[tuple[Box, str, str]]:
    """Boxes at the origin, longest wording first; the shape goes before the formula is cut."""
    pad = 7.0 * unit_of(look)
    small = QFontMetricsF(font(look, "small"))
    tried: list[tuple[Box, str, str]] = []
    for text in dict.fromkeys(formula.texts):
        metrics = QFontMetricsF(plate_font(text, look))
        width, height = metrics.horizontalAdvance(text) + 2 * pad, metrics.height() + pad
        if formula.shape:
            wide = max(width, small.horizontalAdvance(formula.shape) + 2 * pad)
            tried.append((Box(0, 0, wide, height + small.height()), text, formula.shape))
        tried.append((Box(0, 0, width, height), text, ""))
    return tried


def _spot(stage: Stage, stages: tuple[Stage, ...], grid: Grid, taken: Sequence[Box]) -> QPointF:
    """Where a plate belongs: the middle of its band; the product's between its two lanes."""
    bands = [band for band in bands_of(stages) if band.target is stage]
    one, two = grid.column(bands[0].source).box, grid.column(stage).box
    left = max([one.right, *(box.right for box in taken if one.right <= box.x < two.x)])
    y = (one.middle[1] + two.middle[1]) / 2
    if len(bands) > 1:
        return QPointF((left + two.x) / 2, grid.column(stage).box.middle[1])
    if stage in (Stage.UP, Stage.GATE) and Stage.GATE in stages:
        y = two.middle[1] + (one.middle[1] - two.middle[1]) * 0.36
    return QPointF((left + two.x) / 2, y)
