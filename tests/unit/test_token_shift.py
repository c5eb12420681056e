"""An FFN with a token shift (RWKV): computed over the whole sentence, proved, and not position-wise."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from ffn_explorer.core.contributions import contributions
from ffn_explorer.core.experiment import Run, run
from ffn_explorer.core.ffn import FFN, Origin
from ffn_explorer.core.layer_parts import parts_of
from ffn_explorer.core.position import position_check
from ffn_explorer.core.position_lab import position_lab
from ffn_explorer.core.proof import prove
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.core.stages import WIDE, stages_of
from ffn_explorer.core.token_shift import TokenShift
from ffn_explorer.state.code.dialect import DialectName
from ffn_explorer.state.code.lines import arguments, code_lines
from ffn_explorer.state.code.sizes import sizes_of
from ffn_explorer.state.formulas import formula

D, F = 8, 20
SETTINGS = Settings(d_model=D, d_ff=F, heads=1, kv_heads=1, bias=False, norm="none", activation="relu2")
TOKENS = (("a", "b", "c", "d"), ("e", "f"))


@pytest.fixture(scope="module")
def found() -> Run:
    draw = torch.Generator().manual_seed(4)
    shift = TokenShift(
        torch.rand(D, generator=draw), torch.rand(D, generator=draw), torch.randn(D, D, generator=draw)
    )
    spec = FFNSpec(function="relu2", position_wise=False, reads="previous token")
    up, down = torch.randn(F, D, generator=draw), torch.randn(D, F, generator=draw)
    return run(SETTINGS, TOKENS, layer=FFN(spec, up, down, shift=shift, origin=Origin("loaded")))


def test_each_token_is_mixed_with_the_one_before_it(found: Run) -> None:
    layer = found.layer
    assert isinstance(layer, FFN)
    assert layer.shift is not None
    for b, sentence in enumerate(TOKENS):
        before = torch.zeros(D)
        for s in range(len(sentence)):
            x = found.x[b, s]
            read = layer.shift.key_mix * x + (1 - layer.shift.key_mix) * before
            weighs = layer.shift.receptance_mix * x + (1 - layer.shift.receptance_mix) * before
            out = torch.sigmoid(layer.shift.receptance @ weighs) * (
                layer.down @ (layer.up @ read).relu().square()
            )
            torch.testing.assert_close(found.trace.out[b, s], out)
            torch.testing.assert_close(found.trace.residual[b, s], x + out)
            before = x
    assert not found.trace.out[1, 2:].any()


def test_every_number_is_proved_and_split(found: Run) -> None:
    for stage in stages_of(found.trace.spec):
        for token in (0, 3):
            for index in (0, (F if stage in WIDE else D) - 1):
                proof = prove(found, stage, sentence=0, token=token, index=index)
                assert proof.shown == float(found.trace.stage(stage)[0, token, index])
                assert proof.difference <= proof.tolerance
    split = contributions(found, sentence=0, token=3, dim=5)
    assert split.part.sum() + split.bias + split.rest == pytest.approx(split.out, abs=1e-4)


def test_it_is_not_position_wise_and_says_how(found: Run) -> None:
    assert not position_check(found).holds
    lab = position_lab(found)
    # The first token has none before it: alone it is what it is in the sentence.
    assert lab.alone[0][0] <= lab.tolerance < lab.alone[0][1:].min()
    parts = parts_of(found.layer)
    said = [formula(stage, found.trace.spec, SETTINGS, parts) for stage in stages_of(found.trace.spec)]
    assert "up = W_up · mix(x)" in said
    assert any(text.startswith("out = σ(W_r") for text in said)


@pytest.mark.parametrize("dialect", ["torch", "numpy"])
@pytest.mark.parametrize("transposed", [False, True])
def test_the_program_computes_it(found: Run, dialect: DialectName, transposed: bool) -> None:
    layer = found.layer
    assert isinstance(layer, FFN)
    assert layer.shift is not None
    sizes = sizes_of(SETTINGS, (4,), transposed=transposed, parts=parts_of(layer))
    program = "\n".join(line.text for line in code_lines(found.trace.spec, sizes, dialect))
    given = {
        "W_up": layer.up, "W_down": layer.down, "mix_key": layer.shift.key_mix,
        "mix_receptance": layer.shift.receptance_mix, "W_receptance": layer.shift.receptance,
    }  # fmt: skip
    assert tuple(given) == arguments(found.trace.spec, sizes)
    scope: dict[str, Any] = {}
    exec(program, scope)
    x = found.x[:1].transpose(0, 1) if transposed else found.x[:1]
    tensors: list[Any] = [x, *given.values()]
    y = scope["ffn"](*(tensors if dialect == "torch" else [tensor.numpy() for tensor in tensors]))
    theirs = torch.as_tensor(y).transpose(0, 1) if transposed else torch.as_tensor(y)
    torch.testing.assert_close(theirs, found.trace.residual[:1])
