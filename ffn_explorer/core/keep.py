"""Keep-top-k: of each token's memories only the k that write most, the others exactly 0."""

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from ffn_explorer.core.ffn import FFN

_NORMS = WeakTensorKeyDictionary()
"""W_down -> its column norms, for as long as the weights live."""


def column_norms(layer: FFN) -> Tensor:
    """Length of each neuron's value, ||W_down[:, i]|| `[F]`, in float32 (float64 for float64 weights).

    Computed once per layer: weights never change in place.
    """
    if layer.down not in _NORMS:
        wide = torch.promote_types(layer.down.dtype, torch.float32)
        with torch.no_grad():
            _NORMS[layer.down] = torch.linalg.vector_norm(layer.down, dim=0, dtype=wide)
    norms: Tensor = _NORMS[layer.down]
    return norms


def strength_of(hidden: Tensor, norms: Tensor) -> Tensor:
    """How much each memory writes, |m| · ||v|| `[..., F]`, of hidden `[..., F]` and norms `[F]`."""
    return hidden.abs().to(norms.dtype) * norms


def strongest_first(strength: Tensor) -> Tensor:
    """Memories in order `[..., F]` of strength `[..., F]`; equals stand in the order of their numbers.

    NaN comes first, as the strongest: to cut it would hide that the pass is broken.
    """
    return strength.nan_to_num(nan=torch.inf).argsort(dim=-1, descending=True, stable=True)


def keep_strongest(hidden: Tensor, norms: Tensor, k: int) -> Tensor:
    """Hidden `[..., F]` with only each token's k strongest memories left (norms `[F]`, k >= 1).

    out = Σ over the k largest |mᵢ| · ||vᵢ|| of mᵢ vᵢ (Geva 2021, section 5); k >= F returns hidden itself.
    """
    if k >= hidden.shape[-1]:
        return hidden
    with torch.no_grad():
        order = strongest_first(strength_of(hidden, norms))
        kept = torch.zeros_like(hidden, dtype=torch.bool).scatter_(-1, order[..., :k], True)
    # where, not a product: a cut infinity times 0 would be NaN.
    return torch.where(kept, hidden, torch.zeros_like(hidden))
