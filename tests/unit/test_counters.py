"""Counters and formulas of the bill: whole numbers that only grow, and end at exactly the bill."""

import itertools
import re
from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.cli.run_report import facts
from ffn_explorer.core.cost import bill
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.core.stages import Stage, stages_of
from ffn_explorer.state import timeline
from ffn_explorer.state.app_state import AppState, Source
from ffn_explorer.state.bill_formulas import BillFormula, bill_formulas, line_formula
from ffn_explorer.state.compute import attempt
from ffn_explorer.state.counters import (
    SEGMENTS,
    Spent,
    active_parameters,
    expert_bill,
    experts_visited,
    lines,
    lines_of,
    spent,
)
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Results

BATCH = Source(("The keys on the table are lost.", "Lost?"), ((), ()))

CHOSEN = st.builds(
    Settings,
    d_model=st.integers(1, 3_000),
    d_ff=st.integers(1, 9_000),
    activation=st.sampled_from(["relu", "gelu", "geglu", "swiglu"]),
    bias=st.booleans(),
    norm=st.sampled_from(["none", "layer", "rms"]),
    norm_placement=st.sampled_from(["pre", "post", "sandwich"]),
    experts=st.sampled_from([1, 4, 256]),
    top_k=st.integers(1, 4),
    shared_experts=st.integers(0, 2),
    routing=st.sampled_from(["softmax_topk", "sigmoid_bias"]),
    stack=st.sampled_from(["encoder", "decoder"]),
    heads=st.sampled_from([4, 8]),
    kv_heads=st.sampled_from([1, 4]),
)
LENGTHS = st.lists(st.integers(1, 5_000), min_size=1, max_size=3).map(tuple)
SMALL = [
    Settings(d_model=16, d_ff=40),
    Settings(d_model=16, d_ff=40, activation="swiglu", bias=False, norm="rms"),
    Settings(d_model=16, d_ff=40, activation="geglu", experts=8, top_k=2, shared_experts=1),
    Settings(d_model=16, d_ff=24, experts=4, top_k=1, routing="sigmoid_bias", capacity_factor=0.25),
]


@lru_cache
def result(settings: Settings) -> RunResult:
    state = AppState(settings=settings, source=BATCH)
    found = attempt(run_of(state), Results())
    assert isinstance(found, RunResult)
    return found


@given(CHOSEN, LENGTHS)
def test_lines_add_up_to_the_bill(settings: Settings, lengths: tuple[int, ...]) -> None:
    made, found = lines_of(settings, sum(lengths), experts=settings.experts), bill(settings, lengths)
    assert sum(line.weights for line in made) == found.ffn_total
    assert sum(line.flops for line in made) == found.ffn_flops
    assert sum(line.visited for line in made) == found.ffn_total
    assert sum(line.weights for line in made if line.name.startswith("W")) == found.ffn_weights
    assert {line.stage for line in made} <= set(stages_of(spec_of(settings)))
    assert {line.segment for line in made} <= set(SEGMENTS)


@pytest.mark.parametrize("settings", SMALL)
@given(times=st.lists(st.floats(0.0, 1.0), max_size=12))
def test_counters_never_fall_and_end_exactly(settings: Settings, times: list[float]) -> None:
    run = result(settings)
    seen = [spent(lines(run), timeline.progress(time, run.stages)) for time in (0.0, *sorted(times), 1.0)]
    assert seen[0] == Spent(0, 0, 0)
    assert (seen[-1].weights, seen[-1].flops) == (run.bill.ffn_total, run.bill.ffn_flops)
    for before, after in itertools.pairwise(seen):
        assert all(a <= b for a, b in zip(before, after))
    assert all(found.visited <= found.weights for found in seen)


def test_huge_counts_stay_exact() -> None:
    """More FLOPs than a float64 counts one by one."""
    run = result(SMALL[0])
    huge = Settings(d_model=16_383, d_ff=65_535, experts=256, top_k=255, activation="swiglu")
    made = lines_of(huge, 8_191, experts=256)
    assert sum(line.flops for line in made) == bill(huge, [8_191]).ffn_flops > 2**53
    almost = spent(lines(run), [(stage, 1.0 - 2.0**-40) for stage in run.stages])
    assert 0 < run.bill.ffn_flops - almost.flops <= len(lines(run))


@pytest.mark.parametrize("settings", SMALL)
def test_counters_end_at_what_run_prints(settings: Settings) -> None:
    run = result(settings)
    assert run.run is not None
    printed = facts(run.run, AppState(settings=settings, source=BATCH))
    end = spent(lines(run), timeline.progress(1.0, run.stages))
    assert end.weights == printed["parameters"]["ffn_total"]
    assert end.flops == printed["flops"]["ffn"]


