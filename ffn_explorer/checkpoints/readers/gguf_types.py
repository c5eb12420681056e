"""Types of numbers in GGUF files: plain ones by our own codecs, quantised ones by the `gguf` package."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ffn_explorer.checkpoints.codec import PLAIN, Bytes, Codec, Floats
from ffn_explorer.core.errors import InputError

if TYPE_CHECKING:
    from gguf import GGMLQuantizationType

PLAIN_TYPES: Mapping[int, Codec] = MappingProxyType(
    {
        0: PLAIN["float32"],
        1: PLAIN["float16"],
        24: PLAIN["int8"],
        25: PLAIN["int16"],
        26: PLAIN["int32"],
        27: PLAIN["int64"],
        28: PLAIN["float64"],
        30: PLAIN["bfloat16"],
    }
)
"""Types that every number stands alone in, by ggml's numbers: these need no package."""

GONE_TYPES: Mapping[int, str] = MappingProxyType(
    {
        4: "Q4_2",
        5: "Q4_3",
        31: "Q4_0_4_4",
        32: "Q4_0_4_8",
        33: "Q4_0_8_8",
        36: "IQ4_NL_4_4",
        37: "IQ4_NL_4_8",
        38: "IQ4_NL_8_8",
    }
)
"""Types that ggml once wrote and no longer reads; older files still have them."""

UNREAD = "checkpoint.type_unread"
"""Catalogue key of why a tensor of a type that nobody here decodes is not shown; values tensor and type."""

DECODED_AT_ONCE = 2**17
"""Numbers decoded in one go: the package's working arrays are several times as large."""


@lru_cache(maxsize=256)  # a hostile file may name a type a tensor
def codec_of(number: int) -> tuple[Codec, bool]:
    """Codec of ggml's type with this number, and whether it can be decoded; where not, it only has a name.

    A type that nobody here knows has size 0: how many bytes its numbers take is not known either.
    """
    if number in PLAIN_TYPES:
        return PLAIN_TYPES[number], True
    kind = _kind(number)
    if kind is None:
        return Codec(GONE_TYPES.get(number, f"ggml type {number}"), 1, 0, _never), False
    from gguf.constants import GGML_QUANT_SIZES

    if kind not in GGML_QUANT_SIZES:
        return Codec(kind.name, 1, 0, _never), False
    block, size = GGML_QUANT_SIZES[kind]
    if not _decodable(kind, size):
        return Codec(kind.name, block, size, _never), False
    return Codec(kind.name, block, size, _Quantised(kind, block, size)), True


class _Quantised:
    """Decoder of one quantised type: bytes `[n, size]` -> float32 `[n, block]`, as ggml itself decodes."""

    def __init__(self, kind: "GGMLQuantizationType", block: int, size: int) -> None:
        self.kind, self.block, self.size = kind, block, size

    def __call__(self, raw: Bytes) -> Floats:
        from gguf.quants import dequantize

        raw = np.ascontiguousarray(raw)
        found = np.empty((len(raw), self.block), np.float32)
        step = max(1, DECODED_AT_ONCE // self.block)
        # A file may hold scales that are infinite or no number: they are shown as such, without a warning.
        with np.errstate(all="ignore"):
            for at in range(0, len(raw), step):
                # As one long row: the package walks over rows in Python.
                row = raw[at : at + step].reshape(1, -1)
                found[at : at + step] = dequantize(row, self.kind).reshape(-1, self.block)
        return found


def _kind(number: int) -> "GGMLQuantizationType | None":
    """Type by its number as the package knows it."""
    from gguf.constants import GGMLQuantizationType

    try:
        return GGMLQuantizationType(number)
    except ValueError:
        return None


def _decodable(kind: "GGMLQuantizationType", size: int) -> bool:
    """Whether the package decodes a type: tried on one block of zeros, as it has no table of them."""
    from gguf.quants import dequantize

    try:
        with np.errstate(all="ignore"):
            dequantize(np.zeros((1, size), np.uint8), kind)
    except NotImplementedError:
        return False
    return True


def _never(_raw: Bytes) -> Floats:
    """Numbers of a type that is listed but never read: a Source refuses before it comes here."""
    raise InputError(UNREAD, tensor="", type="")
