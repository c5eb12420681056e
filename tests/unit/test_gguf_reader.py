"""GGUF files that are damaged, lie or are something else: one sentence each, quickly, in bounded memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from struct import pack

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ffn_explorer.checkpoints.readers import gguf_values
from ffn_explorer.checkpoints.readers.gguf import MOST_KEYS, MOST_TENSORS, open_gguf
from ffn_explorer.checkpoints.readers.gguf_types import codec_of
from ffn_explorer.checkpoints.readers.gguf_values import KEPT_ITEMS, KEPT_TEXT, MOST_STRINGS, Later
from ffn_explorer.core.errors import InputError
from tests.unit.gguf_bytes import ARRAY, STRING, array, entry, gguf, nested, tensor, text

SECONDS, MEGABYTES = 5.0, 200
"""Longest that a refusal may take, and most that it may allocate."""

PLAIN = [tensor("a", [8, 4]), tensor("b", [8], offset=128)]
DATA = np.arange(40, dtype="<f4").tobytes()


def refusal(path: Path) -> InputError:
    """The sentence for a file that cannot be opened; the time of this program and its memory are checked."""
    start = time.process_time()
    with pytest.raises(InputError):
        open_gguf(path)
    assert time.process_time() - start < SECONDS
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as refused:
            open_gguf(path)
        assert tracemalloc.get_traced_memory()[1] < MEGABYTES * 2**20
    finally:
        tracemalloc.stop()
    assert refused.value.key.startswith("checkpoint.")
    assert all(len(str(value)) <= 300 for value in refused.value.values.values())
    return refused.value


def refused(tmp_path: Path, content: bytes) -> str:
    """The key of the sentence for a file with this content."""
    path = tmp_path / "a.gguf"
    path.write_bytes(content)
    return refusal(path).key


def write(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "a.gguf"
    path.write_bytes(content)
    return path


def test_the_plainest_file(tmp_path: Path) -> None:
    source = open_gguf(write(tmp_path, gguf([entry("k", 4, pack("<I", 7))], PLAIN, data=DATA)))
    assert source.format == "gguf"
    assert dict(source.header) == {"k": 7}
    np.testing.assert_array_equal(source.whole("a"), np.arange(32).reshape(4, 8))
    np.testing.assert_array_equal(source.whole("b"), np.arange(32, 40))
    source.close()


@pytest.mark.parametrize("version", [2, 3])
def test_both_versions_are_read(version: int, tmp_path: Path) -> None:
    source = open_gguf(write(tmp_path, gguf([], PLAIN, data=DATA, version=version)))
    assert set(source.tensors) == {"a", "b"}
    source.close()


def test_a_file_without_tensors_opens_empty(tmp_path: Path) -> None:
    source = open_gguf(write(tmp_path, gguf([entry("k", 0, b"\1")])))
    assert not source.tensors
    source.close()


HUGE = 2**63
HEADERS = {
    "nothing": (b"", "not_gguf"),
    "three bytes": (b"GGU", "not_gguf"),
    "other magic": (b"ggjt" + bytes(100), "not_gguf"),
    "text": (b"# a model\n" * 50, "not_gguf"),
    "magic alone": (b"GGUF", "truncated"),
    "no counts": (b"GGUF" + pack("<I", 3), "truncated"),
    "version 0": (gguf(version=0), "gguf_version"),
    "version 1": (gguf(version=1), "gguf_version"),
    "version 4": (gguf(version=4), "gguf_version"),
    "big-endian": (b"GGUF" + pack(">IQQ", 3, 0, 0), "big_endian"),
    "2^63 tensors": (gguf(counts=(HUGE, 0)), "counts"),
    "2^63 keys": (gguf(counts=(0, HUGE)), "counts"),
    "more tensors than bytes": (gguf(counts=(50, 0), data=bytes(500)), "counts"),
    "too many tensors": (gguf(counts=(MOST_TENSORS + 1, 0), data=bytes(2**22)), "counts"),
    "too many keys": (gguf(counts=(0, MOST_KEYS + 1), data=bytes(2**20)), "counts"),
    "one key too few": (gguf([entry("a", 0, b"\1")], counts=(0, 2), data=bytes(20)), "name_text"),
}


@pytest.mark.parametrize(("content", "key"), HEADERS.values(), ids=HEADERS)
def test_first_bytes_that_lie(content: bytes, key: str, tmp_path: Path) -> None:
    assert refused(tmp_path, content) == f"checkpoint.{key}"


ENTRIES = {
    "key of 2^63 bytes": (text(b"k", length=HUGE) + bytes(40), "truncated"),
    "key of 2^64-1 bytes": (text(b"k", length=2**64 - 1) + bytes(40), "truncated"),
    "key too long": (entry("k" * 70_000, 0, b"\1"), "name_long"),
    "key of no bytes": (entry("", 0, b"\1"), "name_text"),
    "key not UTF-8": (entry(b"\xff\xfe", 0, b"\1"), "name_text"),
    "key with control characters": (entry("a\x1b[2J", 0, b"\1"), "name_text"),
    "unknown kind": (entry("k", 13, bytes(8)), "metadata_kind"),
    "kind 2^32-1": (entry("k", 2**32 - 1, bytes(8)), "metadata_kind"),
    "bool of 2": (entry("k", 7, b"\2"), "metadata_kind"),
    "bool of 2 in an array": (entry("k", ARRAY, array(7, 2, b"\1\2")), "metadata_kind"),
    "string longer than the file": (entry("k", STRING, text("abc", length=10**6)), "truncated"),
    "string of 2^63 bytes": (entry("k", STRING, text("abc", length=HUGE)), "truncated"),
    "array of 2^63 bytes": (entry("k", ARRAY, array(0, HUGE, b"")), "truncated"),
    "array of 2^62 longs": (entry("k", ARRAY, array(10, 2**62, b"")), "truncated"),
    "array of 2^63 strings": (entry("k", ARRAY, array(STRING, HUGE, b"")), "truncated"),
    "array of 2^63 arrays": (entry("k", ARRAY, array(ARRAY, HUGE, b"")), "truncated"),
    "array of an unknown kind": (entry("k", ARRAY, array(99, 1, bytes(8))), "metadata_kind"),
    "empty array of an unknown kind": (entry("k", ARRAY, array(99, 0, b"")), "metadata_kind"),
    "long string array that leaves the file": (
        entry("k", ARRAY, array(STRING, 2_000, text("a") * 1_999 + text("a", length=HUGE))),
        "truncated",
    ),
    "long string array whose length leaves the file": (
        entry("k", ARRAY, array(STRING, 2_000, text("a", length=2**40) + bytes(16_000))),
        "truncated",
    ),
    "arrays 9 deep": (entry("k", ARRAY, nested(9)), "metadata_deep"),
    "arrays 10,000 deep": (entry("k", ARRAY, nested(10_000)), "metadata_deep"),
    "2,000,000 empty arrays": (
        entry("k", ARRAY, array(ARRAY, 2_000_000, array(4, 0, b"") * 2_000_000)),
        "metadata_large",
    ),
    "many short arrays of empty strings": (
        entry("k", ARRAY, array(ARRAY, 1_000, array(STRING, KEPT_ITEMS, bytes(8 * KEPT_ITEMS)) * 1_000)),
        "metadata_large",
    ),
    "arrays of kept arrays": (
        entry("k", ARRAY, array(ARRAY, 2_000, array(0, KEPT_ITEMS, bytes(KEPT_ITEMS)) * 2_000)),
        "metadata_large",
    ),
    "more strings than may be walked": (
        entry("k", ARRAY, array(STRING, MOST_STRINGS + 1, bytes(8 * (MOST_STRINGS + 1)))),
        "metadata_large",
    ),
    "alignment 0": (entry("general.alignment", 4, pack("<I", 0)), "alignment"),
    "alignment 48": (entry("general.alignment", 4, pack("<I", 48)), "alignment"),
    "alignment -32": (entry("general.alignment", 5, pack("<i", -32)), "alignment"),
    "alignment in words": (entry("general.alignment", STRING, text("32")), "alignment"),
    "alignment as a list": (entry("general.alignment", ARRAY, array(4, 1, pack("<I", 32))), "alignment"),
    "alignment as a truth": (entry("general.alignment", 7, b"\1"), "alignment"),
    "alignment 2^63": (entry("general.alignment", 10, pack("<Q", HUGE)), "misaligned"),
}


@pytest.mark.parametrize(("content", "key"), ENTRIES.values(), ids=ENTRIES)
def test_metadata_that_lies(content: bytes, key: str, tmp_path: Path) -> None:
    assert refused(tmp_path, gguf([content], PLAIN, data=DATA)) == f"checkpoint.{key}"


def test_strings_that_are_kept_are_bounded_together(tmp_path: Path) -> None:
    many = [entry(f"k{at}", STRING, text("x" * KEPT_TEXT)) for at in range(40)]
    assert refused(tmp_path, gguf(many)) == "checkpoint.metadata_large"


def test_a_key_stands_once(tmp_path: Path) -> None:
    assert refused(tmp_path, gguf([entry("k", 0, b"\1")] * 2)) == "checkpoint.name_twice"


TENSORS = {
    "name of 2^63 bytes": ([text(b"a", length=HUGE) + bytes(60)], "truncated"),
    "name too long": ([tensor("a" * 300, [8])], "name_long"),
    "name not UTF-8": ([tensor(b"\xc3", [8])], "name_text"),
    "the same name": ([tensor("a", [8]), tensor("a", [8], offset=32)], "name_twice"),
    "2^32-1 axes": ([text("a") + pack("<I", 2**32 - 1) + bytes(60)], "axes"),
    "nine axes": ([tensor("a", [1] * 9)], "axes"),
    "negative axis": ([tensor("a", [8, 2**64 - 4])], "shape"),
    "two negative axes": ([tensor("a", [2**64 - 2, 2**64 - 2])], "shape"),
    "zero axis": ([tensor("a", [8, 0])], "shape"),
    "zero columns of many rows": ([tensor("a", [0, 2**62])], "shape"),
    "2^62 numbers": ([tensor("a", [2**31, 2**31])], "outside"),
    "product that overflows to 0": ([tensor("a", [2**32, 2**32])], "outside"),
    "half a block": ([tensor("a", [33], kind=2)], "shape"),
    "a block type without axes": ([tensor("a", [], kind=2)], "shape"),
    "offset outside": ([tensor("a", [8], offset=4_096)], "outside"),
    "offset 2^64-32": ([tensor("a", [8], offset=2**64 - 32)], "outside"),
    "ends outside": ([tensor("a", [41])], "outside"),
    "misaligned": ([tensor("a", [4], offset=4)], "misaligned"),
    "overlapping": ([tensor("a", [16]), tensor("b", [8], offset=32)], "overlap"),
    "one in another": (
        [tensor("a", [40]), tensor("b", [2], offset=64), tensor("c", [2], offset=128)],
        "overlap",
    ),
    "at the same place": ([tensor("a", [8]), tensor("b", [8])], "overlap"),
    "unknown types at one place": ([tensor("a", [8], kind=77), tensor("b", [8], kind=77)], "overlap"),
}


@pytest.mark.parametrize(("content", "key"), TENSORS.values(), ids=TENSORS)
def test_tensors_that_lie(content: list[bytes], key: str, tmp_path: Path) -> None:
    assert refused(tmp_path, gguf([], content, data=DATA)) == f"checkpoint.{key}"


@pytest.mark.parametrize(("kind", "name"), [(77, "ggml type 77"), (4, "Q4_2"), (31, "Q4_0_4_4")])
def test_unknown_types_are_listed_and_say_so(kind: int, name: str, tmp_path: Path) -> None:
    content = gguf([], [tensor("a", [8, 2], kind=kind), tensor("b", [8], offset=32)], data=DATA)
    source = open_gguf(write(tmp_path, content))
    assert source.tensors["a"].shape == (2, 8)
    with pytest.raises(InputError) as error:
        source.row("a", 0)
    assert error.value.key == "checkpoint.type_unread"
    assert error.value.values == {"tensor": "a", "type": name}
    np.testing.assert_array_equal(source.whole("b"), np.arange(8, 16))
    with pytest.raises(InputError):
        codec_of(kind)[0].decode(np.zeros((1, 0), np.uint8))
    source.close()


def test_numbers_that_are_none_are_read_without_a_warning(tmp_path: Path) -> None:
    content = gguf([], [tensor("a", [32, 2], kind=8)], data=b"\xff" * 34 + b"\0\x7c" + b"\1" * 32)
    source = open_gguf(write(tmp_path, content))
    found = source.whole("a")
    assert np.isnan(found[0]).all()
    assert np.isinf(found[1]).all()
    source.close()


def test_text_that_is_not_utf8_is_replaced_in_values(tmp_path: Path) -> None:
    many = KEPT_ITEMS + 1
    content = gguf(
        [entry("one", STRING, text(b"a\xff")), entry("all", ARRAY, array(STRING, many, text(b"\xff") * many))]
    )
    source = open_gguf(write(tmp_path, content))
    assert source.header["one"] == "a�"
    later = source.header["all"]
    assert isinstance(later, Later)
    assert later.strings() == ["�"] * many
    source.close()


def test_long_values_are_read_when_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [str(number) * (number % 7) for number in range(3_000)]
    content = gguf(
        [
            entry("words", ARRAY, array(STRING, 3_000, b"".join(map(text, words)))),
            entry("truths", ARRAY, array(7, 3_000, b"\1\0\1" * 1_000)),
            entry("long", STRING, text("é" * KEPT_TEXT)),
            entry("after", 0, b"\5"),
        ]
    )
    monkeypatch.setattr(gguf_values, "WINDOW", 64)
    source = open_gguf(write(tmp_path, content))
    found, truths, long = (source.header[key] for key in ("words", "truths", "long"))
    assert isinstance(found, Later)
    assert isinstance(truths, Later)
    assert isinstance(long, Later)
    assert found.strings() == words
    assert truths.numbers().tolist() == [True, False, True] * 1_000
    assert long.strings() == ["é" * KEPT_TEXT]
    assert source.header["after"] == 5
    monkeypatch.setattr(gguf_values, "MOST_LATER", 1_000)
    with pytest.raises(InputError) as error:
        found.strings()
    assert error.value.key == "checkpoint.metadata_large"
    source.close()


def test_a_file_that_changes_after_it_was_opened(tmp_path: Path) -> None:
    many = KEPT_ITEMS + 1
    content = gguf([entry("k", ARRAY, array(STRING, many, text("abc") * many))], PLAIN, data=DATA)
    path = write(tmp_path, content)
    source = open_gguf(path)
    later = source.header["k"]
    assert isinstance(later, Later)
    path.write_bytes(content.replace(text("abc"), b"\xff" * 11))
    with pytest.raises(InputError) as error:
        later.strings()
    assert error.value.key == "checkpoint.truncated"
    path.write_bytes(content[:100])
    for read in (later.strings, lambda: source.row("b", 0), lambda: source.column("a", 1)):
        with pytest.raises(InputError) as error:
            read()
        assert error.value.key == "checkpoint.truncated"
    source.close()


def parts(
    folder: Path, count: int, *, stem: str = "m", entries: Callable[[int], list[bytes]] | None = None
) -> list[Path]:
    """Parts of one tensor each."""
    made = []
    for number in range(1, count + 1):
        said = entries(number) if entries else split(number, count, count)
        path = folder / f"{stem}-{number:05d}-of-{count:05d}.gguf"
        path.write_bytes(gguf(said, [tensor(f"t{number}", [8])], data=DATA[:32]))
        made.append(path)
    return made


def split(number: int, count: int, total: int) -> list[bytes]:
    """What each part says of itself."""
    return [
        entry("split.no", 2, pack("<H", number - 1)),
        entry("split.count", 2, pack("<H", count)),
        entry("split.tensors.count", 5, pack("<i", total)),
    ]


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    first, second, third = parts(tmp_path, 3)
    second.unlink()
    for path in (first, third):
        error = refusal(path)
        assert error.key == "checkpoint.shard_missing"
        assert error.values == {"file": second.name, "missing": 1, "count": 3}


def test_parts_that_say_nothing_of_themselves_are_still_all_read(tmp_path: Path) -> None:
    made = parts(tmp_path, 3, entries=lambda _: [])
    source = open_gguf(made[1])
    assert list(source.tensors) == ["t1", "t2", "t3"]
    source.close()
    made[2].unlink()
    assert refusal(made[0]).key == "checkpoint.shard_missing"


def test_a_part_by_another_name(tmp_path: Path) -> None:
    first = parts(tmp_path, 3)[0]
    other = first.rename(tmp_path / "model.gguf")
    assert refusal(other).key == "checkpoint.part_name"


@pytest.mark.parametrize(
    ("said", "key"),
    [
        (lambda _: split(1, 3, 3), "part_other"),
        (lambda number: split(number, 3 if number < 3 else 4, 3), "part_other"),
        (lambda number: split(number, 3, 4), "part_other"),
        (lambda number: split(number, 4, 4), "part_name"),
        (lambda _: [entry("split.count", STRING, text("3"))], "metadata_kind"),
        (lambda _: [entry("split.count", ARRAY, array(0, 1, b"\3"))], "metadata_kind"),
    ],
)
def test_parts_that_do_not_belong_together(
    said: Callable[[int], list[bytes]], key: str, tmp_path: Path
) -> None:
    assert refusal(parts(tmp_path, 3, entries=said)[0]).key == f"checkpoint.{key}"


def test_parts_with_one_tensor_twice(tmp_path: Path) -> None:
    first, second = parts(tmp_path, 2)
    second.write_bytes(gguf(split(2, 2, 2), [tensor("t1", [8])], data=DATA[:32]))
    assert refusal(first).key == "checkpoint.twice"


def test_a_part_numbered_past_the_last(tmp_path: Path) -> None:
    parts(tmp_path, 2)
    extra = tmp_path / "m-00003-of-00002.gguf"
    extra.write_bytes(gguf(split(3, 2, 2)))
    assert refusal(extra).key == "checkpoint.part_name"


def test_65535_parts_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "m-00001-of-65535.gguf"
    path.write_bytes(gguf(split(1, 65_535, 65_535)))
    assert refusal(path).key == "checkpoint.index"


def test_what_is_no_file(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.gguf").key == "checkpoint.read"
    assert refusal(tmp_path / "zero\0byte.gguf").key == "checkpoint.read"
    assert refusal(tmp_path).key == "checkpoint.special"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes, devices and links are not files there")
def test_pipes_devices_and_links(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.gguf"
    os.mkfifo(pipe)
    assert refusal(pipe).key == "checkpoint.special"
    assert refusal(Path("/dev/zero")).key == "checkpoint.special"
    loop = tmp_path / "loop.gguf"
    loop.symlink_to(loop)
    assert refusal(loop).key == "checkpoint.read"
    real = write(tmp_path, gguf([], PLAIN, data=DATA))
    link = tmp_path / "link.gguf"
    link.symlink_to(real)
    source = open_gguf(link)
    assert set(source.tensors) == {"a", "b"}
    source.close()


def test_parts_behind_links_are_looked_for_beside_the_links(tmp_path: Path) -> None:
    """The hub's cache: names link to files called by their hash."""
    store, shown = tmp_path / "blobs", tmp_path / "snapshot"
    store.mkdir()
    shown.mkdir()
    for number, path in enumerate(parts(store, 2)):
        blob = path.rename(store / f"{number:064x}")
        (shown / path.name).symlink_to(blob)
    source = open_gguf(shown / "m-00002-of-00002.gguf")
    assert list(source.tensors) == ["t1", "t2"]
    source.close()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are listed on Linux only")
