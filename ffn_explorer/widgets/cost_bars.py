"""CostBars: parameters, FLOPs and bytes as stacked bars under each other, those of a second bill beneath."""

import math
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.drawn_text import CENTRE, LEFT, advance, draw_text, fitting
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.hatch import whole
from ffn_explorer.widgets.picture_canvas import PictureCanvas
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.stacked_bar import draw_ticks, laid
from ffn_explorer.widgets.theme import Theme, blend, ink_on, theme_of

LEAST_BAR_PX, MOST_BAR_PX = 10.0, 30.0
OTHER_SHARE = 0.55
"""Height of the second bill's bar, as a share of the first one's."""

_STAGES = {"gate": Stage.GATE, "up": Stage.UP, "down": Stage.OUT, "embeddings": Stage.INPUT}
_SHADES = {
    "bias": 0.8, "router": 0.65, "attention": 0.42, "scores": 0.26, "cache": 0.16, "norms": 0.9,
    "other": 0.55,
}  # fmt: skip
"""Opacity of pieces without a stage colour."""


@dataclass(frozen=True, slots=True)
class CostPiece:
    """A piece of a bar; words: what stands in it, longest first.  tip: all about it."""

    group: str
    value: int
    words: tuple[str, ...]
    tip: str


@dataclass(frozen=True, slots=True)
class CostBar:
    """One bar: its head, longest wording first, the unit of its axis, the pieces of both bills."""

    head: tuple[str, ...]
    unit: str
    pieces: tuple[CostPiece, ...]
    other: tuple[CostPiece, ...] = ()

    @property
    def most(self) -> int:
        """End of the axis."""
        return max(1, *(sum(piece.value for piece in pieces) for pieces in (self.pieces, self.other)))


@dataclass(frozen=True, slots=True)
class CostPicture:
    """All that is drawn; chosen: the group that is picked out, "" for none."""

    look: Appearance
    bars: tuple[CostBar, ...]
    chosen: str = ""


@dataclass(frozen=True, slots=True)
class _Places:
    """Where one bar stands."""

    head: QRectF
    strip: QRectF
    other: QRectF
    ticks: QRectF


class CostBars(PictureCanvas[CostPicture]):
    """Shows a CostPicture."""

    chosen = Signal(str)
    """Group of the piece that was clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build empty bars."""
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Maximum)
        self.moved.connect(self._report)

    def show_picture(self, picture: CostPicture) -> None:
        """Draw a picture; heads, thin bars and ticks always have room."""
        super().show_picture(picture)
        self.setMinimumHeight(math.ceil(self._needed(LEAST_BAR_PX)))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Room for full bars."""
        return QSize(360, math.ceil(self._needed(px(self.look, MOST_BAR_PX))))

    def places(self) -> tuple[_Places, ...]:
        """Where the bars stand, from top to bottom."""
        shown = self.picture
        if shown is None:
            return ()
        line = self._line()
        paired = any(bar.other for bar in shown.bars)
        share = 1.0 + (OTHER_SHARE if paired else 0.0)
        fixed = self._needed(0.0)
        bar = max(LEAST_BAR_PX, (self.height() - fixed) / len(shown.bars) / share)
        bar = whole(min(px(self.look, MOST_BAR_PX), bar), 1.0)
        made, top = [], 0.0
        for _ in shown.bars:
            head = QRectF(0, top, self.width(), line)
            strip = QRectF(0, head.bottom() + 2, self.width(), bar)
            other = QRectF(
                0, strip.bottom() + 2, self.width(), whole(bar * OTHER_SHARE, 1.0) if paired else 0
            )
            ticks_at = QRectF(0, (other if paired else strip).bottom() + 1, self.width(), line)
            made.append(_Places(head, strip, other, ticks_at))
            top = ticks_at.bottom() + px(self.look, 7)
        return tuple(made)

    def piece_at(self, at: QPointF) -> CostPiece | None:
        """The piece at a position."""
        shown = self.picture
        for bar, place in zip(shown.bars if shown else (), self.places(), strict=True):
            for pieces, strip in ((bar.pieces, place.strip), (bar.other, place.other)):
                for piece, rect in laid(pieces, strip, bar.most):
                    if rect.contains(at):
                        return piece
        return None

    def paint_front(self, painter: QPainter) -> None:
        """Paint the bars."""
        shown = self.picture
        if shown is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            for bar, place in zip(shown.bars, self.places(), strict=True):
                self._paint_bar(painter, shown, bar, place)
        super().paint_front(painter)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the piece under the pointer."""
        super().mousePressEvent(event)
        piece = self.piece_at(event.position())
        if piece is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(piece.group)

    def _line(self) -> float:
        return QFontMetricsF(font(self.look, "small")).height()

    def _needed(self, bar: float) -> float:
        """Height of everything with bars of a height."""
        count = 3 if self.picture is None else len(self.picture.bars)
        paired = self.picture is not None and any(bar.other for bar in self.picture.bars)
        high = bar * (1.0 + (OTHER_SHARE if paired else 0.0))
        return count * (2 * self._line() + 5 + high + px(self.look, 7))

    def _paint_bar(self, painter: QPainter, shown: CostPicture, bar: CostBar, place: _Places) -> None:
        theme, small = theme_of(self.look), font(self.look, "small")
        bold = font(self.look, "small", bold=True)
        head = fitting(bar.head, bold, place.head.width())
        draw_text(painter, head, place.head, font=bold, colour=theme.ink, align=LEFT)
        for piece, rect in laid(bar.pieces, place.strip, bar.most):
            ground = colour_of(piece.group, theme)
            inner = rect.adjusted(0, 0, -1, 0) if rect.width() > 2 else rect
            painter.fillRect(inner, ground)
            words = next((w for w in piece.words if advance(w, small) + 8 <= rect.width()), "")
            if words and rect.height() >= self._line() - 2:
                ink = ink_on(ground.name())
                draw_text(painter, words, rect, font=small, colour=ink, align=CENTRE)
            if piece.group == shown.chosen:
                painter.setPen(QPen(QColor(theme.ink), line_px(self.look, 2.0)))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(inner.adjusted(0.5, 0.5, -0.5, -0.5))
        for piece, rect in laid(bar.other, place.other, bar.most):
            inner = rect.adjusted(0, 0, -1, 0) if rect.width() > 2 else rect
            painter.fillRect(inner, blend(colour_of(piece.group, theme).name(), theme.surface, 0.55))
        draw_ticks(painter, bar.most, bar=place.strip, below=place.ticks, unit=bar.unit, look=self.look)

    def _report(self, at: QPointF | None) -> None:
        piece = None if at is None else self.piece_at(at)
        self.setToolTip("" if piece is None else f"<p>{escape(piece.tip)}</p>")


def colour_of(group: str, theme: Theme) -> QColor:
    """Colour of a piece: that of the stage that reads it, else a shade of grey."""
    stage = _STAGES.get(group)
    return blend(theme.muted, theme.surface, _SHADES[group]) if stage is None else theme.stage(stage)
