"""The bill: exact numbers, counters that end at what `run` prints, and the lesson of equal parameters."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.cli.run_report import facts
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.bill import BillPanel
from ffn_explorer.state import changes, timeline
from ffn_explorer.state.app_state import Appearance, Compare, Playback, Point, Selection
from ffn_explorer.widgets import bill_paint, drawn_text, stacked_bar
from ffn_explorer.widgets.bill_hairlines import Hairline
from ffn_explorer.widgets.bill_picture import LINES, BillPicture, Piece
from ffn_explorer.widgets.stacked_bar import laid
from tests.ui.live import SMALL, Live, scene_of, state_of
from tests.ui.pictures import mouse, shown

GATED = SMALL.with_(activation="swiglu")
MIXED = SMALL.with_(experts=8, top_k=2, shared_experts=1, routing="sigmoid_bias", activation="swiglu")
WIDE = Settings(d_model=768, d_ff=3_072, heads=12, kv_heads=12)
SHOWN = frozenset({"bill"})
LOOKS = [Appearance(), Appearance("dark", "ja"), Appearance("projector"), Appearance("projector", "ja")]


def live_of(qtbot: QtBot, settings: Settings = SMALL, **parts: object) -> Live:
    return Live(qtbot, BillPanel(), state_of(settings=settings, shown=SHOWN, **parts))


def panel_of(live: Live) -> BillPanel:
    assert isinstance(live.panel, BillPanel)
    return live.panel


def picture_of(live: Live) -> BillPicture:
    picture = panel_of(live).chart.picture
    assert picture is not None
    return picture


def middle(live: Live, bar: int, key: str) -> QPointF:
    """Middle of a piece of A."""
    places = panel_of(live).chart.places
    assert places is not None
    shown_bar = picture_of(live).bars[bar]
    parts = laid(shown_bar.pieces, places.bars[bar].bar, shown_bar.most)
    return next(rect.center() for piece, rect in parts if piece.key == key)


def values(pieces: tuple[Piece, ...]) -> dict[str, int]:
    return {piece.key: piece.value for piece in pieces}


@pytest.mark.parametrize("settings", [SMALL, GATED.with_(bias=False), MIXED])
def test_bars_hold_the_bill(qtbot: QtBot, settings: Settings) -> None:
    live = live_of(qtbot, settings)
    assert live.panel.scene is not None
    run = live.panel.scene.run
    assert run is not None
    parameters, flops = (values(bar.pieces) for bar in picture_of(live).bars)
    assert parameters.pop("attention") == run.bill.attention_weights
    assert sum(parameters.values()) == run.bill.ffn_total
    assert (flops.pop("projections"), flops.pop("scores")) == (
        run.bill.projection_flops,
        run.bill.score_flops,
    )
    assert sum(flops.values()) == run.bill.ffn_flops
    assert ("gate" in parameters) == settings.gated
    assert ("router" in parameters) == settings.is_moe


@pytest.mark.parametrize("settings", [SMALL, MIXED])
def test_counters_start_at_0_and_end_at_what_run_prints(qtbot: QtBot, settings: Settings) -> None:
    live = live_of(qtbot, settings, playback=Playback(0.0))
    assert "weights read 0 " in picture_of(live).counters[0]
    assert picture_of(live).counters[0].endswith("FLOPs spent 0")
    live.change(changes.seek(1.0))
    assert live.panel.scene is not None
    run = live.panel.scene.run
    assert run is not None
    assert run.run is not None
    printed = facts(run.run, live.state)
    assert f"weights read {printed['parameters']['ffn_total']:,} " in picture_of(live).counters[0]
    assert picture_of(live).counters[0].endswith(f"FLOPs spent {printed['flops']['ffn']:,}")


def test_pieces_fill_as_they_are_read(qtbot: QtBot) -> None:
    before: dict[str, float] = {}
    for time in (0.0, 0.25, 0.3, 0.7, 1.0):
        live = live_of(qtbot, playback=Playback(time))
        done = dict(picture_of(live).done)
        assert all(done[key] >= share for key, share in before.items())
        before = done
    assert before == {"up": 1.0, "down": 1.0, "bias": 1.0}
    reading = picture_of(live_of(qtbot, playback=Playback(0.3)))
    assert reading.under_way == {Stage.UP}
    assert 0.0 < dict(reading.done)["up"] < 1.0
    assert dict(reading.done)["down"] == 0.0


@pytest.mark.parametrize("settings", [WIDE, GATED, MIXED])
@pytest.mark.parametrize("size", [(420, 220), (1_400, 420)])
def test_a_picture_under_way_owes_nothing_to_those_before(
    qtbot: QtBot, settings: Settings, size: tuple[int, int]
) -> None:
    """Slivers of biases and the column of what is read so far are painted over what rests."""
    times = (0.0, 0.27, 0.3, 0.7, 1.0, 0.3)
    scenes = [scene_of(state_of(shown=SHOWN, settings=settings, playback=Playback(time))) for time in times]
    assert (shown(BillPanel, scenes, size) == shown(BillPanel, scenes[-1:], size)).all()
    assert (shown(BillPanel, scenes[:4], size) == shown(BillPanel, scenes[3:4], size)).all()


@pytest.mark.parametrize(("key", "stage"), [("gate", Stage.GATE), ("up", Stage.UP), ("down", Stage.OUT)])
@pytest.mark.parametrize("bar", [0, 1])
def test_a_piece_chooses_its_stage(qtbot: QtBot, key: str, stage: Stage, bar: int) -> None:
    live = live_of(qtbot, GATED)
    chart = panel_of(live).chart
    mouse(chart, middle(live, bar, key), kind=QMouseEvent.Type.MouseButtonPress, pressed=True)
    assert live.state.selection.stage is stage
    assert picture_of(live).formula[0].startswith(f"W_{key}: D·F = 24·64 = 1,536 parameters, ")


@pytest.mark.parametrize(("key", "stage"), [("gate", Stage.GATE), ("up", Stage.UP), ("down", Stage.OUT)])
def test_a_piece_leads_to_the_moment_at_which_it_is_read(qtbot: QtBot, key: str, stage: Stage) -> None:
    live = live_of(qtbot, GATED)
    mouse(panel_of(live).chart, middle(live, 0, key), kind=QMouseEvent.Type.MouseButtonPress, pressed=True)
    assert live.panel.scene is not None
    assert live.panel.scene.run is not None
    assert live.state.playback.time == timeline.time_of(stage, live.panel.scene.run.stages)
    assert live.state.selection.stage is stage


def test_the_token_in_question_is_billed(qtbot: QtBot) -> None:
    live = live_of(qtbot, SMALL.with_(stack="decoder"), selection=Selection(token=1))
    one = 4 * 24 * 64
    assert picture_of(live).token[0] == (
        f"at “keys”: {one:,} FLOPs of the FFN, as at every token (tokens: 8), and 192 of attention scores"
    )
    live.change(changes.point(token=4))
    assert picture_of(live).token[0].endswith(" and 480 of attention scores")
    assert picture_of(live).token[0].startswith("at “table”: ")


def test_a_token_whose_expert_had_no_room_spends_less(qtbot: QtBot) -> None:
    live = live_of(qtbot, SMALL.with_(experts=4, top_k=2, capacity_factor=0.5))
    scene = live.panel.scene
    assert scene is not None
    assert scene.run is not None
    assert scene.run.expert_dropped is not None
    lost = scene.run.expert_dropped[0].sum(axis=1).tolist()
    token = lost.index(1)
    live.change(changes.choose(token=token))
    spent = 4 * 24 * 64 + 2 * 4 * 24
    assert picture_of(live).token[0].endswith(f"but experts without room: 1, so {spent:,} are spent")


def test_neurons_and_dimensions_lie_in_their_matrices(qtbot: QtBot) -> None:
    live = live_of(qtbot, GATED)
    assert picture_of(live).hairlines == ()
    assert picture_of(live).unit[0] == "one neuron: 74 parameters, one dimension of the output: 65"
    live.change(changes.choose(neuron=9, dim=7))
    chosen = (
        Hairline("gate", 9.5 / 64, True),
        Hairline("up", 9.5 / 64, True),
        Hairline("down", 7.5 / 24, True),
    )
    assert picture_of(live).hairlines == chosen
    live.change(changes.point(dim=0))
    assert picture_of(live).hairlines == (*chosen, Hairline("down", 0.5 / 24, False))
    assert picture_of(live).unit[0] == "dimension 0: 65 parameters (its row of W_down)"


def test_the_neuron_of_an_expert_lies_among_that_expert_s_rows(qtbot: QtBot) -> None:
    live = live_of(qtbot, SMALL.with_(experts=4, top_k=2))
    live.change(changes.point(neuron=9, expert=3))
    assert picture_of(live).hairlines == (
        Hairline("gate", (3 * 64 + 9.5) / 256, False),
        Hairline("up", (3 * 64 + 9.5) / 256, False),
    )


def test_attention_and_biases_choose_nothing(qtbot: QtBot) -> None:
    live = live_of(qtbot)
    for bar, key in ((0, "attention"), (0, "bias"), (1, "projections"), (1, "scores")):
        at = middle(live, bar, key)
        mouse(panel_of(live).chart, at, kind=QMouseEvent.Type.MouseButtonPress, pressed=True)
    assert live.asked == []


def test_pointing_is_told_and_ends(qtbot: QtBot) -> None:
    live = live_of(qtbot)
    chart = panel_of(live).chart
    mouse(chart, middle(live, 1, "down"))
    qtbot.waitUntil(lambda: live.state.point == Point(stage=Stage.OUT))
    assert picture_of(live).pointed is Stage.OUT
    assert chart.toolTip() == "<p>W_down: 24,576 FLOPs</p>"
    QApplication.sendEvent(chart, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: live.state.point is None)


def test_arrows_choose_among_the_matrices(qtbot: QtBot) -> None:
    live = live_of(qtbot, GATED)
    seen = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
        qtbot.keyClick(panel_of(live).chart, key)
        seen.append(live.state.selection.stage)
    assert seen == [Stage.GATE, Stage.UP, Stage.OUT, Stage.OUT, Stage.UP]


def test_relu_and_swiglu_at_equal_parameters(qtbot: QtBot) -> None:
    """Pin ReLU 768/3,072, choose SwiGLU, press the button: both hold 4,718,592 weights."""
    live = live_of(qtbot, WIDE)
    assert not panel_of(live).match.isEnabled()
    live.change(changes.pin())
    live.change(changes.set_setting("activation", "swiglu"))
    assert picture_of(live).bars[0].head[0] == "FFN weights: A 7,077,888, B 4,718,592, +50.0 %"
    assert panel_of(live).match.isEnabled()
    assert "2,048" in panel_of(live).match.accessibleName()
    panel_of(live).match.click()
    assert live.state.settings.d_ff == 2_048
    parameters, flops = picture_of(live).bars
    assert parameters.head[0] == "FFN weights: A 4,718,592, B 4,718,592, equal"
    assert flops.head[0].endswith(", equal")
    ours, theirs = values(parameters.pieces), values(parameters.other)
    assert ours["gate"] + ours["up"] + ours["down"] == theirs["up"] + theirs["down"] == 4_718_592
    assert not panel_of(live).match.isEnabled()


def test_the_expert_looked_at_is_billed(qtbot: QtBot) -> None:
    live = live_of(qtbot, MIXED)
    assert picture_of(live).experts[0].startswith("Each token uses 2 of 8 experts: ")
    live.change(changes.point(expert=3))
    assert live.panel.scene is not None
    run = live.panel.scene.run
    assert run is not None
    assert run.expert_index is not None
    tokens = int((run.expert_index[0] == 3).sum())
    one = 3 * 24 * 64 + 2 * 64 + 24
    wanted = (
        f"Expert 3: {one:,} parameters, FLOPs {6 * tokens * 24 * 64:,} for the tokens it served ({tokens})"
    )
    assert picture_of(live).experts[0] == wanted


def test_a_small_difference_is_never_rounded_to_equal(qtbot: QtBot) -> None:
    live = live_of(qtbot, Settings(d_model=512, d_ff=1_365, activation="swiglu"), compare=Compare(Settings()))
    assert picture_of(live).bars[0].head[0] == "FFN weights: A 2,096,640, B 2,097,152, −0.0244 %"


def test_ghosts_stand_where_the_bars_ended_before(qtbot: QtBot) -> None:
    before = scene_of(state_of(shown=SHOWN, settings=SMALL.with_(d_ff=32))).run
    assert before is not None
    scene = replace(scene_of(state_of(shown=SHOWN)), before=before)
    panel = BillPanel()
    qtbot.addWidget(panel)
    panel.offer(scene)
    picture = panel.chart.picture
    assert picture is not None
    total = before.bill.ffn_total
    assert picture.bars[0].before == (total, total + before.bill.attention_weights)
    plain = replace(scene, before=None)
    size = (500, 260)
    assert (shown(BillPanel, [scene], size) != shown(BillPanel, [plain], size)).any()


def test_the_copied_table_adds_up(qtbot: QtBot) -> None:
    live = live_of(qtbot, MIXED, compare=Compare(SMALL))
    rows = panel_of(live).table()
    assert rows is not None
    assert live.panel.scene is not None
    for name, run in (("A", live.panel.scene.run), ("B", live.panel.scene.other)):
        assert run is not None
        lines = [row for row in rows[1:] if row[0] == name and row[1][:2] in ("W_", "b_")]
        totals = next(row for row in rows if row[:2] == [name, "FFN"])
        for column in (2, 3, 4):
            assert sum(int(row[column]) for row in lines) == int(totals[column])
        assert (int(totals[2]), int(totals[4])) == (run.bill.ffn_total, run.bill.ffn_flops)


@pytest.mark.parametrize("look", [*LOOKS, Appearance(scale=2.0)])
@pytest.mark.parametrize("size", [(420, 260), (960, 600)])
def test_no_word_is_cut(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, look: Appearance, size: tuple[int, int]
) -> None:
    cut: list[str] = []
    original = drawn_text.draw_text

    def record(painter: QPainter, text: str, place: object, *, font: QFont, **style: object) -> None:
        if QFontMetricsF(font).horizontalAdvance(text) > place.width() + 1:  # type: ignore[attr-defined]
            cut.append(text)
        original(painter, text, place, font=font, **style)  # type: ignore[arg-type]

    for module in (bill_paint, stacked_bar):
        monkeypatch.setattr(module, "draw_text", record)
    wide = (round(size[0] * look.scale), round(size[1] * look.scale))
    for settings, compare in ((WIDE, None), (GATED, Compare(SMALL)), (MIXED, None)):
        chosen = Selection(stage=Stage.UP)
        state = state_of(shown=SHOWN, settings=settings, appearance=look, compare=compare, selection=chosen)
        shown(BillPanel, [scene_of(state)], wide)
        shown(BillPanel, [scene_of(replace(state, selection=Selection()))], wide)
    assert cut == []


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("compare", [None, Compare(SMALL)])
def test_lines_stay_inside_a_small_card(qtbot: QtBot, look: Appearance, compare: Compare | None) -> None:
    panel = BillPanel()
    qtbot.addWidget(panel)
    panel.resize(420, 200)
    panel.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    panel.show()
    panel.offer(scene_of(state_of(shown=SHOWN, settings=GATED, appearance=look, compare=compare)))
    panel.grab()
    places = panel.chart.places
    assert places is not None
    rows = [*(getattr(places, name) for name in LINES), places.rows]
    rows += [rect for bar in places.bars for rect in (bar.head, bar.bar, bar.other, bar.ticks)]
    assert all(rect.bottom() <= panel.chart.height() + 0.5 for rect in rows if rect.height())
    assert places.bars[1].bar.height() >= 8


@pytest.mark.parametrize("width", range(300, 900, 60))
def test_matrices_of_one_size_are_told_in_one_way(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    """Whole numbers, short ones or none, but never "705 K" beside "704,512"."""
    seen: list[str] = []

    def record(_painter: QPainter, text: str, _place: object, **_style: object) -> None:
        seen.append(text)

    monkeypatch.setattr(bill_paint, "draw_text", record)
    shown(BillPanel, [scene_of(state_of(shown=SHOWN, settings=GATED))], (width, 300))
    told = [text for text in seen if text.startswith(("W_gate", "W_up", "W_down")) and "=" not in text]
    numbers_told = [text.partition(" ")[2] for text in told]
    # Parameters, then FLOPs: three matrices each.
    assert len(set(numbers_told[:3])) == len(set(numbers_told[3:6])) == 1
