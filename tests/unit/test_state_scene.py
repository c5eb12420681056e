"""Scenes: everything in one belongs to the run shown; what did not change stays the same object."""

from dataclasses import replace
from itertools import pairwise

import pytest

from ffn_explorer.core.settings import CHOICES, Settings
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.core.stages import WIDE, Stage, stages_of
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, Cell, Compare, Playback, Selection, Source
from ffn_explorer.state.compute import attempt
from ffn_explorer.state.formulas import formula
from ffn_explorer.state.needs import needs
from ffn_explorer.state.resolver import Resolver, resolve
from ffn_explorer.state.results import Failure, Results
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.stage_info import stage_infos
from ffn_explorer.state.text import catalogue, say, text

SMALL = Settings(d_model=16, d_ff=48, heads=4, kv_heads=4)
STATE = AppState(
    source=Source(("The keys on the table are lost.", "Two \u202ewords."), ((), ())), settings=SMALL
)


def fill(results: Results, state: AppState) -> None:
    while missing := needs(state, results):
        attempt(missing[0], results)


@pytest.fixture
def results() -> Results:
    made = Results()
    fill(made, STATE)
    return made


def test_a_full_scene(results: Results) -> None:
    scene = resolve(STATE, results, busy=text("job.run"), message=text("job.proof"))
    assert scene.run is not None
    assert not scene.stale
    assert [chip.text for chip in scene.chips] == ["The", "keys", "on", "the", "table", "are", "lost", "."]
    assert scene.activity is not None
    assert [chip.active for chip in scene.chips] == scene.activity.per_token[0].tolist()
    assert scene.detail is not None
    assert scene.position is not None
    assert scene.proof is not None
    assert scene.subject is not None
    assert scene.subject.stage is Stage.RESIDUAL
    assert (scene.theta, scene.theta_relative) == (0.0, False)
    assert tuple(info.stage for info in scene.stages) == scene.run.stages
    assert scene.progress == tuple((stage, 1.0) for stage in scene.run.stages)
    assert scene.current is Stage.RESIDUAL
    assert (scene.busy, scene.message) == (text("job.run"), text("job.proof"))
    assert say("en", scene.origin) == "origin: seeded random, seed 7, layer 0, encoder"
    assert "シード 7" in say("ja", scene.origin)


def test_values_are_exact(results: Results) -> None:
    scene = resolve(STATE, results)
    assert scene.run is not None
    assert scene.value(Cell(Stage.OUT, 0, 3, 5)) == scene.run.values[Stage.OUT][0, 3, 5]
    assert scene.value(Cell(Stage.GATE, 0, 3, 5)) is None
    assert scene.value(Cell(Stage.OUT, 0, 3, 16)) is None
    assert scene.value(Cell(Stage.OUT, 0, -1, 0)) is None


def test_unseen_characters_and_the_other_sentence(results: Results) -> None:
    state = replace(STATE, selection=Selection(sentence=1, token=7))
    fill(results, state)
    scene = resolve(state, results)
    assert [chip.text for chip in scene.chips] == ["Two", "<U+202E>", "words", "."]
    assert scene.selection.token == 3


def test_before_the_first_run_tokens_and_stages_are_there() -> None:
    scene = resolve(STATE, Results())
    assert scene.run is None
    assert scene.stale
    assert [chip.active for chip in scene.chips] == [None] * 8
    assert [info.shape_out for info in scene.stages][:3] == [(2, 8, 16), (2, 8, 16), (2, 8, 48)]
    assert scene.value(Cell(Stage.OUT, 0, 0, 0)) is None
    empty = resolve(replace(STATE, source=Source((" ",), ((),))), Results())
    assert empty.chips == ()


