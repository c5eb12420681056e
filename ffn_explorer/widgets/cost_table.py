"""The rows of a bill as a list: parameters, FLOPs and bytes of each, with a bar for what is sorted by."""

from collections.abc import Sequence
from dataclasses import dataclass

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.ranked import Column, Ranking, Row


@dataclass(frozen=True, slots=True)
class CostRow:
    """One row: its name, and its numbers in words (of both bills where there are two), by column."""

    name: str
    words: tuple[str, ...]
    share: float
    colour: str
    other: float | None = None


def cost_ranking(
    rows: Sequence[CostRow],
    look: Appearance,
    heads: Sequence[tuple[str, str]],
    *,
    bar_head: str,
    first: int,
    chosen: int | None,
) -> Ranking:
    """Ranking in the order given; heads: word and explanation of each column, the name's first."""
    columns = []
    for at, (head, tip) in enumerate(heads):
        texts = [row.name if at == 0 else row.words[at - 1] for row in rows]
        columns.append(
            Column(head, "left" if at == 0 else "right", tip, widest=max(texts, key=len, default=""))
        )

    def row(place: int) -> Row:
        shown = rows[place]
        texts = (shown.name, *shown.words)
        return Row(place, texts, shown.share, shown.other, colour=shown.colour)

    return Ranking(
        look=look,
        columns=tuple(columns),
        bar_head=bar_head,
        total=len(rows),
        row=row,
        first=first,
        limit=max([1e-9, *(row.share for row in rows), *(row.other or 0.0 for row in rows)]),
        chosen=chosen,
        place=lambda key: key,
        percent=True,
        keeps=4,
    )
