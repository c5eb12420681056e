"""Matching parameters: the width at which two FFNs weigh the same."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.cost import ffn_parameters, matched_width, matrices_of, ratio_matched_width
from ffn_explorer.core.settings import LIMITS, Settings
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.change import Change


def after(state: AppState, *made: Change) -> AppState:
    for change in made:
        state = change.to(state)
    return state


def weights(settings: Settings) -> int:
    return ffn_parameters(settings, bias=False)


def test_swiglu_beside_relu_at_768() -> None:
    """The task of the lesson: pin ReLU 768/3072, choose SwiGLU, match."""
    start = AppState(settings=Settings(d_model=768, d_ff=3_072))
    done = after(
        start, changes.pin(), changes.set_setting("activation", "swiglu"), changes.match_parameters()
    )
    assert done.settings.d_ff == 2_048
    assert done.compare is not None
    assert weights(done.settings) == weights(done.compare.settings) == 4_718_592
    assert after(done, changes.match_parameters()) == done


@pytest.mark.parametrize(
    ("activation", "d_model", "d_ff"),
    [("relu", 512, 2_048), ("swiglu", 768, 2_048), ("swiglu", 512, 1_365), ("swiglu", 4_096, 10_923)],
)
def test_without_b_the_usual_two_matrices_of_4_d_are_matched(
    activation: str, d_model: int, d_ff: int
) -> None:
    start = AppState(settings=Settings(d_model=d_model, d_ff=77, activation=activation))
    assert after(start, changes.match_parameters()).settings.d_ff == d_ff


@given(st.integers(1, 4_096), st.booleans(), st.booleans())
def test_dense_widths_agree_with_the_ratio(d_ff: int, before: bool, now_gated: bool) -> None:
    names = {False: "relu", True: "swiglu"}
    other = Settings(d_model=96, d_ff=d_ff, activation=names[before])
    ours = Settings(d_model=96, activation=names[now_gated])
    width = ratio_matched_width(d_ff, from_gated=before, to_gated=now_gated)
    assert matched_width(ours, weights(other)) == width


@given(
    st.integers(1, 64),
    st.integers(1, 10_000_000),
    st.sampled_from([(1, 0), (8, 0), (8, 2)]),
    st.sampled_from(["relu", "swiglu"]),
)
def test_no_other_width_comes_nearer(
    d_model: int, wanted: int, experts: tuple[int, int], activation: str
) -> None:
    many, shared = experts
    ours = Settings(
        d_model=d_model, experts=many, shared_experts=shared, activation=activation, heads=1, kv_heads=1
    )
    width = min(matched_width(ours, wanted), int(LIMITS["d_ff"][1]))
    off = [
        abs(weights(ours.with_(d_ff=w)) - wanted)
        for w in (width, max(1, width - 1), min(width + 1, int(LIMITS["d_ff"][1])))
    ]
    assert off[0] == min(off)
    assert matrices_of(ours) == (3 if ours.gated else 2)


def test_a_width_beyond_the_limit_stays_at_it_and_the_selection_stays_possible() -> None:
    narrow = Settings(d_model=1, d_ff=2, heads=1, kv_heads=1)
    big = AppState(settings=narrow)
    state = replace(changes.set_compare(Settings(d_model=512)).to(big))
    assert after(state, changes.match_parameters()).settings.d_ff == LIMITS["d_ff"][1]
    chosen = after(AppState(), changes.choose(neuron=2_000), changes.set_setting("activation", "swiglu"))
    assert after(chosen, changes.match_parameters()).selection.neuron is None
