"""A neuron's lists of tokens as groups of chips."""

import math
from collections.abc import Sequence
from typing import Any

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.file_results import NearestNeurons, TokenList, TokenRow
from ffn_explorer.state.looking import By
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.theme import theme_of
from ffn_explorer.widgets.word_chips import WordChip

TOKEN, NEURON = "token", "neuron"
"""Names of groups: what the keys of their chips are."""


def _say(language: str, key: str, /, **values: Any) -> str:  # noqa: ANN401 - numbers and strings alike
    return say(language, f"panel.reads.{key}", **values)


def token_chips(
    look: Appearance, rows: Sequence[TokenRow], *, limit: float, colour: str
) -> tuple[WordChip, ...]:
    """Chips of tokens; limit: the score at which a bar fills its chip."""
    return tuple(_token(look, row, limit=limit, colour=colour) for row in rows)


def _token(look: Appearance, row: TokenRow, *, limit: float, colour: str) -> WordChip:
    face = font(look, "body")
    word = shown_token(row.shown, face) if row.shown else f"#{row.token}"
    said = {"token": word, "n": row.token, "score": numbers.short(row.score)}
    if row.cosine is None:
        tip = _say(look.language, "chip_tip", **said)
    else:
        tip = _say(look.language, "chip_tip_cosine", **said, cosine=numbers.short(row.cosine))
    share = min(1.0, abs(row.score) / limit) if limit > 0.0 and math.isfinite(row.score) else 0.0
    return WordChip(row.token, word, tip, share, colour)


def limit_of(found: TokenList) -> float:
    """The largest score of a list, at either end; 0 where none is finite."""
    sizes = [abs(row.score) for row in (*found.most, *found.least)]
    return max(filter(math.isfinite, sizes), default=0.0)


def has_numbers(found: TokenList | NearestNeurons) -> bool:
    """Whether any score is finite: else the vector is not, and the order says nothing."""
    rows = (*found.most, *found.least)
    return any(math.isfinite(row[1] if isinstance(row, tuple) else row.score) for row in rows)


def colours_of(look: Appearance, role: By) -> tuple[str, str]:
    """Colours of the chips at both ends of a list: a route's own for reading, the signs' for writing."""
    theme = theme_of(look)
    if role == "down":
        return theme.positive, theme.negative
    own = theme.stages[Stage.GATE if role == "gate" else Stage.UP]
    return own, theme.muted


def neuron_chips(look: Appearance, found: NearestNeurons, *, opposite: bool) -> tuple[WordChip, ...]:
    """Chips of neurons that point as this one does, or the other way."""
    theme, made = theme_of(look), []
    for neuron, cosine in found.least if opposite else found.most:
        tip = _say(look.language, "near_tip", n=numbers.count(neuron), cosine=numbers.short(cosine))
        colour = theme.negative if cosine < 0.0 else theme.positive
        made.append(WordChip(neuron, numbers.count(neuron), tip, min(1.0, abs(cosine)), colour))
    return tuple(made)
