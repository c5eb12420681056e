"""Where the FLOPs of attention overtake those of the FFN, as the sequence grows."""

from dataclasses import dataclass
from fractions import Fraction

from ffn_explorer.core.architecture import ModelShape
from ffn_explorer.core.attention_rows import Reach, score_flops
from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.model_bill import layer_bill


@dataclass(frozen=True, slots=True)
class Crossings:
    """Lengths S (tokens, exact) at which two curves of one layer meet; None where they never do.

    scores_equal_ffn: scores and mixing alone.  attention_equals_ffn: with the projections, which may cost
    more than the FFN from the first token on; then there is no such S either.
    """

    scores_equal_ffn: Fraction | None
    attention_equals_ffn: Fraction | None


def crossings(model: ModelShape, *, causal: bool = False) -> Crossings:
    """Crossings of one layer of the form that most have.

    Per token the FFN costs `f` and the projections `p`, and the scores cost `c S`, without the future
    `c (S + 1) / 2`: so S = f / c and (f - p) / c.  A window of w tokens ends their growth at S = w; without
    the future they still come nearer to w tokens each, `c (w - w (w - 1) / (2 S))`.
    """
    one = layer_bill(model, Use(tokens=1, causal=causal))
    ffn, projections = one.flops("ffn", "router"), one.flops("attention")
    attention = model.usual_layer.attention
    pair = score_flops(attention, Reach(Use(1, causal=False), causal=False)).value

    def meet(spent: int) -> Fraction | None:
        if spent <= 0 or pair == 0:
            return None
        met, w = Fraction(spent, pair), attention.window  # tokens that each token meets on average
        S = 2 * met - 1 if causal else met
        if 0 < w < S:
            if not causal or met >= w:
                return None
            S = w * (w - 1) / (2 * (w - met))
        return S if S >= 1 else None

    return Crossings(meet(ffn), meet(ffn - projections))
