"""Exact counts of parameters and FLOPs, from the settings alone (1 multiply-accumulate = 2 FLOPs)."""

from collections.abc import Sequence
from fractions import Fraction

from ffn_explorer.core.records import Bill
from ffn_explorer.core.settings import Settings


def bill(settings: Settings, lengths: Sequence[int]) -> Bill:
    """Bill of one layer for sentences of these lengths (real tokens; padding costs nothing here).

    Matrix products only: norms, activations, products and sums are left out, as is usual.
    Experts: each token pays its K experts, the shared ones and the router; capacity drops nobody here.
    """
    tokens = sum(lengths)
    matrices = matrices_of(settings)
    active = settings.top_k + settings.shared_experts if settings.is_moe else 1
    router = settings.experts * settings.d_model if settings.is_moe else 0
    return Bill(
        ffn_total=ffn_parameters(settings, bias=True),
        ffn_weights=ffn_parameters(settings, bias=False),
        attention_weights=attention_parameters(settings),
        ffn_flops=2 * tokens * (active * matrices * settings.d_model * settings.d_ff + router),
        projection_flops=2 * tokens * attention_parameters(settings),
        score_flops=sum(score_flops(settings, length) for length in lengths),
    )


def matrices_of(settings: Settings) -> int:
    """Matrices of one FFN: up and down, and the gate where there is one."""
    return 3 if settings.gated else 2


def ffn_parameters(settings: Settings, *, bias: bool) -> int:
    """Parameters of the FFN, with all its experts and the router; `bias` counts the biases that are there."""
    d, f = settings.d_model, settings.d_ff
    wide = matrices_of(settings) - 1  # up, and the gate
    with_bias = bias and settings.bias
    one = (wide + 1) * d * f + (wide * f + d if with_bias else 0)
    if not settings.is_moe:
        return one
    # The shared experts are one FFN of width n * F, as in DeepSeek's models.
    n = settings.shared_experts
    shared = (wide + 1) * d * n * f + (wide * n * f + d if with_bias else 0) if n else 0
    selection = settings.experts if bias and settings.routing == "sigmoid_bias" else 0
    return settings.experts * (one + d) + shared + selection


def attention_parameters(settings: Settings) -> int:
    """Weights of the four attention projections, `2 D H h + 2 D K h`, without biases."""
    h = settings.head_width
    return 2 * settings.d_model * h * (settings.heads + settings.kv_heads)


def score_flops(settings: Settings, tokens: int) -> int:
    """Scores and mixing of one sentence: `4 S² H h`, or `2 S (S + 1) H h` in a decoder (no future)."""
    width = settings.heads * settings.head_width
    return 2 * tokens * (tokens + 1) * width if settings.stack == "decoder" else 4 * tokens * tokens * width


def ratio_matched_width(d_ff: int, *, from_gated: bool, to_gated: bool) -> int:
    """Width with the same weights after a gate comes or goes (F -> 2F/3 or 3F/2, rounded; at least 1)."""
    before, after = (3 if gated else 2 for gated in (from_gated, to_gated))
    return max(1, round(Fraction(d_ff * before, after)))


def matched_width(settings: Settings, weights: int) -> int:
    """Width F at which an FFN of these settings comes nearest to that many weights; at least 1, biases apart.

    Experts keep their number: their F follows, after the router has had its share.
    """
    copies = settings.experts + settings.shared_experts if settings.is_moe else 1
    router = settings.experts * settings.d_model if settings.is_moe else 0
    return max(1, round(Fraction(weights - router, matrices_of(settings) * settings.d_model * copies)))


def usual_weights(settings: Settings) -> int:
    """Weights of the usual FFN of this D: two matrices of width 4 D (Vaswani 2017), `8 D²`."""
    return 8 * settings.d_model * settings.d_model
