"""The records of a PyTorch zip file: names, places and sizes, from the directory at its end, each checked.

PyTorch stores records uncompressed, each under one folder, so that numbers can be read where they lie.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from struct import Struct

from ffn_explorer.checkpoints.readers.torch_plan import Refused
from ffn_explorer.checkpoints.tensors import Files

END = Struct("<4s4H2LH")
"""End of the directory: sign, disk, its disk, entries here, entries, bytes, offset, comment's bytes."""

LOCATOR, END64 = Struct("<4sLQL"), Struct("<4sQ2H2L4Q")
"""Where the 64-bit end is, and it: sign, size, versions, disks, entries here, entries, bytes, offset."""

ENTRY, LOCAL = Struct("<4s6H3L5H2L"), Struct("<4s5H3L2H")
"""One record in the directory, and the same before its bytes."""

END_SIGN, LOCATOR_SIGN, END64_SIGN = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
ENTRY_SIGN, LOCAL_SIGN = b"PK\x01\x02", b"PK\x03\x04"

MOST_DIRECTORY_BYTES = 2**26
"""Largest directory that is read."""

MOST_RECORDS = 300_000
"""Most records, one for each storage and some more."""

MOST_COMMENT = 2**16 - 1
FULL16, FULL32 = 2**16 - 1, 2**32 - 1
"""What stands in a short field whose value is in a long one."""

ENCRYPTED = 1
"""Flag of records that need a password."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record. name: within its folder.  offset: of its first byte in the file.  size: its bytes."""

    name: str
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Entry:
    """What the directory says of a record. header: where its local one is.  method: 0 where stored as is."""

    name: str
    header: int
    size: int
    method: int


def records_of(files: Files, path: Path, size: int) -> dict[str, Record]:
    """Records by name; Refused where the directory lies, or one is compressed, double or out of place."""
    count, at, length = _end(files, path, size)
    if count > MOST_RECORDS or length > MOST_DIRECTORY_BYTES:
        raise Refused("torch_many")
    if at + length > size or count * ENTRY.size > length:
        raise Refused
    entries = list(_entries(files.read(path, at, length).tobytes(), count))
    folder = _folder(entries)
    if any(entry.method for entry in entries):
        raise Refused("torch_compressed")
    # torch looks records up whatever their case, so that two of them must differ in more than that.
    if len({entry.name.lower() for entry in entries}) < len(entries):
        raise Refused("torch_records")
    if any(entry.header + LOCAL.size > at or entry.size > at for entry in entries):
        raise Refused("torch_records")
    records = [Record(entry.name[len(folder) :], _start(files, path, entry), entry.size) for entry in entries]
    _check_apart(records, at)
    return {record.name: record for record in records}


def _folder(entries: list[Entry]) -> str:
    """The folder that all records are in, with its slash; Refused where this is not a file of weights."""
    names = {entry.name for entry in entries}
    folder = entries[0].name.partition("/")[0] + "/" if entries else "/"
    if f"{folder}constants.pkl" in names:
        raise Refused("torch_script")
    if f"{folder}data.pkl" not in names or not all(name.startswith(folder) for name in names):
        raise Refused("torch_other_zip")
    return folder


def _end(files: Files, path: Path, size: int) -> tuple[int, int, int]:
    """Entries of the directory, its place, and its bytes."""
    tail_bytes = min(size, END.size + MOST_COMMENT)
    tail = files.read(path, size - tail_bytes, tail_bytes).tobytes()
    place = tail.rfind(END_SIGN)
    if place < 0 or len(tail) - place < END.size:
        raise Refused("truncated")
    _, disk, its_disk, here, entries, length, at, _ = END.unpack_from(tail, place)
    end = size - tail_bytes + place
    if FULL16 in (here, entries) or FULL32 in (length, at) or disk == FULL16:
        return _end64(files, path, end)
    if disk or its_disk or here != entries:
        raise Refused
    return entries, at, length


def _end64(files: Files, path: Path, end: int) -> tuple[int, int, int]:
    """The same from the 64-bit end, which a locator before the short end points to."""
    if end < LOCATOR.size + END64.size:
        raise Refused
    sign, _, place, _ = LOCATOR.unpack(files.read(path, end - LOCATOR.size, LOCATOR.size).tobytes())
    if sign != LOCATOR_SIGN or place > end - LOCATOR.size - END64.size:
        raise Refused
    sign, _, _, _, disk, its_disk, here, entries, length, at = END64.unpack(
        files.read(path, place, END64.size).tobytes()
    )
    if sign != END64_SIGN or disk or its_disk or here != entries:
        raise Refused
    return entries, at, length


def _entries(directory: bytes, count: int) -> Iterator[Entry]:
    """Each entry of the directory in turn."""
    at = 0
    for _ in range(count):
        if len(directory) - at < ENTRY.size:
            raise Refused
        fields = ENTRY.unpack_from(directory, at)
        flags, method, packed, size, header = (fields[place] for place in (3, 4, 8, 9, 16))
        name_bytes, extra_bytes, comment_bytes = fields[10:13]
        at += ENTRY.size
        name = directory[at : at + name_bytes]
        extra = directory[at + name_bytes : at + name_bytes + extra_bytes]
        at += name_bytes + extra_bytes + comment_bytes
        if fields[0] != ENTRY_SIGN or at > len(directory):
            raise Refused
        size, packed, header = _long(extra, [size, packed, header])
        odd = flags & ENCRYPTED or size != packed
        try:
            yield Entry(name.decode("utf-8"), header, size, method or int(odd))
        except UnicodeDecodeError as error:
            raise Refused("torch_records") from error


def _long(extra: bytes, short: list[int]) -> list[int]:
    """Values, those that do not fit their short fields taken from the extra field of 64-bit ones."""
    at = 0
    while FULL32 in short and len(extra) - at >= 4:
        kind, length = (
            int.from_bytes(extra[at : at + 2], "little"),
            int.from_bytes(extra[at + 2 : at + 4], "little"),
        )
        if kind == 1:
            values = [extra[i : i + 8] for i in range(at + 4, at + 4 + length, 8)]
            wide = iter(int.from_bytes(value, "little") for value in values)
            return [next(wide, value) if value == FULL32 else value for value in short]
        at += 4 + length
    return short


def _start(files: Files, path: Path, entry: Entry) -> int:
    """Where the bytes of a record begin: after its local header, which must bear the same name."""
    name = entry.name.encode()
    raw = files.read(path, entry.header, LOCAL.size + len(name)).tobytes()
    fields = LOCAL.unpack_from(raw)
    name_bytes, extra_bytes = fields[9:11]
    if fields[0] != LOCAL_SIGN or fields[3] or name_bytes != len(name) or raw[LOCAL.size :] != name:
        raise Refused("torch_records")
    return entry.header + LOCAL.size + len(name) + int(extra_bytes)


def _check_apart(records: list[Record], past: int) -> None:
    """See that records lie before the directory and share no bytes."""
    before = 0
    for record in sorted(records, key=lambda record: (record.offset, record.size)):
        if record.offset < before or record.offset + record.size > past:
            raise Refused("torch_records")
        before = record.offset + record.size
