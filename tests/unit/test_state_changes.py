"""Changes: what follows from one knob, orders that compose, and selections that always exist."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.errors import InputError, SettingError
from ffn_explorer.core.settings import LIMITS, ORIGINAL_2017, Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.core.tokens import split
from ffn_explorer.state import changes, timeline
from ffn_explorer.state.app_state import AppState, Cell, Playback, Selection, Source, Theta, View
from ffn_explorer.state.text import catalogue


def after(*acts: changes.Change, state: AppState | None = None) -> AppState:
    now = state or AppState()
    for act in acts:
        now = act.to(now)
    return now


def test_widths_are_free_of_each_other() -> None:
    assert after(changes.set_setting("d_model", 640)).settings == Settings(d_model=640)
    assert after(changes.set_setting("activation", "swiglu")).settings == Settings(activation="swiglu")


@pytest.mark.parametrize(("ratio", "width"), [(4.0, 2_048), (8 / 3, 1_365), (2.0, 1_024), (0.0001, 1)])
def test_ratio_sets_dff(ratio: float, width: int) -> None:
    assert after(changes.set_ratio(ratio)).settings.d_ff == width


def test_layer_follows_layers() -> None:
    state = after(changes.set_setting("layer", 5), changes.set_setting("layers", 2))
    assert (state.settings.layers, state.settings.layer) == (2, 1)


def test_heads_keep_full_attention_or_a_divisor() -> None:
    assert after(changes.set_setting("heads", 12)).settings.kv_heads == 12
    grouped = after(changes.set_setting("kv_heads", 4))
    assert after(changes.set_setting("heads", 6), state=grouped).settings.kv_heads == 3
    assert after(changes.set_setting("kv_heads", 5)).settings.kv_heads == 4


def test_experts_propose_two_and_shrink() -> None:
    eight = after(changes.set_setting("experts", 8))
    assert (eight.settings.experts, eight.settings.top_k) == (8, 2)
    four = after(changes.set_setting("top_k", 4), changes.set_setting("experts", 3), state=eight)
    assert (four.settings.experts, four.settings.top_k) == (3, 3)
    assert after(changes.set_setting("experts", 1), state=four).settings.top_k == 1
    grouped = after(changes.set_setting("expert_groups", 3), changes.set_setting("top_k", 4), state=eight)
    assert (grouped.settings.expert_groups, grouped.settings.top_k) == (2, 4)


def test_norm_returns_as_pre_norm() -> None:
    none = after(changes.set_setting("norm_placement", "post"), changes.set_setting("norm", "none"))
    assert after(changes.set_setting("norm", "rms"), state=none).settings.norm_placement == "pre"
    post = after(changes.set_setting("norm_placement", "post"), changes.set_setting("norm", "rms"))
    assert post.settings.norm_placement == "post"


def test_original_preset_keeps_seed_dtype_and_device() -> None:
    start = AppState(settings=Settings(d_model=8, seed=3, dtype="float64", activation="swiglu"))
    assert after(changes.preset_2017(), state=start).settings == ORIGINAL_2017.with_(seed=3, dtype="float64")


@given(st.sampled_from(sorted(LIMITS)), st.data())
def test_any_allowed_number_leads_to_possible_settings(name: str, data: st.DataObject) -> None:
    start = AppState()
    for _ in range(3):
        low, high = LIMITS[name]
        drawn: st.SearchStrategy[float]
        if name in {"dropout", "capacity_factor"}:
            drawn = st.floats(low, high)
        else:
            drawn = st.integers(int(low), min(int(high), 300))
        try:
            start = changes.set_setting(name, data.draw(drawn)).to(start)
        except SettingError as error:
            refused = error.values["field"]
        else:
            refused = name
        # What people set directly is refused where it cannot be; what only follows never is.
        assert refused == name
        name = data.draw(st.sampled_from(sorted(LIMITS)))


def test_bad_values_are_refused() -> None:
    for name, value in (
        ("d_model", 0),
        ("d_ff", "wide"),
        ("activation", "tanh"),
        ("dropout", 1.0),
        ("layer", 6),
    ):
        with pytest.raises(SettingError):
            changes.set_setting(name, value).to(AppState())


def test_selection_goes_with_what_it_pointed_at() -> None:
    chosen = after(changes.select_cell(Cell(Stage.ACT, 0, 2, 2_000)), changes.set_setting("d_ff", 1_000))
    assert (chosen.selection.neuron, chosen.selection.token) == (None, 2)
    gate = after(
        changes.set_setting("activation", "swiglu"),
        changes.select_cell(Cell(Stage.GATE, 0, 2, 9)),
        changes.set_setting("activation", "relu"),
    )
    assert gate.selection.stage is None
    assert gate.selection.neuron == 9


def test_lines_make_a_batch_and_keep_their_orders() -> None:
    state = after(
        changes.reorder_token(0, 7, to=0), changes.set_sentences("A b c.\n\nThe keys on the table are lost.")
    )
    assert state.source.sentences == ("A b c.", "The keys on the table are lost.")
    assert state.source.orders == ((), (7, 0, 1, 2, 3, 4, 5, 6))
    assert state.selection.token == 3
    with pytest.raises(InputError) as refused:
        changes.set_sentences("  \n ").to(state)
    assert refused.value.key == "error.empty_sentence"


def test_same_text_is_no_change() -> None:
    state = after(changes.reorder_token(0, 1, to=3))
    assert changes.set_sentences("The keys on the table are lost.").to(state) is state


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=8))
def test_reordering_composes_and_the_selection_follows_its_token(moves: list[tuple[int, int]]) -> None:
    state = AppState()
    shown = list(split(state.source.sentences[0]))
    chosen = shown[state.selection.token]
    for start, to in moves:
        state = changes.reorder_token(0, start, to=to).to(state)
        shown.insert(to, shown.pop(start))
    natural = split(state.source.sentences[0])
    order = state.source.orders[0] or tuple(range(8))
    assert [natural[i] for i in order] == shown
    assert shown[state.selection.token] == chosen
    assert after(changes.reset_orders(), state=state).source == Source()


@pytest.mark.parametrize("sentence", [-1, 1, 7])
def test_a_token_of_a_sentence_that_is_gone_stays(sentence: int) -> None:
    assert after(changes.reorder_token(sentence, 0, to=2)) == AppState()


def test_moving_back_is_the_natural_order() -> None:
    assert after(changes.reorder_token(0, 2, to=5), changes.reorder_token(0, 5, to=2)) == AppState()
    assert after(changes.reorder_token(0, 99, to=5)) == AppState()


def test_choosing() -> None:
    wide = after(changes.select_cell(Cell(Stage.UP, 0, 3, 70)))
    assert wide.selection == Selection(token=3, neuron=70, stage=Stage.UP)
    narrow = after(changes.select_cell(Cell(Stage.OUT, 0, 4, 8)), state=wide)
    assert narrow.selection == Selection(token=4, neuron=70, dim=8, stage=Stage.OUT)
    assert after(changes.clear_selection(), state=narrow).selection == Selection(token=4)
    batch = after(changes.set_sentences("One.\nTwo words here."))
    assert batch.selection.token == 1
    second = after(changes.select_token(3, sentence=1), state=batch)
    assert (second.selection.sentence, second.selection.token) == (1, 3)
    first = after(changes.select_sentence(0), state=second)
    assert (first.selection.sentence, first.selection.token) == (0, 1)
    assert after(changes.select_sentence(9), state=first).selection.sentence == 1


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=10))
def test_arrow_keys_stay_inside(steps: list[tuple[int, int]]) -> None:
    tokens = after(*(changes.step_selection(dx, dy) for dx, dy in steps))
    assert 0 <= tokens.selection.token <= 7
    cells = after(changes.select_cell(Cell(Stage.OUT, 0, 0, 510)))
    cells = after(*(changes.step_selection(dx, dy) for dx, dy in steps), state=cells)
    assert 0 <= cells.selection.token <= 7
    assert cells.selection.dim is not None
    assert 0 <= cells.selection.dim < 512


def test_arrow_keys_move_tokens_until_a_cell_is_chosen() -> None:
    assert after(changes.step_selection(-2, 0)).selection == Selection(token=3)
    cell = after(changes.select_cell(Cell(Stage.ACT, 0, 0, 10)), changes.step_selection(1, 2))
    assert cell.selection == Selection(token=2, neuron=11, stage=Stage.ACT)


def test_arrow_keys_act_on_the_stage_that_is_looked_at() -> None:
    state = after(changes.select_cell(Cell(Stage.ACT, 0, 0, 10)))
    wide = after(changes.step_selection(1, 0, stage=Stage.UP), state=state)
    assert wide.selection == Selection(token=0, neuron=11, stage=Stage.UP)
    rows = after(changes.step_selection(1, 0, stage=Stage.OUT), state=state)  # no dimension is chosen there
    assert rows.selection == Selection(token=1, neuron=10, stage=Stage.ACT)
    both = after(changes.select_cell(Cell(Stage.RESIDUAL, 0, 0, 511)), state=state)
    narrow = after(changes.step_selection(-1, 1, stage=Stage.OUT), state=both)
    assert narrow.selection == Selection(token=1, neuron=10, dim=510, stage=Stage.OUT)


def test_theta() -> None:
    assert after(changes.set_theta(-0.2, relative=True)).theta == Theta(0.2, relative=True)
    assert after(changes.set_theta(None), state=AppState(theta=Theta(0.2, relative=True))).theta == Theta(
        None, relative=True
    )


def test_playback() -> None:
    stages = (Stage.INPUT, Stage.UP, Stage.ACT, Stage.OUT)
    playing = after(changes.play())
    assert playing.playback == Playback(time=0.0, playing=True)
    later = after(changes.tick(1.2, stages=stages), state=playing)
    assert later.playback.time == pytest.approx(1 / 3)
    assert later.playback.playing
    rest = after(changes.tick(9.0, stages=stages, stop=2 / 3), state=later)
    assert rest.playback == Playback(time=2 / 3, playing=False)
    end = after(changes.play(), changes.set_speed(2.0), changes.tick(timeline.DURATION_S), state=rest)
    assert end.playback == Playback(time=1.0, playing=False, speed=2.0)
    assert after(changes.tick(1.0), state=end) is end
    assert after(changes.play(), changes.pause(), state=later).playback.playing is False
    assert after(changes.seek(7.0)).playback.time == 1.0
    assert after(changes.step_stage(-1, stages)).playback.time == pytest.approx(2 / 3)
    assert after(changes.set_speed(100.0)).playback.speed == 8.0


def test_looks_and_views() -> None:
    state = after(
        changes.set_theme("projector"),
        changes.set_language("ja"),
        changes.set_scale(9.0),
        changes.toggle_reduce_motion(),
        changes.toggle_transposed(),
        changes.set_view("heatmap", View(first=2)),
    )
    look = state.appearance
    assert (look.theme, look.language, look.scale) == ("projector", "ja", 2.0)
    assert look.reduce_motion
    assert look.transposed
    assert state.view("heatmap").first == 2
    assert after(changes.set_view("heatmap", View()), state=state).views == ()


def test_opening_a_state_keeps_looks() -> None:
    dark = after(changes.set_theme("dark"), changes.seek(0.5))
    opened = after(changes.load_state(AppState(settings=Settings(d_model=8))), state=dark)
    assert opened.settings.d_model == 8
    assert opened.appearance == dark.appearance
    assert (opened.playback.time, opened.playback.playing) == (1.0, False)
    early = AppState(playback=Playback(0.37))  # as a picture of that moment holds it
    assert after(changes.load_state(early), state=dark).playback.time == 0.37


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_change_has_a_name(language: str) -> None:
    fields = [changes.set_setting(name, value).what for name, value in Settings().to_json().items()]
    others = [
        changes.set_ratio(2.0),
        changes.preset_2017(),
        changes.use_settings(Settings()),
        changes.set_sentences("a"),
        changes.reorder_token(0, 0, to=1),
        changes.reset_orders(),
        changes.select_token(0),
        changes.set_theta(0.1),
        changes.set_compare(None),
        changes.set_compare(Settings()),
        changes.load_state(AppState()),
    ]
    assert {*fields, *(change.what for change in others)} <= catalogue(language).keys()
