"""Neurons of an atlas as rows of a list."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.atlas_rows import AtlasRows, is_cosine, symbol
from ffn_explorer.state.looking import AtlasAxis
from ffn_explorer.widgets.ranking import Column, Row
from ffn_explorer.widgets.sorted_list import SortedRanking
from ffn_explorer.widgets.theme import blend, theme_of

WIDEST = f"{numbers.MINUS}0.0888"
ABOVE = 4
"""Rows above the chosen one up to which a list that was never scrolled begins at its first."""

HEADING = -1
"""Key of the heading over the neurons whose numbers are not finite."""


def first_row(rows: AtlasRows, scroll: int, chosen: int | None) -> int:
    """First row in sight: one less than `scroll`, of which 0 keeps the chosen neuron in sight."""
    if scroll:
        return scroll - 1
    place = None if chosen is None else rows.place_of(chosen)
    return 0 if place is None or place < ABOVE else place - 1


def order_of(rows: AtlasRows, first: tuple[AtlasAxis, ...]) -> tuple[AtlasAxis, ...]:
    """Columns: what the list is ordered by, what the plot draws, then the rest."""
    return tuple(dict.fromkeys((rows.sort, *first, *rows.columns)))


@dataclass(frozen=True, slots=True)
class AtlasWords:
    """Words of the list: the head of the neurons' numbers, what a number is, the heading over broken ones."""

    neuron: Column
    explained: Callable[[AtlasAxis], str]
    heading: str


def atlas_ranking(
    rows: AtlasRows,
    look: Appearance,
    words: AtlasWords,
    *,
    first: tuple[AtlasAxis, ...],
    scroll: int,
    chosen: int | None,
    hovered: int | None,
) -> SortedRanking:
    """A row per neuron, its bar the number that the list is ordered by; those not finite under a heading.

    first: what the plot draws.
    """
    axes = order_of(rows, first)
    gap = int(rows.finite < len(rows.order))
    # Lengths have no sign: the hues of signs would say something that is not there.
    theme = theme_of(look)
    neutral = "" if is_cosine(rows.sort) else blend(theme.muted, theme.surface, 0.6).name()

    def row(index: int) -> Row:
        if gap and index == rows.finite:
            return Row(HEADING, ("",) * (len(axes) + 1), 0.0)
        at = int(rows.order[index - int(gap and index > rows.finite)])
        values = [float(rows.columns[axis][at]) for axis in axes]
        texts = (numbers.count(at), *map(numbers.short, values))
        return Row(at, texts, values[0], faded=bool(rows.broken[at]), colour=neutral)

    def place(key: int) -> int | None:
        found = rows.place_of(key)
        return None if found is None else found + int(gap and found >= rows.finite)

    heads = (Column(symbol(axis), tip=words.explained(axis), widest=WIDEST) for axis in axes)
    return SortedRanking(
        look=look,
        columns=(words.neuron, *heads),
        bar_head=symbol(rows.sort),
        total=len(rows.order) + gap,
        row=row,
        first=scroll,
        limit=_limit(rows),
        signed=is_cosine(rows.sort),
        chosen=chosen,
        hovered=hovered,
        place=place,
        names=("", *axes, rows.sort),
        sort=rows.sort,
        smallest=rows.smallest,
        heading=lambda _key: words.heading,
    )


def _limit(rows: AtlasRows) -> float:
    """Magnitude at the end of the bars."""
    values = rows.columns[rows.sort]
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max(initial=0.0)) or 1.0
