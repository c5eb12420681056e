"""A hand-built memory as the source: choosing and leaving it, every edit, undo, refusals, session files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.handmade_examples import EXAMPLES
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, AppState, Compare, Selection, Source, Theta
from ffn_explorer.state.change import Change
from ffn_explorer.state.compute import attempt
from ffn_explorer.state.files import Damaged
from ffn_explorer.state.handmade_changes import check, check_state
from ffn_explorer.state.handmade_words import hand_word
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.resolver import Resolver
from ffn_explorer.state.results import Failure, Results
from ffn_explorer.state.session import Session
from ffn_explorer.state.state_json import state_from_json, state_to_json
from ffn_explorer.state.text import said, say
from tests.snapshots.scenes import computed, scene_of


def built(name: str = "and", **parts: Any) -> AppState:
    """State in which a memory is chosen."""
    return replace(changes.use_memory(name).to(AppState()), **parts)


def test_choosing_a_memory_brings_its_settings_and_a_pattern_that_fires() -> None:
    before = AppState(
        settings=Settings(activation="swiglu", experts=4, top_k=2, norm="rms"),
        edits=Edits(keep=3),
        compare=Compare(Settings()),
        selection=Selection(sentence=0, token=5, neuron=900, stage=Stage.GATE),
    )
    state = changes.use_memory("and").to(before)
    assert state.source.memory == EXAMPLES["and"]
    assert (state.settings.d_model, state.settings.d_ff, state.settings.activation) == (3, 1, "relu")
    assert (state.edits, state.compare) == (Edits(), None)
    assert state.selection == Selection(token=3)
    check_state(state)


RICH = AppState(
    source=Source(("Lost keys?", "鍵"), ((2, 0, 1), ())),
    settings=Settings(d_model=48, d_ff=96, activation="swiglu", experts=4, top_k=2, norm="rms"),
    edits=Edits(keep=3, banned=(1,)),
    compare=Compare(Settings(activation="gelu"), pinned=True),
    theta=Theta(0.25, relative=True),
    selection=Selection(sentence=0, token=1, neuron=90, stage=Stage.GATE),
)
"""A state in which nothing that a memory could throw away is the default."""


def test_leaving_brings_everything_back() -> None:
    state = changes.use_memory("xor").to(RICH)
    for change in (
        changes.set_theta(0.5),
        changes.set_setting("activation", "gelu"),
        changes.reorder_token(0, 3, to=0),
        changes.pin(),
        changes.select_token(0),
    ):
        state = change.to(state)
    assert state.settings != RICH.settings
    assert changes.leave_memory().to(state) == RICH
    assert changes.leave_memory().to(RICH) is RICH


def test_from_one_memory_to_another_the_first_before_comes_back() -> None:
    state = changes.use_memory("facts").to(changes.use_memory("xor").to(RICH))
    assert changes.leave_memory().to(state) == RICH


def test_leaving_is_one_step_of_undo_and_redo() -> None:
    session = Session(RICH)
    session.apply(changes.use_memory("xor"))
    inside = session.state
    session.apply(changes.leave_memory())
    assert session.state == RICH
    session.undo()
    assert session.state == inside
    session.apply(changes.leave_memory())
    assert session.state == RICH
    session.undo()
    session.undo()
    assert session.state == RICH
    session.redo()
    session.apply(changes.leave_memory())
    assert session.state == RICH


def test_a_sentence_typed_beside_a_memory_has_the_settings_from_before() -> None:
    state = changes.set_sentences("Lost keys?\nSomething else.").to(changes.use_memory("xor").to(RICH))
    assert state.source == Source(("Lost keys?", "Something else."), ((2, 0, 1), ()))
    assert (state.settings, state.edits, state.compare) == (RICH.settings, RICH.edits, RICH.compare)
    assert state.before_memory is None


def test_a_session_file_keeps_what_was_before() -> None:
    inside = changes.use_memory("xor").to(RICH)
    data = json.loads(json.dumps(state_to_json(inside)))
    again, unknown = state_from_json(data)
    assert (again, unknown) == (inside, ())
    opened = changes.load_state(again).to(built("facts"))
    assert changes.leave_memory().to(opened) == RICH
    data["before_memory"]["theta"]["colour"] = 1
    assert state_from_json(data)[1] == ("before_memory.theta.colour",)


def test_a_file_without_what_was_before_leaves_to_the_defaults() -> None:
    data = state_to_json(changes.use_memory("xor").to(RICH))
    del data["before_memory"]
    state = changes.leave_memory().to(state_from_json(json.loads(json.dumps(data)))[0])
    assert state.source == Source(RICH.source.sentences, ((), ()))
    assert (state.settings, state.edits, state.compare) == (Settings(), Edits(), None)
    assert state.selection.token < 3


@pytest.mark.parametrize(
    "before", [7, [], {"orders": [[]]}, {"orders": 3}, {"settings": {"d_model": 0}}, {"edits": 1}]
)
def test_a_damaged_before_is_refused(before: object) -> None:
    data = json.loads(json.dumps(state_to_json(changes.use_memory("xor").to(RICH))))
    with pytest.raises(Damaged):
        state_from_json({**data, "before_memory": before})


def test_undo_brings_all_back() -> None:
    start = AppState(settings=Settings(d_ff=96), edits=Edits(keep=2))
    session = Session(start)
    for change in (changes.use_memory("facts"), changes.set_key(0, 0, value=0.5), changes.leave_memory()):
        session.apply(change)
    for _ in range(3):
        session.undo()
    assert session.state == start
    session.redo()
    session.redo()
    assert session.state.source.memory is not None
    assert session.state.source.memory.neurons[0].key[0] == 0.5


def test_typing_a_sentence_leaves_the_memory() -> None:
    state = changes.set_sentences("Something else.").to(built())
    assert state.source == Source(("Something else.",), ((),))
    assert state.settings == Settings()
    same = built()
    assert changes.set_sentences(same.source.sentences[0]).to(same) is same


EDITS: dict[str, tuple[Change, Callable[[Any], object], object]] = {
    "key": (changes.set_key(0, 1, value=0.5), lambda m: m.neurons[0].key, (1.0, 0.5, 0.0)),
    "bias": (changes.set_bias(0, -2.0), lambda m: m.neurons[0].bias, -2.0),
    "value": (changes.set_value(0, 0, value=3.0), lambda m: m.neurons[0].value, (3.0, 0.0, 1.0)),
    "entry": (changes.set_entry(1, 0, value=0.25), lambda m: m.patterns[1].x, (0.25, 1.0, 0.0)),
    "flip on": (changes.flip_entry(0, 2), lambda m: m.patterns[0].x, (0.0, 0.0, 1.0)),
    "flip off": (changes.flip_entry(3, 0), lambda m: m.patterns[3].x, (0.0, 1.0, 0.0)),
    "feature": (changes.rename_feature(0, " wet "), lambda m: m.features, ("wet", "b", "a∧b")),
    "neuron": (changes.rename_neuron(0, "both"), lambda m: m.neurons[0].name, "both"),
    "pattern": (changes.rename_pattern(2, "雨"), lambda m: m.patterns[2].name, "雨"),
    "add neuron": (changes.add_neuron(), lambda m: [n.name for n in m.neurons], ["a∧b", "m1"]),
    "add pattern": (changes.add_pattern(), lambda m: m.patterns[4].x, (0.0, 0.0, 0.0)),
    "remove pattern": (changes.remove_pattern(0), lambda m: [p.name for p in m.patterns], ["01", "10", "11"]),
}


@pytest.mark.parametrize("name", EDITS)
def test_every_edit_is_one_step_and_leaves_a_state_that_fits(name: str) -> None:
    change, part, wanted = EDITS[name]
    session = Session(built())
    session.apply(change)
    assert part(session.state.source.memory) == wanted
    check_state(session.state)
    session.undo()
    assert session.state == built()
    assert session.undo_text is None


def test_edits_without_a_memory_or_place_change_nothing() -> None:
    for change, _, _ in EDITS.values():
        assert change.to(AppState()) == AppState()
    state = built()
    for change in (
        changes.set_key(7, 0, value=1.0),
        changes.set_key(0, 9, value=1.0),
        changes.flip_entry(0, 9),
        changes.rename_feature(-1, "x"),
        changes.remove_neuron(4),
    ):
        assert change.to(state) == state


def test_the_last_neuron_stays() -> None:
    with pytest.raises(InputError, match="hand_neurons"):
        changes.remove_neuron(0).to(built())
    two = changes.remove_neuron(0).to(built("xor"))
    assert two.settings.d_ff == 1


def test_widths_of_a_and_b_follow_the_neurons() -> None:
    state = changes.set_compare(built().settings.with_(activation="gelu")).to(built())
    state = changes.add_neuron().to(replace(state, selection=Selection(token=3, neuron=0)))
    assert state.compare is not None
    assert (state.settings.d_ff, state.compare.settings.d_ff) == (2, 2)
    assert state.compare.settings.activation == "gelu"
    check_state(state)


def test_an_order_made_by_dragging_lasts_until_patterns_come_or_go() -> None:
    moved = changes.reorder_token(0, 3, to=0).to(built())
    assert moved.source.orders[0] == (3, 0, 1, 2)
    assert changes.set_bias(0, 1.0).to(moved).source.orders == moved.source.orders
    assert changes.add_pattern().to(moved).source.orders[0] == ()


@pytest.mark.parametrize(
    "change",
    [
        changes.set_setting("d_model", 8),
        changes.set_setting("experts", 4),
        changes.set_setting("norm", "rms"),
        changes.set_setting("activation", "swiglu"),
        changes.set_setting("residual", False),
        changes.set_ratio(4.0),
        changes.preset_2017(),
        changes.set_compare(Settings()),
    ],
)
def test_settings_that_do_not_fit_are_refused_in_a_sentence(change: Change) -> None:
    wanted = change.to(built())
    with pytest.raises(InputError) as refused:
        check_state(wanted)
    for language in ("en", "ja"):
        sentence = say(language, said(refused.value))
        assert sentence.endswith((".", "。"))
        assert "{" not in sentence


def test_settings_that_fit_pass() -> None:
    state = built()
    for name, value in (("activation", "gelu"), ("dtype", "float64"), ("seed", 3), ("dropout", 0.1)):
        check_state(changes.set_setting(name, value).to(state))
    check(Source(), Settings(d_model=9))


def test_the_pass_follows_the_order_of_the_patterns() -> None:
    state = changes.reorder_token(0, 3, to=0).to(built("xor"))
    run = scene_of(state).run
    assert run is not None
    assert run.tokens == (("11", "00", "01", "10"),)
    assert run.values[Stage.RESIDUAL][0, :, 2].tolist() == [0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize(("language", "word"), [("en", "capital of France"), ("ja", "フランスの首都")])
def test_names_are_said_in_the_language_of_the_window(language: str, word: str) -> None:
    state = built("facts", appearance=Appearance(language=language))  # type: ignore[arg-type]
    results = computed(state)
    scene = Resolver(results).resolve(state)
    assert scene.chips[0].text == word
    assert scene.run is not None
    assert scene.run.tokens[0][0] == word
    assert Resolver(results).resolve(state).run is scene.run, "the same object, so that nothing is redrawn"
    other = Resolver(results).resolve(replace(state, appearance=Appearance(language="en")))
    assert other.chips[0].text == "capital of France"
    assert say(language, scene.origin) != say(language, scene_of(AppState(settings=Settings(d_ff=8))).origin)


def test_a_name_typed_stands_as_typed() -> None:
    assert hand_word("ja", "paris") == "paris"
    assert hand_word("ja", "@paris") == "パリ"
    assert hand_word("en", "@no such word") == "@no such word"


def test_patterns_count_as_one_sentence() -> None:
    batch = replace(AppState(), source=Source(("One.", "Two."), ((), ())), selection=Selection(sentence=1))
    state = changes.use_memory("and").to(batch)
    scene = scene_of(state)
    assert len(scene.sentences) == 1
    assert scene.selection.sentence == 0
    assert changes.select_sentence(1).to(state).selection.sentence == 0


def test_a_session_file_keeps_the_memory() -> None:
    state = changes.set_key(0, 0, value=0.1).to(built("facts"))
    again, unknown = state_from_json(json.loads(json.dumps(state_to_json(state))))
    assert again == state
    assert unknown == ()


def hostile(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Return a session whose memory was tampered with."""
    data: dict[str, Any] = json.loads(json.dumps(state_to_json(built())))
    change(data["source"]["memory"])
    return data


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.update(name="../../etc"),
        lambda m: m.update(features=["a"]),
        lambda m: m.update(features="abc"),
        lambda m: m.update(neurons=[]),
        lambda m: m.update(neurons={}),
        lambda m: m["neurons"][0].update(bias="1"),
        lambda m: m["neurons"][0].update(bias=True),
        lambda m: m["neurons"][0].update(bias=10**400),
        lambda m: m["neurons"][0].update(key=[1, 2]),
        lambda m: m["neurons"][0].update(extra=1),
        lambda m: m["neurons"][0].pop("value"),
        lambda m: m["patterns"][0].update(x=[float("nan"), 0, 0]),
        lambda m: m["patterns"][0].update(name=5),
        lambda m: m["patterns"][0].update(name=""),
        lambda m: m.pop("patterns"),
        lambda m: m.update(patterns=m["patterns"] * 40),
    ],
)
def test_hostile_memories_are_refused(change: Callable[[dict[str, Any]], None]) -> None:
    with pytest.raises(Damaged):
        state_from_json(hostile(change))


def test_a_memory_on_a_device_that_is_not_here_is_refused_in_a_sentence() -> None:
    state = changes.use_memory("xor").to(AppState())
    state = replace(state, settings=state.settings.with_(device="xpu:99"))
    failed = attempt(run_of(state), Results())
    assert isinstance(failed, Failure)
    assert failed.message.key == "error.device"


def test_a_file_whose_settings_do_not_fit_its_memory_is_refused() -> None:
    data = state_to_json(built())
    with pytest.raises(Damaged):
        state_from_json({**data, "settings": Settings().to_json()})
    with pytest.raises(Damaged):
        state_from_json({**data, "source": {**data["source"], "memory": [1, 2]}})
