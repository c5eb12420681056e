"""Depth against width: networks of equal weights, many narrow layers or few wide ones."""

from fractions import Fraction
from math import isqrt

from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.cost import copies_of, matrices_of
from ffn_explorer.core.model_bill import model_bill
from ffn_explorer.core.settings import LIMITS, Settings
from ffn_explorer.core.shape_of import model_shape


def layer_weights(settings: Settings, ratio: Fraction) -> Fraction:
    """Weights of one layer in units of D², at F = ratio · D and heads that fill D together.

    FFN `m r` for each of its experts, attention `2 + 2 H_kv / H`; norms, biases and the router are left out.
    """
    ffn = matrices_of(settings) * ratio * copies_of(settings)
    return ffn + 2 + Fraction(2 * settings.kv_heads, settings.heads)


def at_budget(settings: Settings, weights: int, *, layers: int, ratio: Fraction) -> Settings:
    """Settings of so many layers whose D comes nearest to what a budget of weights allows.

    D is a multiple of the heads.  Within LIMITS: where a budget is out of their reach, the nearest there is.
    """
    exact = Fraction(weights) / (layers * layer_weights(settings, ratio))
    low, high = (int(limit) for limit in LIMITS["d_model"])
    step = settings.heads
    D = round(Fraction(isqrt(int(exact * 4)), 2 * step)) * step
    D = max(step, min(high // step * step, D, _widest(ratio, step)))
    D = max(low, D)
    d_ff = max(1, min(int(LIMITS["d_ff"][1]), round(ratio * D)))
    return settings.with_(
        d_model=D, d_ff=d_ff, layers=layers, layer=min(settings.layer, layers - 1), head_dim=0
    )


def stack_weights(settings: Settings) -> int:
    """Weights of all matrices of a stack, `L (m D F + 2 D H h + 2 D H_kv h)`; its budget."""
    return model_bill(model_shape(settings), Use(tokens=1)).weights()


def _widest(ratio: Fraction, step: int) -> int:
    """Largest multiple of the heads at which F is still allowed."""
    return max(step, int(LIMITS["d_ff"][1] / ratio) // step * step)
