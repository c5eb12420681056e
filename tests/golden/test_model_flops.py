"""FLOPs of presets are those that torch counts while other people's classes run, without weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from ffn_explorer.core.architecture import FFNShape
from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.ffn_rows import ffn_rows
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.model_bill import ModelBill, model_bill
from ffn_explorer.core.moe import MoE, Router
from ffn_explorer.core.spec import FFNSpec, RoutingSpec
from ffn_explorer.state.models import PublicModel, model
from tests.golden.library import hidden_states
from tests.golden.model_makers import MAKERS

TOKENS = 16
LINEAR = {"mm", "addmm"}
BATCHED = {"bmm", "baddbmm"}
UNRUN = {
    "transformer-base": "torch's layers for it are not joined into a model",
    "transformer-big": "torch's layers for it are not joined into a model",
    "dbrx": "its class runs the experts that were chosen, which tensors without numbers cannot tell",
}
COUNTED = [name for name in MAKERS if name not in UNRUN]

OWN_MASK = ("gpt-1", "bert", "roberta", "t5", "bloom", "opt")
"""Beginnings of the ids whose classes make a mask of their own without looking at numbers."""


def shallow(m: PublicModel) -> PublicModel:
    """Return a model with two layers: both kinds where there are two."""
    layers = m.shape.layers
    count = 2 // len(layers)
    return replace(m, shape=replace(m.shape, layers=tuple(replace(layer, count=count) for layer in layers)))


def inputs(m: PublicModel) -> dict[str, Tensor]:
    """Return tokens for every stack, and a mask that hides nothing where the class would look at numbers."""
    ids = torch.zeros(1, TOKENS, dtype=torch.long)
    given = {"input_ids": ids}
    if any(layer.cross for layer in m.shape.layers):
        given["decoder_input_ids"] = ids
    if not m.id.startswith(OWN_MASK):
        given["attention_mask"] = torch.zeros(1, 1, TOKENS, TOKENS)
    return given


def counted(run: Callable[[], Any]) -> dict[str, dict[str, int]]:
    """Return module -> operation -> FLOPs that torch counts."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        run()
    found: dict[str, dict[Any, int]] = counter.get_flop_counts()
    return {module: {op.__name__: n for op, n in ops.items()} for module, ops in found.items()}


def spent(found: dict[str, dict[str, int]], operations: set[str], *, module: str = "Global") -> int:
    """Return the FLOPs of some operations in all modules whose names end so."""
    inside = [ops for name, ops in found.items() if name == module or name.endswith(f".{module}")]
    return sum(n for ops in inside for op, n in ops.items() if op in operations)


@pytest.fixture(params=COUNTED)
def pair(request: pytest.FixtureRequest) -> tuple[ModelBill, dict[str, dict[str, int]]]:
    """Bill of a shallow preset for all pairs of tokens, and what torch counts of the library's own pass."""
    m = shallow(model(request.param))
    with torch.device("meta"):
        built = MAKERS[m.id](m)
        given = inputs(m)
        found = counted(lambda: built(**given))
    return model_bill(m.shape, Use(tokens=TOKENS, causal=False)), found


def test_flops_are_those_that_torch_counts(pair: tuple[ModelBill, dict[str, dict[str, int]]]) -> None:
    bill, found = pair
    experts = spent(found, BATCHED, module="experts")
    pooler = spent(found, LINEAR, module="pooler.dense")  # runs on one token; we call it an extra
    linear = spent(found, LINEAR) - pooler
    assert linear + experts == bill.flops("ffn", "router", "attention", "embeddings")
    assert spent(found, BATCHED) - experts == bill.flops("scores")
    assert found["Global"].keys() <= LINEAR | BATCHED


@pytest.mark.parametrize(("gated", "shared", "gate"), [(True, 0, False), (True, 24, True), (False, 8, False)])
def test_our_own_mixture_spends_what_its_rows_say(gated: bool, shared: int, gate: bool) -> None:
    shape = FFNShape(d_ff=24, gated=gated, experts=6, top_k=2, shared_width=shared, shared_gate=gate)
    spec = FFNSpec("silu", gated=gated, residual=False)

    def ffn(width: int) -> FFN:
        up, down = torch.ones(width, 16), torch.ones(16, width)
        return FFN(spec, up, down, up if gated else None)

    moe = MoE(
        replace(spec, routing=RoutingSpec(shape.experts, shape.top_k)),
        Router(hidden_states((shape.experts, 16), torch.float32)),
        tuple(ffn(shape.d_ff) for _ in range(shape.experts)),
        shared=ffn(shared) if shared else None,
        shared_gate=torch.ones(1, 16) if gate else None,
    )
    x = hidden_states((2, 5, 16), torch.float32, seed=2)
    found = counted(lambda: forward(moe, x, x_is="ffn-input"))
    assert spent(found, LINEAR) == sum(row.flops.value for row in ffn_rows(shape, 16, tokens=10))
