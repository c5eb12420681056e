"""Forward: the pass that keeps every stage, against the bare products with the same matrices."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ffn_explorer.cli.benches.timing import Measured, in_turn, milliseconds
from ffn_explorer.core.settings import Settings

if TYPE_CHECKING:
    from torch import Tensor

    from ffn_explorer.core.ffn import FFN

TOKENS = 128
D_MODEL = 4_096
D_FF = 11_008
BUDGET_S = 10.0
MOST_ROUNDS = 40


def plain_float32() -> Measured:
    """ReLU, two matrices, float32."""
    return _measure("relu", "float32")


def gated_float32() -> Measured:
    """SwiGLU, three matrices, float32."""
    return _measure("swiglu", "float32")


def plain_bfloat16() -> Measured:
    """ReLU, two matrices, bfloat16."""
    return _measure("relu", "bfloat16")


def gated_bfloat16() -> Measured:
    """SwiGLU, three matrices, bfloat16."""
    return _measure("swiglu", "bfloat16")


def rate_512() -> Measured:
    """SwiGLU, three matrices, float32, 512 tokens: the ratio of seconds is that of rates, turned over."""
    # A round takes a second and a half: a few more, since the limit is a narrow one.
    return _measure("swiglu", "float32", tokens=512, budget_s=3 * BUDGET_S)


def _measure(activation: str, dtype: str, *, tokens: int = TOKENS, budget_s: float = BUDGET_S) -> Measured:
    import torch

    from ffn_explorer.core.forward_pass import forward

    ffn, x = _given(Settings(d_model=D_MODEL, d_ff=D_FF, activation=activation, dtype=dtype), tokens)
    with torch.inference_mode():
        hidden = forward(ffn, x).hidden
        ours, bare = in_turn(
            lambda: forward(ffn, x), _products(ffn, x, hidden), budget_s=budget_s, most=MOST_ROUNDS
        )
    return Measured(milliseconds(ours), milliseconds(bare))


def _given(settings: Settings, tokens: int) -> "tuple[FFN, Tensor]":
    """A seeded FFN, and hidden states `[1, S, D]` of so many different tokens."""
    from ffn_explorer.core.ffn import FFN
    from ffn_explorer.core.seeding import seeded_hidden_states, seeded_layer

    ffn = seeded_layer(settings)
    assert isinstance(ffn, FFN)
    x, _ = seeded_hidden_states([[f"token {number}" for number in range(tokens)]], settings)
    return ffn, x


def _products(ffn: "FFN", x: "Tensor", hidden: "Tensor") -> "Callable[[], object]":
    """The FFN's linear maps alone, on inputs of the same shapes and values."""
    from torch.nn import functional as F

    def products() -> object:
        wide = F.linear(x, ffn.up, ffn.up_bias)  # [1, S, D] -> [1, S, F]
        gate = None if ffn.gate is None else F.linear(x, ffn.gate, ffn.gate_bias)
        return wide, gate, F.linear(hidden, ffn.down, ffn.down_bias)  # [1, S, F] -> [1, S, D]

    return products
