"""A neuron's vectors, read alone, against the whole matrices, in every way that files lay them out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Kind
from gguf import GGUFWriter
from gguf.quants import quantize
from safetensors.torch import save_file

from ffn_explorer.checkpoints.family import Expert, Layout, Part
from ffn_explorer.checkpoints.matrices import Reader
from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.checkpoints.reading.vectors import NeuronVectors, neuron_vectors
from ffn_explorer.checkpoints.scheme import LayerScheme, MlpScheme, TensorRef
from ffn_explorer.checkpoints.tensors import Files, Source
from ffn_explorer.core.errors import InputError, MemoryRefusal
from ffn_explorer.core.spec import FFNSpec
from tests.unit.safetensors_bytes import entry, written

D, F, E = 64, 96, 3
EXPERT, NEURON = 2, 37
Tensors = dict[str, torch.Tensor]

LAYOUTS: list[tuple[Layout, Part, Expert]] = [
    (layout, part, expert)
    for layout in ("out_in", "in_out")
    for part in ("", "half0", "half1", "even", "odd")
    for expert in ("", "name", "axis0")
] + [("out_in", "", "flat"), ("in_out", "", "flat"), ("grouped", "", "")]


def raw_shape(ref: TensorRef) -> tuple[int, ...]:
    """Shape of the stored tensor of a role."""
    out, into = ref.shape
    if ref.layout == "grouped":
        return (out, into // ref.groups, 1)
    out *= 2 if ref.part else 1
    shape = (into, out) if ref.layout == "in_out" else (out, into)
    if ref.expert == "flat":
        return (E * shape[0], shape[1])
    return (E, *shape) if ref.expert == "axis0" else shape


def reference(role: str, layout: Layout, part: Part, expert: Expert) -> TensorRef:
    names = tuple(f"{role}.{e}.weight" for e in range(E)) if expert == "name" else (f"{role}.weight",)
    biases = tuple(name.replace("weight", "bias") for name in names) if expert != "flat" else ()
    shape = (D, F) if role == "down" else (F, D)
    return TensorRef(names, shape, layout, "" if role == "down" else part, expert, biases, groups=2)


def layer_of(up: TensorRef, down: TensorRef, gate: TensorRef | None, *, experts: int) -> LayerScheme:
    spec = FFNSpec("silu", gated=gate is not None)
    mlp = MlpScheme(up, down, spec, gate)
    kind: Any = "moe" if experts else "dense"
    return LayerScheme(4, "decoder", kind, mlp, spec, D, F, experts=experts)


def tensors_of(layer: LayerScheme, dtype: torch.dtype = torch.float32) -> Tensors:
    """Random numbers for every tensor of the layer."""
    draw = torch.Generator().manual_seed(3)
    found: Tensors = {}
    for ref in layer.mlp.roles.values():
        shape = raw_shape(ref)
        for name in ref.names:
            found[name] = torch.randn(shape, generator=draw).to(dtype)
        out = ref.shape[0] * (2 if ref.part else 1)
        for name in ref.biases:
            found[name] = torch.randn((E, out) if ref.expert == "axis0" else (out,), generator=draw).to(dtype)
    return found


def saved(tensors: Tensors, folder: Path) -> Source:
    save_file({name: t.contiguous() for name, t in tensors.items()}, folder / "model.safetensors")
    return open_source(folder / "model.safetensors")


def sliced(source: Source, text: str) -> np.ndarray:
    """What a slice says, taken from the whole tensor by numpy's own indexing."""
    name, places = re.fullmatch(r"(.+)\[([^\]]*)\]", text).groups()  # type: ignore[union-attr]
    index = tuple(
        slice(*(int(part) if part else None for part in place.split(":"))) if ":" in place else int(place)
        for place in places.split(", ")
    )
    return np.asarray(source.whole(name)[index])


