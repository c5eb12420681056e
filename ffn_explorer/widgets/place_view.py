"""PlaceView: the canvas of the place panel, which shows one layer, or all layers, over a caption."""

from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.canvas import Canvas
from ffn_explorer.widgets.drawn_text import LEFT, draw_text, fitting
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.place_depth import DepthPicture, Lanes, lanes_in, paint_moving, paint_still
from ffn_explorer.widgets.place_layer import LayerPicture, paint_layer, sizes_of, switch_height
from ffn_explorer.widgets.place_plan import Plan, Sublayer, plan
from ffn_explorer.widgets.place_switch import Switch
from ffn_explorer.widgets.place_words import caption_lines, draw_lines
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of

CAPTION_SHARE = 0.36
"""Most of the height that the caption takes."""

MAIN_PX = 96
"""Least height of the main layer; the other stack's is left out sooner than it shrinks further."""


@dataclass(frozen=True, slots=True)
class Row:
    """One stack's layer: its heading (the longest wording first), its sublayers, and how it is painted."""

    heading: tuple[str, ...]
    sublayers: tuple[Sublayer, ...]
    picture: LayerPicture


@dataclass(frozen=True, slots=True)
class PlacePicture:
    """All that is shown. rows: the layer looked at, and the other stack's; or depth: every layer."""

    look: Appearance
    rows: tuple[Row, ...]
    stages: tuple[Stage, ...]
    widths: tuple[int, int]
    depth: DepthPicture | None
    caption: tuple[tuple[str, ...], ...]
    """Sentences, each in one or more wordings, the longest first."""
    switch: tuple[str, str]
    """Words of the mixer's switch, off and on."""
    mixed: bool
    free: bool = True
    """Whether there is a mixer to switch and another stack to look at."""


@dataclass(frozen=True, slots=True)
class Hit:
    """What lies under the pointer; all None or False where there is nothing to point at."""

    stage: Stage | None = None
    token: int | None = None
    layer: int | None = None
    other: bool = False
    """The other stack's layer."""


