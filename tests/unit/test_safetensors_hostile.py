"""safetensors files that lie, are damaged, or want more than they hold: one sentence each, little memory."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.checkpoints.readers.json_text import MOST_SHOWN
from ffn_explorer.checkpoints.readers.safetensors import MOST_NAME, open_safetensors
from ffn_explorer.core.errors import InputError
from tests.unit.safetensors_bytes import entry, file_of, float32s, written

GOOD = entry("F32", [2], 0, 8)
EXAMPLES = 400
MOST_MEGABYTES = 1_000


def refused(path: Path, read: Callable[[Path], object] = open_safetensors) -> InputError:
    """The sentence that opening a file ends with; short, and without what cannot be printed."""
    with pytest.raises(InputError) as caught:
        read(path)
    for value in caught.value.values.values():
        assert len(str(value)) <= 2 * MOST_SHOWN
        assert str(value).isprintable()
    return caught.value


LIES = {
    "outside": ({"a": entry("F32", [3], 0, 12)}, "outside"),
    "far_outside": ({"a": entry("F32", [2**40], 0, 2**42)}, "outside"),
    "beyond_64_bits": ({"a": entry("F32", [2], 2**64, 2**64 + 8)}, "entry"),
    "overlapping": ({"a": GOOD, "b": entry("F32", [1], 4, 8)}, "overlap"),
    "the_same_twice": ({"a": GOOD, "b": GOOD}, "overlap"),
    "inside_another": ({"a": entry("U8", [8], 0, 8), "b": entry("U8", [2], 3, 5)}, "overlap"),
    "negative_offset": ({"a": entry("F32", [2], -8, 0)}, "entry"),
    "negative_size": ({"a": entry("F32", [-2], 0, 8)}, "entry"),
    "two_negative_sizes": ({"a": entry("F32", [-2, -1], 0, 8)}, "entry"),
    "backwards": ({"a": entry("F32", [2], 8, 0)}, "entry"),
    "three_offsets": ({"a": {**GOOD, "data_offsets": [0, 8, 8]}}, "entry"),
    "size_unlike_shape": ({"a": entry("F32", [3], 0, 8)}, "mismatch"),
    "size_unlike_type": ({"a": entry("F64", [2], 0, 8)}, "mismatch"),
    "half_a_byte": ({"a": entry("F4", [3], 0, 2)}, "mismatch"),
    "overflow_to_8": ({"a": entry("F32", [2**32, 2**31, 2], 0, 8)}, "mismatch"),
    "overflow_to_0": ({"a": entry("F32", [2**62, 2**62, 0], 0, 0)}, "mismatch"),
    "too_many_axes": ({"a": entry("F32", [1] * 65 + [2], 0, 8)}, "entry"),
    "fraction": ({"a": entry("F32", [2.0], 0, 8)}, "entry"),  # type: ignore[list-item]
    "truth_as_size": ({"a": entry("U8", [True], 0, 1)}, "entry"),
    "text_as_size": ({"a": {**GOOD, "shape": "2"}}, "entry"),
    "no_type": ({"a": {"shape": [2], "data_offsets": [0, 8]}}, "entry"),
    "no_shape": ({"a": {"dtype": "F32", "data_offsets": [0, 8]}}, "entry"),
    "no_offsets": ({"a": {"dtype": "F32", "shape": [2]}}, "entry"),
    "type_is_a_list": ({"a": {**GOOD, "dtype": ["F32"]}}, "entry"),
    "entry_is_a_number": ({"a": 5}, "header"),
    "a_list": ([GOOD], "header"),
    "long_name": ({"a" * (MOST_NAME + 1): GOOD}, "header"),
    "half_a_surrogate": (b'{"\\ud800":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', "header"),
    "name_twice": (b'{"a":%s,"a":%s}' % ((json.dumps(GOOD).encode(),) * 2), "name_twice"),
    "field_twice": (b'{"a":{"dtype":"F32","shape":[2],"shape":[1],"data_offsets":[0,8]}}', "name_twice"),
    "not_utf8": (b'{"\xff":1}', "json"),
    "not_json": (b"{", "json"),
    "more_after_json": (b"{}{}", "json"),
    "zero_bytes_after_json": (b"{}\0\0", "json"),
    "deep": (b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}", "json"),
    "deep_objects": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "json"),
    "endless_number": (
        b'{"a":{"dtype":"F32","shape":[' + b"9" * 100_000 + b'],"data_offsets":[0,8]}}',
        "json",
    ),
    "too_many_values": (b'{"a":[' + b"{}," * 1_500_000 + b"{}]}", "json_large"),
    "many_sizes": (
        b'{"a":{"dtype":"F32","shape":[' + b"9," * 900_000 + b'1],"data_offsets":[0,8]}}',
        "entry",
    ),
}


@pytest.mark.parametrize("case", LIES)
def test_lies_are_refused(case: str, tmp_path: Path) -> None:
    header, key = LIES[case]
    error = refused(written(tmp_path / "lies.safetensors", header, bytes(8)))
    assert error.key == f"checkpoint.{key}"


@pytest.mark.parametrize(
    ("length", "raw", "key"),
    [
        (2**63, b"{}", "header"),
        (2**64 - 1, b"{}", "header"),
        (100_000_001, b"{}", "header"),
        (100_000_000, b"{}", "truncated"),
        (3, b"{}", "truncated"),
        (0, b"", "json"),
    ],
)
def test_lengths_that_lie(length: int, raw: bytes, key: str, tmp_path: Path) -> None:
    assert refused(written(tmp_path / "a", raw, length=length)).key == f"checkpoint.{key}"


def test_a_header_of_most_bytes_may_be_large_but_not_endless(tmp_path: Path) -> None:
    path = tmp_path / "sparse.safetensors"
    path.write_bytes((100_000_000).to_bytes(8, "little") + b"{")
    os.truncate(path, 2**31)
    assert refused(path).key == "checkpoint.json"


def test_wide_letters_are_bounded(tmp_path: Path) -> None:
    path = written(tmp_path / "wide.safetensors", ('{"' + "😀" * 2**23 + '":1}').encode())
    assert refused(path).key == "checkpoint.json_large"


def test_gaps_extra_fields_and_spaces_do_no_harm(tmp_path: Path) -> None:
    header = {
        "a": {**entry("F32", [1], 4, 8), "more": 1},
        "b": entry("F32", [1], 12, 16),
        "__metadata__": None,
    }
    data = np.arange(6, dtype="<f4").tobytes()
    source = open_safetensors(written(tmp_path / "a", b"  " + json.dumps(header).encode() + b" \n", data))
    assert [source.whole(name).item() for name in "ab"] == [1.0, 3.0]
    source.close()


def test_metadata_holds_texts_only(tmp_path: Path) -> None:
    metadata = {"format": "pt", "number": 1, "half": "\ud800"}
    source = open_safetensors(written(tmp_path / "a", {"__metadata__": metadata, "a": GOOD}, bytes(8)))
    assert source.header["metadata"] == {"format": "pt"}


@pytest.mark.parametrize("shape", [[2**40, 0], [2**62, 1, 0], [0, 2**40]])
def test_endless_rows_of_nothing_are_not_walked(shape: list[int], tmp_path: Path) -> None:
    source = open_safetensors(written(tmp_path / "a", {"a": entry("F32", shape, 0, 0)}))
    assert source.tensors["a"].shape == tuple(shape)
    with pytest.raises(InputError):
        source.whole("a")


def test_rows_of_half_bytes_are_listed_only(tmp_path: Path) -> None:
    source = open_safetensors(written(tmp_path / "a", {"a": entry("F4", [2, 3], 0, 3)}, bytes(3)))
    with pytest.raises(InputError) as caught:
        source.whole("a")
    assert caught.value.key == "checkpoint.shape"


def test_a_file_that_shrinks_later_is_refused_when_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a", *float32s({"a": [100, 100]}))
    source = open_safetensors(path)
    os.truncate(path, 500)
    with pytest.raises(InputError) as caught:
        source.whole("a")
    assert caught.value.key == "checkpoint.truncated"
    source.close()


MODEL = file_of(
    *float32s({f"layers.{index}.mlp.{name}.weight": [3, 4] for index in range(3) for name in "ab"})
)


def open_and_read(path: Path) -> None:
    """Open, and read all that may be read: nothing but InputError comes out."""
    try:
        source = open_source(path)
    except InputError:
        return
    for name in source.tensors:
        try:
            assert source.whole(name).shape == source.tensors[name].shape
        except InputError:
            continue
    source.close()


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_flipped_bytes(tmp_path: Path, data: st.DataObject) -> None:
    raw = bytearray(MODEL)
    # Most of the file is header; flips that hit the length and the structure matter most.
    places = st.integers(0, 9) | st.integers(0, len(raw) - 1)
    for place in data.draw(st.lists(places, min_size=1, max_size=8)):
        raw[place] = data.draw(st.integers(0, 255) | st.sampled_from(list(b'{}[]",:019-e\\')))
    cut = data.draw(st.just(len(raw)) | st.integers(0, len(raw)))
    (tmp_path / "model.safetensors").write_bytes(raw[:cut])
    open_and_read(tmp_path / "model.safetensors")
    open_and_read(tmp_path)


VALUES: st.SearchStrategy[object] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.integers(0, 96)
    | st.floats()
    | st.text(max_size=9)
    | st.sampled_from(["F32", "BF16", "U8", "I64", "F4", "C64"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_changed_headers(tmp_path: Path, data: st.DataObject) -> None:
    header, numbers = float32s({"a": [2, 3], "b": [3], "c": [2, 2, 2]})
    for _ in range(data.draw(st.integers(1, 4))):
        name = data.draw(st.sampled_from([*sorted(header), "__metadata__", "d"]))
        old = header.get(name)
        if isinstance(old, dict) and data.draw(st.booleans()):
            field = data.draw(st.sampled_from(["dtype", "shape", "data_offsets"]))
            header[name] = {**old, field: data.draw(VALUES | st.lists(st.integers(0, 96), max_size=3))}
        else:
            header[name] = data.draw(VALUES)
    open_and_read(written(tmp_path / "model.safetensors", header, numbers))


def many(count: int) -> bytes:
    """A header of as many tensors."""
    names = (f'"{i}":{{"dtype":"U8","shape":[1,1],"data_offsets":[{i},{i + 1}]}}' for i in range(count))
    return ("{" + ",".join(names) + "}").encode()


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "small_objects": (lambda: b'{"a":[' + b'{"a":0},' * 700_000 + b"0]}", "checkpoint.header"),
    "empty_lists": (lambda: b'{"a":[' + b"[]," * 700_000 + b"0]}", "checkpoint.header"),
    "numbers": (lambda: b'{"a":[' + b"1.5," * 1_400_000 + b"0]}", "checkpoint.header"),
    "one_long_name": (lambda: b'{"' + b"a" * 99_000_000 + b'":0}', "checkpoint.header"),
    "escapes": (lambda: b'{"' + b"\\ud83d\\ude00" * 8_000_000 + b'":0}', "checkpoint.header"),
    "spaces": (lambda: b"{" + b" " * 99_000_000 + b"}", "opened"),
    "tensors": (lambda: many(180_000), "opened"),
}
MEASURE = """
import sys, time
from pathlib import Path
from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.cli.inspect import highest_memory
from ffn_explorer.core.errors import InputError
began, said = time.monotonic(), "opened"
try:
    open_source(Path(sys.argv[1]))
except InputError as error:
    said = error.key
print(said, highest_memory() // 2**20, time.monotonic() - began)
"""


@pytest.mark.parametrize("case", HOSTILE)
def test_memory_stays_bounded(case: str, tmp_path: Path) -> None:
    make, wanted = HOSTILE[case]
    path = written(tmp_path / "large.safetensors", make())
    os.truncate(path, path.stat().st_size + 4 * 180_000)
    # In a process of its own: what this one used before would count.
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], check=True, capture_output=True, text=True
    )
    said, megabytes, _ = done.stdout.split()
    assert said == wanted
    assert int(megabytes) < MOST_MEGABYTES, done.stdout
