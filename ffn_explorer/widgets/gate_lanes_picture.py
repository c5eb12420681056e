"""What the lanes of a gated FFN show for one token, and the places that follow from it."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.result import Bytes, Floats, Pyramid
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

LABELS_SHARE = 0.26
_GAP_PX = 4


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """One strip over all neurons: values of a stage, or (with share) where its gates are nearly shut.

    exact `[F]`; made: its pyramid; share: per level of `made` the active fraction `[B, S, C]`, for the mask;
    () while it is being counted.
    """

    name: str
    scale: str
    """Value of the full colour, as printed."""
    stage: Stage
    exact: Floats
    made: Pyramid
    share: tuple[Bytes, ...] | None
    progress: float


@dataclass(frozen=True, slots=True)
class LaneWords:
    """Words beside the lanes, in the person's language."""

    axis: str
    readout: tuple[str, ...]
    chosen: str
    """Label of the chosen neuron on the axis."""


@dataclass(frozen=True, slots=True, eq=False)
class LanesPicture:
    """All that the lanes draw; place = sentence and token; first and shown are neurons in sight."""

    look: Appearance
    place: tuple[int, int]
    lanes: tuple[Lane, ...]
    width: int
    first: int
    shown: int
    chosen: int | None
    pointed: int | None
    words: LaneWords


@dataclass(frozen=True, slots=True)
class LanePlaces:
    """Rectangles in logical pixels; lanes begin and end on whole device pixels."""

    lanes: tuple[QRectF, ...]
    pixels: int
    """Device pixels along a lane."""
    ticks: QRectF
    readout: QRectF

    @property
    def left(self) -> float:
        """Left edge of all lanes."""
        return self.lanes[0].left()

    @property
    def width(self) -> float:
        """Width of all lanes."""
        return self.lanes[0].width()


def lane_places(shown: LanesPicture, width: float, height: float, *, ratio: float) -> LanePlaces | None:
    """Divide a widget; None where there is no room."""
    look = shown.look
    small, bold = (QFontMetricsF(font(look, "small", bold=strong)) for strong in (False, True))
    line, gap = small.height(), px(look, _GAP_PX)
    names = max(map(bold.horizontalAdvance, (*(lane.name for lane in shown.lanes), shown.words.axis)))
    scales = max(small.horizontalAdvance(lane.scale) for lane in shown.lanes)
    left = round((min(names, width * LABELS_SHARE) + px(look, 8)) * ratio)
    pixels = int((width - scales - px(look, 8)) * ratio) - left
    readout = line if height > 8 * line else 0.0
    foot = line + gap + (readout + gap if readout else 0.0)
    count = len(shown.lanes)
    each = int((height - foot - gap * (count - 1)) / count * ratio)
    if pixels < 1 or each < 1:
        return None
    step = each + round(gap * ratio)
    rects = tuple(QRectF(left / ratio, i * step / ratio, pixels / ratio, each / ratio) for i in range(count))
    bottom = rects[-1].bottom()
    return LanePlaces(
        lanes=rects,
        pixels=pixels,
        ticks=QRectF(left / ratio, bottom + gap, pixels / ratio, line),
        readout=QRectF(0, height - line - 1, width, readout),
    )
