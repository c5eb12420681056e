"""Plates: the formulas between the columns, shortened or left out before they would touch anything."""

from collections.abc import Sequence
from dataclasses import dataclass

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

MARGIN_PX = 5.0
"""Least distance of a plate from strips, labels and other plates."""


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
    """Every formula in the longest wording that stays clear of strips, labels, `taken` and the plates before it."""
    stages = tuple(column.stage for column in plan.grid.columns)
    made: list[Plate] = []
    blocked = (
        [column.box for column in plan.grid.columns] + [label.box for label in plan.labels] + list(taken)
    )
    for formula in formulas:
        spot = _spot(formula.stage, stages, plan.grid, taken)
        for box, text, shape in _wordings(formula, look):
            place = box.moved(spot.x() - box.w / 2, spot.y() - box.h / 2)
            inside = place.y >= 0 and place.bottom <= plan.grid.frame.height
            if inside and not any(place.meets(other, MARGIN_PX) for other in blocked):
                made.append(Plate(formula.stage, text, shape, place))
                blocked.append(place)
                break
    return tuple(made)


def plate_font(text: str, look: Appearance) -> QFont:
    """Mono, except for signs that only the other face has."""
    return font(look, "small", mono="⊙" not in text)


def draw_plate(
    painter: QPainter, plate: Plate, *, look: Appearance, theme: Theme, progress: float, moving: bool
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
    ink = QColor(theme.ink if progress > 0.0 else theme.muted)
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
    for number, text in enumerate(dict.fromkeys(formula.texts)):
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
