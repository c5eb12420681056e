"""FlowItem: the flow as one graphics item, painted from layers that are made once for each picture."""

import logging
from collections.abc import Callable, Hashable

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.flow_bands import Band
from ffn_explorer.widgets.flow_columns import Box, Column
from ffn_explorer.widgets.flow_marks import draw_marks
from ffn_explorer.widgets.flow_paint import draw_around, draw_band, draw_cells, draw_ribbons, draw_skip
from ffn_explorer.widgets.flow_picture import FlowPicture, focus_of, pointed_of, subject_of
from ffn_explorer.widgets.flow_ribbons import Ribbon
from ffn_explorer.widgets.flow_strip import strip_image
from ffn_explorer.widgets.layers import Layers, device_scale, hatch_scale
from ffn_explorer.widgets.reveal import ribbon_share
from ffn_explorer.widgets.theme import theme_of

log = logging.getLogger(__name__)

FADED = 0.22
"""Opacity of the other ribbons while one neuron or dimension is looked at."""

TOGETHER = (Stage.UP, Stage.GATE)


class FlowItem(pg.GraphicsObject):  # type: ignore[misc] # pyqtgraph carries no types
    """Picture of one token's way through the FFN, in pixel coordinates."""

    def __init__(self) -> None:
        """Build an empty item."""
        super().__init__()
        self.scene_shown: Scene | None = None
        self.picture: FlowPicture | None = None
        self._size = (1, 1)
        self._layers = Layers()
        """What stays with the ground: bands, frames, labels, formulas."""
        self._under = Layers(most=4)
        """Bands and ribbons, as opaque images of the whole picture; two fronts at most divide it in three."""
        self._values = Layers()
        """What shows one token's values."""
        self._strips: dict[Hashable, QImage] = {}

    def show_scene(self, scene: Scene) -> None:
        """Draw another scene."""
        self.scene_shown = scene
        self._place()

    def resize(self, width: int, height: int) -> None:
        """Take another size in logical pixels."""
        if (width, height) != self._size:
            self.prepareGeometryChange()
            self._size = (max(1, width), max(1, height))
            self._place()

    def boundingRect(self) -> QRectF:
        """The whole picture."""
        return QRectF(0, 0, *self._size)

    def progress(self) -> dict[Stage, float]:
        """Progress of each stage shown."""
        assert self.scene_shown is not None
        return dict(self.scene_shown.progress)

    def _place(self) -> None:
        """New picture where the subject has changed; what shows the old one's values goes with it."""
        subject = None if self.scene_shown is None else subject_of(self.scene_shown, self._size)
        if subject is None:
            self.picture = None
        elif self.picture is None or self.picture.subject != subject:
            before, self.picture = self.picture, FlowPicture(subject)
            if before is not None and before.ground == self.picture.ground:
                self.picture.stand_on(before)
            else:
                self._layers.clear()
                self._under.clear()
            self._values.clear()
            self._strips.clear()
        self.update()

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Paint the picture at the scene's moment; an error is logged: let through, it ends the program."""
        if self.picture is not None and self.scene_shown is not None:
            try:
                self._paint(painter, self.picture, self.scene_shown)
            except Exception:
                log.exception("the flow could not be painted")

    def _paint(self, painter: QPainter, picture: FlowPicture, scene: Scene) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        progress = self.progress()
        focus = focus_of(scene, picture)
        self._paint_under(painter, picture, progress, faded=focus is not None)
        # The line runs below all bands and ribbons, so that none lies over or under it.
        self._paint_skip(painter, picture, progress.get(Stage.RESIDUAL))
        strong = () if focus is None else picture.ribbons_at(focus)
        for ribbon in strong:
            _draw_strong(painter, picture, ribbon, share=ribbon_share(progress[ribbon.target]))
        self._paint_columns(painter, picture, progress, current=scene.current)
        if focus is not None:
            draw_marks(painter, picture, focus, tuple(r for r in strong if progress[r.target] >= 1.0))
        pointed = pointed_of(scene, picture) if scene.look.lens else None
        if pointed is not None:
            from ffn_explorer.widgets.flow_lens import draw_strip_lens

            draw_strip_lens(painter, picture, pointed, progress)

    def _paint_under(
        self, painter: QPainter, picture: FlowPicture, progress: dict[Stage, float], *, faded: bool
    ) -> None:
        """Bands and ribbons: what has come up to a front differs from what lies beyond, but neither moves."""
        scale = device_scale(painter)
        fronts = [picture.front(band, ribbon_share(progress[band.target]), scale) for band in picture.bands]
        (width, height), left = picture.subject.size, 0.0
        for right in sorted({*fronts, width} - {0.0}):
            done = tuple(front >= right for front in fronts)
            key = (done, picture, faded) if picture.ribbons else (done,)
            clipped = right - left < width
            if clipped:
                painter.save()
                painter.setClipRect(QRectF(left, 0.0, right - left, height))
            self._under.draw(
                painter,
                key,
                Box(0.0, 0.0, width, height),
                _call(self._paint_still, picture, done, faded=faded),
                ground=theme_of(picture.look).surface,
            )
            if clipped:
                painter.restore()
            left = right

    def _paint_still(
        self, painter: QPainter, picture: FlowPicture, done: tuple[bool, ...], *, faded: bool
    ) -> None:
        """Silhouettes, full where they are done and pale where not; ribbons only where they are done."""
        for band, full in zip(picture.bands, done, strict=True):
            draw = _call(draw_band, picture, band, done=full)
            self._layers.draw(painter, ("band", band, full), picture.gaps[band], draw)
        painter.setOpacity(FADED if faded else 1.0)
        drawn = [band for band, full in zip(picture.bands, done, strict=True) if full]
        for band, ribbons in picture.ribbons_by_band.items():
            if band in drawn:
                draw = _call(draw_ribbons, picture, ribbons)
                self._values.draw(painter, ("ribbons", band), picture.gaps[band], draw)

    def _paint_skip(self, painter: QPainter, picture: FlowPicture, progress: float | None) -> None:
        if progress is None:
            return
        share = ribbon_share(progress)
        if 0.0 < share < 1.0:
            draw_skip(painter, picture, share)
            return
        around = picture.skip.boundingRect().adjusted(-8.0, -8.0, 8.0, 8.0)
        box = Box(around.x(), around.y(), around.width(), around.height())
        self._layers.draw(painter, ("skip", share), box, _call(draw_skip, picture, share))

    def _paint_columns(
        self, painter: QPainter, picture: FlowPicture, progress: dict[Stage, float], *, current: Stage
    ) -> None:
        now = TOGETHER if current in TOGETHER else (current,)
        scale = hatch_scale(painter)
        for column in picture.grid.columns:
            stage = column.stage
            share, is_now = progress[stage], stage in now
            self._paint_cells(painter, picture, column, share, scale=scale)
            moving = 0.0 < share < 1.0
            draw = _call(draw_around, picture, column, progress=share, current=is_now)
            if moving and picture.router is not None:
                draw(painter)
            else:
                key = ("around", stage, share > 0.0, moving, is_now)
                self._layers.draw(painter, key, picture.areas[stage], draw)

    def _paint_cells(
        self, painter: QPainter, picture: FlowPicture, column: Column, share: float, *, scale: float
    ) -> None:
        """A strip is quickly painted; one at rest that bears numbers is kept."""
        image = self._strip(picture, column, scale)
        if 0.0 < share < 1.0 or not picture.numbers[column.stage]:
            draw_cells(painter, picture, column, image, progress=share)
        else:
            draw = _call(draw_cells, picture, column, image, progress=share)
            self._values.draw(painter, ("cells", column.stage, share), picture.areas[column.stage], draw)

    def _strip(self, picture: FlowPicture, column: Column, scale: float) -> QImage:
        key = (column.stage, scale)
        made = self._strips.get(key)
        if made is None:
            subject, laid = picture.subject, picture.laid(column, scale)
            made = strip_image(
                subject.run,
                subject.activity,
                column,
                at=picture.at,
                scale=scale,
                theme=theme_of(picture.look),
                laid=laid,
            )
            self._strips[key] = made
        return made


def _draw_strong(painter: QPainter, picture: FlowPicture, ribbon: Ribbon, *, share: float) -> None:
    """One ribbon that is looked at, as far as it has come: to a whole device pixel."""
    if 0.0 < share < 1.0:
        band = Band(ribbon.source, ribbon.target)
        gap, front = picture.gaps[band], picture.front(band, share, device_scale(painter))
        painter.save()
        painter.setClipRect(QRectF(gap.x, gap.y, front - gap.x, gap.h))
        draw_ribbons(painter, picture, (ribbon,), strong=True)
        painter.restore()
    elif share >= 1.0:
        draw_ribbons(painter, picture, (ribbon,), strong=True)


def _call(draw: Callable[..., None], *args: object, **kwargs: object) -> Callable[[QPainter], None]:
    """The drawing function with everything but its painter."""
    return lambda painter: draw(painter, *args, **kwargs)
