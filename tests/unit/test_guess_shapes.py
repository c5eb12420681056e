"""Files that no family knows: an FFN found by shapes is shown, and computed once a person confirms it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from ffn_explorer.checkpoints.catalog import open_checkpoint
from ffn_explorer.checkpoints.corrected import reading_of
from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.checkpoints.family import Part
from ffn_explorer.checkpoints.schemes import scheme_of
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.forward_pass import forward

D, F = 16, 44
Shapes = dict[str, tuple[int, ...]]


def layers(patterns: Shapes, count: int = 3, **others: tuple[int, ...]) -> Shapes:
    found = {name.replace("#", str(n)): shape for n in range(count) for name, shape in patterns.items()}
    return found | {name.replace("__", "."): shape for name, shape in others.items()}


PLAIN = layers({"net.#.widen.weight": (F, D), "net.#.narrow.weight": (D, F), "net.#.mix.weight": (D, D),
                "net.#.n.weight": (D,)})  # fmt: skip
TURNED = layers({"b.#.wide.weight": (D, F), "b.#.wide.bias": (F,), "b.#.thin.weight": (F, D),
                 "b.#.thin.bias": (D,), "b.#.n.weight": (D,)})  # fmt: skip
GATED = layers({"l.#.ff.a.weight": (F, D), "l.#.ff.b.weight": (F, D), "l.#.ff.c.weight": (D, F),
                "l.#.attn.q.weight": (9, D), "l.#.attn.o.weight": (D, 9), "l.#.n.weight": (D,)})  # fmt: skip
FUSED = layers({"l.#.ff.into.weight": (2 * F, D), "l.#.ff.out.weight": (D, F), "l.#.n.weight": (D,)})


@pytest.mark.parametrize(
    ("shapes", "up", "layout", "doubt"),
    [
        (PLAIN, "net.0.widen.weight", "out_in", "checkpoint.doubt_order_of"),
        (TURNED, "b.0.wide.weight", "in_out", "checkpoint.doubt_structure"),
        (GATED, "l.0.ff.b.weight", "out_in", "checkpoint.doubt_gate"),
        (FUSED, "l.0.ff.into.weight", "out_in", "checkpoint.gap_order"),
    ],
)
def test_shapes_show_the_layers_and_what_they_leave_open(
    shapes: Shapes, up: str, layout: str, doubt: str
) -> None:
    scheme = scheme_of(shapes, {})
    first = scheme.layers[0]
    assert (len(scheme.layers), first.d_model, first.d_ff) == (3, D, F)
    assert (first.mlp.up.names[0], first.mlp.up.layout) == (up, layout)
    assert doubt in {note.key for note in scheme.doubts}
    assert scheme.confidence < 0.3
    assert {note.key for layer in scheme.layers for note in layer.gaps} == {"checkpoint.gap_confirm"}


@pytest.mark.parametrize(
    "shapes",
    [
        {"weight_ih_l0": (256, 64), "weight_hh_l0": (256, 64), "bias_ih_l0": (256,)},
        layers({"rnn.#.weight_ih": (4 * D, D), "rnn.#.weight_hh": (4 * D, D), "rnn.#.n.weight": (D,)}),
        {"fc1.weight": (128, 784), "fc1.bias": (128,), "fc2.weight": (10, 128), "fc2.bias": (10,)},
        layers({"h.#.attention.k.weight": (8, D), "h.#.attention.o.weight": (D, 8), "h.#.n.weight": (D,)}),
    ],
    ids=["lstm", "stacked", "classifier", "attention"],
)
def test_what_is_no_ffn_is_refused(shapes: Shapes) -> None:
    with pytest.raises(InputError, match=r"checkpoint\.no_ffn"):
        scheme_of(shapes, {})


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A file of a family that nobody has heard of."""
    draw = np.random.default_rng(5)
    tensors = {name: draw.standard_normal(shape).astype(np.float32) for name, shape in GATED.items()}
    save_file(tensors, tmp_path / "odd.safetensors")
    return tmp_path / "odd.safetensors"


