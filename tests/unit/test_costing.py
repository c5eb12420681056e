"""Costing: choices that undo passes over, kept with a session; networks reshaped at one budget."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.activation_table import ACTIVATIONS
from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.depth_width import stack_weights
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.model_bill import layer_bill, model_bill
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.shape_of import model_shape
from ffn_explorer.state import changes, costs
from ffn_explorer.state.app_state import AppState, Compare
from ffn_explorer.state.costing import BITS, MOST_TOKENS, MOST_WEIGHTS, Costing, Measurement, measurement_of
from ffn_explorer.state.costing_changes import checked
from ffn_explorer.state.costs import Kind, Subject, beside_of, subject_of, use_of
from ffn_explorer.state.files import Damaged
from ffn_explorer.state.models import model, models
from ffn_explorer.state.requests import roofline_of
from ffn_explorer.state.session import Session
from ffn_explorer.state.shapes import NEAR
from ffn_explorer.state.state_json import state_from_json, state_to_json
from ffn_explorer.state.storage import load_session, save_session
from ffn_explorer.state.text import said, say

KINDS: tuple[Kind, ...] = get_args(Kind)
RICH = Costing("llama-3-8b", "gpt-3", "layer", "decode", 8_192, 4, 8, causal=False, budget=10**9)

ids = st.sampled_from([each.id for each in models()])
costings = st.builds(
    Costing,
    model=st.just("") | ids,
    beside=st.none() | st.just("") | ids,
    scope=st.sampled_from(["layer", "model"]),
    phase=st.sampled_from(["prefill", "decode"]),
    tokens=st.integers(0, MOST_TOKENS),
    bits=st.sampled_from(BITS),
    cache_bits=st.sampled_from(BITS),
    causal=st.booleans(),
    budget=st.integers(0, MOST_WEIGHTS),
)


@given(costings)
def test_what_can_be_chosen_survives_json(costing: Costing) -> None:
    assert checked(costing) is costing
    state = AppState(costing=costing)
    again, unknown = state_from_json(json.loads(json.dumps(state_to_json(state))))
    assert (again, unknown) == (state, ())


def test_a_session_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "a.ffnx"
    save_session(path, AppState(costing=RICH, asked=measurement_of(Settings())))
    # What a person asked of this machine is not asked of the next.
    assert load_session(path) == AppState(costing=RICH)
    data = json.loads(path.read_text())
    del data["costing"]
    path.write_text(json.dumps(data))
    assert load_session(path).costing == Costing()


WRONG: dict[str, tuple[object, ...]] = {
    "model": ("nosuch",),
    "beside": ("nosuch",),
    "tokens": (-1, MOST_TOKENS + 1, 1.0, True, "8", None),
    "budget": (-1, MOST_WEIGHTS + 1, 1.0, True, None),
    "bits": (0, 3, 16.0, True, "16", None),
    "cache_bits": (0, 3, 16.0, True, "16", None),
    "scope": ("", "whole", [], None, 1),
    "phase": ("", "train", {}, None),
    "causal": (1, "", None, []),
}
DAMAGED: dict[str, tuple[object, ...]] = {
    "model": (3, 0, [], {}, None, False),
    "beside": (3, 0, [], {}, False),
    "causal": (0,),
}


def pairs(values: dict[str, tuple[object, ...]]) -> list[tuple[str, object]]:
    return [(field, value) for field, found in values.items() for value in found]


def test_a_model_of_another_version_gives_way_to_the_settings() -> None:
    data: dict[str, Any] = json.loads(json.dumps(state_to_json(AppState(costing=RICH))))
    data["costing"] |= {"model": "nosuch", "beside": None}
    state, unknown = state_from_json(data)
    assert unknown == ("costing.model",)
    assert state.costing == replace(RICH, model="", beside=None)


KNOWN = [(field, value) for field, value in pairs(WRONG) if value != "nosuch"]


@pytest.mark.parametrize(("field", "value"), KNOWN + pairs(DAMAGED))
def test_a_damaged_session_is_refused(field: str, value: object) -> None:
    data: dict[str, Any] = json.loads(json.dumps(state_to_json(AppState(costing=RICH))))
    data["costing"][field] = value
    with pytest.raises(Damaged) as caught:
        state_from_json(data)
    assert dict(caught.value.why.values) == {"name": "costing"}


def test_unknown_entries_are_named() -> None:
    data: dict[str, Any] = json.loads(json.dumps(state_to_json(AppState(costing=RICH))))
    data["costing"]["glow"] = 1
    assert state_from_json(data) == (AppState(costing=RICH), ("costing.glow",))


@pytest.mark.parametrize(("field", "value"), pairs(WRONG))
def test_what_cannot_be_chosen_is_refused(field: str, value: object) -> None:
    session = Session(AppState(costing=RICH))
    with pytest.raises(InputError):
        session.apply(changes.set_costing(**{field: value}))
    assert session.state == AppState(costing=RICH)


def test_a_refusal_is_a_sentence() -> None:
    for field, value in (
        ("tokens", -1),
        ("tokens", 10**9),
        ("bits", 3),
        ("model", "lama-3-8b"),
        ("budget", -1),
    ):
        with pytest.raises(InputError) as caught:
            changes.set_costing(**{field: value}).to(AppState())
        for language in ("en", "ja"):
            assert say(language, said(caught.value)).endswith((".", "。"))


def test_undo_passes_over_it() -> None:
    session = Session(AppState())
    session.apply(changes.set_costing(model="gpt-3", tokens=100))
    session.apply(changes.set_costing(tokens=200))
    assert session.undo_text is None
    session.apply(changes.set_setting("d_model", 64))
    session.apply(changes.set_costing(bits=4))
    session.undo()
    assert session.state == AppState(costing=Costing(model="gpt-3", tokens=200, bits=4))
    session.redo()
    assert session.state.settings.d_model == 64
    assert session.state.costing == Costing(model="gpt-3", tokens=200, bits=4)


def test_a_choice_made_already_is_no_change() -> None:
    heard: list[object] = []
    session = Session(AppState(costing=RICH), lambda old, new: heard.append((old, new)))
    session.apply(changes.set_costing(bits=4, tokens=8_192))
    assert heard == []


# Reshaping at one budget


def test_a_gesture_of_reshaping_is_one_step() -> None:
    session = Session(AppState())
    for layers in (7, 9, 12):
        session.apply(changes.reshape(layers=layers, gesture="depth"))
    session.end_gesture()
    session.apply(changes.reshape(ratio=Fraction(2), gesture="ratio"))
    assert (session.state.settings.layers, session.state.settings.d_ff) == (
        12,
        2 * session.state.settings.d_model,
    )
    session.undo()
    assert session.state.settings.layers == 12
    session.undo()
    assert session.state.settings == Settings()
    assert session.undo_text is None


steps = st.lists(
    st.tuples(st.integers(1, 48), st.none())
    | st.tuples(st.none(), st.fractions(Fraction(1, 2), 8, max_denominator=6)),
    min_size=1,
    max_size=25,
)


@given(
    steps, st.sampled_from([Settings(), Settings(d_model=1_024, d_ff=3_000, activation="swiglu", kv_heads=2)])
)
def test_the_budget_does_not_drift(way: list[tuple[int | None, Fraction | None]], start: Settings) -> None:
    """However many steps: the first network's weights, within the rounding of D to the heads and of F."""
    weights, state = stack_weights(start), AppState(settings=start)
    for layers, ratio in way:
        state = changes.reshape(layers=layers, ratio=ratio).to(state)
        s = state.settings
        assert state.costing.budget == weights
        assert s.d_model % s.heads == 0
        assert abs(stack_weights(s) - weights) / weights < s.heads / s.d_model + 0.02
        assert s.layers == layers or layers is None
        assert ratio is None or abs(s.d_ff - ratio * s.d_model) <= Fraction(1, 2)


