"""FlowItem: the flow as one graphics item; what does not move is kept in layers, the rest is drawn each frame."""

from collections.abc import Callable, Hashable

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets import flow_paint
from ffn_explorer.widgets.flow_columns import Column
from ffn_explorer.widgets.flow_labels import unit_of
from ffn_explorer.widgets.flow_marks import draw_marks
from ffn_explorer.widgets.flow_picture import FlowPicture, cell_share, focus_of, subject_of
from ffn_explorer.widgets.flow_ribbons import Ribbon, through
from ffn_explorer.widgets.flow_strip import draw_strip, strip_image
from ffn_explorer.widgets.theme import theme_of

FADED = 0.22
"""Opacity of the other ribbons while one neuron or dimension is looked at."""


class FlowItem(pg.GraphicsObject):  # type: ignore[misc]
    """Picture of one token's way through the FFN, in pixel coordinates."""

    def __init__(self) -> None:
        """Build an empty item."""
        super().__init__()
        self.scene_shown: Scene | None = None
        self.picture: FlowPicture | None = None
        self._size = (1, 1)
        self._layers: dict[str, tuple[Hashable, QImage]] = {}
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
        assert self.picture is not None
        known = dict(self.scene_shown.progress)
        return {stage: known.get(stage, 1.0) for stage in self.picture.stages}

    def _place(self) -> None:
        """New picture where the subject has changed; layers and strips of the old one go with it."""
        assert self.scene_shown is None or self._size
        subject = None if self.scene_shown is None else subject_of(self.scene_shown, self._size)
        if subject is None:
            self.picture = None
        elif self.picture is None or self.picture.subject != subject:
            self.picture = FlowPicture(subject)
            self._layers.clear()
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
        still = {stage for stage, share in progress.items() if share in (0.0, 1.0)}
        key = tuple((stage, progress[stage]) for stage in picture.stages if stage in still)
        focus = focus_of(scene, picture)
        ribbons = picture.ribbons
        strong: tuple[Ribbon, ...] = ()
        if focus is not None:
            strong = tuple(r for r in ribbons if r.touches(focus.stage, focus.index)) or self._unlisted()

        def rests(stage: Stage) -> bool:
            return stage in still

        def moves(stage: Stage) -> bool:
            return stage not in still

        self._layer(painter, "bands", key, lambda p: self._bands(p, picks=rests))
        flow_paint.draw_bands(painter, picture, progress, picks=moves)
        if moves(Stage.RESIDUAL) if Stage.RESIDUAL in progress else False:
            flow_paint.draw_skip(painter, picture, progress)
        painter.setOpacity(1.0 if focus is None else FADED)
        self._layer(
            painter,
            "ribbons",
            key,
            lambda p: flow_paint.draw_ribbons(p, picture, ribbons, progress, picks=rests),
        )
        flow_paint.draw_ribbons(painter, picture, ribbons, progress, picks=moves)
        painter.setOpacity(1.0)
        flow_paint.draw_ribbons(painter, picture, strong, progress, picks=lambda _stage: True, strong=True)
        self._layer(painter, "strips", (key, scene.current), lambda p: self._columns(p, picks=rests))
        self._columns(painter, picks=moves)
        if focus is not None:
            draw_marks(painter, picture, focus, tuple(r for r in strong if progress[r.target] >= 1.0))

    def _unlisted(self) -> tuple[Ribbon, ...]:
        """Ribbons of a neuron that is not among the strongest."""
        picture, scene = self.picture, self.scene_shown
        assert picture is not None
        assert scene is not None
        from ffn_explorer.core.stages import WIDE

        focus = focus_of(scene, picture)
        if focus is None or focus.stage not in WIDE:
            return ()
        values = picture.subject.run.values
        return through(
            focus.index, picture.stages, {stage: values[stage][picture.at] for stage in WIDE & values.keys()}
        )

    def _bands(self, painter: QPainter, *, picks: flow_paint.Picks) -> None:
        assert self.picture is not None
        flow_paint.draw_bands(painter, self.picture, self.progress(), picks=picks)
        if Stage.RESIDUAL in self.picture.stages and picks(Stage.RESIDUAL):
            flow_paint.draw_skip(painter, self.picture, self.progress())

    def _columns(self, painter: QPainter, *, picks: flow_paint.Picks) -> None:
        """Strips, labels and plates of the picked stages."""
        picture, scene = self.picture, self.scene_shown
        assert picture is not None
        assert scene is not None
        theme, unit, progress = theme_of(picture.look), unit_of(picture.look), self.progress()
        pair = (Stage.UP, Stage.GATE)
        now = pair if scene.current in pair else (scene.current,)
        for column in picture.grid.columns:
            if picks(column.stage):
                share = progress[column.stage]
                filled = cell_share(share)
                draw_strip(painter, column, self._strip(column, _scale(painter)), filled=filled, theme=theme)
                current = column.stage in now
                flow_paint.draw_frame(
                    painter, column, theme=theme, unit=unit, begun=share > 0.0, current=current
                )
        for label in picture.plan.labels:
            if picks(label.stage):
                flow_paint.draw_label(painter, label, picture, current=label.stage in now)
        flow_paint.draw_plates(painter, picture, progress, current=scene.current, picks=picks)

    def _strip(self, column: Column, scale: float) -> QImage:
        picture = self.picture
        assert picture is not None
        key = (column.stage, scale)
        if key not in self._strips:
            run, activity = picture.subject.run, picture.subject.activity
            theme = theme_of(picture.look)
            self._strips[key] = strip_image(run, activity, column, at=picture.at, scale=scale, theme=theme)
        return self._strips[key]

    def _layer(self, painter: QPainter, name: str, key: Hashable, draw: Callable[[QPainter], None]) -> None:
        """Draw through an image kept as long as its key."""
        scale = _scale(painter)
        kept = self._layers.get(name)
        if kept is None or kept[0] != (key, scale):
            width, height = (max(1, round(side * scale)) for side in self._size)
            image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
            image.setDevicePixelRatio(scale)
            image.fill(0)
            inner = QPainter(image)
            inner.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw(inner)
            inner.end()
            kept = ((key, scale), image)
            self._layers[name] = kept
        painter.drawImage(QRectF(0, 0, kept[1].width() / scale, kept[1].height() / scale), kept[1])


def _scale(painter: QPainter) -> float:
    """Device pixels per logical pixel."""
    return max(0.25, painter.deviceTransform().m11())
