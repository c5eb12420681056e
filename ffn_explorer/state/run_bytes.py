"""Bytes that a run keeps in memory, tensors that share memory counted once."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.pyramid import nbytes
from ffn_explorer.state.result import Floats, Pyramid

if TYPE_CHECKING:
    from torch import Tensor

    from ffn_explorer.core.experiment import Run


def bytes_of(run: "Run", values: dict[Stage, Floats], pyramids: dict[Stage, Pyramid]) -> int:
    """Bytes of weights and trace (shared memory once), of copies made for showing, and of pyramids."""
    storages = {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in _tensors(run)
    }
    copies = sum(array.nbytes for array in values.values() if array.ctypes.data not in storages)
    return sum(storages.values()) + copies + sum(nbytes(made) for made in pyramids.values())


def _tensors(value: Any) -> Iterator["Tensor"]:  # noqa: ANN401 - any part of a run
    import torch

    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _tensors(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _tensors(getattr(value, field.name))
