"""The numbers of a trace as an NPZ file, written whole or not at all."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.trace import Trace
from ffn_explorer.state.files import reason_of, whole


def arrays_of(trace: Trace) -> dict[str, NDArray[np.generic]]:
    """Arrays by their public names, those of gate and experts only where there are some.

    bfloat16, which numpy lacks, becomes float32.
    """
    tensors: dict[str, Tensor | None] = {
        "x": trace.x,
        "normed": trace.normed,
        "up": trace.up,
        "gate": trace.gate,
        "act": trace.act,
        "hidden": trace.hidden,
        "out": trace.out,
        "residual": trace.residual,
    }
    if trace.routing is not None:
        tensors |= {
            "router_logits": trace.routing.logits,
            "expert_index": trace.routing.index,
            "expert_weight": trace.routing.weight,
            "expert_hidden": trace.routing.hidden,
        }
    return {name: _array(tensor) for name, tensor in tensors.items() if tensor is not None}


def write_npz(path: Path, trace: Trace) -> None:
    """Write the file beside its place and move it there; InputError when that cannot be done."""
    try:
        with whole(path) as file:
            np.savez(file, **arrays_of(trace))  # type: ignore[arg-type]  # the stub takes them for allow_pickle
    except OSError as error:
        raise InputError("error.write", path=str(path), why=reason_of(error)) from error


def _array(tensor: Tensor) -> NDArray[np.generic]:
    kept = tensor.cpu()
    array: NDArray[np.generic] = (kept.float() if kept.dtype == torch.bfloat16 else kept).numpy()
    return array
