"""Token shift: an FFN that also reads the token before, as RWKV mixes its channels; not position-wise."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class TokenShift:
    """Weights of RWKV's channel mixing beside up and down (Peng 2023, eqs. 16-18).

    key_mix, receptance_mix `[D]`: share of the token itself, per dimension.  receptance `[D, D]`: W_r.
    """

    key_mix: Tensor
    receptance_mix: Tensor
    receptance: Tensor


def shifted(x: Tensor, mix: Tensor) -> Tensor:
    """μ ⊙ x_t + (1 − μ) ⊙ x_{t−1} of x `[B, S, D]`; before the first token stands 0."""
    before = F.pad(x, (0, 0, 1, -1))  # [B, S, D], one place later
    return x * mix + before * (1 - mix)


def openness(x: Tensor, shift: TokenShift) -> Tensor:
    """σ(W_r x_r) `[B, S, D]`, with x_r as `shifted` mixes it: how much of each dimension of out passes."""
    return torch.sigmoid(F.linear(shifted(x, shift.receptance_mix), shift.receptance))
