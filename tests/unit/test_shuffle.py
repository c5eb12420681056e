"""Shuffling the tokens: another order each time, the same for the same state, and the selection follows."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, Selection, Source
from ffn_explorer.state.compute import tokens_of

SENTENCES = ("The keys on the table are lost.", "a b", "one")


def state_of(*sentences: str, token: int = 0, sentence: int = 0) -> AppState:
    source = Source(sentences, ((),) * len(sentences))
    return AppState(source=source, selection=Selection(sentence=sentence, token=token))


@given(st.integers(0, 1_000), st.integers(0, 7), st.integers(1, 4))
def test_tokens_move_and_the_selection_follows(seed: int, token: int, times: int) -> None:
    state = state_of(*SENTENCES, token=token)
    shuffle = changes.shuffle_orders(seed)
    before = tokens_of(state.source)
    for _ in range(times):
        shuffled = shuffle.to(state)
        was, now = tokens_of(state.source), tokens_of(shuffled.source)
        assert [sorted(row) for row in now] == [sorted(row) for row in was]
        assert now[0] != was[0]
        assert now[1] == was[1][::-1]
        assert now[2] == was[2]
        assert now[0][shuffled.selection.token] == was[0][state.selection.token]
        assert shuffle.to(state) == shuffled
        state = shuffled
    back = changes.reset_orders().to(state)
    assert back == replace(state_of(*SENTENCES, token=token))
    assert tokens_of(back.source) == before


def test_seeds_give_different_orders() -> None:
    state = state_of(SENTENCES[0])
    assert len({changes.shuffle_orders(seed).to(state).source for seed in range(20)}) > 10


def test_it_is_one_step_of_undo() -> None:
    change = changes.shuffle_orders(7)
    assert change.undoable
    assert change.what == "undo.reorder"
    assert not change.gesture


def test_a_selection_beyond_the_sentences_stays_as_it_is() -> None:
    state = AppState(selection=Selection(sentence=2, token=1))
    for change in (changes.shuffle_orders(1), changes.reset_orders()):
        assert change.to(state).selection == state.selection
