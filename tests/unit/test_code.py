"""The program shown in the code panel computes what the forward pass computes, in both libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.experiment import Run, run
from ffn_explorer.core.ffn import FFN, NormWeights
from ffn_explorer.core.moe import MoE
from ffn_explorer.core.settings import ORIGINAL_2017, Settings
from ffn_explorer.core.stages import stages_of
from ffn_explorer.core.tokens import tokenize
from ffn_explorer.state.code.dialect import DIALECTS, DialectName
from ffn_explorer.state.code.lines import CodeLine, arguments, code_lines
from ffn_explorer.state.code.sizes import Sizes, sizes_of

TOKENS = tokenize(("The keys on the table are lost.",))
BASE = Settings(d_model=12, d_ff=20, heads=2, kv_heads=2, dtype="float64")
EXPERTS = BASE.with_(experts=8, top_k=2, norm="rms")
ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "quick_gelu", "silu", "relu2", "identity")
GATED = ("glu", "reglu", "geglu", "swiglu", "bilinear")

CASES: dict[str, tuple[Settings, Edits]] = {
    **{name: (BASE.with_(activation=name), Edits()) for name in (*ACTIVATIONS, *GATED)},
    "no bias": (BASE.with_(bias=False, activation="swiglu"), Edits()),
    "2017": (ORIGINAL_2017.with_(d_model=12, d_ff=20, heads=2, kv_heads=2, dtype="float64"), Edits()),
    "sandwich": (BASE.with_(norm="rms", norm_placement="sandwich"), Edits()),
    "bare": (BASE.with_(norm="none", residual=False), Edits()),
    "post without residual": (BASE.with_(norm_placement="post", residual=False), Edits()),
    **{
        rule: (EXPERTS.with_(routing=rule), Edits())
        for rule in ("softmax_topk", "softmax_topk_renorm", "topk_softmax", "sigmoid_bias")
    },
    "groups": (EXPERTS.with_(routing="sigmoid_bias", expert_groups=4, groups_kept=2), Edits()),
    "shared": (EXPERTS.with_(shared_experts=2, activation="geglu"), Edits()),
    "keep": (BASE.with_(activation="gelu"), Edits(keep=5)),
    "keep gated": (BASE.with_(activation="swiglu"), Edits(keep=3)),
    "keep of experts": (EXPERTS, Edits(keep=4)),
    **{
        f"edited {rule}": (EXPERTS.with_(routing=rule), Edits(banned=(0, 5), forced=3))
        for rule in ("softmax_topk", "softmax_topk_renorm", "topk_softmax", "sigmoid_bias")
    },
    "edited groups": (
        EXPERTS.with_(routing="sigmoid_bias", expert_groups=4, groups_kept=2),
        Edits(banned=(1, 6), forced=4),
    ),
    "capacity": (EXPERTS.with_(capacity_factor=0.5, top_k=1, experts=4), Edits()),
}


def program(made: Run, dialect: DialectName) -> tuple[tuple[CodeLine, ...], Sizes]:
    """Return the lines for a run, and the sizes they were made with."""
    sizes = sizes_of(made.settings, made.lengths, transposed=False)
    return code_lines(made.trace.spec, sizes, dialect), sizes


def weights(layer: FFN | MoE, sizes: Sizes) -> dict[str, Any]:
    """Return every argument that the program can ask for."""
    found = {**norms(layer, "norm", layer.pre_norm), **norms(layer, "post", layer.post_norm)}
    if isinstance(layer, FFN):
        return found | of_ffn(layer)
    names = [f"{kind}_{role}" for role in ("gate", "up", "down") for kind in ("W", "b")]

    def listed(ffn: FFN) -> list[torch.Tensor]:
        return [of_ffn(ffn)[name] for name in names if of_ffn(ffn).get(name) is not None]

    found |= {"W_router": layer.router.weight, "b_select": layer.router.selection_bias}
    found["experts"] = [listed(expert) for expert in layer.experts]
    found["shared"] = None if layer.shared is None else listed(layer.shared)
    return found


def of_ffn(ffn: FFN) -> dict[str, Any]:
    """Return weights and biases under their names."""
    return {
        "W_up": ffn.up, "W_gate": ffn.gate, "W_down": ffn.down,
        "b_up": ffn.up_bias, "b_gate": ffn.gate_bias, "b_down": ffn.down_bias,
    }  # fmt: skip


def norms(layer: FFN | MoE, name: str, norm: NormWeights) -> dict[str, Any]:
    """Return a norm's weight and bias under their names."""
    return {f"w_{name}": norm.weight, f"b_{name}": norm.bias}


def as_numpy(value: Any) -> Any:
    """Return tensors as arrays, in lists too."""
    if isinstance(value, list):
        return [as_numpy(item) for item in value]
    return value.numpy() if isinstance(value, torch.Tensor) else value


def computed(made: Run, dialect: DialectName) -> np.ndarray:
    """Run the program on the run's own input and weights."""
    lines, sizes = program(made, dialect)
    space: dict[str, Any] = {}
    exec("\n".join(line.text for line in lines), space)
    known = weights(made.layer, sizes)
    x: Any = made.trace.x.clone()
    args = [known[name] for name in arguments(made.trace.spec, sizes)]
    if dialect == "numpy":
        x, args = x.numpy(), [as_numpy(arg) for arg in args]
    return np.asarray(space["ffn"](x, *args))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", CASES)
def test_the_program_computes_what_the_pass_computes(name: str, dialect: DialectName) -> None:
    settings, edits = CASES[name]
    made = run(settings, TOKENS, edits=edits)
    expected = made.trace.result.numpy()
    assert np.abs(computed(made, dialect) - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", CASES)
def test_every_stage_has_a_line(name: str, dialect: DialectName) -> None:
    settings, edits = CASES[name]
    made = run(settings, TOKENS, edits=edits)
    lines, _ = program(made, dialect)
    lit = {line.stage for line in lines}
    assert set(stages_of(made.trace.spec)) <= lit
    assert all(len(line.text) <= 96 for line in lines)


def test_shapes_stand_beside_the_lines_that_make_them() -> None:
    made = run(BASE, TOKENS)
    shapes = {line.text.split(" = ")[0].strip(): line.shape for line in program(made, "torch")[0]}
    assert shapes["up"] == shapes["act"] == "[1, 8, 20]"
    assert shapes["out"] == shapes["y"] == shapes["n"] == "[1, 8, 12]"
    turned = sizes_of(BASE, made.lengths, transposed=True)
    lines = code_lines(made.trace.spec, turned, "numpy")
    assert next(line.shape for line in lines if line.text.strip().startswith("up = ")) == "[8, 1, 20]"


def test_dropout_is_written_only_while_it_acts() -> None:
    trained = run(BASE.with_(dropout=0.1, training=True), TOKENS)
    for dialect in ("torch", "numpy"):
        assert any("0.1" in line.text for line in program(trained, dialect)[0])
        still = run(BASE.with_(dropout=0.1), TOKENS)
        assert not any("0.1" in line.text for line in program(still, dialect)[0])