def check(found: NeuronVectors, layer: LayerScheme, source: Source, *, expert: int) -> None:
    """Equal to the last bit to the matrices that layers are built from."""
    reader = Reader(source, torch.float64)
    for role, ref in layer.mlp.roles.items():
        matrix = reader.matrix(ref, expert=expert).numpy()
        wanted = matrix[:, NEURON] if role == "down" else matrix[NEURON]
        vector = getattr(found, role)
        np.testing.assert_array_equal(vector, wanted)
        assert found.norms[role] == pytest.approx(np.linalg.norm(wanted), rel=1e-12)
        bias = reader.bias(ref, expert=expert)
        if role != "down":
            assert getattr(found, f"{role}_bias") == (None if bias is None else float(bias[NEURON]))
    for a, b in pairwise([role for role in ("gate", "up", "down") if role in layer.mlp.roles]):
        one, other = getattr(found, a).astype(np.float64), getattr(found, b).astype(np.float64)
        wanted = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
        assert found.cosines[f"{a}_{b}"] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("layout", "part", "expert"), LAYOUTS)
def test_every_layout(layout: Layout, part: Part, expert: Expert, tmp_path: Path) -> None:
    up = reference("up", layout, part, expert)
    layer = layer_of(up, reference("down", layout, part, expert), None, experts=E if expert else 0)
    number = EXPERT if expert else -1
    with closing(saved(tensors_of(layer), tmp_path)) as source:
        found = neuron_vectors(source, layer, NEURON, expert=number if expert else None)
        check(found, layer, source, expert=number)
        if layout != "grouped":
            np.testing.assert_array_equal(sliced(source, found.slices["up"]), found.up)
            np.testing.assert_array_equal(sliced(source, found.slices["down"]), found.down)
        else:  # only the inputs of its own group stand in the file
            np.testing.assert_array_equal(sliced(source, found.slices["up"]), found.up[: D // 2])
            np.testing.assert_array_equal(sliced(source, found.slices["down"]), found.down[: D // 2])
        if up.biases:
            assert sliced(source, found.slices["up_bias"]) == np.float32(found.up_bias)
        assert found.stored_as == {"up": "float32", "down": "float32"}


def test_slices_are_the_true_indices() -> None:
    """Written down by hand, so that no two wrongs agree."""
    cases = {
        ("out_in", "half1", ""): "up.weight[133, :]",
        ("in_out", "odd", "axis0"): "up.weight[2, :, 75]",
        ("in_out", "", ""): "up.weight[:, 37]",
        ("out_in", "", "flat"): "up.weight[229, :]",
        ("in_out", "", "flat"): "up.weight[128:192, 37]",
        ("out_in", "even", "name"): "up.2.weight[74, :]",
        ("grouped", "", ""): "up.weight[37, :, 0]",
    }
    from ffn_explorer.checkpoints.codec import PLAIN
    from ffn_explorer.checkpoints.reading.banks import reading_bank
    from ffn_explorer.checkpoints.tensors import Stored

    for (layout, part, expert), wanted in cases.items():
        ref = reference("up", layout, part, expert)  # type: ignore[arg-type]
        stored = {name: Stored(name, raw_shape(ref), PLAIN["float32"], Path(), 0) for name in ref.names}
        mlp = MlpScheme(ref, ref, FFNSpec("silu"))
        bank = reading_bank(Source("x", Path(), stored), mlp, "up", expert=EXPERT if expert else -1)
        assert bank.text(NEURON) == wanted


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_gated_in_other_types(dtype: torch.dtype, tmp_path: Path) -> None:
    refs = [reference(role, "out_in", "", "") for role in ("up", "down", "gate")]
    layer = layer_of(*refs, experts=0)
    with closing(saved(tensors_of(layer, dtype), tmp_path)) as source:
        found = neuron_vectors(source, layer, NEURON)
        check(found, layer, source, expert=-1)
        assert found.up.dtype == (np.float64 if dtype == torch.float64 else np.float32)
        assert set(found.cosines) == {"up_down", "gate_down", "gate_up"}
        assert found.stored_as["gate"] == str(dtype).removeprefix("torch.")


@pytest.mark.parametrize("kind", [Kind.Q4_0, Kind.Q8_0, Kind.BF16, Kind.Q5_1])
def test_blocks_of_gguf(kind: Kind, tmp_path: Path) -> None:
    layer = layer_of(*(reference(role, "out_in", "", "axis0") for role in ("up", "down", "gate")), experts=E)
    path = tmp_path / "model.gguf"
    writer = GGUFWriter(path, "llama")
    for name, tensor in tensors_of(layer).items():
        plain = name.endswith("bias")
        writer.add_tensor(
            name,
            tensor.numpy() if plain else quantize(tensor.numpy(), kind),
            raw_dtype=None if plain else kind,
        )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with closing(open_source(path)) as source:
        found = neuron_vectors(source, layer, NEURON, expert=EXPERT)
        check(found, layer, source, expert=EXPERT)
        assert found.slices["down"] == f"down.weight[2, :, {NEURON}]"
        assert found.stored_as["up"].lower() in (kind.name.lower(), "bfloat16")


def packed(method: str, name: str, shape: tuple[int, int]) -> Tensors:
    """A matrix with the companions of its method."""
    draw = torch.Generator().manual_seed(len(name))
    out, into = shape
    whole = torch.randn(shape, generator=draw)
    if method == "int8":
        whole8 = torch.randint(-127, 128, shape, generator=draw, dtype=torch.int8)
        return {f"{name}.weight": whole8, f"{name}.SCB": torch.rand(out, generator=draw) + 0.5}
    if method == "weight_norm":
        return {f"{name}.weight_g": torch.rand(out, 1, generator=draw), f"{name}.weight_v": whole}
    if method == "mxfp4":
        codes = torch.randint(0, 256, (E, out, into // 32, 16), generator=draw, dtype=torch.uint8)
        scales = torch.randint(120, 135, (E, out, into // 32), generator=draw, dtype=torch.uint8)
        return {f"{name}_blocks": codes, f"{name}_scales": scales}
    eights = whole.to(torch.float8_e4m3fn)
    by_method = {
        "fp8": torch.rand(out, 1, generator=draw) + 0.5,
        "fp8 whole": torch.rand(1, generator=draw) + 0.5,
        "fp8 blocks": torch.rand(-(-out // 128), -(-into // 128), generator=draw) + 0.5,
    }
    end = "weight_scale_inv" if "blocks" in method else "weight_scale"
    return {f"{name}.weight": eights, f"{name}.{end}": by_method[method]}


@pytest.mark.parametrize("layout", ["out_in", "in_out"])
@pytest.mark.parametrize("method", ["int8", "weight_norm", "fp8", "fp8 whole", "fp8 blocks", "mxfp4"])
def test_quantised_with_companions(
    method: str, layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ffn_explorer.checkpoints import unpacking
    from ffn_explorer.checkpoints.reading import packed as planes

    for module in (unpacking, planes):  # so that these small matrices have several blocks
        monkeypatch.setattr(module, "BLOCK", 40)
    stacked = method == "mxfp4"
    refs: dict[str, TensorRef] = {}
    tensors: Tensors = {}
    parts: dict[str, Part] = {"up": "odd", "down": ""}
    for role, part in parts.items():
        end = "" if stacked else ".weight"
        shape = (D, F) if role == "down" else (F, D)
        kind: Expert = "axis0" if stacked else ""
        ref = TensorRef((role + end,), shape, layout, part, kind, quantised=method.split(maxsplit=1)[0])
        refs[role] = ref
        raw = raw_shape(replace(ref, expert=""))
        tensors |= packed(method, role, raw)  # type: ignore[arg-type]
        if "blocks" in method:
            name = f"{role}.weight_scale_inv"
            tensors[name] = torch.rand(-(-raw[0] // 40), -(-raw[1] // 40)) + 0.5
    layer = layer_of(refs["up"], refs["down"], None, experts=E if stacked else 0)
    with closing(saved(tensors, tmp_path)) as source:
        found = neuron_vectors(source, layer, NEURON, expert=EXPERT if stacked else None)
        check(found, layer, source, expert=EXPERT if stacked else -1)
        names = set(re.findall(r"[a-z_]+\.?[a-zA-Z_]+(?=\[)", found.slices["up"]))
        assert names <= set(tensors)
        assert names


def test_other_quantisation_is_refused_by_name(tmp_path: Path) -> None:
    ref = TensorRef(("up.weight",), (F, D), quantised="gptq")
    layer = layer_of(ref, replace(reference("down", "out_in", "", ""), biases=()), None, experts=0)
    tensors = {"up.qweight": torch.zeros(8, F, dtype=torch.int32), "up.scales": torch.ones(1, F)}
    with closing(saved(tensors, tmp_path)) as source, pytest.raises(InputError) as caught:
        neuron_vectors(source, layer, 0)
    assert caught.value.key == "checkpoint.quantised"


def test_low_rank_adapters_are_added(tmp_path: Path) -> None:
    """Sums of two matrix products may differ in the last bit, depending on how many rows are multiplied."""
    refs = [
        reference("fused", "out_in", "half1", ""),
        reference("down", "out_in", "", ""),
        reference("fused", "out_in", "half0", ""),
    ]
    plain = layer_of(*refs, experts=0)
    layer = replace(plain, mlp=replace(plain.mlp, adapters=((0, ("a.weight", "b.weight")),)))
    pair = {"a.weight": torch.randn(4, D), "b.weight": torch.randn(2 * F, 4)}
    with closing(saved(tensors_of(layer) | pair, tmp_path)) as source:
        found = neuron_vectors(source, layer, NEURON)
        change = pair["b.weight"] @ pair["a.weight"]
        for role, row in (("gate", NEURON), ("up", F + NEURON)):
            wanted = source.row("fused.weight", row) + change[row].numpy()
            np.testing.assert_allclose(getattr(found, role), wanted, atol=1e-5)
            assert found.slices[role] == f"fused.weight[{row}, :] + b.weight[{row}, :] · a.weight"


def test_the_shared_expert_has_neurons_of_its_own(tmp_path: Path) -> None:
    layer = layer_of(
        reference("up", "out_in", "", "name"), reference("down", "out_in", "", "name"), None, experts=E
    )
    shared = MlpScheme(TensorRef(("s.up",), (5, D)), TensorRef(("s.down",), (D, 5)), FFNSpec("silu"))
    layer = replace(layer, shared=shared)
    more = {"s.up": torch.randn(5, D), "s.down": torch.randn(D, 5)}
    with closing(saved(tensors_of(layer) | more, tmp_path)) as source:
        found = neuron_vectors(source, layer, 4, shared=True)
        np.testing.assert_array_equal(found.down, more["s.down"][:, 4].numpy())
        assert (found.shared, found.expert, found.slices["up"]) == (True, None, "s.up[4, :]")
        refusals: dict[str, dict[str, Any]] = {
            "error.range": {"neuron": 5, "shared": True},
            "reading.which_expert": {"neuron": 0},
        }
        for key, asked in refusals.items():
            with pytest.raises(InputError) as caught:
                neuron_vectors(source, layer, asked.pop("neuron"), **asked)
            assert caught.value.key == key
        for expert in (-1, E):
            with pytest.raises(InputError) as caught:
                neuron_vectors(source, layer, 0, expert=expert)
            assert caught.value.values["high"] == E - 1


@pytest.fixture
def dense(tmp_path: Path) -> Iterator[tuple[Source, LayerScheme]]:
    layer = layer_of(*(reference(role, "out_in", "", "") for role in ("up", "down", "gate")), experts=0)
    tensors = tensors_of(layer)
    tensors["up.weight"][0] = 0.0
    tensors["up.weight"][1, 3] = math.nan
    tensors["gate.weight"][2] = math.inf
    tensors["down.weight"][:, 3] = 3e38
    with closing(saved(tensors, tmp_path)) as source:
        yield source, layer


def test_numbers_that_are_none(dense: tuple[Source, LayerScheme]) -> None:
    source, layer = dense
    zero, none, endless, large = (neuron_vectors(source, layer, at) for at in range(4))
    assert zero.norms["up"] == 0.0
    assert math.isnan(zero.cosines["up_down"])
    assert math.isnan(none.norms["up"])
    assert math.isnan(none.cosines["gate_up"])
    assert endless.norms["gate"] == math.inf
    assert math.isnan(endless.cosines["gate_down"])
    assert large.norms["down"] == pytest.approx(3e38 * D**0.5)  # float32 would have no room for its square
    assert math.isfinite(large.cosines["up_down"])


def test_a_layer_without_experts_or_neuron(dense: tuple[Source, LayerScheme]) -> None:
    source, layer = dense
    cases: list[tuple[str, dict[str, Any]]] = [
        ("reading.no_experts", {"expert": 0}),
        ("reading.no_shared", {"shared": True}),
    ]
    for key, asked in cases:
        with pytest.raises(InputError) as caught:
            neuron_vectors(source, layer, 0, **asked)
        assert caught.value.key == key
    for neuron in (-1, F):
        with pytest.raises(InputError) as caught:
            neuron_vectors(source, layer, neuron)
        assert caught.value.key == "error.range"


def test_little_beside_the_neuron_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = 4_096
    up, down = TensorRef(("up",), (wide, D)), TensorRef(("down",), (D, wide))
    layer = layer_of(up, down, None, experts=0)
    with closing(saved({"up": torch.randn(wide, D), "down": torch.randn(D, wide)}, tmp_path)) as source:
        read: list[int] = []
        plain = Files.read

        def counted(self: Files, path: Path, offset: int, count: int) -> Any:
            read.append(count)
            return plain(self, path, offset, count)

        monkeypatch.setattr(Files, "read", counted)
        neuron_vectors(source, layer, 7)
        assert sum(read) == 4 * (D + D)


def test_numbers_that_do_not_lie_in_order(tmp_path: Path) -> None:
    """A PyTorch file may hold a matrix turned, or as part of a larger one."""
    layer = layer_of(TensorRef(("up",), (F, D)), TensorRef(("down",), (D, F)), None, experts=0)
    torch.save({"up": torch.randn(D, F).T, "down": torch.randn(D, F + 9)[:, 4:-5]}, tmp_path / "model.pt")
    with closing(open_source(tmp_path / "model.pt")) as source:
        check(neuron_vectors(source, layer, NEURON), layer, source, expert=-1)


def test_vectors_larger_than_memory_are_refused(tmp_path: Path) -> None:
    import os

    wide = 2**40
    layer = layer_of(TensorRef(("up",), (2, wide)), TensorRef(("down",), (wide, 2)), None, experts=0)
    path = written(
        tmp_path / "model.safetensors",
        {"up": entry("BF16", (2, wide), 0, 4 * wide), "down": entry("BF16", (wide, 2), 4 * wide, 8 * wide)},
    )
    os.truncate(path, path.stat().st_size + 8 * wide)
    with closing(open_source(path)) as source, pytest.raises(MemoryRefusal):
        neuron_vectors(source, layer, 0)


def test_a_file_that_is_not_as_its_scheme_says_is_refused(tmp_path: Path) -> None:
    layer = layer_of(TensorRef(("up",), (F, D)), TensorRef(("down",), (D, F)), None, experts=0)
    with closing(saved({"up": torch.zeros(F, D - 1), "down": torch.zeros(D, F)}, tmp_path)) as source:
        with pytest.raises(InputError) as caught:
            neuron_vectors(source, layer, 0)
        assert caught.value.key == "checkpoint.layer_shapes"
