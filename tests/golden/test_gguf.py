"""GGUF: every type's numbers and every kind of metadata equal what the format's own package reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter
from gguf.quants import dequantize, quantize
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from ffn_explorer.checkpoints import tensors
from ffn_explorer.checkpoints.readers.gguf import open_gguf
from ffn_explorer.checkpoints.readers.gguf_types import PLAIN_TYPES, codec_of
from ffn_explorer.checkpoints.readers.gguf_values import KEPT_ITEMS, Later
from ffn_explorer.checkpoints.tensors import MOST_GAP, Source
from ffn_explorer.core.errors import InputError

Kind = GGMLQuantizationType
UNREAD = (Kind.Q8_1, Kind.Q8_K, Kind.Q1_0)
"""Types that the package knows the size of and does not decode."""
QUANTISED = [kind for kind in GGML_QUANT_SIZES if kind not in UNREAD and int(kind) not in PLAIN_TYPES]
DTYPES = {
    Kind.F32: np.float32,
    Kind.F16: np.float16,
    Kind.F64: np.float64,
    Kind.I8: np.int8,
    Kind.I16: np.int16,
    Kind.I32: np.int32,
    Kind.I64: np.int64,
}


def raw_of(kind: Kind, rows: int, columns: int) -> NDArray[np.uint8]:
    """Numbers of one type as bytes `[rows, row bytes]`: quantised where possible, else random bytes."""
    rng = np.random.default_rng(int(kind) * 1_000 + columns)
    block, size = GGML_QUANT_SIZES[kind]
    try:
        return quantize(rng.standard_normal((rows, columns)).astype(np.float32), kind)
    except NotImplementedError:
        return rng.integers(0, 256, (rows, columns // block * size), dtype=np.uint8)


def expected(raw: NDArray[np.uint8], kind: Kind) -> NDArray[np.float32]:
    with np.errstate(all="ignore"):
        return dequantize(raw, kind)


def written(path: Path, content: dict[str, tuple[NDArray[Any], Kind | None]], **keys: Any) -> Source:
    """A file with these tensors, opened."""
    writer = GGUFWriter(path, "llama", **keys)
    for name, (array, kind) in content.items():
        writer.add_tensor(name, array, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    first = path if path.exists() else min(path.parent.glob(f"{path.stem}-*.gguf"))
    return open_gguf(first)


def two_sizes(kind: Kind) -> dict[str, NDArray[np.uint8]]:
    """Rows that are read whole for a column, and rows too long for that."""
    block, size = GGML_QUANT_SIZES[kind]
    return {
        "narrow": raw_of(kind, 7, 2 * block),
        "wide": raw_of(kind, 3, block * (MOST_GAP // size + 2)),
    }


@pytest.mark.parametrize("kind", QUANTISED, ids=lambda kind: kind.name)
def test_every_quantised_type_is_decoded(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    block, size = GGML_QUANT_SIZES[kind]
    content = two_sizes(kind)
    source = written(tmp_path / "a.gguf", {name: (raw, kind) for name, raw in content.items()})
    reference = {tensor.name: tensor for tensor in GGUFReader(tmp_path / "a.gguf").tensors}
    for name, raw in content.items():
        want = expected(raw, kind)
        assert_array_equal(want, expected(np.array(reference[name].data), kind))
        stored = source.tensors[name]
        assert stored.shape == want.shape == tuple(reversed(reference[name].shape.tolist()))
        assert (stored.codec.name, stored.codec.block, stored.codec.size) == (kind.name, block, size)
        assert stored.nbytes == reference[name].n_bytes
        assert_array_equal(source.whole(name), want)
        assert_array_equal(source.row(name, 2), want[2])
        for column in (0, 1, block // 2, block - 1, block, want.shape[1] - 1):
            assert_array_equal(source.column(name, column), want[:, column])
        assert_array_equal(source.column(name, block + 1, first=1, past=3), want[1:3, block + 1])
        monkeypatch.setattr(tensors, "BLOCK_BYTES", 2 * want.shape[1])
        assert_array_equal(np.concatenate(list(source.blocks(name, first=1))), want[1:])
        step = max(1, 2 * want.shape[1] // max(stored.row_bytes, want.shape[1]))
        assert len(list(source.blocks(name))) == -(-len(want) // step)
        assert_array_equal(source.column(name, 3), want[:, 3])
    source.close()


@pytest.mark.parametrize("kind", DTYPES, ids=lambda kind: kind.name)
def test_every_plain_type_is_read(kind: Kind, tmp_path: Path) -> None:
    dtype = DTYPES[kind]
    rng = np.random.default_rng(int(kind))
    whole = np.issubdtype(dtype, np.integer)
    array = (
        rng.integers(-100, 100, (5, 1_500)).astype(dtype)
        if whole
        else rng.standard_normal((5, 1_500)).astype(dtype)
    )
    source = written(tmp_path / "a.gguf", {"a": (array, None)})
    assert_array_equal(source.whole("a"), array.astype(np.float64))
    assert_array_equal(source.column("a", 1_234), array[:, 1_234].astype(np.float64))
    source.close()


def test_bfloat16_is_the_upper_half_of_float32(tmp_path: Path) -> None:
    array = np.random.default_rng(1).standard_normal((4, 64)).astype(np.float32)
    source = written(tmp_path / "a.gguf", {"a": (quantize(array, Kind.BF16), Kind.BF16)})
    assert_array_equal(source.whole("a"), dequantize(quantize(array, Kind.BF16), Kind.BF16))
    source.close()


def test_the_table_of_plain_types_is_the_packages() -> None:
    for number, codec in PLAIN_TYPES.items():
        assert GGML_QUANT_SIZES[Kind(number)] == (codec.block, codec.size)
    for kind, sizes in GGML_QUANT_SIZES.items():
        codec, readable = codec_of(int(kind))
        assert (codec.block, codec.size) == sizes
        assert readable == (kind not in UNREAD)


@pytest.mark.parametrize("kind", UNREAD, ids=lambda kind: kind.name)
def test_a_type_that_nobody_decodes_is_listed_and_says_so(kind: Kind, tmp_path: Path) -> None:
    block, size = GGML_QUANT_SIZES[kind]
    raw = np.zeros((3, 2 * size), np.uint8)
    source = written(tmp_path / "a.gguf", {"a": (raw, kind), "b": (np.ones((2, 2), np.float32), None)})
    assert source.tensors["a"].shape == (3, 2 * block)
    assert source.tensors["a"].nbytes == raw.nbytes
    for read in (lambda: source.row("a", 0), lambda: source.column("a", 0), lambda: list(source.blocks("a"))):
        with pytest.raises(InputError) as refused:
            read()
        assert refused.value.key == "checkpoint.type_unread"
        assert refused.value.values == {"tensor": "a", "type": kind.name}
    assert_array_equal(source.whole("b"), np.ones((2, 2)))
    source.close()


def test_experts_are_stacked_outermost_first(tmp_path: Path) -> None:
    raw = raw_of(Kind.Q4_K, 6, 512).reshape(2, 3, -1)
    source = written(tmp_path / "a.gguf", {"blk.0.ffn_up_exps.weight": (raw, Kind.Q4_K)})
    stored = source.tensors["blk.0.ffn_up_exps.weight"]
    want = expected(raw, Kind.Q4_K)
    assert stored.shape == (2, 3, 512)
    assert stored.rows == 6
    assert_array_equal(source.whole(stored.name), want)
    assert_array_equal(source.column(stored.name, 300, first=3, past=6), want[1, :, 300])
    source.close()


def test_blocks_by_the_formats_own_formulas() -> None:
    """Q4_1, Q8_0 and Q6_K number by number, as ggml-quants.c writes them down."""
    rng = np.random.default_rng(5)
    half = rng.standard_normal(2).astype(np.float16)
    scale, least = (float(value) for value in half)
    codes = rng.integers(0, 256, 16, dtype=np.uint8)
    found = codec_of(int(Kind.Q4_1))[0].decode(np.concatenate([half.view(np.uint8), codes])[None])[0]
    want = [np.float32((code & 15) * scale + least) for code in codes]
    want += [np.float32((code >> 4) * scale + least) for code in codes]
    np.testing.assert_allclose(found, want, rtol=0, atol=4e-7)

    signed = rng.integers(-128, 128, 32).astype(np.int8)
    found = codec_of(int(Kind.Q8_0))[0].decode(
        np.concatenate([half[:1].view(np.uint8), signed.view(np.uint8)])[None]
    )[0]
    assert_array_equal(found, [np.float32(scale) * np.float32(code) for code in signed])

    low, high = (rng.integers(0, 256, count, dtype=np.uint8) for count in (128, 64))
    steps = rng.integers(-128, 128, 16).astype(np.int8)
    block = np.concatenate([low, high, steps.view(np.uint8), half[:1].view(np.uint8)])
    six = np.empty(256, np.float32)
    for part in range(2):
        for at in range(32):
            bits = int(high[32 * part + at])
            for quarter in range(4):
                nibble = int(low[64 * part + at + 32 * (quarter % 2)]) >> (4 * (quarter // 2)) & 15
                code = (nibble | (bits >> (2 * quarter) & 3) << 4) - 32
                step = int(steps[8 * part + at // 16 + 2 * quarter])
                six[128 * part + 32 * quarter + at] = np.float32(
                    np.float32(scale) * np.float32(step)
                ) * np.float32(code)
    assert_array_equal(codec_of(int(Kind.Q6_K))[0].decode(block[None])[0], six)


SCALARS = [
    (GGUFValueType.UINT8, 200),
    (GGUFValueType.INT8, -100),
    (GGUFValueType.UINT16, 60_000),
    (GGUFValueType.INT16, -30_000),
    (GGUFValueType.UINT32, 2**32 - 1),
    (GGUFValueType.INT32, -(2**31)),
    (GGUFValueType.FLOAT32, 0.25),
    (GGUFValueType.BOOL, True),
    (GGUFValueType.STRING, "ニューロン"),
    (GGUFValueType.UINT64, 2**64 - 1),
    (GGUFValueType.INT64, -(2**63)),
    (GGUFValueType.FLOAT64, 0.1),
]


def with_metadata(path: Path, values: dict[str, tuple[Any, GGUFValueType, GGUFValueType | None]]) -> Source:
    writer = GGUFWriter(path, "llama")
    for key, (value, kind, inner) in values.items():
        writer.add_key_value(key, value, kind, sub_type=inner)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return open_gguf(path)


@pytest.mark.parametrize(("kind", "value"), SCALARS, ids=[kind.name for kind, _ in SCALARS])
def test_every_kind_of_metadata(kind: GGUFValueType, value: object, tmp_path: Path) -> None:
    many = KEPT_ITEMS + 1
    array = GGUFValueType.ARRAY
    source = with_metadata(
        tmp_path / "a.gguf",
        {
            "one": (value, kind, None),
            "some": ([value] * 3, array, kind),
            "many": ([value] * many, array, kind),
            "deep": ([[value]] if kind == GGUFValueType.STRING else [["x"]], array, None),
        },
    )
    reader = GGUFReader(tmp_path / "a.gguf")
    assert source.header["one"] == reader.fields["one"].contents() == value
    assert type(source.header["one"]) is type(value)
    assert source.header["some"] == reader.fields["some"].contents() == [value] * 3
    later = source.header["many"]
    assert isinstance(later, Later)
    assert len(later) == many
    found = later.strings() if kind == GGUFValueType.STRING else later.numbers().tolist()
    assert found == reader.fields["many"].contents() == [value] * many
    assert source.header["deep"] in ([[value]], [["x"]])
    assert source.header["general.architecture"] == "llama"
    source.close()


def test_arrays_in_arrays_keep_their_nesting(tmp_path: Path) -> None:
    value = [[[1, 2], [3]], [[4]]]
    source = with_metadata(tmp_path / "a.gguf", {"deep": (value, GGUFValueType.ARRAY, None)})
    assert source.header["deep"] == value
    source.close()


@pytest.mark.parametrize("alignment", [8, 64, 4_096])
def test_other_alignments(alignment: int, tmp_path: Path) -> None:
    writer = GGUFWriter(tmp_path / "a.gguf", "llama")
    writer.add_custom_alignment(alignment)
    arrays = {name: np.arange(5, dtype=np.float32) + at for at, name in enumerate("abc")}
    for name, array in arrays.items():
        writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    source = open_gguf(tmp_path / "a.gguf")
    for name, array in arrays.items():
        assert source.tensors[name].offset % alignment == 0
        assert_array_equal(source.whole(name), array)
    source.close()


def test_parts_are_read_as_one(tmp_path: Path) -> None:
    content: dict[str, tuple[NDArray[Any], Kind | None]] = {
        f"blk.{layer}.ffn_up.weight": (np.full((4, 8), layer, np.float32), None) for layer in range(5)
    }
    written(tmp_path / "m.gguf", content, split_max_tensors=2).close()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"m-0000{number}-of-00003.gguf" for number in (1, 2, 3)]
    for name in names:
        source = open_gguf(tmp_path / name)
        assert source.path.name == name
        assert source.header["general.architecture"] == "llama"
        assert list(source.tensors) == list(content)
        for tensor, (array, _) in content.items():
            assert_array_equal(source.whole(tensor), array)
        source.close()
