"""Atlas, neighbours and tokens, streamed in small blocks, against the whole matrices at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from ffn_explorer.checkpoints.family import Layout
from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.checkpoints.reading import atlas, products
from ffn_explorer.checkpoints.reading.atlas import LayerAtlas, layer_atlas
from ffn_explorer.checkpoints.reading.columns import written_by
from ffn_explorer.checkpoints.reading.gains import Gain, final_gain, pre_gain
from ffn_explorer.checkpoints.reading.lens import Tokens, read_tokens, written_tokens
from ffn_explorer.checkpoints.reading.nearest import Role, nearest
from ffn_explorer.checkpoints.reading.promoting import DENSE, SHARED, promoting_neurons
from ffn_explorer.checkpoints.reading.ranking import Best
from ffn_explorer.checkpoints.reading.steps import Steps, Stopped
from ffn_explorer.checkpoints.scheme import LayerScheme, LensScheme, MlpScheme, NormRef, Scheme, TensorRef
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.spec import FFNSpec, NormSpec

D, F, V, E = 24, 70, 90, 3
LENS = LensScheme("embed", NormRef("norm"), "head", logit_scale=0.5, embedding_scale=4.0)


class Model(NamedTuple):
    """A small file: source, scheme and its numbers."""

    source: Source
    scheme: Scheme
    numbers: dict[str, np.ndarray]


def mlp_of(prefix: str, layout: Layout, *, f: int = F) -> MlpScheme:
    gate, up = (TensorRef((f"{prefix}{role}",), (f, D), layout) for role in ("gate", "up"))
    return MlpScheme(up, TensorRef((f"{prefix}down",), (D, f), layout), FFNSpec("silu", gated=True), gate)


def sizes(layout: Layout, f: int = F) -> dict[str, tuple[int, int]]:
    turn = 1 if layout == "out_in" else -1
    return {"gate": (f, D)[::turn], "up": (f, D)[::turn], "down": (D, f)[::turn]}  # type: ignore[dict-item]


@pytest.fixture(params=["out_in", "in_out"])
def model(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    """Two dense layers and a mixture with a shared expert, read in many small blocks."""
    for module, name, value in ((products, "BLOCK", 7 * D), (atlas, "BLOCK", 7 * D), (atlas, "HELD", 60 * D)):
        monkeypatch.setattr(module, name, value)
    layout: Layout = request.param
    names = {f"{n}.{role}": shape for n in range(2) for role, shape in sizes(layout).items()}
    names |= {f"s.{role}": shape for role, shape in sizes(layout, 20).items()}
    stacks = {f"e.{role}": (E, *shape) for role, shape in sizes(layout).items()}
    head = (V, D) if layout == "out_in" else (D, V)
    more: dict[str, tuple[int, ...]] = {"embed": (V, D), "head": head, "norm": (D,), "pre": (D,)}
    draw = torch.Generator().manual_seed(11)
    tensors = {name: torch.randn(shape, generator=draw) for name, shape in (names | stacks | more).items()}
    save_file(tensors, tmp_path / "model.safetensors")
    spec = FFNSpec("silu", gated=True, norm=NormSpec("rms", "pre", weight_offset=1.0))
    layers = [
        LayerScheme(n, "decoder", "dense", mlp_of(f"{n}.", layout), spec, D, F, pre_norm=NormRef("pre"))
        for n in range(2)
    ]
    experts = mlp_of("e.", layout)
    stacked = {role: replace(ref, expert="axis0") for role, ref in experts.roles.items()}
    experts = replace(experts, **stacked)  # type: ignore[arg-type]
    layers.append(
        LayerScheme(2, "decoder", "moe", experts, spec, D, F, experts=E, shared=mlp_of("s.", layout, f=20))
    )
    lens = replace(LENS, unembedding_layout=layout)
    scheme = Scheme("made", "", "hub", tuple(layers), lens, 1.0)
    turned = {
        name: t.numpy()
        if layout == "out_in" or name == "embed"
        else t.mT.numpy()
        if t.dim() > 1
        else t.numpy()
        for name, t in tensors.items()
    }
    with closing(open_source(tmp_path / "model.safetensors")) as source:
        yield Model(source, scheme, {name: t.astype(np.float64) for name, t in turned.items()})


def wanted(found: LayerAtlas, gate: np.ndarray, up: np.ndarray, down: np.ndarray) -> None:
    def cos(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.asarray((a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1))

    pairs = {
        "gate_norm": np.linalg.norm(gate, axis=1), "up_norm": np.linalg.norm(up, axis=1),
        "down_norm": np.linalg.norm(down, axis=0), "cos_up_down": cos(up, down.T),
        "cos_gate_down": cos(gate, down.T), "cos_gate_up": cos(gate, up),
    }  # fmt: skip
    for name, expected in pairs.items():
        assert getattr(found, name).dtype == np.float32
        np.testing.assert_allclose(getattr(found, name), expected, rtol=2e-7, atol=1e-7)


def test_the_atlas_of_a_layer(model: Model) -> None:
    shares: list[float] = []
    found = layer_atlas(model.source, model.scheme.layers[1], told=shares.append)
    wanted(found, *(model.numbers[f"1.{role}"] for role in ("gate", "up", "down")))
    assert shares[-1] == 1.0
    assert shares == sorted(shares)


def test_the_atlas_of_an_expert(model: Model) -> None:
    layer = model.scheme.layers[2]
    found = layer_atlas(model.source, layer, expert=1)
    wanted(found, *(model.numbers[f"e.{role}"][1] for role in ("gate", "up", "down")))
    wanted(
        layer_atlas(model.source, layer, shared=True),
        *(model.numbers[f"s.{role}"] for role in ("gate", "up", "down")),
    )
    with pytest.raises(InputError):
        layer_atlas(model.source, layer)


def test_an_atlas_without_gate(model: Model) -> None:
    layer = model.scheme.layers[0]
    found = layer_atlas(model.source, replace(layer, mlp=replace(layer.mlp, gate=None)))
    assert (found.gate_norm, found.cos_gate_down, found.cos_gate_up) == (None, None, None)
    assert found.cos_up_down.shape == (F,)


@pytest.mark.parametrize("by", ["gate", "up", "down"])
def test_neighbours(model: Model, by: Role) -> None:
    matrix = model.numbers[f"0.{by}"]
    vectors = matrix.T if by == "down" else matrix
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = vectors @ vectors[33]
    order = [at for at in np.argsort(-cosines) if at != 33]
    found = nearest(model.source, model.scheme.layers[0], 33, by=by, count=5)
    assert found.most.ids.tolist() == order[:5]
    assert found.least.ids.tolist() == order[-5:][::-1]
    np.testing.assert_allclose(found.most.scores, cosines[order[:5]], atol=1e-12)
    everybody = nearest(model.source, model.scheme.layers[0], 33, by=by, count=1_000)
    assert sorted(everybody.most.ids.tolist()) == [at for at in range(F) if at != 33]


def ranked(scores: np.ndarray, tokens: Tokens, count: int) -> None:
    order = np.argsort(-scores, kind="stable")
    assert tokens.most.ids.tolist() == order[:count].tolist()
    assert tokens.least.ids.tolist() == order[::-1][:count].tolist()
    np.testing.assert_allclose(tokens.most.scores, scores[order[:count]], atol=1e-12)
    np.testing.assert_allclose(tokens.least.scores, scores[order[::-1][:count]], atol=1e-12)


def test_tokens_written_and_read(model: Model) -> None:
    numbers = model.numbers
    v, r = numbers["0.down"][:, 3], numbers["0.gate"][3]
    gain = final_gain(model.source, model.scheme)
    assert gain is not None
    assert (gain.tensor, gain.centred) == ("norm", False)
    partial: list[tuple[Tokens, ...]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ffn_explorer.checkpoints.reading.steps.EVERY_S", 0.0)
        plain, normed = written_tokens(
            model.source, model.scheme.lens, v, gains=(None, gain), count=6, found=partial.append
        )
    ranked(0.5 * numbers["head"] @ v, plain, 6)
    ranked(0.5 * numbers["head"] @ (v * (1 + numbers["norm"])), normed, 6)
    assert (plain.gain, normed.gain, plain.tensor) == (None, "norm", "head")
    rows = numbers["head"][plain.most.ids]
    assert plain.most.cosines is not None
    np.testing.assert_allclose(
        plain.most.cosines, rows @ v / np.linalg.norm(rows, axis=1) / np.linalg.norm(v), atol=1e-12
    )
    assert partial[-1][0].seen == 1.0
    if model.scheme.lens.unembedding_layout == "out_in":
        assert 0 < partial[0][0].seen < 1
        assert partial[0][0].most.cosines is None
    many = written_by(model.source, model.scheme.lens, numbers["0.down"][:, :4].T, gain=gain, count=6)
    assert many[3].most.ids.tolist() == normed.most.ids.tolist()
    np.testing.assert_array_equal(many[3].least.scores, normed.least.scores)
    before = pre_gain(model.source, model.scheme.layers[0])
    without, with_gain = read_tokens(model.source, model.scheme.lens, r, gains=(None, before), count=4)
    ranked(4.0 * numbers["embed"] @ r, without, 4)
    ranked(4.0 * numbers["embed"] @ (r * (1 + numbers["pre"])), with_gain, 4)


def test_layernorm_takes_the_mean_away(model: Model) -> None:
    layers = tuple(
        replace(layer, spec=replace(layer.spec, norm=NormSpec("layer", "pre")))
        for layer in model.scheme.layers
    )
    gain = final_gain(model.source, replace(model.scheme, layers=layers))
    assert gain is not None
    v, r = model.numbers["0.down"][:, 3], model.numbers["0.gate"][3]
    (written,) = written_tokens(model.source, model.scheme.lens, v, gains=(gain,), count=3)
    g = model.numbers["norm"]
    ranked(0.5 * model.numbers["head"] @ (g * (v - v.mean())), written, 3)
    best = promoting_neurons(model.source, model.scheme, 5, layers=[0], gain=gain, count=F).most
    down = model.numbers["0.down"]
    scores = 0.5 * model.numbers["head"][5] @ (g[:, None] * (down - down.mean(0)))
    np.testing.assert_allclose(best.score, scores[best.neuron], atol=1e-12)
    (read,) = read_tokens(model.source, model.scheme.lens, r, gains=(gain,), count=3)
    centred = model.numbers["embed"] - model.numbers["embed"].mean(1, keepdims=True)
    ranked(4.0 * centred @ (g * r), read, 3)


def test_norms_that_the_file_tells_nothing_of(model: Model) -> None:
    scheme = model.scheme
    bare = replace(scheme, lens=replace(scheme.lens, final_norm=NormRef()))
    assert final_gain(model.source, bare) is None
    post = replace(scheme.layers[0], spec=replace(scheme.layers[0].spec, norm=NormSpec("layer", "post")))
    assert pre_gain(model.source, post) is None
    unknown = replace(scheme, layers=tuple(replace(x, spec=FFNSpec("silu")) for x in scheme.layers))
    found = final_gain(model.source, unknown)
    assert found is not None
    np.testing.assert_array_equal(np.asarray(found.values), model.numbers["norm"])
    without = replace(scheme.layers[0], pre_norm=NormRef())
    unnamed = final_gain(model.source, replace(bare, layers=(without,)))
    assert unnamed is not None
    assert (unnamed.values, unnamed.centred) == (None, False)


def test_neurons_that_promote_a_token(model: Model) -> None:
    numbers, token = model.numbers, 41
    gain = final_gain(model.source, model.scheme)
    row = 0.5 * numbers["head"][token] * (1 + numbers["norm"])
    scores = {(n, DENSE): row @ numbers[f"{n}.down"] for n in range(2)}
    scores |= {(2, e): row @ numbers["e.down"][e] for e in range(E)}
    scores[2, SHARED] = row @ numbers["s.down"]
    every = sorted(
        ((float(s), *at, f) for at, part in scores.items() for f, s in enumerate(part)), reverse=True
    )
    found = promoting_neurons(model.source, model.scheme, token, layers=range(3), gain=gain, count=12)
    for side, expected in ((found.most, every[:12]), (found.least, every[::-1][:12])):
        columns = zip(side.layer.tolist(), side.expert.tolist(), side.neuron.tolist())
        assert list(columns) == [row[1:] for row in expected]
        np.testing.assert_allclose(side.score, [row[0] for row in expected], atol=1e-12)
    one = promoting_neurons(model.source, model.scheme, token, layers=[2], gain=None, experts=[1], count=2)
    plain = 0.5 * numbers["head"][token] @ numbers["e.down"][1]
    assert one.most.neuron.tolist() == np.argsort(-plain)[:2].tolist()
    assert one.most.expert.tolist() == [1, 1]


def test_what_is_not_there_is_refused(model: Model) -> None:
    source, scheme = model.source, model.scheme
    v = np.ones(D)
    wide = TensorRef(("x",), (F, D))
    cases: list[tuple[str, Any]] = [
        ("reading.no_unembedding", lambda: written_tokens(source, LensScheme(), v, gains=(None,))),
        ("reading.no_embedding", lambda: read_tokens(source, LensScheme(), v, gains=(None,))),
        ("reading.width", lambda: read_tokens(source, scheme.lens, np.ones(D + 1), gains=(None,))),
        ("error.range", lambda: promoting_neurons(source, scheme, V, layers=[0], gain=None)),
        ("error.range", lambda: promoting_neurons(source, scheme, 0, layers=[3], gain=None)),
        ("error.range", lambda: promoting_neurons(source, scheme, 0, layers=[2], gain=None, experts=[E])),
        (
            "reading.no_gate",
            lambda: nearest(
                source, replace(scheme.layers[0], mlp=MlpScheme(wide, wide, FFNSpec())), 0, by="gate"
            ),
        ),
    ]
    for key, ask in cases:
        with pytest.raises(InputError) as caught:
            ask()
        assert caught.value.key == key


def test_everything_can_be_stopped(model: Model) -> None:
    source, scheme, layer = model.source, model.scheme, model.scheme.layers[0]
    asked = [0]

    def enough() -> bool:
        asked[0] += 1
        return asked[0] > 1

    v = np.ones(D)
    for ask in (
        lambda: layer_atlas(source, layer, cancelled=enough),
        lambda: nearest(source, layer, 0, by="up", cancelled=enough),
        lambda: written_tokens(source, scheme.lens, v, gains=(None,), cancelled=enough),
        lambda: read_tokens(source, scheme.lens, v, gains=(None,), cancelled=enough),
        lambda: promoting_neurons(source, scheme, 0, layers=[0, 1], gain=None, cancelled=enough),
    ):
        asked[0] = 0
        with pytest.raises(Stopped):
            ask()


def test_numbers_that_are_none_come_last(tmp_path: Path) -> None:
    head = torch.randn(8, D)
    head[2] = math.nan
    head[5, 0] = math.inf
    save_file({"head": head}, tmp_path / "model.safetensors")
    with closing(open_source(tmp_path / "model.safetensors")) as source:
        (found,) = written_tokens(
            source, LensScheme(unembedding="head"), np.ones(D, np.float32), gains=(None,), count=8
        )
    for side in (found.most, found.least):
        assert side.ids[-2:].tolist() == [2, 5]
        assert np.isnan(side.scores[-2:]).all()
        assert np.isfinite(side.scores[:6]).all()
    assert np.isfinite(Gain(np.ones(D), True, "").after(np.ones(D))).all()


def test_equal_scores_keep_the_order_of_the_file() -> None:
    best = Best(3)
    for first in range(0, 12, 4):
        best.add(first, np.array([1.0, 2.0, 1.0, 2.0]))
    assert best.most().ids.tolist() == [1, 3, 5]
    assert best.least().ids.tolist() == [0, 2, 4]
    best.add(12, np.array([]))
    assert best.most().scores.tolist() == [2.0, 2.0, 2.0]


def test_words_on_the_way_are_rare() -> None:
    shares: list[float] = []
    steps = Steps(shares.append)
    for at in range(1_000):
        steps.at(at / 1_000)
    assert len(shares) < 100
    assert steps.at(1.0)
    assert shares[-1] == 1.0
