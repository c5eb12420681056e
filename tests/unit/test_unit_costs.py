"""One token, one neuron, one dimension: their costs add up to the bill."""

import numpy as np
import pytest

from ffn_explorer.core.cost import ffn_parameters
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState, Source
from ffn_explorer.state.counters import lines
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.unit_costs import dim_parameters, neuron_parameters, row_share, token_cost
from tests.ui.live import scene_of

SMALL = Settings(d_model=24, d_ff=64, heads=2, kv_heads=2)
SENTENCES = ("The keys on the table are lost.", "One more sentence.")
KINDS = [
    SMALL,
    SMALL.with_(stack="decoder", bias=False),
    SMALL.with_(activation="swiglu", stack="decoder"),
    SMALL.with_(experts=4, top_k=2, shared_experts=1, activation="geglu"),
    SMALL.with_(experts=4, top_k=2, capacity_factor=0.5),
]


def run_of(settings: Settings) -> RunResult:
    source = Source(SENTENCES, ((),) * len(SENTENCES))
    run = scene_of(AppState(settings=settings, source=source, shown=frozenset({"bill"}))).run
    assert run is not None
    return run


@pytest.mark.parametrize("settings", KINDS)
def test_the_tokens_costs_add_up_to_the_bill(settings: Settings) -> None:
    run = run_of(settings)
    costs = [
        token_cost(run, sentence=b, token=s) for b, length in enumerate(run.lengths) for s in range(length)
    ]
    assert len({cost.ffn for cost in costs}) == 1
    assert sum(cost.ffn for cost in costs) == run.bill.ffn_flops
    assert sum(cost.scores for cost in costs) == run.bill.score_flops
    assert {cost.tokens for cost in costs} == {len(costs)}


def test_a_decoder_s_later_token_is_scored_against_more() -> None:
    first, second = (
        token_cost(run_of(SMALL.with_(stack="decoder")), sentence=0, token=token) for token in (0, 1)
    )
    assert second.scores == 2 * first.scores
    assert second.ffn == first.ffn


def test_what_found_no_room_is_counted_apart() -> None:
    run = run_of(SMALL.with_(experts=4, top_k=2, capacity_factor=0.5))
    assert run.expert_dropped is not None
    b, s = (int(at[0]) for at in np.nonzero(run.expert_dropped.any(axis=2)))
    cost = token_cost(run, sentence=b, token=s)
    assert cost.dropped == int(run.expert_dropped[b, s].sum()) > 0
    assert cost.lost == cost.dropped * 2 * 2 * 24 * 64
    assert cost.lost < cost.ffn


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_neurons_and_dimensions_hold_all_parameters(activation: str, bias: bool) -> None:
    settings = SMALL.with_(activation=activation, bias=bias)
    output_bias = settings.d_model * bias
    neurons = settings.d_ff * neuron_parameters(settings)
    assert neurons + output_bias == ffn_parameters(settings, bias=True)
    down = [line.weights for line in lines(run_of(settings)) if line.name in ("W_down", "b_down")]
    assert settings.d_model * dim_parameters(settings) == sum(down)


def test_rows_stand_in_the_order_of_their_experts() -> None:
    assert row_share(SMALL, 0, wide=True, expert=None) == 0.5 / 64
    assert row_share(SMALL, 23, wide=False, expert=None) == 23.5 / 24
    mixed = SMALL.with_(experts=4, top_k=2, shared_experts=1)
    assert row_share(mixed, 3, wide=True, expert=2) == (2 * 64 + 3.5) / (5 * 64)
    assert row_share(mixed, 3, wide=False, expert=3) == (3 * 24 + 3.5) / (5 * 24)
