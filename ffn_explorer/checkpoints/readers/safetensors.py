"""safetensors: eight bytes of length, a JSON header of names, types, shapes and places, then the numbers."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from ffn_explorer.checkpoints.codec import PLAIN, Bytes, Codec, Floats
from ffn_explorer.checkpoints.readers.json_text import parse, short, writable
from ffn_explorer.checkpoints.tensors import Files, Source, Stored
from ffn_explorer.core.errors import InputError

LENGTH_BYTES = 8
"""Bytes before the header, which say how long it is."""

MOST_HEADER_BYTES = 100_000_000
"""The format's own bound."""

MOST_AXES = 64
"""Axes of a tensor; numpy has no more."""

MOST_NAME = 1024
"""Letters of a tensor's name."""

MOST_NUMBERS = 2**63 - 1
"""Largest size along an axis, and of all of them together."""

MOST_EMPTY = 2**31
"""Largest size beside an axis of 0: nothing is stored of it, and yet somebody may walk over it."""

DTYPES: Mapping[str, Codec] = MappingProxyType(
    {
        "F64": PLAIN["float64"],
        "F32": PLAIN["float32"],
        "F16": PLAIN["float16"],
        "BF16": PLAIN["bfloat16"],
        "F8_E4M3": PLAIN["float8_e4m3fn"],
        "F8_E5M2": PLAIN["float8_e5m2"],
        "F8_E4M3FNUZ": PLAIN["float8_e4m3fnuz"],
        "F8_E5M2FNUZ": PLAIN["float8_e5m2fnuz"],
        "F8_E8M0": PLAIN["float8_e8m0fnu"],
        "F4": PLAIN["float4_e2m1fn"],
        "I64": PLAIN["int64"],
        "I32": PLAIN["int32"],
        "I16": PLAIN["int16"],
        "I8": PLAIN["int8"],
        "U64": PLAIN["uint64"],
        "U32": PLAIN["uint32"],
        "U16": PLAIN["uint16"],
        "U8": PLAIN["uint8"],
        "BOOL": PLAIN["bool"],
    }
)
"""What the format calls the types that can be read."""

UNREAD_BITS: Mapping[str, int] = MappingProxyType({"C64": 64, "F6_E2M3": 6, "F6_E3M2": 6})
"""Bits of a number in types that are listed only: complex, or packed in a way that the format leaves open."""


def open_safetensors(path: Path) -> Source:
    """Tensors of one safetensors file; header: `metadata`, its own texts by name.

    InputError where the header says what cannot be, or more than the file holds.
    """
    with Files() as files:
        size = files.size(path)
        header, start = _header(files, path, size)
    metadata = header.pop("__metadata__", None)
    texts = metadata if isinstance(metadata, dict) else {}
    stored = {name: _stored(name, entry, path, (start, size)) for name, entry in header.items()}
    _check_apart(header, path)
    return Source(
        "safetensors",
        path,
        MappingProxyType(stored),
        {"metadata": {key: text for key, text in texts.items() if isinstance(text, str) and writable(text)}},
    )


def _header(files: Files, path: Path, size: int) -> tuple[dict[str, object], int]:
    """The header as JSON, and where the numbers begin."""
    if size < LENGTH_BYTES:
        raise InputError("checkpoint.header", file=short(path.name))
    length = int.from_bytes(files.read(path, 0, LENGTH_BYTES).tobytes(), "little")
    if length > MOST_HEADER_BYTES:
        raise InputError("checkpoint.header", file=short(path.name))
    if length > size - LENGTH_BYTES:
        raise InputError("checkpoint.truncated", file=short(path.name))
    header = parse(files.read(path, LENGTH_BYTES, length), path.name)
    if not isinstance(header, dict):
        raise InputError("checkpoint.header", file=short(path.name))
    return header, LENGTH_BYTES + length


def _stored(name: str, entry: object, path: Path, place: tuple[int, int]) -> Stored:
    """One tensor of the header, checked; place: where the numbers begin, and where the file ends."""
    if len(name) > MOST_NAME or not writable(name) or not isinstance(entry, dict):
        raise InputError("checkpoint.header", file=short(path.name))
    dtype, shape, span = (
        entry.get("dtype"),
        _naturals(entry.get("shape")),
        _naturals(entry.get("data_offsets")),
    )
    if not isinstance(dtype, str) or shape is None or span is None or len(span) != 2 or span[0] > span[1]:
        raise InputError("checkpoint.entry", file=short(path.name), tensor=short(name))
    start, end = place
    if start + span[1] > end:
        raise InputError("checkpoint.outside", file=short(path.name), tensor=short(name))
    numbers, nbytes = _product(shape), span[1] - span[0]
    codec, bits = DTYPES.get(dtype), UNREAD_BITS.get(dtype)
    if codec:
        bits = codec.size * 8 // codec.block
    if numbers > MOST_NUMBERS or (bits and numbers * bits != nbytes * 8):
        shown = f"{short(dtype)} {short(str(list(shape)))}"
        raise InputError(
            "checkpoint.mismatch", file=short(path.name), tensor=short(name), shape=shown, bytes=nbytes
        )
    if codec and _walkable(shape, codec.block):
        return Stored(name, shape, codec, path, start + span[0])
    why = "checkpoint.shape" if codec else "checkpoint.dtype"
    values = (("tensor", short(name)), ("shape", short(str(list(shape)))), ("dtype", short(dtype)))
    return Stored(name, shape, _opaque(dtype, shape, nbytes), path, start + span[0], why, values)


def _naturals(value: object) -> tuple[int, ...] | None:
    """A list of whole numbers, each of which a count of bytes could be; None where it is none."""
    if not isinstance(value, list) or len(value) > MOST_AXES:
        return None
    good = all(type(item) is int and 0 <= item <= MOST_NUMBERS for item in value)
    return tuple(value) if good else None


def _product(shape: Iterable[int]) -> int:
    """Product of the sizes, but no further than past MOST_NUMBERS: 0 after that does not undo it."""
    found = 1
    for size in shape:
        found *= size
        if found > MOST_NUMBERS:
            return found
    return found


def _walkable(shape: tuple[int, ...], block: int) -> bool:
    """Whether rows are whole blocks, and no endless number of them is empty."""
    whole = (shape[-1] if shape else 1) % block == 0
    return whole and (0 not in shape or _product(size for size in shape if size) <= MOST_EMPTY)


def _opaque(dtype: str, shape: tuple[int, ...], nbytes: int) -> Codec:
    """A codec that only knows how many bytes there are: a row is one block of it."""
    columns = max(1, shape[-1] if shape else 1)
    rows = max(1, _product(shape) // columns)
    return Codec(short(dtype), columns, nbytes // rows, _never, exact=False)


def _never(_raw: Bytes) -> Floats:
    """Numbers of a type that is listed but never read: a Source refuses before it comes here."""
    raise InputError("checkpoint.undecodable")


def _check_apart(header: Mapping[str, object], path: Path) -> None:
    """See that no two tensors share bytes; gaps between them do no harm."""
    spans = [(entry["data_offsets"], name) for name, entry in header.items() if isinstance(entry, dict)]
    past, before = 0, ""
    for (first, end), name in sorted(spans):
        if first < min(past, end):
            raise InputError(
                "checkpoint.overlap", file=short(path.name), tensor=short(name), other=short(before)
            )
        if end > past:
            past, before = end, name