def test_another_network_brings_another_budget() -> None:
    state = changes.reshape(layers=12).to(AppState())
    held = state.costing.budget
    state = changes.set_setting("d_ff", state.settings.d_ff * 3).to(state)
    state = changes.reshape(layers=6).to(state)
    assert state.costing.budget > held * (1 + 1 / NEAR)
    assert changes.reshape(layers=6).to(state) == state


def test_reshaping_keeps_a_selection_that_exists() -> None:
    state = changes.choose(neuron=2_000, dim=511).to(AppState())
    deep = changes.reshape(layers=48).to(state)
    assert deep.settings.d_model < 511
    assert (deep.selection.neuron, deep.selection.dim) == (None, None)


# What a person asks of this machine


def test_each_wish_to_measure_is_another() -> None:
    state = AppState(settings=Settings(d_model=64, dtype="bfloat16"))
    known = Measurement("cpu", "bfloat16", 64, 2_048, "relu", seed=7)
    assert roofline_of(state).measurement == known
    once = changes.measure_roofline().to(state)
    twice = changes.measure_roofline().to(once)
    assert [each.asked for each in (once, twice)] == [replace(known, serial=1), replace(known, serial=2)]
    assert roofline_of(twice).measurement == twice.asked
    # With another FFN on screen, only what is known of that one is shown.
    other = changes.set_setting("d_ff", 99).to(twice)
    assert roofline_of(other).measurement == replace(known, d_ff=99)
    assert changes.measure_roofline().undoable is False


