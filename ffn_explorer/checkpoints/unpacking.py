"""Numbers behind quantised tensors, for the methods whose companions say all that is needed."""

from math import prod

import numpy as np

from ffn_explorer.checkpoints.codec import Floats
from ffn_explorer.checkpoints.packing import Packed, packed_weights
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError

FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)
"""The sixteen values of an e2m1 number."""

BLOCK = 128
"""Rows and columns that share a scale in DeepSeek's float8."""


def unpacked(source: Source, name: str, method: str, *, expert: int = -1) -> Floats:
    """The plain numbers of a packed weight, of one expert of a stack; InputError where that cannot be."""
    packed = parts_of(source, name, method)
    # A file may hold scales that are infinite or no number: they are shown as such, without a warning.
    with np.errstate(all="ignore"):
        return _unpacked(source, packed, name, expert=expert)


def _unpacked(source: Source, packed: Packed, name: str, *, expert: int) -> Floats:
    method = packed.method
    if method == "fp8":
        return _scaled(source, packed, expert=expert)
    if method == "int8":
        rows = source.whole(packed.parts[""])
        return rows * source.whole(packed.parts["scale"]).reshape(-1, 1) / np.float32(127.0)
    if method == "mxfp4":
        return _mxfp4(source, packed, expert=expert)
    if method == "weight_norm":
        v = source.whole(packed.parts["v"])
        norm = np.sqrt((v.astype(np.float64) ** 2).sum(axis=-1, keepdims=True))
        found: Floats = (source.whole(packed.parts["g"]).reshape(-1, 1) * v / norm).astype(v.dtype)
        return found
    raise InputError("checkpoint.quantised", tensor=name, method=method)


def parts_of(source: Source, name: str, method: str) -> Packed:
    """The tensors that hold a packed weight; InputError where they are not there."""
    base = name.removesuffix(".weight")
    near = {
        other: stored.shape
        for other, stored in source.tensors.items()
        if other.startswith((name, base + "."))
    }
    packed = packed_weights(near, "bitnet" if method == "bitnet" else "").get(name)
    if packed is None or packed.method != method:
        raise InputError("checkpoint.quantised", tensor=name, method=method)
    if not _fits(packed, source):
        shapes = ", ".join(str(list(source.tensors[part].shape)) for part in packed.parts.values())
        raise InputError("checkpoint.quantised", tensor=name, method=f"{method}: {shapes}")
    return packed


def _fits(packed: Packed, source: Source) -> bool:
    """Whether what stands beside a packed weight is as large as its method has it, and of its type."""
    parts = {role: source.tensors[name] for role, name in packed.parts.items()}
    if packed.method == "int8":
        weight, scale = parts[""], parts["scale"]
        return len(weight.shape) == 2 and prod(scale.shape) == weight.shape[0]
    if packed.method == "weight_norm":
        return len(parts["v"].shape) == 2 and prod(parts["g"].shape) == parts["v"].shape[0]
    if packed.method == "mxfp4":  # exponents, not the powers of two that a float8 type would make of them
        return all(part.codec.name == "uint8" for part in parts.values())
    return True


def _scaled(source: Source, packed: Packed, *, expert: int) -> Floats:
    """float8 times its scales: one, one for each row, or one for each block of 128 x 128."""
    weight, scale = (
        slice_of(source, packed.parts[""], expert),
        slice_of(source, packed.parts["scale"], expert),
    )
    if scale.size == 1:
        return weight * scale.reshape(())
    if weight.ndim != 2:
        raise InputError("checkpoint.quantised", tensor=packed.parts[""], method=str(list(weight.shape)))
    rows, columns = weight.shape
    if scale.shape in ((rows,), (rows, 1)):
        return weight * scale.reshape(rows, 1)
    if scale.ndim != 2 or scale.shape != (-(-rows // BLOCK), -(-columns // BLOCK)):
        raise InputError("checkpoint.quantised", tensor=packed.parts["scale"], method=str(list(scale.shape)))
    spread = scale.repeat(BLOCK, axis=0)[:rows].repeat(BLOCK, axis=1)[:, :columns]
    return weight * spread


def _mxfp4(source: Source, packed: Packed, *, expert: int) -> Floats:
    """Two e2m1 numbers in a byte, the low half first, and an exponent for each 32."""
    blocks = slice_of(source, packed.parts["blocks"], expert).astype(np.uint8)  # [out, in / 32, 16]
    scales = slice_of(source, packed.parts["scale"], expert).astype(np.int32)  # [out, in / 32]
    if blocks.ndim != 3 or scales.shape != blocks.shape[:2]:
        raise InputError("checkpoint.quantised", tensor=packed.parts["scale"], method="mxfp4")
    pairs = np.stack([FP4[blocks & 15], FP4[blocks >> 4]], axis=-1)
    spread = pairs.reshape(*blocks.shape[:2], -1)  # [out, in / 32, 32]
    found: Floats = np.ldexp(spread, (scales - 127)[..., None]).reshape(len(blocks), -1)
    return found


def slice_of(source: Source, name: str, expert: int) -> Floats:
    """A tensor whole (expert -1), or one expert's part of a stack; one number for all experts stays one."""
    stored = source.tensors[name]
    if expert < 0 or stored.rows * stored.columns == 1:
        return source.whole(name)
    if expert >= stored.shape[0]:
        raise InputError("checkpoint.quantised", tensor=name, method=str(list(stored.shape)))
    if len(stored.shape) < 2:
        found: Floats = source.whole(name)[expert]
        return np.asarray(found)
    each = stored.rows // stored.shape[0]
    return source.rows(name, expert * each, (expert + 1) * each).reshape(stored.shape[1:])
