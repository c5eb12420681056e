"""Tensors as numpy arrays that may be shown."""

from typing import TYPE_CHECKING

from ffn_explorer.state.result import Floats

if TYPE_CHECKING:
    from torch import Tensor


def to_numpy(tensor: "Tensor") -> Floats:
    """Read-only array of a tensor: float64 stays, all else is shown as float32; no copy where possible."""
    import torch

    kept = tensor.detach().cpu()
    if kept.dtype not in (torch.float32, torch.float64):
        kept = kept.float()
    array: Floats = kept.contiguous().numpy()
    array.flags.writeable = False
    return array
