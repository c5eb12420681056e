"""What a PyTorch file says that it holds, as plain values: storages, tensors, names never looked up."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType

from ffn_explorer.checkpoints.strided import span_of

MOST_AXES = 64
"""Axes of a tensor; torch and numpy have no more."""

MOST_NUMBERS = 2**58
"""Largest size, step or count, and product of them: 16 bytes for each are a count that torch can hold."""

SIZES: Mapping[str, int] = MappingProxyType(
    {
        "float64": 8,
        "float32": 4,
        "float16": 2,
        "bfloat16": 2,
        "int64": 8,
        "int32": 4,
        "int16": 2,
        "int8": 1,
        "uint8": 1,
        "bool": 1,
        "uint16": 2,
        "uint32": 4,
        "uint64": 8,
        "float8_e4m3fn": 1,
        "float8_e5m2": 1,
        "float8_e4m3fnuz": 1,
        "float8_e5m2fnuz": 1,
        "float8_e8m0fnu": 1,
        "float4_e2m1fn_x2": 1,
        "complex32": 4,
        "complex64": 8,
        "complex128": 16,
        "bits8": 1,
        "bits16": 2,
        "bits1x8": 1,
        "bits2x4": 1,
        "bits4x2": 1,
        "qint8": 1,
        "quint8": 1,
        "qint32": 4,
        "quint4x2": 1,
        "quint2x4": 1,
    }
)
"""Bytes of a number by torch's name of its type; of a packed one, of the byte that it shares."""

PACKED: Mapping[str, int] = MappingProxyType({"quint4x2": 2, "quint2x4": 4})
"""Numbers that share a byte."""

STORAGES: Mapping[str, str] = MappingProxyType(
    {
        "Double": "float64",
        "Float": "float32",
        "Half": "float16",
        "BFloat16": "bfloat16",
        "Long": "int64",
        "Int": "int32",
        "Short": "int16",
        "Char": "int8",
        "Byte": "uint8",
        "Bool": "bool",
        "ComplexFloat": "complex64",
        "ComplexDouble": "complex128",
        "QInt8": "qint8",
        "QUInt8": "quint8",
        "QInt32": "qint32",
        "QUInt4x2": "quint4x2",
        "QUInt2x4": "quint2x4",
    }
)
"""Types by what torch's storage classes are called before "Storage"."""


class Refused(Exception):
    """What a file says that is not read further: the end of a catalogue key, and values of its sentence."""

    def __init__(self, why: str = "torch_damaged", **values: object) -> None:
        super().__init__(why, values)
        self.why = why
        self.values = values


@dataclass(frozen=True, slots=True)
class Name:
    """A name that the file looks up in a module: "torch._utils._rebuild_tensor_v2"."""

    path: str


@dataclass(frozen=True, slots=True)
class Other:
    """A value that is neither plain nor a tensor, and is not shown."""

    kind: str


class Ordered(dict[object, object]):
    """An ordered dictionary of the file, the only one that may carry attributes."""


@dataclass(frozen=True, slots=True)
class Storage:
    """Numbers in a row. key: what the file keeps them under."""

    key: str
    dtype: str
    numbers: int

    @property
    def nbytes(self) -> int:
        """Bytes of all numbers under that key."""
        return self.numbers * SIZES[self.dtype]


@dataclass(frozen=True, slots=True)
class Planned:
    """A tensor of the file. offset: numbers from its storage's first to its own. kind: "" where plain."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    storage: Storage | None
    offset: int
    kind: str = ""

    @property
    def numel(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)


def natural(value: object) -> int:
    """A count; Refused where it is none."""
    if type(value) is not int or not 0 <= value < MOST_NUMBERS:
        raise Refused
    return value


def naturals(value: object) -> tuple[int, ...]:
    """Sizes or steps, one an axis."""
    if not isinstance(value, tuple | list) or len(value) > MOST_AXES:
        raise Refused
    return tuple(natural(item) for item in value)


def laid_out(storage: object, offset: object, shape: object, strides: object, *, dtype: str = "") -> Planned:
    """A tensor over a storage that holds all of it; Refused otherwise."""
    if not isinstance(storage, Storage):
        raise Refused
    dtype = dtype or storage.dtype
    found = Planned(naturals(shape), naturals(strides), dtype, storage, natural(offset))
    if len(found.shape) != len(found.strides):
        raise Refused
    # An empty tensor may stand anywhere, but what its sizes would multiply to must still be a count.
    if prod(size for size in found.shape if size) >= MOST_NUMBERS:
        raise Refused
    numbers = span_of(found.shape, found.strides, size=1)
    if numbers and (found.offset + numbers) * SIZES[dtype] > storage.nbytes * PACKED.get(dtype, 1):
        raise Refused("torch_outside")
    return found