class PlaceView(Canvas):
    """Paints a PlacePicture; the pointer and the arrows find its parts."""

    pointed = Signal(object)
    """The Hit under the pointer; only when it changes."""
    chosen = Signal(object)
    """The Hit clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build it empty, with the mixer's switch and the other stack's button."""
        super().__init__(parent)
        self._picture: PlacePicture | None = None
        self._plans: tuple[Plan, ...] = ()
        self._lanes: Lanes | None = None
        self._pointed = Hit()
        self._layers = Layers()
        self._caption = QRectF()
        self._lines: tuple[str, ...] = ()
        self.switch = Switch(self)
        self.other = WordButton(self, flat=True)
        for button in (self.switch, self.other):
            button.hide()
        self.moved.connect(self._report)

    def show_picture(self, picture: PlacePicture | None, look: Appearance, *, sentence: str = "") -> None:
        """Draw a picture, or nothing but a sentence."""
        self._picture, self.sentence = picture, sentence
        self.set_look(look)
        for button in (self.switch, self.other):
            button.set_look(look)
            button.setVisible(picture is not None and picture.depth is None and picture.free)
        if picture is not None:
            self.switch.show_state(picture.mixed, picture.switch)
        self.lay_out()

    def lay_out(self) -> None:
        """Divide the height between headings, layers and caption."""
        super().lay_out()
        picture = self._picture
        self._plans, self._lanes = (), None
        if picture is not None:
            room = self._room(picture)
            if picture.depth is not None:
                self._lanes = lanes_in(room, picture.depth)
            else:
                self._lay_rows(picture, room)

    def hit_at(self, at: QPointF) -> Hit:
        """What lies at a point."""
        x, y = at.x(), at.y()
        if self._lanes is not None:
            return Hit(token=self._lanes.token_at(x, y), layer=self._lanes.layer_at(x, y))
        if not self._plans:
            return Hit()
        stage = self._plans[0].stage_at(x, y)
        other = len(self._plans) > 1 and self._other_top() <= y < self._caption.top()
        return Hit(stage=stage, other=other and stage is None)

    def paint_front(self, painter: QPainter) -> None:
        """Paint layers or lanes, and the caption."""
        picture = self._picture
        if picture is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            if self._lanes is not None and picture.depth is not None:
                self._paint_depth(painter, picture.depth, self._lanes)
            for row, placed in zip(picture.rows, self._plans):
                paint_layer(painter, row.picture, placed)
                self._paint_heading(painter, row, placed)
            self._paint_caption(painter, picture)
        super().paint_front(painter)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose what was clicked."""
        super().mousePressEvent(event)
        hit = self.hit_at(event.position())
        if hit != Hit() and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(hit)

    def _report(self, at: QPointF | None) -> None:
        self.tell_pointed(Hit() if at is None else replace(self.hit_at(at), layer=None, other=False))

    def _room(self, picture: PlacePicture) -> Box:
        """What the caption leaves, with the caption's lines under it."""
        small = font(picture.look, "small")
        line = QFontMetricsF(small).height()
        most = CAPTION_SHARE * self.height()
        self._lines = caption_lines(picture.caption, small, width=self.width() - 4, height=most)
        height = len(self._lines) * line
        top = self.height() - height - px(picture.look, 2)
        self._caption = QRectF(2, top, self.width() - 4, height)
        return Box(1, 0, self.width() - 2, max(1.0, top - px(picture.look, 4)))

    def _lay_rows(self, picture: PlacePicture, room: Box) -> None:
        look = picture.look
        line = self.other.sizeHint().height()
        heading = QFontMetricsF(font(look, "small")).height()
        rest = room.h - line - px(look, 3)
        second = min(0.3 * room.h, px(look, 90))
        both = len(picture.rows) > 1 and rest - second - heading >= px(look, MAIN_PX)
        high = rest - (second + heading if both else 0)
        boxes = [Box(room.x, line + px(look, 3), room.w, high)]
        if both:
            boxes.append(Box(room.x, room.bottom - second + px(look, 6), room.w, second - px(look, 6)))
        self._plans = tuple(
            plan(
                box,
                row.sublayers,
                picture.stages,
                widths=picture.widths,
                sizes=sizes_of(look, box, sublayers=len(row.sublayers), small=at > 0),
            )
            for at, (row, box) in enumerate(zip(picture.rows, boxes))
        )
        self._place_buttons(picture, self._plans[0])

    def _place_buttons(self, picture: PlacePicture, main: Plan) -> None:
        size = self.other.sizeHint()
        self.other.setGeometry(self.width() - size.width(), 0, size.width(), size.height())
        block, hint = main.sublayers[0].block, self.switch.sizeHint()
        width = hint.width() if hint.width() <= block.w - 2 else self.switch.knob_width()
        height = switch_height(picture.look)
        left = round(block.x + (block.w - width) / 2)
        self.switch.setGeometry(left, round(block.bottom - height - 1), width, height)

    def _other_top(self) -> float:
        return self._plans[1].sublayers[0].block.y - QFontMetricsF(font(self.look, "small")).height() * 2

    def _paint_depth(self, painter: QPainter, depth: DepthPicture, lanes: Lanes) -> None:
        """Lanes and attention, which are many lines, from an image; the FFN that fills over it."""
        key, box = (replace(depth, done=0.0), lanes), Box(0.0, 0.0, self.width(), self.height())
        self._layers.draw_newest(
            painter, "depth", key, box=box, paint=lambda on: paint_still(on, depth, lanes)
        )
        paint_moving(painter, depth, lanes)

    def _paint_heading(self, painter: QPainter, row: Row, placed: Plan) -> None:
        main = placed is self._plans[0]
        theme, face = theme_of(self.look), font(self.look, "small", bold=main)
        line = QFontMetricsF(face).height()
        top = (self.other.height() - line) / 2 if main else placed.top - line - px(self.look, 3)
        beside = main and self.other.isVisibleTo(self)
        width = self.other.x() - px(self.look, 8) if beside else self.width() - 4
        words = fitting((*row.heading, ""), face, width)
        place = QRectF(2, top, width, line)
        draw_text(painter, words, place, font=face, colour=theme.ink if main else theme.muted, align=LEFT)

    def _paint_caption(self, painter: QPainter, picture: PlacePicture) -> None:
        small = font(picture.look, "small")
        draw_lines(painter, self._lines, self._caption, font=small, colour=theme_of(picture.look).muted)