def test_the_last_good_run_stays_until_the_next_is_there(results: Results) -> None:
    resolver = Resolver(results)
    resolver.resolve(STATE)
    wider = replace(
        STATE,
        settings=SMALL.with_(d_ff=96, activation="swiglu"),
        source=Source(("One two three four five six seven eight nine ten.",), ((),)),
        selection=Selection(token=9, neuron=90, stage=Stage.GATE),
        hover=Cell(Stage.UP, 0, 9, 90),
    )
    shown = resolver.resolve(wider)
    assert shown.stale
    assert shown.run is not None
    assert (shown.settings, shown.run.request.settings) == (wider.settings, SMALL)
    assert shown.sentences == STATE.source.sentences
    assert len(shown.chips) == 8
    assert shown.selection == Selection(token=7)
    assert shown.hover is None
    assert shown.theta == 0.0
    assert shown.activity is not None
    assert Stage.GATE not in {info.stage for info in shown.stages}
    fill(results, wider)
    new = resolver.resolve(wider)
    assert not new.stale
    assert new.selection == wider.selection
    assert new.hover == wider.hover
    assert new.proof is not None
    assert new.theta == 0.1


def test_a_failed_run_leaves_the_picture_and_says_why(results: Results) -> None:
    resolver = Resolver(results)
    resolver.resolve(STATE)
    other = replace(STATE, settings=SMALL.with_(seed=9))
    results.put(needs(other, results)[0], Failure(text("job.run")))
    scene = resolver.resolve(other)
    assert scene.message == text("job.run")
    assert scene.run is not None
    assert scene.stale
    assert resolver.resolve(other, message=text("job.proof")).message == text("job.proof")


def test_theta_and_what_it_lit_stay_together(results: Results) -> None:
    resolver = Resolver(results)
    before = resolver.resolve(STATE)
    moved = changes.set_theta(0.4, relative=True).to(STATE)
    waiting = resolver.resolve(moved)
    assert waiting.activity is before.activity
    assert (waiting.theta, waiting.theta_relative) == (0.0, False)
    fill(results, moved)
    after = resolver.resolve(moved)
    assert after.activity is not before.activity
    assert (after.theta, after.theta_relative) == (0.4, True)


def test_proof_is_of_the_hovered_cell_else_of_the_chosen_one(results: Results) -> None:
    chosen = changes.select_cell(Cell(Stage.OUT, 0, 2, 3)).to(STATE)
    fill(results, chosen)
    resolver = Resolver(results)
    proof = resolver.resolve(chosen).proof
    assert proof is not None
    assert proof.formula.startswith("out[0, 2, 3]")
    hovered = changes.hover(Cell(Stage.ACT, 0, 1, 4)).to(chosen)
    assert resolver.resolve(hovered).proof is None
    fill(results, hovered)
    shown = resolver.resolve(hovered).proof
    assert shown is not None
    assert shown.formula.startswith("act[0, 1, 4]")


def test_comparison_is_on_the_same_sentences(results: Results) -> None:
    resolver = Resolver(results)
    resolver.resolve(STATE)
    compared = replace(STATE, compare=Compare(SMALL.with_(activation="gelu")))
    assert resolver.resolve(compared).other is None
    fill(results, compared)
    other = resolver.resolve(compared).other
    assert other is not None
    assert other.request.settings.activation == "gelu"
    sliding = replace(compared, compare=Compare(SMALL.with_(activation="silu")))
    assert resolver.resolve(sliding).other is other
    moved = replace(sliding, source=Source(("Other words.",), ((),)))
    fill(results, replace(moved, compare=None))
    assert resolver.resolve(moved).other is None
    assert resolver.resolve(STATE).other is None


def test_unchanged_parts_are_the_same_objects(results: Results) -> None:
    resolver = Resolver(results)
    one = resolver.resolve(STATE)
    two = resolver.resolve(changes.seek(0.5).to(STATE))
    assert two.stages is one.stages
    assert two.chips is one.chips
    for name in Scene.__dataclass_fields__:
        if name not in {"playback", "progress", "current", "subject", "proof", "lagging"}:
            assert getattr(one, name) == getattr(two, name), name


def test_transposed_shapes_and_reduced_motion(results: Results) -> None:
    state = changes.toggle_reduce_motion().to(changes.toggle_transposed().to(changes.seek(0.3).to(STATE)))
    scene = resolve(state, results)
    assert {info.shape_out for info in scene.stages} == {(8, 2, 16), (8, 2, 48)}
    assert {share for _, share in scene.progress} == {0.0, 1.0}
    moving = resolve(changes.seek(0.3).to(STATE), results)
    assert any(0.0 < share < 1.0 for _, share in moving.progress)


