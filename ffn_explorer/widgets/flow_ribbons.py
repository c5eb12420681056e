"""Ribbons: the strongest contributions of one token, each a smooth curve between two true cell positions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainterPath, QPen

from ffn_explorer.core.records import StrongPaths
from ffn_explorer.core.stages import WIDE, Stage, enters_act, enters_down
from ffn_explorer.state.result import Floats
from ffn_explorer.widgets.flow_columns import Grid
from ffn_explorer.widgets.theme import Theme


@dataclass(frozen=True, slots=True)
class Ribbon:
    """One contribution: from index `start` of stage `source` to index `end` of stage `target`.

    carried: the signed number that sets the colour.  weight: 0..1, its share of the strongest one of its fan.
    neutral: grey, for what enters a neuron; the sign there is the sum's matter, not one term's.
    """

    source: Stage
    target: Stage
    start: int
    end: int
    neuron: int
    carried: float
    weight: float
    neutral: bool = False

    def touches(self, stage: Stage, index: int) -> bool:
        """Whether it belongs to a neuron (wide stages), or starts or ends at a dimension."""
        if stage in WIDE:
            return self.neuron == index
        ends = ((self.source, self.start), (self.target, self.end))
        return any(at not in WIDE and number == index for at, number in ends)


def ribbons_of(
    paths: StrongPaths, stages: tuple[Stage, ...], rows: Mapping[Stage, Floats]
) -> tuple[Ribbon, ...]:
    """All ribbons that carry anything but 0, weakest first, so that strong ones lie on top.

    rows: exact values `[N]` of each stage at the token; same-neuron ribbons carry the value they leave from.
    """
    order = range(len(paths.neuron) - 1, -1, -1)
    source = Stage.NORM if Stage.NORM in stages else Stage.INPUT
    made: list[Ribbon] = []
    fans = [(Stage.UP, paths.up_dim, paths.up_part)]
    if Stage.GATE in stages and paths.gate_dim is not None and paths.gate_part is not None:
        fans.append((Stage.GATE, paths.gate_dim, paths.gate_part))
    for target, dims, parts in fans:
        weights = _weights(parts)
        for i in order:
            neuron, dim, part = int(paths.neuron[i]), int(dims[i]), float(parts[i])
            made.append(Ribbon(source, target, dim, neuron, neuron, part, weights[i], neutral=True))
    strength = _weights(paths.strength)
    for one, two in links(stages):
        for i in order:
            neuron = int(paths.neuron[i])
            made.append(Ribbon(one, two, neuron, neuron, neuron, float(rows[one][neuron]), strength[i]))
    last, weights = enters_down(stages), _weights(paths.out_part)
    for i in order:
        neuron, dim, part = int(paths.neuron[i]), int(paths.out_dim[i]), float(paths.out_part[i])
        made.append(Ribbon(last, Stage.OUT, neuron, dim, neuron, part, weights[i]))
    return _carrying(made)


def through(neuron: int, stages: tuple[Stage, ...], rows: Mapping[Stage, Floats]) -> tuple[Ribbon, ...]:
    """Ribbons of a neuron that is not among the strongest: only those between wide stages."""
    return _carrying(
        Ribbon(one, two, neuron, neuron, neuron, float(rows[one][neuron]), 0.5) for one, two in links(stages)
    )


def _carrying(ribbons: Iterable[Ribbon]) -> tuple[Ribbon, ...]:
    return tuple(ribbon for ribbon in ribbons if ribbon.carried != 0.0)


def links(stages: tuple[Stage, ...]) -> Iterator[tuple[Stage, Stage]]:
    """Pairs of wide stages between which each neuron keeps its place."""
    yield enters_act(stages), Stage.ACT
    if Stage.HIDDEN in stages:
        yield Stage.ACT, Stage.HIDDEN
        if Stage.GATE in stages:
            yield Stage.UP, Stage.HIDDEN


def ends_of(ribbon: Ribbon, grid: Grid) -> tuple[QPointF, QPointF]:
    """Where it leaves and arrives: the edges of the two strips, at the middle of the cells."""
    source, target = grid.column(ribbon.source), grid.column(ribbon.target)
    start = QPointF(source.box.right, source.y_of(ribbon.start))
    return start, QPointF(target.box.x, target.y_of(ribbon.end))


def path_of(ribbon: Ribbon, grid: Grid) -> QPainterPath:
    """Cubic curve with level ends."""
    start, end = ends_of(ribbon, grid)
    middle = (start.x() + end.x()) / 2
    path = QPainterPath(start)
    path.cubicTo(QPointF(middle, start.y()), QPointF(middle, end.y()), end)
    return path


def pen_of(ribbon: Ribbon, theme: Theme, unit: float, *, strong: bool = False) -> QPen:
    """Width and opacity by weight, colour by sign; strong ones stand out."""
    if not np.isfinite(ribbon.carried):
        colour = QColor(theme.non_finite)
    elif ribbon.neutral:
        colour = QColor(theme.muted)
    else:
        colour = QColor(theme.negative if ribbon.carried < 0 else theme.positive)
    low, high = (0.20, 0.35) if ribbon.neutral else (0.45, 0.40)
    colour.setAlphaF(1.0 if strong else low + high * ribbon.weight)
    width = (0.7 + 0.7 * ribbon.weight) if ribbon.neutral else (1.0 + 1.9 * ribbon.weight)
    return QPen(colour, unit * (width + (0.9 if strong else 0.0)))


def y_at(ribbon: Ribbon, grid: Grid, x: float) -> float | None:
    """Height of the curve at x, or None beside it."""
    start, end = ends_of(ribbon, grid)
    length = end.x() - start.x()
    if length <= 0 or not 0.0 <= x - start.x() <= length:
        return None
    share, low, high = (x - start.x()) / length, 0.0, 1.0
    for _ in range(24):  # x(t) = 1.5t - 1.5t² + t³ rises steadily, so halving finds t
        t = (low + high) / 2
        low, high = (t, high) if 1.5 * t - 1.5 * t * t + t**3 < share else (low, t)
    return start.y() + (end.y() - start.y()) * low * low * (3.0 - 2.0 * low)


def _weights(parts: Floats) -> list[float]:
    """Magnitudes as shares of the largest finite one; what is not finite counts as 1."""
    size = np.abs(parts.astype(np.float64))
    top = float(size[np.isfinite(size)].max(initial=0.0)) or 1.0
    return [float(s) for s in np.where(np.isfinite(size), size / top, 1.0)]