def test_a_person_names_what_the_file_leaves_open(odd: Path) -> None:
    with open_checkpoint(odd) as found:
        with pytest.raises(InputError, match=r"checkpoint\.gap_confirm"):
            found.ffn(0)
        now = reading_of(found.scheme, "layers")
        assert (now.gate, now.up, now.down) == (
            "l.{layer}.ff.a.weight", "l.{layer}.ff.b.weight", "l.{layer}.ff.c.weight",
        )  # fmt: skip
        said = Correction(
            stack="layers", gate=now.up, up=now.gate, down=now.down, function="silu", norm="rms", place="pre",
            norm_name="l.{layer}.n",
        )  # fmt: skip
        read = found.read_as(said)
        assert read.scheme.confidence == 1.0
        assert [note.key for note in read.scheme.doubts] == ["checkpoint.corrected"]
        assert not any(layer.gaps for layer in read.layers)
        built, source = read.ffn(1), read.source
        assert isinstance(built, FFN)
        x = torch.randn(1, 4, D, generator=torch.Generator().manual_seed(1))
        gate, up, down, norm = (
            torch.from_numpy(source.whole(name))
            for name in ("l.1.ff.b.weight", "l.1.ff.a.weight", "l.1.ff.c.weight", "l.1.n.weight")
        )
        normed = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * norm
        wanted = x + (torch.nn.functional.silu(normed @ gate.T) * (normed @ up.T)) @ down.T
        torch.testing.assert_close(forward(built, x).residual, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"function": "snake"}, "checkpoint.correct_function"),
        ({"up": "nothing.{layer}.weight"}, "checkpoint.layer_incomplete"),
        ({"up": "nothing.{layer}.weight", "down": "nothing.{layer}.w"}, "checkpoint.correct_nothing"),
        ({"layout": "in_out"}, "checkpoint.layer_shapes"),
        ({"norm": "rms", "place": "pre", "norm_name": "l.{layer}.gone"}, "checkpoint.correct_norm"),
        ({"down": "l.{layer}.attn.q.weight"}, "checkpoint.layer_shapes"),
    ],
)
def test_a_reading_that_cannot_be_is_refused(odd: Path, changes: dict[str, str], key: str) -> None:
    said = {"stack": "layers", "gate": "l.{layer}.ff.a.weight", "up": "l.{layer}.ff.b.weight",
            "down": "l.{layer}.ff.c.weight", "function": "silu"}  # fmt: skip
    with open_checkpoint(odd) as found, pytest.raises(InputError, match=key):
        found.read_as(Correction(**{**said, **changes}))  # type: ignore[arg-type]


def test_a_fused_tensor_is_turned_round(tmp_path: Path) -> None:
    draw = np.random.default_rng(6)
    tensors = {name: draw.standard_normal(shape).astype(np.float32) for name, shape in FUSED.items()}
    save_file(tensors, tmp_path / "fused.safetensors")
    with open_checkpoint(tmp_path / "fused.safetensors") as found:
        now = reading_of(found.scheme, "layers")
        assert (now.up, now.gate, now.fused) == (
            "l.{layer}.ff.into.weight",
            "l.{layer}.ff.into.weight",
            "half0",
        )
        orders: tuple[tuple[Part, bool], ...] = (("half0", True), ("half1", False))
        for fused, first in orders:
            said = Correction(stack="layers", up=now.up, down=now.down, fused=fused, function="gelu")
            built = found.read_as(said).ffn(0)
            assert isinstance(built, FFN)
            whole = torch.from_numpy(found.source.whole("l.0.ff.into.weight"))
            assert built.gate is not None
            assert torch.equal(built.gate, whole[:F] if first else whole[F:])
            assert torch.equal(built.up, whole[F:] if first else whole[:F])


def test_wrapped_names_are_read_as_the_others(tmp_path: Path) -> None:
    draw = np.random.default_rng(7)
    tensors = {
        f"_orig_mod.{name}": draw.standard_normal(shape).astype(np.float32) for name, shape in GATED.items()
    }
    save_file(tensors, tmp_path / "wrapped.safetensors")
    with open_checkpoint(tmp_path / "wrapped.safetensors") as found:
        now = reading_of(found.scheme, "layers")
        read = found.read_as(replace(now, function="silu"))
        assert read.layers[0].mlp.up.names == ("_orig_mod.l.0.ff.b.weight",)
