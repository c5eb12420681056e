"""Dropout with a seed: the same entries vanish on every machine."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Dropout:
    """Training-time dropout with probability `p`, repeatable through `seed` (Srivastava 2014)."""

    p: float
    seed: int

    def __post_init__(self) -> None:
        """Refuse a probability outside [0, 1)."""
        if not 0 <= self.p < 1:
            raise ValueError(f"dropout probability {self.p} is not in [0, 1)")

    def __call__(self, t: Tensor) -> Tensor:
        """Set a share p of t's entries to 0 and divide the rest by 1 − p (same shape and dtype)."""
        if self.p == 0:
            return t
        # Drawn on the CPU, so that a seed means the same mask on every device.
        chance = torch.rand(t.shape, generator=torch.Generator().manual_seed(self.seed))
        return torch.where((chance >= self.p).to(t.device), t / (1 - self.p), torch.zeros_like(t))