@pytest.mark.parametrize("activation", list(ACTIVATIONS))
def test_a_measurement_has_settings(activation: str) -> None:
    wanted = Measurement("cpu", "float64", 3, 5, activation, seed=2)
    s = wanted.settings()
    assert measurement_of(s) == wanted
    assert (s.bias, s.heads) == (False, 1)


# Whose bill, and for what


def test_whose_bills_are_shown() -> None:
    here, there = Settings(), Settings(activation="swiglu")
    own, llama = (
        Subject(model_shape(here), settings=here),
        Subject(model("llama-3-8b").shape, public=model("llama-3-8b")),
    )
    assert subject_of(Costing(), here) == own
    assert subject_of(Costing(model="llama-3-8b"), here) == llama
    assert say("en", llama.name) == "Llama 3 8B"
    b = Compare(there)
    cases = {
        ("", None, None): None,
        ("", None, b): Subject(model_shape(there), settings=there),
        ("", "", b): None,
        ("", "llama-3-8b", None): llama,
        ("gpt-3", None, b): None,
        ("gpt-3", "", None): own,
        ("gpt-3", "llama-3-8b", b): llama,
    }
    for (name, beside, compare), wanted in cases.items():
        assert beside_of(Costing(model=name, beside=beside), here, compare) == wanted


def test_what_bills_are_made_for() -> None:
    shape, encoder = model("llama-3-8b").shape, model_shape(Settings())
    assert use_of(Costing(), 8, shape) == Use(8)
    assert use_of(Costing(), 0, shape) == Use(1)
    fine = Costing(tokens=300, bits=4, cache_bits=8, causal=False)
    assert use_of(fine, 8, shape) == Use(300, 0, False, 4, 8)
    assert use_of(Costing(phase="decode"), 8, shape) == Use(1, cached=8)
    assert use_of(Costing(phase="decode"), 8, encoder) == Use(8), "an encoder keeps nothing to go on from"
    subject = subject_of(RICH, Settings())
    use = use_of(RICH, 8, subject.shape)
    assert costs.bill_of(subject, RICH, 8) == layer_bill(subject.shape, use)
    assert costs.bill_of(subject, replace(RICH, scope="model"), 8) == model_bill(subject.shape, use)


@pytest.mark.parametrize("name", ["gpt2-small", "mixtral-8x7b", "deepseek-v3", "gpt-oss-20b", "t5-small"])
@pytest.mark.parametrize("kind", KINDS)
def test_pieces_make_up_the_whole(name: str, kind: Kind) -> None:
    for use in (Use(100, bits=8), Use(1, cached=100)):
        bill = model_bill(model(name).shape, use)
        found = costs.pieces(bill, kind)
        assert [piece.group for piece in found] == [g for g in costs.GROUPS if g in dict(found)]
        assert all(piece.value > 0 for piece in found)
        whole = {"parameters": bill.count(), "flops": bill.flops()}
        assert sum(piece.value for piece in found) == whole.get(kind, sum(map(bill.bytes_of, bill.rows)))
        kept = sum(bill.bytes_of(row) for row in bill.rows if row.cached.terms)
        assert kind != "bytes" or dict(found)["cache"] == kept > 0
        for row in bill.rows:
            formula = row.flops if kind == "flops" else costs.formula_of(row)
            assert kind == "bytes" or costs.value_of(bill, row, kind) in (0, formula.value)
            # Where there are no parameters, the formula is that of what is kept, or else spent.
            assert kind == "flops" or formula.terms or not (row.flops.terms or row.cached.terms)
    assert 0 < costs.ffn_share(bill, active=True) <= costs.ffn_share(bill) < 1
