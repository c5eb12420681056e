"""Rows of a neuron's card: its values along the sentence, and the dimensions that it reads and writes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ffn_explorer.core.readings import NeuronCard
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.pyramid import rounded_up
from ffn_explorer.state.result import Floats
from ffn_explorer.widgets.ranked import Column, Ranking, Row

NOTHING = "–"
"""Where a token chose other experts, or where a value has no place."""

WIDEST = f"{numbers.MINUS}0.0888"
"""A value as wide as most, so that columns keep their places while the pass fills them."""


@dataclass(frozen=True, slots=True)
class Known:
    """How far the pass is, 0..1 each: what enters the activation, what leaves it, the hidden value."""

    pre: float
    act: float
    m: float


def token_ranking(
    card: NeuronCard,
    look: Appearance,
    columns: tuple[Column, ...],
    *,
    tokens: Sequence[str],
    known: Known,
    other: Floats | None,
    bar: str,
    first: int,
    chosen: int | None,
    hovered: int | None,
) -> Ranking:
    """A row per token, in their order: m, pre-activation, act, its place among all neurons."""

    def row(token: int) -> Row:
        m = float(card.m[token])
        absent = card.rank[token] < 0
        if absent:
            return Row(token, (tokens[token], *(NOTHING,) * 4), 0.0, faded=True)
        place = numbers.count(int(card.rank[token]) + 1) if m != 0.0 else NOTHING
        texts = (
            (known.m, numbers.short(m)),
            (known.pre, numbers.short(float(card.pre[token]))),
            (known.act, numbers.short(float(card.act[token]))),
            (known.m, place),
        )
        shown = tuple(text if done >= 1.0 else "" for done, text in texts)
        b = None if other is None else float(other[token])
        return Row(token, (tokens[token], *shown), m, b, faded=m == 0.0 and known.m >= 1.0)

    rows = [card.m] if other is None else [card.m, other]
    return Ranking(
        look=look,
        columns=columns,
        bar_head=bar,
        total=len(card.m),
        row=row,
        first=first,
        limit=limit_of(rows),
        signed=True,
        progress=known.m,
        chosen=chosen,
        hovered=hovered,
        place=lambda token: token,
    )


def dim_ranking(
    weights: Floats,
    look: Appearance,
    columns: tuple[Column, ...],
    *,
    name: Callable[[int], str],
    bar: str,
    first: int,
    chosen: int | None,
    hovered: int | None,
) -> Ranking:
    """A row per dimension `[D]`, the largest weight first."""
    order = np.argsort(-np.nan_to_num(np.abs(weights), nan=-1.0), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))

    def row(rank: int) -> Row:
        dim = int(order[rank])
        weight = float(weights[dim])
        return Row(dim, (name(dim), numbers.short(weight)), weight, faded=weight == 0.0)

    return Ranking(
        look=look,
        columns=columns,
        bar_head=bar,
        total=len(weights),
        row=row,
        first=first,
        limit=limit_of([weights]),
        signed=True,
        chosen=chosen,
        hovered=hovered,
        place=lambda dim: int(place[dim]) if 0 <= dim < len(place) else None,
    )


def limit_of(rows: Sequence[Floats]) -> float:
    """Magnitude at the end of the bars."""
    values = np.concatenate([row[np.isfinite(row)] for row in rows])
    return rounded_up(float(np.abs(values).max(initial=0.0)))
