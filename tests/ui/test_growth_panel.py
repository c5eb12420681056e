"""Cost against length: curves that meet where they must, and a line that moves S for all cost panels."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from pytestqt.qtbot import QtBot

from ffn_explorer.app.window import Window
from ffn_explorer.core.bill_row import Use
from ffn_explorer.panels.growth import GrowthPanel
from ffn_explorer.panels.model import ModelPanel
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, Compare, View
from ffn_explorer.state.costing import MOST_TOKENS, Costing
from ffn_explorer.state.growth import Growth, growth_of, spent_at
from ffn_explorer.state.models import model
from ffn_explorer.widgets.lines_plot import LinesPicture
from tests.ui.house import house
from tests.ui.live import SMALL, Live, drag, mouse, settle, state_of

LLAMA = Costing("llama-3-8b", causal=False)


def live(qtbot: QtBot, costing: Costing | None = None, *, mode: str = "", **parts: object) -> Live:
    views = (("growth", View(mode=mode)),) if mode else ()
    state = state_of(costing=costing or Costing(), views=views, **parts)
    return Live(qtbot, GrowthPanel(), state, width=620)


def panel_of(shown: Live) -> GrowthPanel:
    assert isinstance(shown.panel, GrowthPanel)
    return shown.panel


def picture_of(shown: Live) -> LinesPicture:
    picture = panel_of(shown).plot.picture
    assert picture is not None
    return picture


def at_tokens(panel: GrowthPanel, tokens: float) -> QPointF:
    """A place on the plot at a length, far below the curves."""
    plot = panel.plot
    return QPointF(plot.point_of(math.log10(tokens), 0.0).x(), plot.area.bottom() - 2.0)


def expected(costing: Costing, of: str) -> Growth:
    use = Use(1, causal=costing.causal, bits=costing.bits, cache_bits=costing.cache_bits)
    return growth_of(model(costing.model).shape, use, of=of, at_least=1)


@pytest.mark.parametrize("mode", ["token", "sequence", "bytes"])
def test_the_curves_are_those_of_the_model(qtbot: QtBot, mode: str) -> None:
    shown = live(qtbot, LLAMA, mode=mode)
    found = expected(LLAMA, mode)
    lines = picture_of(shown).lines
    assert len(lines) == len(found.curves)
    for line, curve in zip(lines, found.curves, strict=True):
        drawn = np.isfinite(line.y)
        assert drawn[-1]
        np.testing.assert_allclose(10.0**line.x, found.tokens, rtol=1e-12)
        np.testing.assert_allclose(10.0 ** line.y[drawn], curve.values[drawn], rtol=1e-12)
        assert (line.y[drawn] >= picture_of(shown).axes.y[0]).all(), "below the range nothing is drawn"
    assert all(y <= picture_of(shown).axes.y[1] for line in lines for y in line.y[np.isfinite(line.y)])


def test_both_crossings_stand_where_the_formulas_put_them(qtbot: QtBot) -> None:
    shown = live(qtbot, LLAMA)
    attention, scores = picture_of(shown).dots
    assert attention.words[0] == "attention = FFN at S = 16,384"
    assert scores.words[0] == "scores = FFN at S = 21,504"
    assert (10.0**attention.x, 10.0**scores.x) == pytest.approx((16_384, 21_504))
    assert 10.0**attention.y == pytest.approx(6 * 4_096 * 14_336)
    shown.change(changes.set_costing(causal=True))
    assert [dot.words[-1] for dot in picture_of(shown).dots] == ["32,767", "43,007"]


def test_the_cache_outgrows_the_ffn_where_their_bytes_are_equal(qtbot: QtBot) -> None:
    shown = live(qtbot, LLAMA, mode="bytes")
    (cache,) = picture_of(shown).dots
    assert cache.words[0] == f"cache = FFN at S = {3 * 4_096 * 14_336 // (2 * 8 * 128):,}"
    shown.change(changes.set_costing(bits=4))
    assert picture_of(shown).dots[0].words[-1] == f"{3 * 4_096 * 14_336 // (2 * 8 * 128) // 4:,}"
    shown.change(changes.set_costing(model="bert-base"))
    assert picture_of(shown).dots == (), "an encoder keeps nothing"


def test_an_encoder_has_no_future_to_leave_out(qtbot: QtBot) -> None:
    shown = live(qtbot, Costing("bert-base"))
    assert "all pairs" in panel_of(shown).note.text
    crossings = [dot.words for dot in picture_of(shown).dots]
    shown.change(changes.set_costing(causal=False))
    assert [dot.words for dot in picture_of(shown).dots] == crossings
    shown.change(changes.set_costing(model="gpt2-small", causal=True))
    assert "without the future" in panel_of(shown).note.text


def test_the_readout_is_exact_and_asks_for_its_formulas(qtbot: QtBot) -> None:
    shown = live(qtbot, Costing("llama-3-8b", tokens=8_192))
    found = spent_at(model("llama-3-8b").shape, Use(8_192))
    readout = panel_of(shown).readout
    assert readout.text.startswith("S = 8,192: FFN 2.89 T, ")
    assert readout.text.endswith(f"FFN {100 * found.share:.1f} %")
    assert "2·S·D·F = 2·8,192·4,096·14,336 = 962,072,674,304" in readout.toolTip()


def test_a_drag_moves_s_with_one_change_a_move(qtbot: QtBot) -> None:
    shown = live(qtbot)
    panel, ended = panel_of(shown), []
    panel.gesture_ended.connect(lambda: ended.append(shown.state.costing.tokens))
    assert picture_of(shown).cursor == pytest.approx(math.log10(8)), "at first the tokens of the sentence"
    places = [at_tokens(panel, S) for S in (40, 300, 2_000)]
    seen: list[int] = []
    panel.requested.connect(lambda _change: seen.append(shown.state.costing.tokens))
    drag(panel.plot.viewport(), places[0], *places[1:])
    assert shown.asked == ["undo.view"] * 3
    assert seen == pytest.approx([40, 300, 2_000], rel=0.02)
    assert ended == [seen[-1]]
    assert 10.0 ** (picture_of(shown).cursor or 0.0) == pytest.approx(seen[-1])
    assert picture_of(shown).cursor_words[0] == f"S = {seen[-1]:,}"
    mouse(panel.plot.viewport(), QEvent.Type.MouseMove, places[0])
    assert len(shown.asked) == 3, "what was let go stays"


def test_the_axis_stays_while_the_line_is_dragged_far(qtbot: QtBot) -> None:
    shown = live(qtbot)
    axes = picture_of(shown).axes
    drag(panel_of(shown).plot.viewport(), at_tokens(panel_of(shown), 100), QPointF(5_000.0, 200.0))
    end = shown.state.costing.tokens
    assert end == pytest.approx(10.0 ** axes.x[1], abs=1)
    assert picture_of(shown).axes.x[1] == pytest.approx(axes.x[1], abs=0.31), "no longer than a doubling"
    drag(panel_of(shown).plot.viewport(), at_tokens(panel_of(shown), 100), QPointF(-5_000.0, 200.0))
    assert shown.state.costing.tokens == 1


@pytest.mark.parametrize(
    ("key", "tokens", "wanted"),
    [
        (Qt.Key.Key_Right, 8, 10),
        (Qt.Key.Key_Right, 1, 2),
        (Qt.Key.Key_Right, MOST_TOKENS, MOST_TOKENS),
        (Qt.Key.Key_Left, 8, 6),
        (Qt.Key.Key_Left, 2, 1),
        (Qt.Key.Key_Left, 1, 1),
    ],
)
def test_arrows_move_s_by_a_factor(qtbot: QtBot, key: Qt.Key, tokens: int, wanted: int) -> None:
    shown = live(qtbot, Costing(tokens=tokens))
    qtbot.keyClick(panel_of(shown).plot, key)
    assert shown.state.costing.tokens == wanted


@pytest.mark.parametrize("mode", ["token", "sequence"])
def test_a_click_on_a_crossing_goes_there(qtbot: QtBot, mode: str) -> None:
    shown = live(qtbot, LLAMA, mode=mode)
    plot = panel_of(shown).plot
    for number, wanted in ((0, 16_384), (1, 21_504)):
        dot = picture_of(shown).dots[number]
        # Both are near each other: a little to the outside.
        at = plot.point_of(dot.x, dot.y) + QPointF(4.0 if number else -4.0, 0.0)
        mouse(plot.viewport(), QEvent.Type.MouseButtonPress, at)
        mouse(plot.viewport(), QEvent.Type.MouseButtonRelease, at)
        assert shown.state.costing.tokens == wanted
    spent = spent_at(model("llama-3-8b").shape, Use(21_504, causal=False))
    assert spent.scores == spent.ffn


def test_tabs_show_other_curves(qtbot: QtBot) -> None:
    shown = live(qtbot, LLAMA)
    tabs, seen = panel_of(shown).tabs, []
    for button in (tabs.buttons[1], tabs.buttons[2], tabs.buttons[0]):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        settle()
        seen.append(picture_of(shown).axes.y_name)
        assert [each.isChecked() for each in tabs.buttons] == [each is button for each in tabs.buttons]
    assert seen == ["FLOPs (logarithmic)", "bytes (logarithmic)", "FLOPs per token (logarithmic)"]
    assert shown.state.costing == LLAMA, "what is counted stays"


def test_a_second_bill_stands_behind_in_grey(qtbot: QtBot) -> None:
    shown = live(qtbot, LLAMA)
    alone = picture_of(shown).lines
    shown.change(changes.set_costing(beside="gpt2-small"))
    lines = picture_of(shown).lines
    assert len(lines) == len(alone) + 2
    assert [line.name for line in lines[:2]] == [(), ()]
    assert len({line.colour for line in lines[:2]}) == 1
    assert {line.dashed for line in lines[:2]} == {True, False}
    compared = live(qtbot, compare=Compare(SMALL.with_(d_ff=200)))
    assert len(picture_of(compared).lines) == 6, "B, where nothing else was chosen"


@pytest.mark.parametrize("mode", ["token", "sequence", "bytes"])
def test_the_copied_table_has_every_point(qtbot: QtBot, mode: str) -> None:
    shown = live(qtbot, LLAMA, mode=mode)
    table, found = panel_of(shown).table(), expected(LLAMA, mode)
    assert table is not None
    assert [float(row[0]) for row in table[1:]] == found.tokens.tolist()
    for column, curve in enumerate(found.curves, 1):
        assert [float(row[column]) for row in table[1:]] == curve.values.tolist()
    assert len(set(table[0])) == len(found.curves) + 1


@pytest.mark.parametrize("look", [Appearance(), Appearance("dark", "ja"), Appearance("projector", "ja")])
@pytest.mark.parametrize("name", ["transformer-base", "gpt-oss-20b", "deepseek-v3", "kimi-k2", "bert-large"])
def test_every_model_can_be_drawn(qtbot: QtBot, look: Appearance, name: str) -> None:
    shown = live(qtbot, Costing(name, beside="llama-3.1-405b"), appearance=look)
    for mode in ("sequence", "bytes", "token"):
        shown.change(changes.set_view("growth", View(mode=mode)))
        picture = picture_of(shown)
        (x0, x1), (y0, y1) = picture.axes.x, picture.axes.y
        assert all(x0 <= dot.x <= x1 and y0 <= dot.y <= y1 for dot in picture.dots)
        assert len(picture.axes.x_ticks) >= 4
        assert len(picture.axes.y_ticks) >= 2
    panel_of(shown).plot.grab()


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        made.arrangement.use("cost")
        yield made


def test_the_other_cost_panels_follow_a_drag(window: Window, qtbot: QtBot) -> None:
    growth, whole = window.board.panels["growth"], window.board.panels["model"]
    assert isinstance(growth, GrowthPanel)
    assert isinstance(whole, ModelPanel)
    qtbot.waitUntil(lambda: growth.plot.picture is not None and growth.plot.area.width() > 50)
    before = whole.bars.picture
    undo = window.director.session.undo_text
    drag(growth.plot.viewport(), at_tokens(growth, 50), at_tokens(growth, 700))
    tokens = window.director.state.costing.tokens
    assert tokens == pytest.approx(700, rel=0.05)
    qtbot.waitUntil(lambda: whole.controls.tokens.value() == tokens)
    assert whole.bars.picture != before
    assert window.director.session.undo_text == undo, "undo passes over what is only looked at"
