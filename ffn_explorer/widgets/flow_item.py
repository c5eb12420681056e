"""FlowItem: the flow as one graphics item, painted from layers that are made once for each picture."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

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
from ffn_explorer.widgets.flow_strip import strip_image
from ffn_explorer.widgets.layers import Layers, device_scale
from ffn_explorer.widgets.reveal import ribbon_share
from ffn_explorer.widgets.theme import theme_of

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
            self._values.clear()
            self._strips.clear()
        self.update()

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Paint the picture at the scene's moment."""
        picture, scene = self.picture, self.scene_shown
        if picture is None or scene is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        progress = self.progress()
        self._paint_bands(painter, picture, progress)
        self._paint_skip(painter, picture, progress.get(Stage.RESIDUAL))
        focus = focus_of(scene, picture)
        painter.setOpacity(1.0 if focus is None else FADED)
        self._paint_ribbons(painter, picture, progress)
        painter.setOpacity(1.0)
        strong = () if focus is None else picture.ribbons_at(focus)
        for ribbon in strong:
            with _upto(
                painter,
                picture,
                Band(ribbon.source, ribbon.target),
                end=ribbon_share(progress[ribbon.target]),
            ):
                draw_ribbons(painter, picture, (ribbon,), strong=True)
        self._paint_columns(painter, picture, progress, current=scene.current)
        if focus is not None:
            draw_marks(painter, picture, focus, tuple(r for r in strong if progress[r.target] >= 1.0))
        pointed = pointed_of(scene, picture) if scene.look.lens else None
        if pointed is not None:
            from ffn_explorer.widgets.flow_lens import draw_strip_lens

            draw_strip_lens(painter, picture, pointed, progress)

    def _paint_bands(self, painter: QPainter, picture: FlowPicture, progress: dict[Stage, float]) -> None:
        """Silhouettes: full up to the front of their ribbons, pale beyond it."""
        for band in picture.bands:
            share = ribbon_share(progress[band.target])
            for done, start, end in ((True, 0.0, share), (False, share, 1.0)):
                if end > start:
                    with _upto(painter, picture, band, start=start, end=end):
                        self._layers.draw(
                            painter,
                            ("band", band, done),
                            picture.gap(band),
                            _call(draw_band, picture, band, done=done),
                        )

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

    def _paint_ribbons(self, painter: QPainter, picture: FlowPicture, progress: dict[Stage, float]) -> None:
        for band, ribbons in picture.ribbons_by_band.items():
            share = ribbon_share(progress[band.target])
            if share > 0.0:
                with _upto(painter, picture, band, end=share):
                    self._values.draw(
                        painter, ("ribbons", band), picture.gap(band), _call(draw_ribbons, picture, ribbons)
                    )

    def _paint_columns(
        self, painter: QPainter, picture: FlowPicture, progress: dict[Stage, float], *, current: Stage
    ) -> None:
        now = TOGETHER if current in TOGETHER else (current,)
        for column in picture.grid.columns:
            share, is_now = progress[column.stage], column.stage in now
            self._paint_cells(painter, picture, column, share)
            moving = 0.0 < share < 1.0
            draw = _call(draw_around, picture, column, progress=share, current=is_now)
            if moving and picture.router is not None:
                draw(painter)
                continue
            key = ("around", column.stage, share > 0.0, moving, is_now)
            self._layers.draw(painter, key, picture.area(column), draw)

    def _paint_cells(self, painter: QPainter, picture: FlowPicture, column: Column, share: float) -> None:
        """A strip is quickly painted; one at rest that bears numbers is kept."""
        image = self._strip(picture, column, device_scale(painter))
        draw = _call(draw_cells, picture, column, image, progress=share)
        if 0.0 < share < 1.0 or not picture.numbers[column.stage]:
            draw(painter)
        else:
            self._values.draw(painter, ("cells", column.stage, share), picture.area(column), draw)

    def _strip(self, picture: FlowPicture, column: Column, scale: float) -> QImage:
        key = (column.stage, scale)
        if key not in self._strips:
            subject, theme = picture.subject, theme_of(picture.look)
            made = strip_image(subject.run, subject.activity, column, at=picture.at, scale=scale, theme=theme)
            self._strips[key] = made
        return self._strips[key]


@contextmanager
def _upto(
    painter: QPainter, picture: FlowPicture, band: Band, *, start: float = 0.0, end: float
) -> Iterator[None]:
    """Clip to shares start..end of the way between two strips, at whole device pixels."""
    if (start, end) == (0.0, 1.0):
        yield
        return
    gap, scale = picture.gap(band), device_scale(painter)
    left, right = (round((gap.x + share * gap.w) * scale) / scale for share in (start, end))
    painter.save()
    painter.setClipRect(QRectF(left, gap.y, right - left, gap.h))
    yield
    painter.restore()


def _call(draw: Callable[..., None], *args: object, **kwargs: object) -> Callable[[QPainter], None]:
    """The drawing function with everything but its painter."""
    return lambda painter: draw(painter, *args, **kwargs)
