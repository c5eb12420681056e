"""PyTorch files: tensors in a zip file, read where they lie, or in a file of the older form, held in memory.

Three steps: the pickle is read into plain values and checked (`torch_pickle`), torch loads the file with
weights_only, and both must have understood the same. What numbers are shown is then read by position.
"""

from math import prod
from pathlib import Path
from types import MappingProxyType

from ffn_explorer.checkpoints.codec import PLAIN, Bytes, Codec, Floats
from ffn_explorer.checkpoints.readers import torch_legacy
from ffn_explorer.checkpoints.readers.json_text import short
from ffn_explorer.checkpoints.readers.torch_calls import dtype_of_storage
from ffn_explorer.checkpoints.readers.torch_load import bytes_of, check_places, loaded, reached
from ffn_explorer.checkpoints.readers.torch_names import Found, tensors_in
from ffn_explorer.checkpoints.readers.torch_pickle import MOST_BYTES, read
from ffn_explorer.checkpoints.readers.torch_plan import SIZES, Name, Planned, Refused, Storage, natural
from ffn_explorer.checkpoints.readers.torch_zip import LOCAL_SIGN, Record, records_of
from ffn_explorer.checkpoints.tensors import Files, Source, Stored
from ffn_explorer.core.budget import SHARE, free_bytes, in_words
from ffn_explorer.core.errors import InputError

MOST_SMALL = 4096
"""Bytes of the records that torch reads beside the pickle and the numbers: versions, byte order."""

MOST_SPREAD = 2**26
"""Bytes that a tensor may seem to have beyond those of its storage, as one row repeated by a step of 0."""

MOST_EMPTY = 2**31
"""Largest product of sizes beside an axis of 0."""


def open_torch(path: Path) -> Source:
    """Tensors of a PyTorch file; header: `form`, `container`, `entries` beside, `others`: tensors beside.

    InputError, one sentence each: what is damaged, compressed, made of code, or too large to be held.
    """
    files = Files()
    try:
        size = files.size(path)
        head = files.read(path, 0, min(size, len(LOCAL_SIGN))).tobytes()
        if head == LOCAL_SIGN:
            return _open_zip(files, path, size)
        if head[:1] == b"\x80":
            return _open_legacy(files, path, size)
        raise Refused("unknown")
    except Refused as refused:
        files.close()
        values = {key: short(str(value)) for key, value in refused.values.items()}
        key = f"checkpoint.{refused.why}"
        raise InputError(key, file=short(path.name), **values) from refused
    except BaseException:
        files.close()
        raise


def _open_zip(files: Files, path: Path, size: int) -> Source:
    records = records_of(files, path, size)
    _check_small(files, path, records)
    pickle = records["data.pkl"]
    if pickle.size > MOST_BYTES:
        raise Refused("torch_many")
    raw = files.read(path, pickle.offset, pickle.size).tobytes()
    root, _ = read(raw, lambda key: _storage(key, records))
    found, beside = tensors_in(root)
    tensors = reached(loaded(path, mapped=True), found)
    check_places(tensors, [_record(one.tensor, records) for one in found])
    stored = {one.name: _stored(one, path, _place(one.tensor, records)) for one in found}
    return _source(path, stored, {"form": "zip", **beside}, files)


def _open_legacy(files: Files, path: Path, size: int) -> Source:
    root = torch_legacy.plan(files, path, size)
    found, beside = tensors_in(root)
    free = free_bytes()
    if size * SHARE > free:
        raise Refused("torch_memory", needed=in_words(size), free=in_words(free))
    tensors = reached(loaded(path, mapped=False), found)
    held: dict[str, Bytes] = {}
    stored = {}
    for one, tensor in zip(found, tensors):
        storage = one.tensor.storage
        if storage and not one.tensor.kind:
            held.setdefault(storage.key, bytes_of(tensor))
        place = one.tensor.offset * SIZES[one.tensor.dtype]
        stored[one.name] = _stored(one, path, place, held=held.get(storage.key) if storage else None)
    return _source(path, stored, {"form": "legacy", **beside}, files)


def _source(path: Path, stored: dict[str, Stored], header: dict[str, object], files: Files) -> Source:
    if not stored:
        raise Refused("torch_empty")
    return Source("torch", path, MappingProxyType(stored), MappingProxyType(header), files)


def _check_small(files: Files, path: Path, records: dict[str, Record]) -> None:
    """See that the records that torch reads by itself are short, and numbers stand in our byte order."""
    for record in records.values():
        if record.size > MOST_SMALL and record.name != "data.pkl" and not record.name.startswith("data/"):
            raise Refused("torch_records")
    order = records.get("byteorder")
    if order and files.read(path, order.offset, order.size).tobytes() != b"little":
        raise Refused("torch_byteorder")


def _storage(key: tuple[object, ...], records: dict[str, Record]) -> Storage:
    """Storage of an id: ("storage", class, key, device, numbers); its record must hold as many."""
    match key:
        case ("storage", Name(path), str(name), str(), numbers) if dtype_of_storage(path):
            found = Storage(name, dtype_of_storage(path), natural(numbers))
        case _:
            raise Refused
    record = records.get(f"data/{name}")
    if record is None:
        raise Refused("torch_missing")
    if found.nbytes != record.size:
        raise Refused("torch_outside")
    return found


def _record(tensor: Planned, records: dict[str, Record]) -> int | None:
    """Where the storage of a tensor begins in the file; None where it has none."""
    return records[f"data/{tensor.storage.key}"].offset if tensor.storage else None


def _place(tensor: Planned, records: dict[str, Record]) -> int:
    """Where the first number of a tensor lies in the file."""
    return (_record(tensor, records) or 0) + tensor.offset * SIZES[tensor.dtype]


def _stored(one: Found, path: Path, offset: int, *, held: Bytes | None = None) -> Stored:
    """A tensor of the file, with the sentence that says why its numbers are not shown, where they are not."""
    tensor, size = one.tensor, SIZES[one.tensor.dtype]
    why = _refusal(tensor)
    if why:
        shown = size if tensor.storage else 0
        codec = Codec(tensor.dtype, 1, shown, _never, exact=False)
        values = (
            ("tensor", short(one.name)),
            ("dtype", tensor.dtype),
            ("shape", short(str(list(tensor.shape)))),
        )
        return Stored(one.name, tensor.shape, codec, path, offset, f"checkpoint.{why}", values)
    strides = () if _in_order(tensor) else tuple(step * size for step in tensor.strides)
    return Stored(one.name, tensor.shape, PLAIN[tensor.dtype], path, offset, strides=strides, held=held)


def _refusal(tensor: Planned) -> str:
    """Which sentence says why a tensor's numbers are not shown, "" where they are."""
    if tensor.kind:
        return f"torch_{tensor.kind}"
    if tensor.dtype not in PLAIN:
        return "dtype"
    if 0 in tensor.shape and prod(size for size in tensor.shape if size) > MOST_EMPTY:
        return "shape"
    spread = tensor.storage and tensor.numel * SIZES[tensor.dtype] > tensor.storage.nbytes + MOST_SPREAD
    return "torch_spread" if spread else ""


def _in_order(tensor: Planned) -> bool:
    """Whether numbers lie one after the other; steps along axes of one do not count."""
    if 0 in tensor.shape:
        return True
    expected = 1
    for size, step in zip(reversed(tensor.shape), reversed(tensor.strides)):
        if size != 1 and step != expected:
            return False
        expected *= size
    return True


def _never(_raw: Bytes) -> Floats:
    """Numbers of a type that is listed but never read: a Source refuses before it comes here."""
    raise InputError("checkpoint.undecodable")
