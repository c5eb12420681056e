"""Planes of quantised weights whose companions say all that is needed, each number as `unpacking` has it."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ffn_explorer.checkpoints.codec import Floats
from ffn_explorer.checkpoints.packing import Packed
from ffn_explorer.checkpoints.reading.planes import Place, Plain, Plane, Span, plain_of, shown
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.checkpoints.unpacking import BLOCK, FP4, parts_of, slice_of
from ffn_explorer.core.errors import InputError

NIBBLES = 32
"""Numbers of mxfp4 that share an exponent, two to a byte."""


@dataclass(frozen=True)
class Scaled(Plane):
    """float8 times its scales: one, one for each row, or one for each block of 128 x 128."""

    inner: Plain = field(kw_only=True)
    scale: str = field(kw_only=True)

    @cached_property
    def scales(self) -> Floats:
        """All scales of this matrix, `[1]`, `[rows]` or `[rows / 128, columns / 128]`."""
        found = slice_of(self.source, self.scale, self.inner.expert)
        if found.size == 1:
            return found.reshape(1)
        if found.shape in ((self.height,), (self.height, 1)):
            return found.reshape(-1)
        if found.shape != (-(-self.height // BLOCK), -(-self.width // BLOCK)):
            raise InputError("checkpoint.quantised", tensor=self.scale, method=str(list(found.shape)))
        return found

    def tile(self, rows: Span, columns: Span) -> Floats:
        """Numbers times the scales that they share."""
        numbers, scales = self.inner.tile(rows, columns), self.scales
        if scales.size == 1:
            return numbers * scales.reshape(())
        if scales.ndim == 1:
            return numbers * scales[rows[0] : rows[1], None]
        high, across = (np.arange(*span) // BLOCK for span in (rows, columns))
        return numbers * scales[np.ix_(high, across)]

    def text(self, row: Place, column: Place) -> str:
        """Numbers and scales."""
        lead = [str(self.inner.expert)] if self.inner.expert >= 0 else []
        if self.scales.ndim == 2:
            places = [shown(None if at is None else at // BLOCK) for at in (row, column)]
        else:
            places = [shown(row)] if self.scales.size > 1 else []
        scale = f"[{', '.join([*lead, *places])}]" if lead or places else ""
        return f"{self.inner.text(row, column)} · {self.scale}{scale}"


@dataclass(frozen=True)
class ByRow(Plane):
    """int8 times a scale for each row, over 127 (LLM.int8)."""

    inner: Plain = field(kw_only=True)
    scale: str = field(kw_only=True)

    @cached_property
    def scales(self) -> Floats:
        """Scales `[rows, 1]`."""
        return self.source.whole(self.scale).reshape(-1, 1)

    def tile(self, rows: Span, columns: Span) -> Floats:
        """Numbers times the scales of their rows."""
        numbers: Floats = self.inner.tile(rows, columns) * self.scales[rows[0] : rows[1]] / np.float32(127.0)
        return numbers

    def text(self, row: Place, column: Place) -> str:
        """Numbers and scales."""
        return f"{self.inner.text(row, column)} · {self.scale}[{shown(row)}] / 127"


@dataclass(frozen=True)
class Fours(Plane):
    """mxfp4: two e2m1 numbers in a byte, the low half first, and an exponent for each 32."""

    blocks: str = field(kw_only=True)
    scale: str = field(kw_only=True)
    expert: int = field(kw_only=True)

    @property
    def stored_as(self) -> str:
        """How the two tensors together are called."""
        return "mxfp4"

    def tile(self, rows: Span, columns: Span) -> Floats:
        """The blocks that hold these columns, cut."""
        across = self.width // NIBBLES
        left, right = columns[0] // NIBBLES, -(-columns[1] // NIBBLES)
        first = max(0, self.expert) * self.height
        numbers = np.empty((rows[1] - rows[0], (right - left) * NIBBLES), np.float32)
        scales = self.source.tile(self.scale, (first + rows[0], first + rows[1]), (left, right))
        step = max(1, 2**18 // max(1, across))
        for at in range(rows[0], rows[1], step):
            past = min(at + step, rows[1])
            raw = self.source.rows(self.blocks, (first + at) * across, (first + past) * across)
            bytes_ = raw.reshape(past - at, across, -1)[:, left:right].astype(np.uint8)
            pairs = np.stack([FP4[bytes_ & 15], FP4[bytes_ >> 4]], axis=-1)
            pairs = pairs.reshape(past - at, right - left, NIBBLES)  # [rows, in / 32, 32]
            exponents = scales[at - rows[0] : past - rows[0]].astype(np.int32) - 127
            numbers[at - rows[0] : past - rows[0]] = np.ldexp(pairs, exponents[..., None]).reshape(
                past - at, -1
            )
        return numbers[:, columns[0] - left * NIBBLES : columns[1] - left * NIBBLES]

    def text(self, row: Place, column: Place) -> str:
        """Blocks and exponents; of one column the byte that holds it with its neighbour."""
        lead = [str(self.expert)] if self.expert >= 0 else []
        block, byte = (None, None) if column is None else (column // NIBBLES, column % NIBBLES // 2)
        where = ", ".join([*lead, shown(row), shown(block)])
        return f"{self.blocks}[{where}, {shown(byte)}] · 2^({self.scale}[{where}] − 127)"


@dataclass(frozen=True)
class Normed(Plane):
    """weight_norm: rows v of any length, and the lengths g that they shall have (Salimans & Kingma 2016)."""

    inner: Plain = field(kw_only=True)
    lengths: str = field(kw_only=True)

    @cached_property
    def norms(self) -> Floats:
        """||v|| of every row, `[rows, 1]`: a column needs them all."""
        found = np.empty((self.height, 1))
        step = max(1, 2**19 // self.width)
        for at in range(0, self.height, step):
            past = min(at + step, self.height)
            found[at:past] = _norms(self.inner.tile((at, past), (0, self.width)))
        return found

    @cached_property
    def gains(self) -> Floats:
        """Wanted lengths `[rows, 1]`."""
        return self.source.whole(self.lengths).reshape(-1, 1)

    def tile(self, rows: Span, columns: Span) -> Floats:
        """Give g v / ||v||."""
        v = self.inner.tile(rows, columns)
        whole = columns == (0, self.width)
        norms = _norms(v) if whole else self.norms[rows[0] : rows[1]]
        found: Floats = (self.gains[rows[0] : rows[1]] * v / norms).astype(v.dtype)
        return found

    def text(self, row: Place, column: Place) -> str:
        """Direction and length."""
        direction = f"{self.inner.name}[{shown(row)}, :]"
        return f"{self.lengths}[{shown(row)}] · {self.inner.text(row, column)} / ‖{direction}‖"


def packed_plane(source: Source, name: str, method: str, *, expert: int) -> Plane:
    """Plane of a packed weight; InputError where its numbers cannot be shown."""
    packed = parts_of(source, name, method)
    if method == "mxfp4":
        return _fours(source, packed, expert=expert)
    if method not in ("fp8", "int8", "weight_norm"):
        raise InputError("checkpoint.quantised", tensor=name, method=method)
    inner = plain_of(source, packed.parts["v" if method == "weight_norm" else ""], expert=expert)
    size = (inner.height, inner.width)
    if method == "fp8":
        return Scaled(source, inner.name, *size, inner=inner, scale=packed.parts["scale"])
    if method == "int8":
        return ByRow(source, inner.name, *size, inner=inner, scale=packed.parts["scale"])
    return Normed(source, inner.name, *size, inner=inner, lengths=packed.parts["g"])


def _fours(source: Source, packed: Packed, *, expert: int) -> Fours:
    blocks, scale = source.tensors[packed.parts["blocks"]].shape, source.tensors[packed.parts["scale"]].shape
    if blocks[-1] * 2 != NIBBLES or scale != blocks[:-1] or len(blocks) != (4 if expert >= 0 else 3):
        raise InputError("checkpoint.quantised", tensor=packed.parts["scale"], method="mxfp4")
    sizes = (blocks[-3], blocks[-2] * NIBBLES)
    return Fours(
        source, packed.parts["blocks"], *sizes,
        blocks=packed.parts["blocks"], scale=packed.parts["scale"], expert=expert,
    )  # fmt: skip


def _norms(v: Floats) -> Floats:
    found: Floats = np.sqrt((v.astype(np.float64) ** 2).sum(axis=-1, keepdims=True))
    return found
