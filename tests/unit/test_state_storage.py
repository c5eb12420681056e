"""Storage: what is saved comes back; what is damaged never stops a start and is never thrown away."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import files, storage
from ffn_explorer.state.app_state import Appearance, AppState, Compare, Playback, Selection, Source, Theta
from ffn_explorer.state.state_json import state_from_json, state_to_json
from ffn_explorer.state.storage import (
    Preferences,
    load_preferences,
    load_session,
    migrated,
    preferences_path,
    read_session,
    save_preferences,
    save_session,
)
from ffn_explorer.state.text import Text, say

RICH = AppState(
    source=Source(("鍵は机の上。", "Lone \ud800 surrogate"), ((1, 0, 2, 3, 4), ())),
    settings=Settings(d_model=64, activation="swiglu", experts=4, top_k=2),
    theta=Theta(0.25, relative=True),
    selection=Selection(sentence=1, token=2, neuron=7, dim=None, stage=Stage.GATE),
    compare=Compare(Settings(activation="gelu")),
)

states = st.builds(
    AppState,
    source=st.lists(
        st.text(min_size=1).filter(lambda s: any(c.isalnum() for c in s)), min_size=1, max_size=3
    ).map(lambda sentences: Source(tuple(sentences), tuple(() for _ in sentences))),
    settings=st.builds(
        Settings,
        d_model=st.integers(1, 99),
        seed=st.integers(0, 2**31 - 1),
        dropout=st.floats(0, 0.95),
        bias=st.booleans(),
    ),
    theta=st.builds(Theta, value=st.none() | st.floats(0, 1e9), relative=st.booleans()),
    selection=st.builds(
        Selection,
        sentence=st.integers(0, 9),
        token=st.integers(0, 9),
        neuron=st.none() | st.integers(0, 9),
        dim=st.none() | st.integers(0, 9),
        expert=st.none() | st.integers(0, 9),
        stage=st.none() | st.sampled_from(Stage),
    ),
    compare=st.none() | st.builds(Compare, settings=st.builds(Settings, d_ff=st.integers(1, 99))),
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(storage.HOME, str(tmp_path / "home"))
    return tmp_path / "home"


def said(note: Text | None) -> str:
    assert note is not None
    return say("en", note) + say("ja", note)


def refusal(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        load_session(path)
    note = Text(caught.value.key, tuple(caught.value.values.items()))
    assert path.name in said(note)
    return caught.value


@given(states)
def test_states_survive_json(state: AppState) -> None:
    again, unknown = state_from_json(json.loads(json.dumps(state_to_json(state))))
    assert again == state
    assert unknown == ()


def test_session_round_trip_leaves_looks_and_playback_out(tmp_path: Path) -> None:
    path = tmp_path / "lesson.ffnx"
    save_session(path, replace(RICH, appearance=Appearance("dark", "ja"), playback=Playback(0.2)))
    assert load_session(path) == RICH
    assert sorted(p.name for p in tmp_path.iterdir()) == ["lesson.ffnx"]


def test_first_start_has_defaults_and_no_note(home: Path) -> None:
    assert load_preferences() == (Preferences(), None)
    assert not home.exists()


def test_preferences_round_trip(home: Path) -> None:
    wanted = Preferences(Appearance("projector", "ja", 1.5, reduce_motion=True), {"sizes": [[1, 2], 3]}, RICH)
    assert save_preferences(wanted) is None
    assert load_preferences() == (wanted, None)
    assert [p.name for p in home.iterdir()] == ["preferences.json"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[1]",
        b"{}",
        b'{"version": true}',
        b"[" * 100_000,
        b'{"version": 1, "appearance": {"theme": "pink"}}',
        b'{"version": 1, "appearance": {"scale": NaN}}',
        b'{"version": 1, "appearance": {"scale": 9}}',
        b'{"version": 1, "layout": 3}',
        b" " * (files.LIMIT_BYTES + 1),
    ],
)
def test_damaged_preferences_are_set_aside(home: Path, content: bytes) -> None:
    home.mkdir()
    for number in (1, 2):
        preferences_path().write_bytes(content)
        preferences, note = load_preferences()
        assert preferences == Preferences()
        assert f"preferences.json.damaged-{number}" in said(note)
        assert (home / f"preferences.json.damaged-{number}").read_bytes() == content
    assert not preferences_path().exists()


def test_a_last_session_that_cannot_be_costs_nothing_else_and_is_kept(home: Path) -> None:
    home.mkdir()
    data = {"version": 1, "appearance": {"theme": "dark"}, "last": {"settings": {"d_model": 0}}}
    preferences_path().write_text(json.dumps(data))
    for _ in range(2):  # the second start makes no second copy
        preferences, note = load_preferences()
        assert preferences == Preferences(Appearance("dark"))
        assert "preferences.json.damaged-1" in said(note)
    assert save_preferences(preferences) is None
    assert load_preferences() == (preferences, None)
    assert json.loads((home / "preferences.json.damaged-1").read_text()) == data
    assert len(list(home.iterdir())) == 2


def test_newer_preferences_are_kept_before_they_are_written_over(home: Path) -> None:
    home.mkdir()
    content = '{"version": 99, "appearance": {"theme": "dark"}, "novelty": [1]}'
    preferences_path().write_text(content)
    preferences, note = load_preferences()
    assert "preferences.json.newer-1" in said(note)
    assert save_preferences(preferences) is None
    assert load_preferences() == (preferences, None)
    assert (home / "preferences.json.newer-1").read_text() == content


def test_many_unknown_entries_are_counted(home: Path) -> None:
    home.mkdir()
    odd = {f"odd\x1b{i}": 0 for i in range(3_000)}
    preferences_path().write_text(json.dumps({"version": 1, **odd}))
    shown = said(load_preferences()[1])
    assert "odd<U+001B>4" in shown
    assert "odd<U+001B>5" not in shown
    assert "2,995" in shown


@pytest.mark.timeout(20)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes there")
def test_pipes_and_devices_are_damaged_files(home: Path) -> None:
    home.mkdir()
    os.mkfifo(preferences_path())
    preferences, note = load_preferences()
    assert preferences == Preferences()
    assert "preferences.json.damaged-1" in said(note)
    (home / "endless.ffnx").symlink_to("/dev/zero")
    os.mkfifo(home / "pipe.ffnx")
    for name in ("pipe.ffnx", "endless.ffnx"):
        assert refusal(home / name).values["reason"] == Text("state.why_regular")
    # Only the pipe is written to: a defect would replace the device for everybody.
    with pytest.raises(InputError) as caught:
        save_session(home / "pipe.ffnx", RICH)
    assert caught.value.values["reason"] == Text("state.why_regular")


@pytest.mark.parametrize("place", ["~nosuchuser/x", "/" + "a" * 999, "/dev/null/x"])
def test_a_folder_that_cannot_be_never_stops_a_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(storage.HOME, place)
    assert load_preferences()[0] == Preferences()
    assert "FFN_EXPLORER_HOME" in said(save_preferences(Preferences()))
    assert list(tmp_path.iterdir()) == []


def test_whole_numbers_become_floats(tmp_path: Path) -> None:
    value = load_session(session_file(tmp_path, theta={"value": 2**70})).theta.value
    assert type(value) is float
    assert value == 2.0**70


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_reason_inside_a_sentence_is_no_sentence(tmp_path: Path, language: str) -> None:
    error = refusal(session_file(tmp_path, source={"sentences": [" "]}))
    shown = say(language, Text(error.key, tuple(error.values.items())))
    assert not any(twice in shown for twice in ("..", ".)", "。）", "。。"))


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_rights_of_a_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.ffnx"
    save_session(path, RICH)
    path.chmod(0o600)
    save_session(path, AppState())
    assert path.stat().st_mode & 0o777 == 0o600


def test_unknown_and_newer_preferences_are_read_with_a_note(home: Path) -> None:
    home.mkdir()
    preferences_path().write_text('{"version": 1, "appearance": {"theme": "dark", "glow": 1}, "extra": 2}')
    preferences, note = load_preferences()
    assert preferences.appearance.theme == "dark"
    assert "extra, appearance.glow" in said(note)
    preferences_path().write_text('{"version": 99, "appearance": {"theme": "dark"}}')
    preferences, note = load_preferences()
    assert preferences.appearance.theme == "dark"
    assert "preferences.json.newer-1" in said(note)


def test_a_folder_that_cannot_be_written_is_a_note(home: Path) -> None:
    home.write_text("a file where the folder should be")
    assert str(home) in said(save_preferences(Preferences()))
    preferences, note = load_preferences()
    assert preferences == Preferences()
    assert note is not None
    said(note)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.ffnx"
    save_session(path, RICH)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError) as caught:
        save_session(path, AppState())
    assert caught.value.values["reason"] == "No space left on device"
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.ffnx"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "a.ffnx"
    link.symlink_to(tmp_path / "real" / "a.ffnx")
    save_session(link, RICH)
    assert link.is_symlink()
    assert load_session(tmp_path / "real" / "a.ffnx") == RICH


def session_file(tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "s.ffnx"
    data = {"version": 1, "kind": storage.KIND, **state_to_json(RICH), **changes}
    path.write_text(json.dumps(data))
    return path


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "other"}, Text("state.why_kind")),
        ({"version": None}, Text("state.why_version")),
        ({"settings": {"d_model": 0}}, Text("state.why_entry", (("name", "settings.d_model"),))),
        ({"settings": {"layers": [1]}}, Text("state.why_entry", (("name", "settings.layers"),))),
        ({"settings": 3}, Text("state.why_entry", (("name", "settings"),))),
        ({"source": {"sentences": []}}, Text("state.why_entry", (("name", "source.sentences"),))),
        (
            {"source": {"sentences": ["a"], "orders": [["b"]]}},
            Text("state.why_entry", (("name", "source.orders"),)),
        ),
        ({"theta": {"value": -1}}, Text("state.why_entry", (("name", "theta.value"),))),
        ({"selection": {"token": None}}, Text("state.why_entry", (("name", "selection.token"),))),
        ({"theta": {"value": 10**400}}, Text("state.why_entry", (("name", "theta.value"),))),
        ({"selection": {"stage": []}}, Text("state.why_entry", (("name", "selection.stage"),))),
        ({"selection": {"stage": "nowhere"}}, Text("state.why_entry", (("name", "selection.stage"),))),
        ({"source": {"sentences": [" "]}}, Text("state.why_empty_sentence", (("number", 1),))),
    ],
)
def test_sessions_that_are_none_say_why(tmp_path: Path, changes: dict[str, object], reason: Text) -> None:
    error = refusal(session_file(tmp_path, **changes))
    assert error.key == "state.session_damaged"
    assert error.values["reason"] == reason


def test_other_refusals(tmp_path: Path) -> None:
    assert refusal(session_file(tmp_path, version=7)).key == "state.session_newer"
    assert refusal(tmp_path / "missing.ffnx").key == "state.session_missing"
    assert refusal(tmp_path / "nul\0.ffnx").key == "state.session_missing"
    assert refusal(tmp_path).key == "state.session_missing"
    large = tmp_path / "large.ffnx"
    large.write_bytes(b" " * (files.LIMIT_BYTES + 1))
    assert refusal(large).key == "state.session_too_large"


def test_unknown_entries_are_left_out_with_a_note(tmp_path: Path) -> None:
    settings = {**RICH.settings.to_json(), "glow": 1}
    state, note = read_session(session_file(tmp_path, settings=settings, more=[1]))
    assert state == RICH
    assert "more, settings.glow" in said(note)


def test_migration_runs_one_version_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "VERSION", 3)
    steps = {1: lambda data: {**data, "a": 1}, 2: lambda data: {**data, "b": data["a"] + 1}}
    assert migrated({"version": 1}, steps) == {"version": 3, "a": 1, "b": 2}
    assert migrated({"version": 3}, steps) == {"version": 3}