def test_experts_are_visited_by_real_tokens_that_found_room() -> None:
    dense, mixture, full = (result(settings) for settings in (SMALL[0], SMALL[2], SMALL[3]))
    assert experts_visited(dense) == 1
    for run in (mixture, full):
        assert run.expert_index is not None
        assert run.expert_dropped is not None
        wanted = {
            int(expert)
            for b, length in enumerate(run.lengths)
            for s in range(length)
            for expert, lost in zip(run.expert_index[b, s], run.expert_dropped[b, s])
            if not lost
        }
        assert experts_visited(run) == len(wanted)
        one = run.request.settings.d_model * run.request.settings.d_ff
        down = next(line for line in lines(run) if line.name == "W_down")
        assert (down.weights, down.visited) == (run.request.settings.experts * one, len(wanted) * one)


@pytest.mark.parametrize("settings", SMALL[2:])
def test_experts_share_the_bill(settings: Settings) -> None:
    run = result(settings)
    assert run.expert_dropped is not None
    every = [expert_bill(run, expert) for expert in range(settings.experts)]
    real = sum(run.lengths) * settings.top_k
    lost = sum(int(run.expert_dropped[b, :length].sum()) for b, length in enumerate(run.lengths))
    assert sum(found.tokens for found in every) == real - lost
    inside = [line for line in lines(run) if not line.shared and line.segment != "router"]
    assert sum(found.parameters for found in every) == sum(line.weights for line in inside)
    if not lost:
        assert sum(found.flops for found in every) == sum(line.flops for line in inside)


def test_active_parameters_of_a_token() -> None:
    mixtral = Settings(
        d_model=4096, d_ff=14_336, activation="swiglu", bias=False, heads=32, kv_heads=8, experts=8, top_k=2
    )
    one = 3 * 4096 * 14_336
    assert active_parameters(mixtral) == 2 * one + 8 * 4096
    attention = bill(mixtral, [1]).attention_weights
    assert round(100 * 2 * one / (2 * one + attention), 1) == 89.4
    assert active_parameters(SMALL[0]) == bill(SMALL[0], [1]).ffn_total


def value_of(formula: BillFormula) -> int:
    """Work out the right side with nothing but its digits and signs."""
    assert re.fullmatch(r"[\d,·+() ]+", formula.terms), formula.terms
    return int(eval(formula.terms.replace(",", "").replace("·", "*"), {"__builtins__": {}}))


@given(CHOSEN, LENGTHS)
def test_formulas_come_to_what_they_say(settings: Settings, lengths: tuple[int, ...]) -> None:
    for formula in bill_formulas(settings, lengths):
        assert value_of(formula) == formula.value


@given(CHOSEN)
def test_formulas_of_segments_come_to_their_lines(settings: Settings) -> None:
    made = lines_of(settings, 1, experts=settings.experts)
    for segment in {line.segment for line in made}:
        formula = line_formula(settings, made, segment)
        assert value_of(formula) == formula.value == sum(n.weights for n in made if n.segment == segment)


@given(CHOSEN)
def test_symbols_mean_the_terms(settings: Settings) -> None:
    """Put numbers for the letters: the left side comes to the right one."""
    s, n, tokens = settings, settings.shared_experts, 7
    letters: Mapping[str, int] = {
        "D": s.d_model, "F": s.d_ff, "S": tokens, "E": s.experts, "K": s.top_k, "n": n,
        "H": s.heads, "h": s.head_width, "H_kv": s.kv_heads,
    }  # fmt: skip
    for formula in bill_formulas(s, (tokens,)):
        code = formula.symbols.replace("·", "*")
        assert eval(code, {"__builtins__": {}}, dict(letters)) == formula.value


def test_known_formulas() -> None:
    found = bill_formulas(Settings(d_model=512, d_ff=2_048), (8,))
    assert found.ffn.wordings[0] == "2·D·F + F + D = 2·512·2,048 + 2,048 + 512 = 2,099,712"
    assert found.ffn_flops.wordings[1] == "4·S·D·F = 33,554,432"
    assert found.attention.symbols == "4·D·D"
    assert found.scores.terms == "4·8·8·8·64"


def test_progress_of_stages_that_are_missing_counts_nothing() -> None:
    run = result(SMALL[0])
    assert spent(lines(run), [(Stage.INPUT, 1.0)]) == Spent(0, 0, 0)
    half = spent(lines(run), [(Stage.UP, 0.5)])
    assert half.weights == 16 * 40 // 2 + 40 // 2
    assert np.prod([2, sum(run.lengths), 16, 40]) // 2 == half.flops