def test_a_refused_file_is_closed(tmp_path: Path) -> None:
    path = write(tmp_path, gguf([], [tensor("a", [41])], data=DATA))
    before = sorted(Path("/proc/self/fd").iterdir())
    for _ in range(5):
        refusal(path)
        refusal(tmp_path)
    assert sorted(Path("/proc/self/fd").iterdir()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="files with holes are made otherwise there")
def test_a_file_with_holes_costs_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    with path.open("wb") as file:
        file.write(gguf([], [tensor("a", [8_192, 2**20])], data=DATA))
        file.truncate(2**36)
    tracemalloc.start()
    source = open_gguf(path)
    np.testing.assert_array_equal(source.row("a", 0)[:40], np.arange(40))
    assert source.column("a", 3, past=1_000)[0] == 3
    assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    tracemalloc.stop()
    source.close()


def test_a_hole_full_of_empty_strings_is_not_walked_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    with path.open("wb") as file:
        file.write(gguf([entry("k", ARRAY, array(STRING, 2**32, b""))]))
        file.truncate(2**36)
    assert refusal(path).key == "checkpoint.metadata_large"


def test_the_package_is_imported_only_for_quantised_files(tmp_path: Path) -> None:
    write(tmp_path, gguf([], PLAIN, data=DATA))
    code = (
        "import sys; from pathlib import Path; from ffn_explorer.checkpoints.readers.gguf import open_gguf;"
        f"open_gguf(Path({str(tmp_path / 'a.gguf')!r})).whole('a');"
        "print('gguf' in sys.modules, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


SAMPLE = gguf(
    [
        entry("general.architecture", STRING, text("llama")),
        entry("general.alignment", 4, pack("<I", 32)),
        entry("floats", ARRAY, array(6, 3, pack("<3f", 1, 2, 3))),
        entry("deep", ARRAY, array(ARRAY, 2, array(7, 2, b"\1\0") + array(STRING, 1, text("x")))),
        entry("words", ARRAY, array(STRING, KEPT_ITEMS + 1, text("w") * (KEPT_ITEMS + 1))),
        entry("flag", 7, b"\1"),
    ],
    [
        tensor("blk.0.ffn_up.weight", [8, 4]),
        tensor("blk.0.ffn_gate.weight", [64, 2], kind=2, offset=128),
        tensor("blk.0.ffn_down.weight", [256, 1, 2], kind=14, offset=224),
        tensor("odd", [256], kind=15, offset=672),
    ],
    data=bytes(range(256)) * 4,
)
WORDS_START = SAMPLE.index(text("w") * 5)
WORDS_END = SAMPLE.rindex(text("w") * 5) + 45
EXTREMES = [0, 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1]


def explore(path: Path) -> None:
    """Open a file and read something of everything; only InputError may come."""
    try:
        source = open_gguf(path)
    except InputError:
        return
    try:
        for value in source.header.values():
            if isinstance(value, Later):
                value.strings() if value.kind == "string" else value.numbers()
        for name, stored in source.tensors.items():
            try:
                source.row(name, 0)
                source.column(name, stored.columns - 1)
                assert sum(len(block) for block in source.blocks(name)) == stored.rows
            except InputError:
                continue
    finally:
        source.close()


def test_the_sample_itself_is_good(tmp_path: Path) -> None:
    source = open_gguf(write(tmp_path, SAMPLE))
    assert source.header["deep"] == [[True, False], ["x"]]
    assert source.tensors["blk.0.ffn_down.weight"].shape == (2, 1, 256)
    source.close()


@pytest.mark.parametrize("change", [0x01, 0x80, 0xFF], ids=hex)
def test_every_byte_of_the_header_flipped(change: int, tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    start = SAMPLE.index(bytes(range(256)))
    places = [at for at in range(start) if not WORDS_START + 45 < at < WORDS_END - 45]
    slowest = 0.0
    for at in places:
        mutated = bytearray(SAMPLE)
        mutated[at] ^= change
        path.write_bytes(mutated)
        begun = time.process_time()
        explore(path)
        slowest = max(slowest, time.process_time() - begun)
    assert len(places) > 400
    assert slowest < SECONDS


def test_every_length_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    for length in [*range(WORDS_START + 45), *range(WORDS_END - 45, len(SAMPLE), 3)]:
        path.write_bytes(SAMPLE[:length])
        explore(path)


@settings(max_examples=400)
@given(data=st.data())
def test_any_change_at_all(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    mutated = bytearray(SAMPLE)
    places = st.one_of(st.integers(0, WORDS_START), st.integers(WORDS_END, len(SAMPLE)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(places)
        what = data.draw(st.sampled_from(["bytes", "long", "word", "insert", "remove"]))
        if what == "bytes":
            new = data.draw(st.binary(min_size=1, max_size=8))
            mutated[at : at + len(new)] = new
        elif what == "long":
            mutated[at : at + 8] = pack("<Q", data.draw(st.sampled_from(EXTREMES)))
        elif what == "word":
            mutated[at : at + 4] = pack("<I", data.draw(st.integers(0, 50)))
        elif what == "insert":
            mutated[at:at] = data.draw(st.binary(max_size=32))
        else:
            del mutated[at : at + data.draw(st.integers(1, 64))]
    path = tmp_path_factory.getbasetemp() / "mutated.gguf"
    path.write_bytes(mutated)
    begun = time.process_time()
    explore(path)
    assert time.process_time() - begun < SECONDS
