"""Exact counts of parameters and FLOPs of one layer, from the settings alone (1 multiply-add = 2 FLOPs)."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ffn_explorer.core.architecture import FFNShape
from ffn_explorer.core.attention_rows import Reach, projection_rows
from ffn_explorer.core.attention_rows import score_flops as _score_flops
from ffn_explorer.core.bill_row import Row, Use
from ffn_explorer.core.ffn_rows import ffn_rows
from ffn_explorer.core.records import Bill
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.shape_of import ffn_shape, model_shape


def bill(settings: Settings, lengths: Sequence[int], *, ffn: FFNShape | None = None) -> Bill:
    """Bill of one layer for sentences of these lengths (real tokens; padding costs nothing here).

    ffn: the FFN where it is not the one of the settings, as in an opened file.

    Matrix products only: norms, activations, products and sums are left out, as is usual.
    Experts: each token pays its K experts, the shared ones and the router; capacity drops nobody here.
    """
    tokens = sum(lengths)
    rows, projections = _ffn(settings, tokens, ffn), _projections(settings, tokens)
    return Bill(
        ffn_total=_count(rows),
        ffn_weights=_count(row for row in rows if row.is_matrix),
        attention_weights=_count(projections),
        ffn_flops=sum(row.flops.value for row in rows),
        projection_flops=sum(row.flops.value for row in projections),
        score_flops=sum(score_flops(settings, length) for length in lengths),
    )


def matrices_of(settings: Settings) -> int:
    """Matrices of one FFN: up and down, and the gate where there is one."""
    return 3 if settings.gated else 2


def copies_of(settings: Settings) -> int:
    """FFNs in one layer: every expert and every shared one, or the only one there is."""
    return settings.experts + settings.shared_experts if settings.is_moe else 1


def router_weights(settings: Settings) -> int:
    """Weights of the router, `E D`; 0 where nothing is routed."""
    return settings.experts * settings.d_model if settings.is_moe else 0


def ffn_parameters(settings: Settings, *, bias: bool) -> int:
    """Parameters of the FFN, with all its experts and the router; `bias` counts the biases that are there."""
    return _count(row for row in _ffn(settings, 1) if bias or row.is_matrix)


def ffn_count(ffn: FFNShape, d_model: int) -> int:
    """Parameters of an FFN of these sizes, with all its experts, biases and the router."""
    return _count(ffn_rows(ffn, d_model, tokens=1))


def attention_parameters(settings: Settings) -> int:
    """Weights of the four attention projections, `2 D H h + 2 D K h`, without biases."""
    return _count(_projections(settings, 1))


def score_flops(settings: Settings, tokens: int) -> int:
    """Scores and mixing of one sentence: `4 S² H h`, or `2 S (S + 1) H h` in a decoder (no future)."""
    reach = Reach(Use(tokens), causal=settings.stack == "decoder")
    return _score_flops(model_shape(settings).usual_layer.attention, reach).value


def ratio_matched_width(d_ff: int, *, from_gated: bool, to_gated: bool) -> int:
    """Width with the same weights after a gate comes or goes (F -> 2F/3 or 3F/2, rounded; at least 1)."""
    before, after = (3 if gated else 2 for gated in (from_gated, to_gated))
    return max(1, round(Fraction(d_ff * before, after)))


def matched_width(settings: Settings, weights: int) -> int:
    """Width F at which an FFN of these settings comes nearest to that many weights; at least 1, biases apart.

    Experts keep their number: their F follows, after the router has had its share.
    """
    one = Fraction(weights - router_weights(settings), copies_of(settings))
    return max(1, round(one / (matrices_of(settings) * settings.d_model)))


def usual_weights(settings: Settings) -> int:
    """Weights of the usual FFN of this D: two matrices of width 4 D (Vaswani 2017), `8 D²`."""
    return 8 * settings.d_model * settings.d_model


def _ffn(settings: Settings, tokens: int, ffn: FFNShape | None = None) -> list[Row]:
    return ffn_rows(ffn or ffn_shape(settings), settings.d_model, tokens=tokens)


def _projections(settings: Settings, tokens: int) -> list[Row]:
    attention = model_shape(settings).usual_layer.attention
    return projection_rows(attention, settings.d_model, Reach(Use(tokens), causal=False))


def _count(rows: Iterable[Row]) -> int:
    return sum(row.count.value for row in rows)