@pytest.mark.parametrize("activation", CHOICES["activation"])
@pytest.mark.parametrize("norm", ["none", "layer", "rms"])
@pytest.mark.parametrize("placement", CHOICES["norm_placement"])
def test_every_stage_has_name_formula_and_shapes(activation: str, norm: str, placement: str) -> None:
    settings = Settings(activation=activation, norm=norm, norm_placement=placement)
    spec = spec_of(settings)
    infos = stage_infos(spec, settings, batch=1, tokens=8, transposed=False)
    assert tuple(info.stage for info in infos) == stages_of(spec)
    for info in infos:
        assert info.shape_out == (1, 8, 2_048 if info.stage in WIDE else 512)
        assert info.width == info.shape_out[2]
        for language in ("en", "ja"):
            assert say(language, info.name)
            assert f"{info.name.key}_about" in catalogue(language)
    for info, after in pairwise(infos):
        if after.stage not in (Stage.GATE, Stage.UP, Stage.RESIDUAL):
            assert info.shape_out == after.shape_in


@pytest.mark.parametrize(
    ("stage", "settings", "shown"),
    [
        (Stage.INPUT, Settings(), "x"),
        (Stage.INPUT, Settings(mixer=True), "x = h + attention(norm(h))"),
        (Stage.UP, Settings(), "up = W_up · norm(x) + b_up"),
        (Stage.UP, Settings(norm="none", bias=False), "up = W_up · x"),
        (Stage.GATE, Settings(activation="glu"), "gate = W_gate · norm(x) + b_gate"),
        (Stage.ACT, Settings(activation="glu"), "act = σ(gate)"),
        (Stage.ACT, Settings(), "act = ReLU(up)"),
        (Stage.ACT, Settings(activation="bilinear"), "act = gate"),
        (Stage.HIDDEN, Settings(activation="glu"), "hidden = act ⊙ up"),
        (Stage.OUT, Settings(), "out = W_down · act + b_down"),
        (Stage.OUT, Settings(activation="glu", bias=False), "out = W_down · hidden"),
        (Stage.OUT, Settings(experts=4, top_k=2), "out = Σₖ wₖ · expert[eₖ](norm(x))"),
        (Stage.OUT, Settings(dropout=0.1, training=True), "out = dropout(W_down · act + b_down)"),
        (Stage.RESIDUAL, Settings(), "y = x + out"),
        (Stage.RESIDUAL, Settings(norm_placement="sandwich"), "y = x + norm(out)"),
        (Stage.POST_NORM, Settings(norm="rms", norm_placement="post"), "norm(y) = y / √(mean(y²) + ε) · w"),
    ],
)
def test_formulas(stage: Stage, settings: Settings, shown: str) -> None:
    assert formula(stage, spec_of(settings), settings) == shown


def test_at_rest_the_chosen_stage_is_followed_and_on_the_way_the_one_under_way() -> None:
    chosen = AppState(settings=SMALL, selection=Selection(neuron=3, stage=Stage.ACT))
    results = Results()
    fill(results, chosen)
    assert resolve(chosen, results).followed is Stage.ACT
    assert resolve(replace(chosen, selection=Selection()), results).followed is Stage.RESIDUAL
    early = replace(chosen, playback=Playback(time=0.1))
    assert resolve(early, results).followed is resolve(early, results).current


def test_while_comparing_both_are_counted_at_the_larger_default_theta() -> None:
    relu, swiglu = SMALL.with_(activation="relu"), SMALL.with_(activation="swiglu")
    for main, other in ((relu, swiglu), (swiglu, relu)):
        state = AppState(settings=main, compare=Compare(other))
        results = Results()
        fill(results, state)
        scene = resolve(state, results)
        assert scene.theta == 0.1
        assert scene.other_activity is not None
        assert scene.other_activity.overall < 1.0
    assert resolve(AppState(settings=relu), results).theta == 0.0
