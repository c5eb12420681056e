"""Bills, formulas and programs of opened layers: against the tensors that transformers' own modules hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Source
from ffn_explorer.state.code.dialect import DIALECTS, DialectName
from ffn_explorer.state.code.lines import code_lines
from ffn_explorer.state.code.loading import loading_lines
from ffn_explorer.state.code.sizes import sizes_of
from ffn_explorer.state.compute import compute
from ffn_explorer.state.counters import billed, lines
from ffn_explorer.state.formulas import formula
from ffn_explorer.state.open_files import OPEN_FILES
from ffn_explorer.state.requests import RunRequest
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Results
from ffn_explorer.state.tensor_slices import bias_slice, matrix_slice
from ffn_explorer.widgets.bill_bars import bars_of, formula_of
from tests.golden.family_makers import build

OF_FFN = (".mlp.", ".block_sparse_moe.", ".feed_forward.", ".intermediate.dense.", ".output.dense.")
CASES: dict[str, tuple[str, str, dict[str, Any], tuple[str, ...]]] = {
    "gpt_oss": ("gpt_oss", "gpt_oss", {}, ("(up + 1)", "min(", "clamp(")),
    "qwen2_moe": ("qwen2_moe", "qwen2_moe", {"decoder_sparse_step": 1, "shared_expert_intermediate_size": 56},
                  ("σ(w_shared · norm(x)) · shared(norm(x))",)),
    "ernie": ("ernie4_5_moe", "ernie4_5_moe", {}, ("shared(norm(x))",)),
    "granite": ("granite", "granite", {"residual_multiplier": 0.22}, ("y = x + 0.22 · out",)),
    "gemma3": ("gemma2", "gemma3_text", {}, ("(1 + w)", "y = x + norm(out)")),
    "bert": ("bert", "bert", {}, ("norm(y)", "+ b_down")),
    "gpt2": ("gpt2", "gpt2", {}, ("+ b_up",)),
}  # fmt: skip
"""Family, model type, configuration, and what the formulas of its last layer say."""


@pytest.fixture(scope="module", params=CASES)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The last layer of a small model, saved and opened, with the model."""
    family, kind, changes, said = CASES[request.param]
    model, path = build(family, kind, changes), tmp_path_factory.mktemp(request.param)
    model.save_pretrained(path)
    made = OPEN_FILES.open(path)
    held = OPEN_FILES.get(made)
    settings = held.settings(len(held.checkpoint.layers) - 1, Settings(dtype="float64"))
    run = compute(RunRequest(Source(opened=made), settings), Results())
    assert isinstance(run, RunResult)
    yield model, run, said
    OPEN_FILES.close()


def test_the_bill_counts_what_the_model_holds(opened: Any) -> None:
    model, run, _ = opened
    index = run.scheme.index
    own = [
        tensor
        for name, tensor in model.state_dict().items()
        if f".{index}." in name and any(part in name for part in OF_FFN) and "attention" not in name
        and "LayerNorm" not in name
    ]  # fmt: skip
    assert run.bill.ffn_total == sum(tensor.numel() for tensor in own)
    assert sum(line.weights for line in lines(run)) == run.bill.ffn_total
    assert sum(line.flops for line in lines(run)) == run.bill.ffn_flops
    bars_of("en", billed(run), theirs=None, before=None)
    said = formula_of("en", billed(run), None)[0].split(" = ")[1].split(" · ")[0].split(";")[0]
    value = eval(said.partition(" parameters")[0].replace("·", "*").replace(",", ""), {"__builtins__": {}})
    assert value == run.bill.ffn_total, said


def test_formulas_name_what_the_family_does(opened: Any) -> None:
    _, run, said = opened
    every = " | ".join(formula(stage, run.spec, run.request.settings, run.has) for stage in run.stages)
    assert all(part in every for part in said), every


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_the_program_reads_the_file_and_computes_the_layer(opened: Any, dialect: DialectName) -> None:
    _, run, _ = opened
    sizes = sizes_of(run.request.settings, run.lengths, transposed=False, parts=run.has)
    more = loading_lines(
        run.request.source.opened, run.scheme, run.spec, sizes, dialect=dialect, dtype="float64"
    )
    assert more
    space: dict[str, Any] = {}
    exec("\n".join(line.text for line in (*code_lines(run.spec, sizes, dialect), *more)), space)
    x = torch.from_numpy(run.values[Stage.INPUT].copy())
    made = np.asarray(space["ffn"](x if dialect == "torch" else x.numpy(), *space["layer"]))
    assert np.abs(made - run.values[run.stages[-1]]).max() <= 1e-10


def test_the_named_part_of_a_tensor_is_the_matrix(opened: Any) -> None:
    _, run, _ = opened
    expert = None if isinstance(run.run.layer, FFN) else 1
    ffn = run.run.layer if expert is None else run.run.layer.experts[expert]
    source = OPEN_FILES.get(run.request.source.opened).checkpoint.source
    for role, ref in run.scheme.mlp.roles.items():
        for said, tensor in (
            (matrix_slice(ref, expert), getattr(ffn, role)),
            (bias_slice(ref, expert), getattr(ffn, f"{role}_bias")),
        ):
            assert bool(said) == (tensor is not None)
            if tensor is not None:
                name = max((name for name in source.tensors if said.startswith(name)), key=len)
                part = eval(f"whole{said.removeprefix(name)}", {"whole": source.whole(name)})
                assert np.array_equal(np.asarray(part, np.float64), tensor.numpy())
