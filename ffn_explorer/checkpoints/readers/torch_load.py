"""The one place that lets torch read a file: weights only, onto the CPU, mapped where the file allows."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ffn_explorer.checkpoints.codec import Bytes
from ffn_explorer.checkpoints.readers.torch_names import Found
from ffn_explorer.checkpoints.readers.torch_plan import Planned, Refused


def loaded(path: Path, *, mapped: bool) -> Any:  # noqa: ANN401 - whatever the file holds
    """What torch makes of a file that was read and checked before; Refused where it cannot.

    A file larger than memory may not be mapped; it is then read without its numbers.
    """
    import torch

    try:
        return _load(path, map_location="cpu", mmap=True if mapped else None)
    except Refused as refused:
        if not mapped or "unable to mmap" not in str(refused.__cause__):
            raise
    # Before this function came, torch would have read every number to put it nowhere.
    if not hasattr(torch.serialization, "_is_meta_location"):
        raise Refused("torch_map")
    return _load(path, map_location="meta", mmap=None)


def _load(path: Path, *, map_location: str, mmap: bool | None) -> Any:  # noqa: ANN401
    import torch

    with warnings.catch_warnings():
        # What torch says of its own ways with quantised and sparse tensors tells a person nothing.
        warnings.simplefilter("ignore", UserWarning)
        try:
            return torch.load(path, weights_only=True, map_location=map_location, mmap=mmap)
        except Exception as error:
            raise Refused("torch_load") from error


def reached(whole: Any, found: Sequence[Found]) -> list[Any]:  # noqa: ANN401 - tensors, of a library without types
    """The tensors that torch has at the same places; Refused where it understood the file otherwise."""
    tensors = []
    for one in found:
        value = whole
        try:
            for key in one.keys:
                value = value[key]
        except (KeyError, IndexError, TypeError) as error:
            raise Refused("torch_load") from error
        _check_same(value, one.tensor)
        tensors.append(value)
    return tensors


def check_places(tensors: Sequence[Any], places: Sequence[int | None]) -> None:
    """See that torch found every storage where the directory puts it; places: in the file, None for none."""
    from torch import Tensor

    mapped: set[int] = set()
    for tensor, place in zip(tensors, places):
        if place is None or tensor.is_quantized or not Tensor.numel(tensor):
            continue
        storage = Tensor.untyped_storage(tensor)
        if tensor.device.type == "cpu":
            mapped.add(storage.data_ptr() - place)
        elif getattr(storage, "_checkpoint_offset", place) != place:
            raise Refused("torch_load")
    # The mapping begins at one address, the start of the file.
    if len(mapped) > 1:
        raise Refused("torch_load")


def bytes_of(tensor: Any) -> Bytes:  # noqa: ANN401 - a tensor, of a library without types
    """Bytes of the storage that a tensor in memory lies in, not copied."""
    import torch

    whole = torch.empty(0, dtype=torch.uint8).set_(torch.Tensor.untyped_storage(tensor))
    return np.asarray(whole.numpy())


def _check_same(tensor: Any, planned: Planned) -> None:  # noqa: ANN401
    """See that torch has a tensor of the shape, type and steps that the file was understood to hold."""
    from torch import Tensor, strided

    if not isinstance(tensor, Tensor) or str(tensor.dtype) != f"torch.{planned.dtype}":
        raise Refused("torch_load")
    same = tuple(Tensor.size(tensor)) == planned.shape
    if planned.kind == "sparse":
        same = same and tensor.layout != strided
    elif planned.storage is not None:
        same = same and Tensor.stride(tensor) == planned.strides
        same = same and Tensor.storage_offset(tensor) == planned.offset
    if not same:
        raise Refused("torch_load")
