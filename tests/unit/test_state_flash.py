"""What is said to have changed: only what differs, and by how much the numbers really moved."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.activation_table import ACTIVATIONS
from ffn_explorer.core.edits import Edits
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Compare, Source
from ffn_explorer.state.compared import differences, pair
from ffn_explorer.state.flash import deltas, differing, edit_words, out_change, setting_words
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.text import say
from tests.scenes import TINY, make_run

some_settings = st.builds(
    Settings,
    d_ff=st.integers(1, 4_096),
    activation=st.sampled_from(list(ACTIVATIONS)),
    bias=st.booleans(),
    norm=st.sampled_from(["none", "layer", "rms"]),
    dropout=st.floats(0, 0.9),
    seed=st.integers(0, 99),
)


def words(before: RunResult, now: RunResult, language: str = "en") -> list[str]:
    return [say(language, delta.words) for delta in deltas(before, now, theta=0.0)]


@given(some_settings, some_settings)
def test_just_the_settings_that_differ_are_told(a: Settings, b: Settings) -> None:
    names = [field.name for field in fields(Settings) if getattr(a, field.name) != getattr(b, field.name)]
    assert [delta.name.key for delta in differing(a, b)] == [f"control.{name}" for name in names]
    assert differing(a, a) == ()


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("field", [field.name for field in fields(Settings)])
def test_every_setting_can_be_told(language: str, field: str) -> None:
    assert say(language, "flash.change", name="", after=setting_words(Settings(), field)).strip()


def test_values_stand_as_the_knobs_show_them() -> None:
    a = Settings(activation="relu", d_ff=2_048, bias=True, dtype="float32")
    b = a.with_(activation="swiglu", d_ff=3_072, bias=False, norm="rms", capacity_factor=1.25)
    said = [say("en", delta.words) for delta in differing(a, b)]
    assert said == [
        "Dff 2,048 → 3,072",
        "activation ReLU → SwiGLU",
        "bias on → off",
        "norm LayerNorm → RMSNorm",
        "capacity factor no limit → 1.25",
    ]


def test_edits_are_told_one_by_one() -> None:
    edits = Edits(keep=64, banned=(1, 3), forced=2)
    assert [say("en", what) for _, what in edit_words(edits)] == [
        "keeps 64 memories",
        "without experts 1, 3",
        "always expert 2",
    ]
    assert edit_words(Edits()) == ()
    assert say("en", edit_words(Edits(banned=(4,)))[0][1]) == "without expert 4"
    a = TINY
    found = differing(a, a, (Edits(), Edits(keep=5)))
    assert [say("en", delta.words) for delta in found] == ["memories kept all → 5"]


def test_a_wider_ffn_tells_its_width_size_and_cost_and_no_distance() -> None:
    before, now = make_run(TINY), make_run(TINY.with_(d_ff=2 * TINY.d_ff))
    said = words(before, now)
    assert said[0] == f"Dff {TINY.d_ff} → {2 * TINY.d_ff}"
    assert any(line.startswith("parameters ") for line in said)
    assert any(line.startswith("FLOPs ") for line in said)
    assert out_change(before, now) is not None  # out is D wide in both
    assert any("‖Δout‖" in line for line in said)


def test_out_moves_by_the_norm_of_the_difference() -> None:
    before, now = make_run(TINY), make_run(TINY.with_(seed=TINY.seed + 1))
    old, new = (run.values[Stage.OUT].astype(np.float64) for run in (before, now))
    expected = np.sqrt(((new - old) ** 2).sum()) / np.sqrt((old**2).sum())
    assert out_change(before, now) == pytest.approx(float(expected), rel=1e-12)
    assert out_change(before, before) == 0.0
    assert words(before, before) == []


def test_other_shapes_other_sentences_and_nothing_have_no_distance() -> None:
    run = make_run(TINY)
    assert out_change(run, make_run(TINY.with_(d_model=2 * TINY.d_model))) is None
    moved = make_run(TINY, Source(("Lost are the keys.",), ((),)))
    assert moved.values[Stage.OUT].shape == run.values[Stage.OUT].shape
    assert out_change(run, moved) is None
    silent = replace(run, values={**run.values, Stage.OUT: np.zeros_like(run.values[Stage.OUT])})
    assert out_change(silent, run) is None


def test_active_shares_are_counted_at_one_theta_that_is_printed() -> None:
    before, now = make_run(TINY), make_run(TINY.with_(activation="identity"))
    for relative, shown in ((False, "θ = 0.5"), (True, "θ = 0.5 × row RMS")):
        found = deltas(before, now, theta=0.5, relative=relative)
        line = next(say("en", d.words) for d in found if d.name.key == "flash.active")
        assert line.startswith(f"active ({shown}) ")
        shares = []
        for run in (before, now):
            hidden = run.values[run.enters_down][run.computed]
            size = np.abs(hidden)
            limit = (
                0.5 * np.sqrt((hidden.astype(float) ** 2).mean(axis=1, keepdims=True)) if relative else 0.5
            )
            shares.append(f"{100 * (size > limit).mean():.1f} %")
        assert line.endswith(" → ".join(shares))


def test_a_pair_names_what_differs() -> None:
    a = Settings()

    def said(other: Compare) -> str:
        return say("en", pair(a, Edits(), other))

    assert said(Compare(a.with_(activation="swiglu", d_ff=3_072))) == "A ReLU 2,048 | B SwiGLU 3,072"
    assert said(Compare(a.with_(seed=9))) == "A seed 7 | B seed 9"
    assert said(Compare(a, Edits(keep=4))) == "A memories kept all | B memories kept 4"
    assert said(Compare(a)) == "A = B"
    assert len(differences(a, Edits(), Compare(a.with_(seed=9, bias=False)))) == 2


@pytest.mark.parametrize(
    ("was", "now", "wanted"),
    [
        (Edits(), Edits(banned=(2,)), ["expert 2 left out"]),
        (Edits(), Edits(banned=(1, 2)), ["experts 1, 2 left out"]),
        (Edits(banned=(1, 2)), Edits(banned=(3,)), ["expert 3 left out", "experts 1, 2 back"]),
        (Edits(), Edits(forced=2), ["expert 2 forced"]),
        (Edits(forced=2), Edits(forced=3), ["expert 3 forced"]),
        (Edits(forced=2), Edits(), ["expert 2 no longer forced"]),
        (Edits(), Edits(keep=3), ["memories kept all → 3"]),
    ],
)
def test_what_became_of_an_expert_is_no_count(was: Edits, now: Edits, wanted: list[str]) -> None:
    settings = TINY.with_(experts=6, top_k=2)
    assert words(edited(settings, was), edited(settings, now)) == wanted


def test_an_expert_that_is_gone_is_not_said_to_be_back() -> None:
    before = edited(TINY.with_(experts=6, top_k=2), Edits(banned=(1, 5)))
    now = edited(TINY.with_(experts=4, top_k=2), Edits(banned=(1,)))
    assert not [line for line in words(before, now) if line.startswith("expert 5")]


def edited(settings: Settings, edits: Edits) -> RunResult:
    run = make_run(settings)
    return replace(run, request=replace(run.request, edits=edits))
