"""Our reader of safetensors against the library that defines the format."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors import SafetensorError
from safetensors import deserialize as _deserialize
from safetensors.torch import save_file

from ffn_explorer.checkpoints.readers.safetensors import DTYPES, UNREAD_BITS, open_safetensors
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError
from tests.unit.safetensors_bytes import entry, file_of, written

SAVED = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
    "F8_E4M3FNUZ": torch.float8_e4m3fnuz,
    "F8_E5M2FNUZ": torch.float8_e5m2fnuz,
    "F8_E8M0": torch.float8_e8m0fnu,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U64": torch.uint64,
    "U32": torch.uint32,
    "U16": torch.uint16,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}
FOURS = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
SHAPES = [(), (1,), (7,), (0,), (3, 5), (0, 4), (4, 0), (2, 3, 4), (1, 1, 1, 9), (5, 2100), (300, 33)]


def deserialize(raw: bytes) -> list[tuple[str, dict[str, Any]]]:
    """What the library reads out of a file."""
    found: list[tuple[str, dict[str, Any]]] = _deserialize(raw)  # type: ignore[no-untyped-call]
    return found


def bits(dtype: torch.dtype, shape: Sequence[int]) -> torch.Tensor:
    """Any bit patterns at all, NaN, infinities and subnormal numbers among them."""
    if dtype is torch.bool:
        return torch.randint(0, 2, tuple(shape), dtype=torch.uint8).to(torch.bool)
    raw = torch.randint(0, 256, (*shape, dtype.itemsize), dtype=torch.uint8)
    return raw.view(dtype).reshape(tuple(shape))


def as_numbers(tensor: torch.Tensor) -> np.ndarray:
    """Torch's own reading of the numbers, in float32, or in float64 where they are wider."""
    wide = tensor.dtype in (torch.float64, torch.int32, torch.int64, torch.uint32, torch.uint64)
    if tensor.dtype in (torch.uint64, torch.uint32):  # which torch converts by way of signed numbers
        return tensor.numpy().astype(np.float64)
    return tensor.to(torch.float64 if wide else torch.float32).numpy()


def assert_same(got: np.ndarray, wanted: np.ndarray) -> None:
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("called", SAVED)
def test_every_type_and_shape(called: str, tmp_path: Path) -> None:
    torch.manual_seed(1)
    tensors = {str(index): bits(SAVED[called], shape) for index, shape in enumerate(SHAPES)}
    path = tmp_path / "any.safetensors"
    save_file(tensors, path)
    source = open_safetensors(path)
    assert set(source.tensors) == set(tensors)
    for name, tensor in tensors.items():
        check(source, name, as_numbers(tensor))
    source.close()


def check(source: Source, name: str, wanted: np.ndarray) -> None:
    """See that whole, rows, columns and blocks give the same numbers as the library's tensor."""
    stored = source.tensors[name]
    assert stored.shape == wanted.shape
    assert_same(source.whole(name), wanted)
    flat = wanted.reshape(stored.rows, stored.columns)
    assert_same(source.rows(name, 0, stored.rows), flat)
    if stored.rows > 2:
        assert_same(source.rows(name, 1, stored.rows - 1), flat[1:-1])
        assert_same(source.row(name, 2), flat[2])
    for column in {0, stored.columns // 2, stored.columns - 1} if stored.columns else ():
        assert_same(source.column(name, column), flat[:, column])
        assert_same(source.column(name, column, first=stored.rows // 2), flat[stored.rows // 2 :, column])
    blocks = list(source.blocks(name))
    if blocks:
        assert_same(np.concatenate(blocks), flat)


def test_every_type_of_the_library_is_known() -> None:
    with pytest.raises(SafetensorError) as caught:
        deserialize(file_of({"a": entry("?", [0], 0, 0)}))
    theirs = set(
        str(caught.value).split("expected one of")[1].split("at line")[0].replace("`", "").split(", ")
    )
    assert {name.strip() for name in theirs} == set(DTYPES) | set(UNREAD_BITS)
    assert set(SAVED) | {"F4"} == set(DTYPES)


def test_four_bits(tmp_path: Path) -> None:
    codes = torch.randint(0, 256, (3, 8), dtype=torch.uint8)
    path = tmp_path / "four.safetensors"
    save_file({"a": codes.view(torch.float4_e2m1fn_x2)}, path)
    raw = codes.numpy()
    halves = np.stack([raw & 15, raw >> 4], axis=2).reshape(3, 16)
    wanted = np.where(halves & 8, -1.0, 1.0) * np.take(FOURS, halves & 7)
    check(open_safetensors(path), "a", wanted.astype(np.float32))


@pytest.mark.parametrize("called", [*UNREAD_BITS, "Q9_NEW"])
def test_other_types_are_listed_and_say_why(called: str, tmp_path: Path) -> None:
    size = UNREAD_BITS.get(called, 16)
    path = written(tmp_path / "a.safetensors", {"a": entry(called, [2, 4], 0, size)}, bytes(size))
    source = open_safetensors(path)
    stored = source.tensors["a"]
    assert (stored.shape, stored.codec.name, stored.nbytes) == ((2, 4), called, size)
    for read in (source.whole, lambda name: source.row(name, 0), lambda name: source.column(name, 0)):
        with pytest.raises(InputError) as caught:
            read("a")
        assert caught.value.key == "checkpoint.dtype"
        assert caught.value.values == {"tensor": "a", "dtype": called, "shape": "[2, 4]"}


SIZES = st.integers(-1, 9) | st.sampled_from([2**31, 2**63 - 1, 2**63, 2**64, 1.0, True, None])
ENTRIES = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["F32", "BF16", "U8", "F4", "C64", "f32"]) | st.none(),
        "shape": st.lists(SIZES, max_size=3) | st.none(),
        "data_offsets": st.lists(st.integers(-1, 40) | st.just(2**63), min_size=1, max_size=3),
    }
)
FITTING = st.builds(
    lambda dtype, shape, first: entry(dtype, shape, first, first + 4 * int(np.prod(shape))),
    st.sampled_from(["F32", "I32"]),
    st.lists(st.integers(0, 3), max_size=2),
    st.integers(0, 12),
)
HEADERS = st.dictionaries(st.text(max_size=4), ENTRIES | FITTING, max_size=3)


@given(HEADERS, st.binary(max_size=48))
def test_what_the_library_takes_is_taken_alike(
    tmp_path_factory: pytest.TempPathFactory, header: dict[str, object], data: bytes
) -> None:
    raw = file_of(json.dumps(header).encode(), data)
    path = tmp_path_factory.getbasetemp() / "alike.safetensors"
    path.write_bytes(raw)
    try:
        theirs = dict(deserialize(raw))
    except SafetensorError:
        theirs = None
    try:
        ours = open_safetensors(path)
    except InputError:
        assert theirs is None
        return
    if theirs is not None:
        assert set(ours.tensors) == set(theirs)
        for name, info in theirs.items():
            stored = ours.tensors[name]
            assert stored.shape == tuple(info["shape"])
            assert stored.codec.name == (
                DTYPES[info["dtype"]].name if info["dtype"] in DTYPES else info["dtype"]
            )
            assert raw[stored.offset : stored.offset + len(info["data"])] == bytes(info["data"])
    for name, stored in ours.tensors.items():
        if not stored.refusal:
            assert ours.whole(name).shape == stored.shape
    ours.close()
