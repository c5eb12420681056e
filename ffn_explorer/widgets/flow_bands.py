"""Bands: the soft silhouettes behind the ribbons, and the line that carries x past the FFN to the sum."""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainterPath

from ffn_explorer.core.stages import Stage
from ffn_explorer.widgets.flow_columns import Box, Grid
from ffn_explorer.widgets.theme import Theme

FANS = frozenset({Stage.UP, Stage.GATE, Stage.OUT})


@dataclass(frozen=True, slots=True)
class Band:
    """One step of the flow: every value of source may reach target."""

    source: Stage
    target: Stage


def bands_of(stages: tuple[Stage, ...]) -> Iterator[Band]:
    """All steps, in order; a gate has two ways to the product."""
    before = Stage.INPUT
    for stage in stages[1:]:
        if stage is Stage.UP and Stage.GATE in stages:
            yield Band(_entry(stages), stage)
            continue
        yield Band(before, stage)
        if stage is Stage.HIDDEN and Stage.GATE in stages:
            yield Band(Stage.UP, stage)
        before = stage


def silhouette(band: Band, grid: Grid) -> QPainterPath:
    """Area from the whole edge of one strip to the whole edge of the other."""
    one, two = grid.column(band.source).box, grid.column(band.target).box
    middle = (one.right + two.x) / 2
    path = QPainterPath(QPointF(one.right, one.y))
    path.cubicTo(QPointF(middle, one.y), QPointF(middle, two.y), QPointF(two.x, two.y))
    path.lineTo(two.x, two.bottom)
    path.cubicTo(QPointF(middle, two.bottom), QPointF(middle, one.bottom), QPointF(one.right, one.bottom))
    path.closeSubpath()
    return path


def band_colour(band: Band, theme: Theme, *, done: bool) -> QColor:
    """Tint of the stage it leads to; of the stage it comes from where up meets the gate."""
    colour = theme.stage(Stage.UP if band.source is Stage.UP and band.target is Stage.HIDDEN else band.target)
    dark = QColor(theme.surface).lightnessF() < 0.5
    full = (0.17 if dark else 0.085) if band.target in FANS else (0.11 if dark else 0.055)
    colour.setAlphaF(full if done else full * 0.45)
    return colour


def skip_path(grid: Grid, sum_at: Box | None) -> QPainterPath:
    """From under x along the bottom up to the sum: its plate where that is shown, else the strip."""
    start = grid.column(Stage.INPUT).box
    end = sum_at if sum_at is not None else grid.column(Stage.RESIDUAL).box
    level = grid.bottom + grid.frame.skip - 5.0 * grid.frame.unit
    corner = min(9.0 * grid.frame.unit, max(1.0, (level - start.bottom) / 2))
    x, to = start.middle[0], end.middle[0]
    path = QPainterPath(QPointF(x, start.bottom + 2.0))
    path.lineTo(x, level - corner)
    path.quadTo(x, level, x + corner, level)
    path.lineTo(to - corner, level)
    path.quadTo(to, level, to, level - corner)
    path.lineTo(to, end.bottom + 2.0)
    return path


def _entry(stages: tuple[Stage, ...]) -> Stage:
    return Stage.NORM if Stage.NORM in stages else Stage.INPUT
