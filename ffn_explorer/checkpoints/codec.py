"""Codecs: how numbers stand in a file, block by block along the last axis, and how they become floats."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Floats = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Codec:
    """One kind of stored number.

    block: numbers that are stored together (1 for plain types).  size: bytes of a block.
    decode: bytes `[n, size]` -> numbers `[n, block]`, in float32 or, where the file is wider, float64.
    exact: whether decoding loses nothing of the file's numbers.
    """

    name: str
    block: int
    size: int
    decode: Callable[[Bytes], Floats]
    exact: bool = True


def _view(dtype: str, to: type[np.floating]) -> Callable[[Bytes], Floats]:
    def decode(raw: Bytes) -> Floats:
        return np.ascontiguousarray(raw).view(dtype).astype(to, copy=False)

    return decode


def _bfloat16(raw: Bytes) -> Floats:
    """The upper half of a float32."""
    halves = np.ascontiguousarray(raw).view("<u2").astype(np.uint32)
    return (halves << np.uint32(16)).view(np.float32)


def _float8(exponent_bits: int, bias: int, *, finite: bool) -> Callable[[Bytes], Floats]:
    """Eight bits: a sign, an exponent, a mantissa; finite: no infinities, one NaN (e4m3fn)."""
    return partial(_looked_up, _float8_table(exponent_bits, bias, finite=finite))


def _float8_fnuz(exponent_bits: int, bias: int) -> Callable[[Bytes], Floats]:
    """Eight bits whose top exponent is as any other, and whose minus zero is the one NaN."""
    mantissa_bits = 7 - exponent_bits
    code = np.arange(128)
    exponent, mantissa = code >> mantissa_bits, (code & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    value = np.where(
        exponent == 0, mantissa * 2.0 ** (1 - bias), (1.0 + mantissa) * 2.0 ** (exponent - float(bias))
    )
    table = np.concatenate([value, -value]).astype(np.float32)
    table[128] = np.nan
    return partial(_looked_up, table)


def _looked_up(table: NDArray[np.float32], raw: Bytes) -> Floats:
    """Eight bits that a table of 256 numbers gives the meaning of."""
    found: Floats = table[raw]
    return found


def _float4(raw: Bytes) -> Floats:
    """Two to a byte, the low half first: a sign, two bits of exponent, one of mantissa (e2m1)."""
    return _looked_up(_FOURS, np.concatenate([raw & 15, raw >> 4], axis=1))


# Powers of two with one NaN: eight bits of exponent and nothing else (e8m0).
_SCALES = np.append(2.0 ** np.arange(-127.0, 128.0), np.nan).astype(np.float32)
_FOURS = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], np.float32)


def _float8_table(exponent_bits: int, bias: int, *, finite: bool) -> NDArray[np.float32]:
    mantissa_bits = 7 - exponent_bits
    code = np.arange(256)
    sign = np.where(code & 128, -1.0, 1.0)
    exponent = (code >> mantissa_bits) & ((1 << exponent_bits) - 1)
    mantissa = (code & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    value = np.where(
        exponent == 0, mantissa * 2.0 ** (1 - bias), (1.0 + mantissa) * 2.0 ** (exponent.astype(float) - bias)
    )
    top = exponent == (1 << exponent_bits) - 1
    if finite:
        value = np.where(
            top & ((code & ((1 << mantissa_bits) - 1)) == (1 << mantissa_bits) - 1), np.nan, value
        )
    else:
        value = np.where(top, np.where(mantissa == 0.0, np.inf, np.nan), value)
    return (sign * value).astype(np.float32)


PLAIN: Mapping[str, Codec] = MappingProxyType(
    {
        "float64": Codec("float64", 1, 8, _view("<f8", np.float64)),
        "float32": Codec("float32", 1, 4, _view("<f4", np.float32)),
        "float16": Codec("float16", 1, 2, _view("<f2", np.float32)),
        "bfloat16": Codec("bfloat16", 1, 2, _bfloat16),
        "float8_e4m3fn": Codec("float8_e4m3fn", 1, 1, _float8(4, 7, finite=True)),
        "float8_e5m2": Codec("float8_e5m2", 1, 1, _float8(5, 15, finite=False)),
        "int8": Codec("int8", 1, 1, _view("i1", np.float32)),
        "uint8": Codec("uint8", 1, 1, _view("u1", np.float32)),
        "int16": Codec("int16", 1, 2, _view("<i2", np.float32)),
        "int32": Codec("int32", 1, 4, _view("<i4", np.float64)),
        "int64": Codec("int64", 1, 8, _view("<i8", np.float64), exact=False),
        "bool": Codec("bool", 1, 1, _view("u1", np.float32)),
        "uint16": Codec("uint16", 1, 2, _view("<u2", np.float32)),
        "uint32": Codec("uint32", 1, 4, _view("<u4", np.float64)),
        "uint64": Codec("uint64", 1, 8, _view("<u8", np.float64), exact=False),
        "float8_e4m3fnuz": Codec("float8_e4m3fnuz", 1, 1, _float8_fnuz(4, 8)),
        "float8_e5m2fnuz": Codec("float8_e5m2fnuz", 1, 1, _float8_fnuz(5, 16)),
        "float8_e8m0fnu": Codec("float8_e8m0fnu", 1, 1, partial(_looked_up, _SCALES)),
        "float4_e2m1fn": Codec("float4_e2m1fn", 2, 1, _float4),
    }
)
"""Types that every number stands alone in, by torch's names."""
