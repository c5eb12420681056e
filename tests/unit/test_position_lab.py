"""The position lab: independence per token and per dtype, and the two things that break it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import settings as few
from hypothesis import strategies as st

from ffn_explorer.core import budget, position_lab
from ffn_explorer.core.experiment import run
from ffn_explorer.core.ffn import FFN, Origin
from ffn_explorer.core.position import position_check
from ffn_explorer.core.readings import DtypeCheck, PositionLab
from ffn_explorer.core.settings import CHOICES, Settings
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.core.tokens import tokenize
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.compute import compute
from ffn_explorer.state.needs import needs, wanted
from ffn_explorer.state.parts.lab import LabRequest
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.results import Results

SENTENCES = tokenize(("The keys on the table are lost.", "a b"))
BASE = Settings(d_model=64, d_ff=256)
FULL_EXPERTS = BASE.with_(experts=4, top_k=1, capacity_factor=1.0)


def lab_of(settings: Settings, sentences: tuple[tuple[str, ...], ...] = SENTENCES) -> PositionLab:
    return position_lab.position_lab(run(settings, sentences))


def holds(check: DtypeCheck) -> bool:
    return max(check.alone, check.permuted) <= check.tolerance


@pytest.mark.parametrize("own", CHOICES["dtype"])
def test_a_dense_ffn_holds_in_every_dtype(own: str) -> None:
    lab = lab_of(BASE.with_(dtype=own))
    assert [check.dtype for check in lab.checks] == ["float64", "float32", "bfloat16", "float16"]
    assert all(holds(check) for check in lab.checks)
    tolerances = {check.dtype: check.tolerance for check in lab.checks}
    assert tolerances["float64"] < tolerances["float32"] < tolerances["float16"] < tolerances["bfloat16"]


def test_the_finest_dtype_differs_least() -> None:
    found = {check.dtype: check.alone for check in lab_of(BASE).checks}
    assert found["float64"] < 1e-13
    assert 1e-9 < found["float32"] < 1e-5


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_mixer_breaks_it_and_both_stand_side_by_side(stack: str) -> None:
    without, beside = lab_of(BASE.with_(stack=stack)), lab_of(BASE.with_(stack=stack, mixer=True))
    for lab in (without, beside):
        assert lab.mixed is not None
        assert lab.mixed.alone > 100 * lab.mixed.tolerance
        assert holds(lab.unmixed)
    assert all(check.alone > 3 * check.tolerance for check in beside.checks)
    # The last row of a causal decoder sees everything, the first nothing but itself.
    assert (beside.alone[0][0] <= beside.tolerance) == (stack == "decoder")
    assert beside.alone[0][-1] > beside.tolerance


def test_attention_without_positions_still_moves_with_the_words() -> None:
    lab = lab_of(BASE.with_(mixer=True))
    assert all(check.permuted <= check.tolerance for check in lab.checks)


def test_limited_experts_break_it() -> None:
    lab = lab_of(FULL_EXPERTS)
    assert not any(holds(check) for check in lab.checks)
    roomy = lab_of(FULL_EXPERTS.with_(capacity_factor=64.0))
    assert all(holds(check) for check in roomy.checks)


def test_a_token_differs_exactly_where_it_was_dropped() -> None:
    found = run(FULL_EXPERTS, SENTENCES[:1])
    assert found.trace.routing is not None
    dropped = found.trace.routing.dropped[0].any(dim=-1).numpy()
    assert dropped.any()
    lab = position_lab.position_lab(found)
    np.testing.assert_array_equal(lab.alone[0] > lab.tolerance, dropped)


@few(max_examples=20)
@given(st.integers(0, 500), st.sampled_from(["none", "layer", "rms"]), st.booleans())
def test_rows_agree_with_the_check_of_the_whole(seed: int, norm: str, mixer: bool) -> None:
    found = run(BASE.with_(seed=seed, norm=norm, mixer=mixer), SENTENCES)
    lab, check = position_lab.position_lab(found), position_check(found)
    assert max(float(row.max()) for row in lab.alone) == check.alone
    assert max(float(row.max()) for row in lab.permuted) == check.permuted
    assert lab.tolerance == check.tolerance
    assert [len(row) for row in lab.alone] == [len(row) for row in lab.permuted] == [8, 2]
    own = next(one for one in lab.checks if one.dtype == "float32")
    assert own == (lab.mixed if mixer else lab.unmixed)


def test_a_long_sentence_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(position_lab, "MOST_ROWS", 5)
    lab = lab_of(BASE, (("a", "b") * 20,))
    measured = np.flatnonzero(~np.isnan(lab.alone[0]))
    assert len(measured) == 5
    assert {0, 39} <= set(measured.tolist())
    assert not np.isnan(lab.permuted[0]).any()


def test_large_layers_run_fewer_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(position_lab, "MOST_PRODUCTS", 3 * 2 * BASE.d_model * BASE.d_ff)
    assert int((~np.isnan(lab_of(BASE, SENTENCES[:1]).alone[0])).sum()) == 3


def test_a_dtype_without_memory_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(BASE, SENTENCES)
    needed = budget.bytes_needed(BASE, found.lengths)
    monkeypatch.setattr(budget, "free_bytes", lambda _device: budget.SHARE * needed)
    lab = position_lab.position_lab(found)
    assert [check.dtype for check in lab.checks] == ["float32", "bfloat16", "float16"]


def test_too_many_weights_leave_the_own_dtype_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(position_lab, "MOST_WEIGHTS", 10)
    assert [check.dtype for check in lab_of(BASE).checks] == ["float32"]


def test_a_layer_and_an_x_of_ones_own() -> None:
    """One key, one value, and rows of small whole numbers, which are exact in every dtype."""
    settings = Settings(d_model=2, d_ff=1, norm="none", bias=False, heads=1, kv_heads=1)
    layer = FFN(
        spec=spec_of(settings),
        up=torch.tensor([[1.0, -1.0]]),
        down=torch.tensor([[2.0], [1.0]]),
        origin=Origin("computed"),
    )
    x = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [3.0, 1.0]]])
    found = run(settings, (("a", "b", "c"),), x=x, layer=layer)
    lab = position_lab.position_lab(found)
    assert [(check.alone, check.permuted) for check in lab.checks] == [(0.0, 0.0)] * 4
    assert lab.mixed is not None
    assert lab.mixed.alone > lab.mixed.tolerance


def test_x_that_is_no_stream_has_no_mixer_before_it() -> None:
    x = torch.linspace(-1, 1, 2 * BASE.d_model).reshape(1, 2, BASE.d_model)
    lab = position_lab.position_lab(run(BASE, (("a", "b"),), x=x, x_is="ffn-input"))
    assert lab.mixed is None
    assert holds(lab.unmixed)


def test_dropout_is_left_out() -> None:
    assert all(holds(check) for check in lab_of(BASE.with_(dropout=0.5, training=True)).checks)


def test_it_is_asked_for_while_its_panel_is_in_sight() -> None:
    state = AppState(settings=BASE.with_(d_model=16, d_ff=32))
    results = Results()
    results.put(run_of(state), compute(run_of(state), results))
    asked = LabRequest(run_of(state))
    assert asked in needs(state, results)
    assert asked not in wanted(replace(state, shown=frozenset({"maps"})), results)
    assert asked in wanted(replace(state, shown=frozenset({"position"})), results)
    found = compute(asked, results)
    assert isinstance(found, PositionLab)
    assert found.nbytes == 2 * 8 * 8
