"""Numbers behind quantised tensors, for the methods whose companions say all that is needed."""

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
    packed = _parts(source, name, method)
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


def _parts(source: Source, name: str, method: str) -> Packed:
    base = name.removesuffix(".weight")
    near = {
        other: stored.shape
        for other, stored in source.tensors.items()
        if other.startswith((name, base + "."))
    }
    packed = packed_weights(near, "bitnet" if method == "bitnet" else "").get(name)
    if packed is None or packed.method != method:
        raise InputError("checkpoint.quantised", tensor=name, method=method)
    return packed


def _scaled(source: Source, packed: Packed, *, expert: int) -> Floats:
    """float8 times its scales: one, one for each row, or one for each block of 128 x 128."""
    weight, scale = _slice(source, packed.parts[""], expert), _slice(source, packed.parts["scale"], expert)
    if scale.size == 1:
        return weight * scale.reshape(())
    rows, columns = weight.shape
    if scale.shape in ((rows,), (rows, 1)):
        return weight * scale.reshape(rows, 1)
    if scale.ndim != 2 or scale.shape != (-(-rows // BLOCK), -(-columns // BLOCK)):
        raise InputError("checkpoint.quantised", tensor=packed.parts["scale"], method=str(list(scale.shape)))
    spread = scale.repeat(BLOCK, axis=0)[:rows].repeat(BLOCK, axis=1)[:, :columns]
    return weight * spread


def _mxfp4(source: Source, packed: Packed, *, expert: int) -> Floats:
    """Two e2m1 numbers in a byte, the low half first, and an exponent for each 32."""
    blocks = _slice(source, packed.parts["blocks"], expert).astype(np.uint8)  # [out, in / 32, 16]
    scales = _slice(source, packed.parts["scale"], expert).astype(np.int32)  # [out, in / 32]
    if blocks.ndim != 3 or scales.shape != blocks.shape[:2]:
        raise InputError("checkpoint.quantised", tensor=packed.parts["scale"], method="mxfp4")
    pairs = np.stack([FP4[blocks & 15], FP4[blocks >> 4]], axis=-1)
    spread = pairs.reshape(*blocks.shape[:2], -1)  # [out, in / 32, 32]
    found: Floats = np.ldexp(spread, (scales - 127)[..., None]).reshape(len(blocks), -1)
    return found


def _slice(source: Source, name: str, expert: int) -> Floats:
    if expert < 0:
        return source.whole(name)
    stored = source.tensors[name]
    each = stored.rows // stored.shape[0] if stored.shape else 1
    return source.rows(name, expert * each, (expert + 1) * each).reshape(stored.shape[1:])
