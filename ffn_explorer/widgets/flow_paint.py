"""Painting of a FlowPicture, part by part; each part says for which stages."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from ffn_explorer.core.stages import Stage
from ffn_explorer.widgets.flow_bands import band_colour, bands_of, silhouette, skip_path
from ffn_explorer.widgets.flow_columns import Column
from ffn_explorer.widgets.flow_labels import Label, name_role, unit_of
from ffn_explorer.widgets.flow_picture import FlowPicture, ribbon_share
from ffn_explorer.widgets.flow_plates import draw_plate
from ffn_explorer.widgets.flow_ribbons import Ribbon, path_of, pen_of
from ffn_explorer.widgets.flow_router import draw_router
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.theme import Theme, theme_of

Picks = Callable[[Stage], bool]


def draw_bands(
    painter: QPainter, picture: FlowPicture, progress: dict[Stage, float], *, picks: Picks
) -> None:
    """Silhouettes towards the picked stages: full up to the front of their ribbons, pale beyond it."""
    theme = theme_of(picture.look)
    painter.setPen(Qt.PenStyle.NoPen)
    for band in bands_of(picture.stages):
        if not picks(band.target):
            continue
        share = ribbon_share(progress[band.target])
        path = silhouette(band, picture.grid)
        for done, start, end in ((True, 0.0, share), (False, share, 1.0)):
            if end > start:
                with _between(painter, picture, band.source, band.target, start=start, end=end):
                    painter.fillPath(path, band_colour(band, theme, done=done))


def draw_skip(painter: QPainter, picture: FlowPicture, progress: dict[Stage, float]) -> None:
    """Line that carries x to the sum: pale until the residual's step, then drawn from x onwards."""
    if Stage.RESIDUAL not in picture.stages:
        return
    theme, unit = theme_of(picture.look), unit_of(picture.look)
    plate = next((p.box for p in picture.plates if p.stage is Stage.RESIDUAL), None)
    path = skip_path(picture.grid, plate)
    share = ribbon_share(progress[Stage.RESIDUAL])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(_round_pen(QColor(theme.border), 1.5 * unit))
    painter.drawPath(path)
    if share <= 0.0:
        return
    tip = path.currentPosition()
    painter.save()
    start = picture.grid.column(Stage.INPUT).box.middle[0] - 2 * unit
    if share < 1.0:
        painter.setClipRect(QRectF(start, 0, share * (tip.x() + 4 * unit - start), picture.grid.frame.height))
    painter.setPen(_round_pen(theme.stage(Stage.RESIDUAL), 1.5 * unit))
    painter.drawPath(path)
    if share >= 1.0:
        wing = 3.5 * unit
        painter.drawLine(tip, tip + QPointF(-wing, wing))
        painter.drawLine(tip, tip + QPointF(wing, wing))
    painter.restore()


def draw_ribbons(
    painter: QPainter, picture: FlowPicture, ribbons: tuple[Ribbon, ...], progress: dict[Stage, float], *,
    picks: Picks, strong: bool = False,
) -> None:  # fmt: skip
    """Ribbons towards the picked stages, as far as they have grown."""
    theme, unit = theme_of(picture.look), unit_of(picture.look)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for ribbon in ribbons:
        share = ribbon_share(progress[ribbon.target])
        if not picks(ribbon.target) or share <= 0.0:
            continue
        painter.setPen(pen_of(ribbon, theme, unit, strong=strong))
        path = path_of(ribbon, picture.grid)
        if share >= 1.0:
            painter.drawPath(path)
            continue
        with _between(painter, picture, ribbon.source, ribbon.target, start=0.0, end=share):
            painter.drawPath(path)


def draw_frame(
    painter: QPainter, column: Column, *, theme: Theme, unit: float, begun: bool, current: bool
) -> None:
    """Outline of a strip in its stage's colour, and the mark of a broken scale."""
    colour = theme.stage(column.stage)
    if not begun:
        colour.setAlphaF(0.55)
    width = unit * (2.4 if current else 1.5)
    box = QRectF(column.box.x, column.box.y, column.box.w, column.box.h)
    out = width / 2 - 0.25
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, width))
    painter.drawRoundedRect(box.adjusted(-out, -out, out, out), 2.5 * unit, 2.5 * unit)
    if column.broken:
        _draw_break(painter, box, theme=theme, colour=theme.stage(column.stage), unit=unit)


def draw_label(painter: QPainter, label: Label, picture: FlowPicture, *, current: bool) -> None:
    """Name in the stage's colour, on a tint while it is the current one, and the size under it."""
    look = picture.look
    theme, unit = theme_of(look), unit_of(look)
    box = QRectF(label.box.x, label.box.y, label.box.w, label.box.h)
    face = theme.stage(label.stage) if current else QColor(theme.surface)
    face.setAlphaF(0.16 if current else 0.78)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.surface))
    name = QRectF(box.x(), box.y(), box.width(), label.name_height)
    under = box if not current else name
    halo = under.adjusted(-3 * unit, 0, 3 * unit, 0)
    if current:
        painter.drawRoundedRect(halo, 4 * unit, 4 * unit)
    painter.setBrush(face)
    painter.drawRoundedRect(halo, 4 * unit, 4 * unit)
    flags = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextDontClip)
    painter.setFont(font(look, name_role(label, look), bold=True))
    painter.setPen(theme.stage(label.stage))
    painter.drawText(name, flags, label.name)
    if label.size:
        painter.setFont(font(look, "small"))
        painter.setPen(QColor(theme.muted))
        painter.drawText(
            QRectF(box.x(), name.bottom(), box.width(), box.bottom() - name.bottom()), flags, label.size
        )


def draw_plates(
    painter: QPainter, picture: FlowPicture, progress: dict[Stage, float], *, current: Stage, picks: Picks
) -> None:
    """Formula plates of the picked stages, and the router's block before the intermediate."""
    theme = theme_of(picture.look)
    if picture.router is not None and picks(Stage.UP):
        draw_router(
            painter, picture.router, look=picture.look, theme=theme, filled=ribbon_share(progress[Stage.UP])
        )
    pair = (Stage.UP, Stage.GATE)
    for plate in picture.plates:
        if picks(plate.stage):
            share = progress[plate.stage]
            moving = plate.stage is current or (plate.stage in pair and current in pair)
            draw_plate(
                painter,
                plate,
                look=picture.look,
                theme=theme,
                progress=share,
                moving=moving and 0.0 < share < 1.0,
            )


@contextmanager
def _between(
    painter: QPainter, picture: FlowPicture, source: Stage, target: Stage, *, start: float, end: float
) -> Iterator[None]:
    """Clip to shares start..end of the way between two strips."""
    grid = picture.grid
    left, right = grid.column(source).box.right, grid.column(target).box.x
    length = right - left
    painter.save()
    painter.setClipRect(QRectF(left + start * length, 0, (end - start) * length, grid.frame.height))
    yield
    painter.restore()


def _draw_break(painter: QPainter, box: QRectF, *, theme: Theme, colour: QColor, unit: float) -> None:
    """Two slanted strokes across the left edge: this strip is longer than its true share."""
    reach = 4.0 * unit
    for shift, pen in (
        (0.0, QPen(QColor(theme.surface), 4.5 * unit)),
        (-2.5 * unit, None),
        (2.5 * unit, None),
    ):
        painter.setPen(pen or QPen(colour, 1.4 * unit))
        y = box.center().y() + shift
        painter.drawLine(
            QPointF(box.left() - reach, y + reach / 2), QPointF(box.left() + reach, y - reach / 2)
        )


def _round_pen(colour: QColor, width: float) -> QPen:
    return QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
