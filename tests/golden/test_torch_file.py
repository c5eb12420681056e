"""PyTorch files against torch.load: every type, view, container and form, read in every way."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ffn_explorer.checkpoints import strided
from ffn_explorer.checkpoints.codec import PLAIN
from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.checkpoints.readers.torch_file import open_torch
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError
from tests.unit.torch_bytes import archive_of, records_in, saved

DTYPES = [kind for name in PLAIN if isinstance(kind := getattr(torch, name, None), torch.dtype)]
IN_OLDER_FILES = {torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.bool, torch.uint8} | {
    torch.int64, torch.int32, torch.int16, torch.int8,
}  # fmt: skip


def of_random_bytes(shape: tuple[int, ...], dtype: torch.dtype, seed: int = 0) -> torch.Tensor:
    """Return a tensor of any bit patterns: NaN, infinities and subnormal numbers among them."""
    count = int(np.prod(shape)) * dtype.itemsize
    raw = torch.randint(0, 256, (count,), dtype=torch.uint8, generator=torch.Generator().manual_seed(seed))
    if dtype == torch.bool:
        raw &= 1
    return raw.view(dtype).reshape(shape)


def numbers(tensor: torch.Tensor) -> Any:
    """Return a tensor's numbers as float64, by torch."""
    return tensor.detach().to(torch.float64).numpy()


