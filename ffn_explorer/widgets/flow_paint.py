"""Painting the parts of a FlowPicture: a band, the skip line, ribbons, a whole column."""

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from ffn_explorer.core.stages import Stage
from ffn_explorer.widgets.flow_bands import Band, band_colour, silhouette
from ffn_explorer.widgets.flow_columns import Column
from ffn_explorer.widgets.flow_labels import Label, name_role, unit_of
from ffn_explorer.widgets.flow_numbers import draw_numbers
from ffn_explorer.widgets.flow_picture import FlowPicture
from ffn_explorer.widgets.flow_plates import draw_plate
from ffn_explorer.widgets.flow_ribbons import Ribbon, path_of, pen_of
from ffn_explorer.widgets.flow_router import draw_router
from ffn_explorer.widgets.flow_strip import draw_strip
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.reveal import cell_share, ribbon_share
from ffn_explorer.widgets.theme import Theme, theme_of


def draw_band(painter: QPainter, picture: FlowPicture, band: Band, *, done: bool) -> None:
    """Silhouette of one step, pale until it is done."""
    painter.fillPath(silhouette(band, picture.grid), band_colour(band, theme_of(picture.look), done=done))


def draw_skip(painter: QPainter, picture: FlowPicture, share: float) -> None:
    """Line that carries x to the sum: pale, in full colour for its first `share`, with its tip at 1."""
    theme, unit = theme_of(picture.look), unit_of(picture.look)
    path = picture.skip
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(_round_pen(QColor(theme.border), 1.5 * unit))
    painter.drawPath(path)
    if share <= 0.0:
        return
    tip, start = path.currentPosition(), path.pointAtPercent(0.0).x() - 2 * unit
    painter.save()
    if share < 1.0:
        painter.setClipRect(QRectF(start, 0, share * (tip.x() + 4 * unit - start), picture.grid.frame.height))
    painter.setPen(_round_pen(theme.stage(Stage.RESIDUAL), 1.4 * unit))
    painter.drawPath(path)
    if share >= 1.0:
        wing = 3.5 * unit
        painter.drawLine(tip, tip + QPointF(-wing, wing))
        painter.drawLine(tip, tip + QPointF(wing, wing))
    painter.restore()


def draw_ribbons(
    painter: QPainter, picture: FlowPicture, ribbons: Iterable[Ribbon], *, strong: bool = False
) -> None:
    """Ribbons at full length."""
    theme = theme_of(picture.look)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for ribbon in ribbons:
        painter.setPen(pen_of(ribbon, theme, picture.ribbon_unit, strong=strong))
        painter.drawPath(path_of(ribbon, picture.grid))


def draw_cells(
    painter: QPainter, picture: FlowPicture, column: Column, image: QImage, *, progress: float
) -> None:
    """Strip, as far as the pass has filled it, and its numbers."""
    look, filled, texts = picture.look, cell_share(progress), picture.numbers[column.stage]
    draw_strip(painter, column, image, filled=filled, theme=theme_of(look))
    if texts:
        draw_numbers(painter, column, texts, image=image, filled=filled, look=look)


def draw_around(
    painter: QPainter, picture: FlowPicture, column: Column, *, progress: float, current: bool
) -> None:
    """Frame and label of a strip, and the formula (and router) of the step that leads to it."""
    look = picture.look
    theme, unit = theme_of(look), unit_of(look)
    _draw_frame(painter, column, theme=theme, unit=unit, begun=progress > 0.0, current=current)
    for label in picture.plan.labels:
        if label.stage is column.stage:
            _draw_label(painter, label, picture, current=current)
    if picture.router is not None and column.stage is Stage.UP:
        draw_router(painter, picture.router, look=look, theme=theme, filled=ribbon_share(progress))
    for plate in picture.plates:
        if plate.stage is column.stage:
            moving = current and 0.0 < progress < 1.0
            draw_plate(painter, plate, look=look, theme=theme, begun=progress > 0.0, moving=moving)


def _draw_frame(
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
        _draw_break(painter, box, theme=theme, unit=unit, colour=theme.stage(column.stage))


def _draw_label(painter: QPainter, label: Label, picture: FlowPicture, *, current: bool) -> None:
    """Name in the stage's colour, on a tint while it is the current one, and the size under it."""
    look = picture.look
    theme, unit = theme_of(look), unit_of(look)
    box = QRectF(label.box.x, label.box.y, label.box.w, label.box.h)
    name = QRectF(box.x(), box.y(), box.width(), label.name_height)
    veil = QColor(theme.surface)
    veil.setAlphaF(0.78)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(veil)
    painter.drawRoundedRect(box.adjusted(-3 * unit, 0, 3 * unit, 0), 4 * unit, 4 * unit)
    if current:
        tint = theme.stage(label.stage)
        tint.setAlphaF(0.16)
        painter.setBrush(tint)
        painter.drawRoundedRect(name.adjusted(-3 * unit, 0, 3 * unit, 0), 4 * unit, 4 * unit)
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


def _draw_break(painter: QPainter, box: QRectF, *, theme: Theme, colour: QColor, unit: float) -> None:
    """Two slanted strokes across the left edge: this strip is longer than its true share."""
    reach = min(4.0 * unit, 0.22 * box.width())
    slant = QPointF(reach, -reach / 2)
    middle = QPointF(box.left(), box.center().y())
    painter.setPen(QPen(QColor(theme.surface), reach))
    painter.drawLine(middle - slant, middle + slant)
    painter.setPen(QPen(colour, 0.35 * reach))
    for shift in (-0.6 * reach, 0.6 * reach):
        at = middle + QPointF(0.0, shift)
        painter.drawLine(at - slant, at + slant)


def _round_pen(colour: QColor, width: float) -> QPen:
    return QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
