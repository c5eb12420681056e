"""Where the marks under a heat map stand, and which of them find room."""

from functools import lru_cache
from typing import NamedTuple

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.axes import whole_ticks
from ffn_explorer.widgets.drawn_text import advance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

_WIDE_CELL_PX = 6.0
_TICK_GAP_PX = 5


class Tick(NamedTuple):
    """A mark: its words, and their place along the axis in logical pixels."""

    text: str
    left: float
    width: float


@lru_cache(maxsize=32)
def map_ticks(
    look: Appearance,
    sides: tuple[float, float],
    span: tuple[int, int, int],
    chosen: tuple[str, float] | None,
) -> tuple[tuple[Tick, ...], tuple[Tick, ...]]:
    """Marks of the columns, and the label of the chosen one, which displaces them.

    sides: left and right edge of the map; span: first column, columns shown, columns of the stage;
    chosen: its words and the middle of its pixels.
    """
    (left, right), (first, shown, end), past = sides, span, span[0] + span[1]
    wide, gap = (right - left) / shown >= _WIDE_CELL_PX, px(look, _TICK_GAP_PX)

    def tick(text: str, x: float, *, bold: bool = False) -> Tick:
        width = advance(text, font(look, "small", bold=bold)) + 2
        return Tick(text, min(max(x - width / 2, left - 2), right + px(look, 4) - width), width)

    def at(column: int) -> Tick:
        edge = column + 0.5 if wide else column
        return tick(f"{column:,}", left + (edge - first) / shown * (right - left))

    most = max(1, int((right - left) / px(look, 84)))
    # Past its last column a stage has no numbers.
    marks = [mark for mark in whole_ticks(first, past, most=most) if mark <= end]
    ends = () if wide else tuple(mark for mark in (end, past) if first < mark <= min(end, past))
    # The first column says where the axis begins: no other mark may take its place.
    ticks, label = [at(first)], []
    if chosen is not None:
        asked = tick(*chosen, bold=True)
        label.append(asked._replace(left=max(asked.left, ticks[0].left + ticks[0].width + gap)))
    for mark in (*ends, *(mark for mark in marks if not (wide and mark == past))):
        made = at(mark)
        if not any(_touch(made, other, gap) for other in (*ticks, *label)):
            ticks.append(made)
    return tuple(ticks), tuple(label)


def _touch(one: Tick, other: Tick, gap: float) -> bool:
    """Whether two marks stand less than a gap apart."""
    return one.left - gap < other.left + other.width and other.left < one.left + one.width + gap