@np.errstate(invalid="ignore")  # numpy says so of NaNs that signal
def check(source: Source, wanted: dict[str, torch.Tensor]) -> None:
    """Compare all of a file, read in every way, bit by bit but for what NaNs carry."""
    assert list(source.tensors) == list(wanted)
    for name, tensor in wanted.items():
        stored = source.tensors[name]
        assert stored.shape == tuple(tensor.shape)
        whole = numbers(tensor)
        np.testing.assert_array_equal(source.whole(name).astype(np.float64), whole)
        flat = whole.reshape(stored.rows, stored.columns)
        for first, past in {(0, stored.rows), (stored.rows // 3, stored.rows), (stored.rows // 2,) * 2}:
            np.testing.assert_array_equal(source.rows(name, first, past).astype(np.float64), flat[first:past])
            blocks = [block.astype(np.float64) for block in source.blocks(name, first=first, past=past)]
            np.testing.assert_array_equal(np.concatenate([*blocks, flat[:0]]), flat[first:past])
        for index in {0, stored.columns // 2, stored.columns - 1} if stored.columns else set():
            np.testing.assert_array_equal(source.column(name, index).astype(np.float64), flat[:, index])
            some = source.column(name, index, first=stored.rows // 2, past=stored.rows)
            np.testing.assert_array_equal(some.astype(np.float64), flat[stored.rows // 2 :, index])


def agrees(
    folder: Path, thing: Any, *, legacy: bool = False, pick: Callable[[Any], Any] = lambda it: it
) -> Source:
    """Save something, open it, and compare it with what torch.load gives; pick: the model's part of it."""
    path = folder / "file.pt"
    path.write_bytes(saved(thing, legacy=legacy))
    source = open_torch(path)
    wanted = pick(torch.load(path, weights_only=True, map_location="cpu"))
    check(source, {name: tensor for name, tensor in wanted.items() if isinstance(tensor, torch.Tensor)})
    source.close()
    return source


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (7,), (0,), (3, 0), (0, 3), (5, 7), (2, 3, 4), (300, 50)])
def test_every_type(tmp_path: Path, dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    agrees(tmp_path, {"a": of_random_bytes(shape, dtype), "b": of_random_bytes(shape, dtype, 1)})
    if dtype in IN_OLDER_FILES:
        agrees(tmp_path, {"a": of_random_bytes(shape, dtype), "b": of_random_bytes((3,), dtype)}, legacy=True)


def test_all_types_were_tried() -> None:
    assert len(DTYPES) >= 17
    assert {torch.float8_e4m3fn, torch.float8_e5m2, torch.bfloat16} <= set(DTYPES)


@st.composite
def views(draw: st.DrawFn) -> torch.Tensor:
    """Draw a view of a small tensor: axes swapped, cut, stepped over, chosen from, repeated."""
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=4)))
    tensor = torch.arange(float(np.prod(shape)))
    tensor = tensor.to(draw(st.sampled_from([torch.float32, torch.int16, torch.float64]))).reshape(shape)
    for _ in range(draw(st.integers(0, 4))):
        axis = draw(st.integers(0, tensor.dim() - 1)) if tensor.dim() else 0
        match (
            draw(st.sampled_from(["swap", "cut", "step", "choose", "repeat", "more"]))
            if tensor.dim()
            else "more"
        ):
            case "swap":
                tensor = tensor.transpose(axis, draw(st.integers(0, tensor.dim() - 1)))
            case "cut":
                first = draw(st.integers(0, tensor.shape[axis]))
                tensor = tensor.narrow(axis, first, draw(st.integers(0, tensor.shape[axis] - first)))
            case "step":
                tensor = tensor[(slice(None),) * axis + (slice(None, None, draw(st.integers(1, 3))),)]
            case "choose" if tensor.shape[axis]:
                tensor = tensor.select(axis, draw(st.integers(0, tensor.shape[axis] - 1)))
            case "repeat":
                tensor = tensor.unsqueeze(axis).expand(*tensor.shape[:axis], 3, *tensor.shape[axis:])
            case _:
                tensor = tensor.unsqueeze(axis)
    return tensor


@settings(max_examples=150)
@given(st.lists(views(), min_size=1, max_size=4), st.booleans(), st.sampled_from([1, 40, 2**16]))
def test_views(
    tmp_path_factory: pytest.TempPathFactory, tensors: list[torch.Tensor], legacy: bool, free: int
) -> None:
    before, strided.FREE_BYTES = strided.FREE_BYTES, free  # small files would all be read whole
    try:
        named = {f"t{index}": tensor for index, tensor in enumerate(tensors)}
        agrees(tmp_path_factory.mktemp("views"), named, legacy=legacy)
    finally:
        strided.FREE_BYTES = before


@pytest.mark.parametrize("legacy", [False, True])
def test_large_views(tmp_path: Path, legacy: bool) -> None:
    whole = torch.arange(1500 * 1100, dtype=torch.float32).reshape(1500, 1100)
    cube = torch.arange(6 * 300 * 200, dtype=torch.float32).reshape(6, 300, 200)
    views = {"whole": whole, "turned": whole.t(), "rows": whole[3::7], "columns": whole[:, 5:900:11]}
    views |= {"window": whole[100:900, 200:300], "expert": cube[3], "experts": cube.transpose(1, 2)}
    views |= {"row": whole[700], "column": whole[:, 700], "all": cube.permute(2, 0, 1), "one": whole[:1, :1]}
    source = agrees(tmp_path, views, legacy=legacy)
    assert {source.tensors[name].offset for name in ("whole", "turned")} == {source.tensors["whole"].offset}


@pytest.mark.parametrize("legacy", [False, True])
def test_shared_storages_and_ties(tmp_path: Path, legacy: bool) -> None:
    embedding = torch.nn.Embedding(7, 4)
    head = torch.nn.Linear(4, 7, bias=False)
    head.weight = embedding.weight
    flat = torch.arange(40.0)
    parts = {"a": flat[:20].view(4, 5), "b": flat[20:].view(5, 4), "c": flat[::2]}
    source = agrees(tmp_path, {"in": embedding.weight, "out": head.weight, **parts}, legacy=legacy)
    assert source.tensors["in"].offset == source.tensors["out"].offset


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize(
    "keys", [(), ("state_dict",), ("model",), ("module",), ("state_dict", "model"), ("model_state_dict",)]
)
def test_containers(tmp_path: Path, keys: tuple[str, ...], legacy: bool) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    thing: Any = model.state_dict()
    for key in reversed(keys):
        thing = {key: thing, "epoch": 7, "args": {"n_layer": 2, "name": "x"}, "loss": torch.tensor(0.5)}

    def inner(whole: Any) -> Any:
        for key in keys:
            whole = whole[key]
        return whole

    source = agrees(tmp_path, thing, legacy=legacy, pick=inner)
    assert source.header["container"] == ".".join(keys)
    assert source.header["others"] == len(keys)
    if keys:
        assert source.header["entries"]["epoch"] == 7  # type: ignore[index]
        assert source.header["entries"]["args"] == {"n_layer": 2, "name": "x"}  # type: ignore[index]


def test_a_part_called_model_is_no_container(tmp_path: Path) -> None:
    nested = {"model": {"up": torch.ones(2, 3)}, "head": torch.ones(4, 2)}
    path = tmp_path / "file.pt"
    path.write_bytes(saved(nested))
    with open_torch(path).files:
        source = open_torch(path)
    assert list(source.tensors) == ["model.up", "head"]
    source.close()


@pytest.mark.parametrize("legacy", [False, True])
def test_parameters_buffers_and_what_stands_beside(tmp_path: Path, legacy: bool) -> None:
    marked = torch.nn.Parameter(torch.ones(2))
    marked.partition_dim = 1  # type: ignore[attr-defined]
    thing: dict[Any, Any] = {
        "parameter": torch.nn.Parameter(torch.randn(2, 3)), "buffer": torch.nn.Buffer(torch.ones(3)),
        "frozen": torch.nn.Parameter(torch.ones(2, dtype=torch.int64), requires_grad=False), "marked": marked,
        "size": torch.Size([2, 3]), "dtype": torch.bfloat16, "bytes": b"abc", "array": bytearray(b"abc"),
        "set": {1, 2}, "complex": 1j, "device": torch.device("cuda:1"), "none": None, "large": 1 << 70,
        ("a", 1): "key", 3: torch.ones(1), "list": [1, "x"], "layout": torch.sparse_coo,
    }  # fmt: skip
    path = tmp_path / "file.pt"
    path.write_bytes(saved(thing, legacy=legacy))
    source = open_torch(path)
    assert list(source.tensors) == ["parameter", "buffer", "frozen", "marked", "3"]
    assert source.header["entries"]["list"] == [1, "x"]  # type: ignore[index]
    np.testing.assert_array_equal(source.whole("parameter"), thing["parameter"].detach())
    source.close()


@pytest.mark.parametrize("legacy", [False, True])
def test_models_without_an_ffn_and_optimisers_are_listed(tmp_path: Path, legacy: bool) -> None:
    lstm = torch.nn.LSTM(3, 4, num_layers=2)
    agrees(tmp_path, lstm.state_dict(), legacy=legacy)
    optimiser = torch.optim.Adam(lstm.parameters())
    lstm(torch.ones(1, 1, 3))[0].sum().backward()
    optimiser.step()
    path = tmp_path / "optimiser.pt"
    path.write_bytes(saved(optimiser.state_dict(), legacy=legacy))
    source = open_torch(path)
    assert "state.0.exp_avg" in source.tensors
    source.close()


def test_files_saved_on_another_device(tmp_path: Path) -> None:
    weights = {"w": torch.arange(6.0).reshape(2, 3)}
    for device in (b"cuda:0", b"cuda:7", b"mps", b"xla:1"):
        for legacy in (False, True):
            content = saved(weights, legacy=legacy)
            old, new = b"X\x03\x00\x00\x00cpu", b"X" + len(device).to_bytes(4, "little") + device
            if legacy:
                content = content.replace(old, new)
            else:
                content = archive_of(
                    {name: raw.replace(old, new) for name, raw in records_in(content).items()}
                )
            assert device in content
            path = tmp_path / "file.pt"
            path.write_bytes(content)
            source = open_torch(path)
            np.testing.assert_array_equal(source.whole("w"), weights["w"].numpy())
            source.close()


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.filterwarnings("ignore")
def test_tensors_that_are_listed_and_not_shown(tmp_path: Path, legacy: bool) -> None:
    eye = torch.eye(4)
    scales, zeros = torch.ones(4), torch.zeros(4)
    things = {
        "quantized": torch.quantize_per_tensor(eye, 0.1, 0, torch.qint8),
        "quantized too": torch.quantize_per_channel(eye, scales, zeros, 0, torch.quint4x2),
        "sparse": eye.to_sparse(), "sparse too": eye.to_sparse_csr(),
        "sparse blocks": eye.to_sparse_bsr((2, 2)),
        "meta": torch.zeros(3, 5, device="meta"), "negated": torch._neg_view(eye),
        "negated complex": eye.to(torch.complex64).conj(), "dtype": eye.to(torch.complex64), "": eye,
    }  # fmt: skip
    path = tmp_path / "file.pt"
    path.write_bytes(saved(things, legacy=legacy))
    source = open_torch(path)
    assert list(source.tensors) == [name or "tensor" for name in things]
    for name, thing in things.items():
        stored = source.tensors[name or "tensor"]
        assert stored.shape == tuple(thing.shape)
        if not name:
            continue
        with pytest.raises(InputError) as caught:
            source.row(name, 0)
        kind = name.split()[0]
        assert caught.value.key == f"checkpoint.{'dtype' if kind == 'dtype' else 'torch_' + kind}"
        assert caught.value.values["tensor"] == name
    source.close()


def test_pytorch_records_begin_where_the_directory_says(tmp_path: Path) -> None:
    path = tmp_path / "file.pt"
    torch.save({"a": torch.ones(5), "b": torch.arange(7.0)}, path)
    with zipfile.ZipFile(path) as file:
        wanted = {f"file/data/{index}": file.read(f"file/data/{index}") for index in range(2)}
    source = open_torch(path)
    for index, name in enumerate(("a", "b")):
        stored = source.tensors[name]
        assert stored.offset % 64 == 0
        raw = source.files.read(path, stored.offset, stored.nbytes).tobytes()
        assert raw == wanted[f"file/data/{index}"]
    source.close()


def test_shards_with_an_index(tmp_path: Path) -> None:
    import json

    tensors = {f"layers.{index}.w": torch.randn(3, 4) for index in range(6)}
    named = {name: f"pytorch_model-0000{index % 3 + 1}-of-00003.bin" for index, name in enumerate(tensors)}
    for shard in set(named.values()):
        torch.save(
            {name: tensor for name, tensor in tensors.items() if named[name] == shard}, tmp_path / shard
        )
    (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": named}))
    source = open_source(tmp_path)
    assert source.tensors.keys() == tensors.keys()
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(source.whole(name), tensor.numpy())
    source.close()
