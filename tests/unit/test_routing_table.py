"""The routing table: every count and margin recomputed by hand."""

from functools import lru_cache

import numpy as np
import pytest

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState, Source
from ffn_explorer.state.compute import attempt
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Results
from ffn_explorer.state.routing_table import NOT_CHOSEN, RoutingTable, routing_table

MIXED = Settings(d_model=16, d_ff=24, activation="swiglu", experts=8, top_k=2, heads=2, kv_heads=2)
BATCH = Source(("The keys on the table are lost.", "Lost?"), ((), ()))
CASES = {
    "plain": (MIXED, Edits()),
    "edited": (MIXED, Edits(banned=(1, 4), forced=6)),
    "full": (MIXED.with_(capacity_factor=0.5), Edits()),
    "unscaled": (MIXED.with_(routing="softmax_topk"), Edits()),
    "groups": (MIXED.with_(routing="sigmoid_bias", expert_groups=4, groups_kept=2), Edits()),
    "nobody left": (MIXED.with_(experts=3), Edits(banned=(0,))),
}


@lru_cache
def run_of_case(name: str) -> RunResult:
    settings, edits = CASES[name]
    found = attempt(run_of(AppState(settings=settings, source=BATCH, edits=edits)), Results())
    assert isinstance(found, RunResult)
    return found


def table_of(name: str, sentence: int) -> RoutingTable:
    found = routing_table(run_of_case(name), sentence)
    assert found is not None
    return found


@pytest.mark.parametrize("sentence", [0, 1])
@pytest.mark.parametrize("name", CASES)
def test_counts_weights_and_slots(name: str, sentence: int) -> None:
    run, table = run_of_case(name), table_of(name, sentence)
    settings = CASES[name][0]
    assert (table.tokens, table.experts) == (run.lengths[sentence], settings.experts)
    assert int(table.served.sum() + table.dropped.sum()) == table.tokens * settings.top_k
    for token in range(table.tokens):
        chosen = table.index[token].tolist()
        assert [table.slot[token, expert] for expert in chosen] == list(range(settings.top_k))
        assert (table.slot[token] != NOT_CHOSEN).sum() == settings.top_k
        for slot, expert in enumerate(chosen):
            assert table.weights[token, expert] == table.weight[token, slot]
            assert table.full[token, expert] == table.lost[token, slot]
    assert np.isnan(table.weights[table.slot == NOT_CHOSEN]).all()
    if table.capacity is not None:
        assert table.served.max() <= table.capacity
        assert ((table.dropped == 0) | (table.served == table.capacity)).all()


@pytest.mark.parametrize("name", ["plain", "full", "unscaled"])
def test_the_margin_is_the_kth_logit_less_the_next(name: str) -> None:
    table = table_of(name, 0)
    ranked = np.sort(table.logits.astype(np.float64), axis=1)[:, ::-1]
    np.testing.assert_array_equal(table.margin, ranked[:, 1] - ranked[:, 2])
    assert (table.margin > 0).all()


def test_edits_leave_banned_and_forced_out_of_the_margin() -> None:
    table = table_of("edited", 0)
    for token in range(table.tokens):
        free = [expert for expert in table.index[token] if expert != 6]
        others = [e for e in range(8) if e not in (1, 4, 6) and table.slot[token, e] == NOT_CHOSEN]
        logits = table.logits[token].astype(np.float64)
        assert table.margin[token] == logits[free].min() - logits[others].max()
    assert not {1, 4} & set(table.index.flatten().tolist())
    assert table.served[6] == table.tokens


def test_where_nobody_else_is_left_there_is_no_margin() -> None:
    assert np.isnan(table_of("nobody left", 0).margin).all()


def test_groups_may_choose_against_the_logits() -> None:
    table = table_of("groups", 0)
    logits = table.logits.astype(np.float64)
    chosen = table.slot != NOT_CHOSEN
    wanted = np.where(chosen, logits, np.inf).min(axis=1) - np.where(chosen, -np.inf, logits).max(axis=1)
    np.testing.assert_array_equal(table.margin, wanted)


def test_a_dense_ffn_has_no_table() -> None:
    found = attempt(run_of(AppState(settings=Settings(d_model=8, d_ff=16))), Results())
    assert isinstance(found, RunResult)
    assert routing_table(found, 0) is None
