"""Contributions as a ranked list: a row per neuron, and rows for what else belongs to the sum."""

import numpy as np

from ffn_explorer.core.readings import Contributions
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.pyramid import rounded_up
from ffn_explorer.widgets.parts_words import PartsWords, plus
from ffn_explorer.widgets.ranked import Column, Ranking, Row
from ffn_explorer.widgets.sum_list import TOTAL, Tail

OTHERS, BIAS, REST, ROUNDING = -2, -3, -4, -5

SEEN = 5e-4
"""What rounding took is a row of its own from this share of the sum on: 3 digits would show it."""

_WIDEST = f"{numbers.MINUS}0.0888"


def ranking_of(
    reading: Contributions,
    look: Appearance,
    words: PartsWords,
    *,
    first: int,
    width: int,
    progress: float,
    chosen: int | None,
    hovered: int | None,
) -> Ranking:
    """Ranking of all parts; key = expert · width + neuron, width = F."""
    part = reading.part
    keys = reading.neuron if reading.expert is None else reading.expert * width + reading.neuron
    finite = part[np.isfinite(part)]

    def row(place: int) -> Row:
        value = float(part[place])
        texts = (
            words.name(int(reading.neuron[place])),
            plus(value),
            *(() if reading.expert is None else (str(int(reading.expert[place])),)),
            numbers.short(float(reading.pre[place])),
            numbers.short(float(reading.m[place])),
        )
        return Row(int(keys[place]), texts, value, faded=value == 0.0)

    def place_of(key: int) -> int | None:
        found = np.flatnonzero(keys == key)
        return int(found[0]) if found.size else None

    return Ranking(
        look=look,
        columns=_columns(reading, words),
        bar_head=words.bar,
        total=len(part),
        row=row,
        first=first,
        limit=rounded_up(float(np.abs(finite).max(initial=0.0))),
        signed=True,
        progress=progress,
        chosen=chosen,
        hovered=hovered,
        place=place_of,
    )


def tail_of(reading: Contributions, words: PartsWords, *, chained: bool, progress: float) -> Tail:
    """The other neurons together, bias, rest and the sum itself; or all the others in one row."""
    gap = () if reading.expert is None else ("",)

    def closing(key: int, name: str, value: float) -> Row:
        return Row(key, (name, plus(value), *gap, "", ""), value)

    lost = reading.out - float(reading.part.sum()) - reading.bias - reading.rest
    rows = [closing(BIAS, words.bias, reading.bias)] if reading.bias else []
    rows += [closing(REST, words.rest, reading.rest)] if words.rest else []
    rows += [closing(ROUNDING, words.rounding, lost)] if abs(lost) > SEEN * abs(reading.out) else []
    rows.append(closing(TOTAL, words.total, reading.out))

    def left_over(first: int, past: int) -> int:
        return len(reading.part) - (past - first)

    def full(first: int, past: int) -> tuple[Row, ...]:
        if not left_over(first, past):
            return tuple(rows)
        others = float(reading.part[:first].sum() + reading.part[past:].sum())
        return (closing(OTHERS, words.others(left_over(first, past)), others), *rows)

    def brief(first: int, past: int) -> tuple[Row, ...]:
        others = reading.out - float(reading.part[first:past].sum())
        return (closing(OTHERS, words.brief, others),)

    return Tail(full, brief, 1 + len(rows), chained=chained, progress=progress)


def table_of(reading: Contributions) -> list[list[str]]:
    """Every neuron's part, largest first, and what else belongs to the sum: exact numbers under a head."""
    columns = {
        "neuron": reading.neuron,
        "expert": reading.expert,
        "pre-activation": reading.pre,
        "act": reading.act,
        "m": reading.m,
        "part": reading.part,
    }
    kept = {name: column.tolist() for name, column in columns.items() if column is not None}
    rows = [list(map(repr, row)) for row in zip(*kept.values(), strict=True)]
    gap = [""] * (len(kept) - 2)
    sums = [[name, *gap, repr(getattr(reading, name))] for name in ("bias", "rest", "out", "x", "y")]
    return [list(kept), *rows, *sums]


def _columns(reading: Contributions, words: PartsWords) -> tuple[Column, ...]:
    """Neuron, what it adds, expert of a mixture, its pre-activation and m; the last give way first."""
    return (
        Column(words.neuron, "left"),
        Column(words.adds, tip=words.adds_tip, widest=_WIDEST),
        *(() if reading.expert is None else (Column(words.expert),)),
        Column(words.pre, tip=words.pre_tip, widest=_WIDEST),
        Column(words.m, tip=words.m_tip, widest=_WIDEST),
    )
