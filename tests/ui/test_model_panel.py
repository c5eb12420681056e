"""The whole bill: whose, beside whose, for what use; and every row with its formulas."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.model_bill import layer_bill, model_bill
from ffn_explorer.panels.model import ModelPanel
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, Compare
from ffn_explorer.state.costing import Costing
from ffn_explorer.state.costs import group_of
from ffn_explorer.state.models import model, models
from ffn_explorer.state.text import catalogue
from ffn_explorer.widgets.cost_bars import CostBar
from ffn_explorer.widgets.ranked import Ranking
from ffn_explorer.widgets.stacked_bar import laid
from tests.ui.live import SMALL, Live, mouse, pick, settle, state_of

LLAMA = Costing("llama-3-8b", tokens=8_192)
TOTALS = [text for key, text in catalogue("en").items() if key.startswith("costs.row.total.")]
"""Names of the rows that add up others."""


def live(qtbot: QtBot, costing: Costing | None = None, **parts: object) -> Live:
    shown = Live(qtbot, ModelPanel(), state_of(costing=costing or Costing(), **parts), width=620)
    shown.window.resize(660, 720)
    shown.panel.resize(620, 700)
    settle()
    return shown


def panel_of(shown: Live) -> ModelPanel:
    assert isinstance(shown.panel, ModelPanel)
    return shown.panel


def bars_of(shown: Live) -> tuple[CostBar, ...]:
    picture = panel_of(shown).bars.picture
    assert picture is not None
    return picture.bars


def rows_of(shown: Live) -> Ranking:
    ranking = panel_of(shown).list.picture
    assert ranking is not None
    return ranking


def chosen_of(shown: Live) -> str:
    """Name of the chosen row, "" where none is."""
    ranking = rows_of(shown)
    return "" if ranking.chosen is None else ranking.row(ranking.chosen).texts[0]


def beside(shown: Live) -> str | None:
    """Whose the second bill is."""
    return shown.state.costing.beside


def lines_of(shown: Live) -> list[str]:
    return [line.text for line in panel_of(shown).lines]


def click_tab(shown: Live, name: str, number: int) -> None:
    """Press a tab with the mouse."""
    button = panel_of(shown).controls.tabs[name].buttons[number]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    settle()
    assert button.isChecked()


def click_piece(shown: Live, bar: int, group: str, *, other: bool = False) -> None:
    """Press a piece of a bar."""
    canvas = panel_of(shown).bars
    drawn, place = bars_of(shown)[bar], canvas.places()[bar]
    strip, pieces = (place.other, drawn.other) if other else (place.strip, drawn.pieces)
    at = next(rect.center() for piece, rect in laid(pieces, strip, drawn.most) if piece.group == group)
    mouse(canvas.viewport(), QEvent.Type.MouseButtonPress, QPointF(at))


def test_a_public_model_is_chosen_and_its_parameters_are_counted(qtbot: QtBot) -> None:
    shown = live(qtbot)
    combo = panel_of(shown).controls.model
    assert combo.currentText() == "The settings"
    assert combo.count() == 1 + len(models())
    pick(combo, "Llama 3 8B")
    assert shown.state.costing.model == "llama-3-8b"
    assert combo.currentText() == "Llama 3 8B (2024)"
    assert bars_of(shown)[0].head[0] == "8,030,261,248 parameters"
    assert panel_of(shown).title.text == "The whole bill: Llama 3 8B"
    assert panel_of(shown).note.text == "published 8.03B · FFN 80.8 % of the weights of FFN and attention"
    assert "rounded" in panel_of(shown).note.toolTip()
    assert shown.state.settings == SMALL, "looking at a bill loads nothing"
    qtbot.keyClick(combo, Qt.Key.Key_Home)
    assert shown.state.costing.model == ""


@pytest.mark.parametrize("look", [Appearance(), Appearance("projector", "ja"), Appearance(scale=2.0)])
def test_a_name_without_room_is_whole_in_the_open_list_and_in_the_tip(qtbot: QtBot, look: Appearance) -> None:
    shown = live(qtbot, Costing("gemma-3-27b", beside="qwen3-235b-a22b"), appearance=look)
    controls = panel_of(shown).controls
    for combo, name in ((controls.model, "Gemma 3 27B, text part"), (controls.beside, "Qwen3 235B-A22B")):
        assert combo.currentText().startswith(name)
        assert combo.toolTip().startswith(combo.currentText())
        QTest.mouseClick(combo, Qt.MouseButton.LeftButton)
        settle()
        assert combo.view().viewport().width() >= combo.view().sizeHintForColumn(0)
        combo.hidePopup()


def test_a_mixture_says_what_one_token_uses(qtbot: QtBot) -> None:
    shown = live(qtbot, Costing("mixtral-8x7b"))
    bill = model_bill(model("mixtral-8x7b").shape, Use(8))
    assert bars_of(shown)[0].head[0] == (
        f"{bill.count():,} parameters, {bill.active():,} of them used by one token"
    )
    assert "FFN 97.1 %" in panel_of(shown).note.text
    assert "89.4 % of the active ones" in panel_of(shown).note.text


def test_a_second_bill_stands_under_the_first(qtbot: QtBot) -> None:
    shown = live(qtbot, LLAMA)
    pick(panel_of(shown).controls.beside, "Mixtral 8x7B")
    assert beside(shown) == "mixtral-8x7b"
    parameters = bars_of(shown)[0]
    assert parameters.head[0] == "parameters: Llama 3 8B 8,030,261,248, Mixtral 8x7B 46,702,792,704"
    assert sum(piece.value for piece in parameters.other) == 46_702_792_704
    assert parameters.most == 46_702_792_704
    assert all(rows_of(shown).row(n).other is not None for n in range(rows_of(shown).total))
    qtbot.keyClick(panel_of(shown).controls.beside, Qt.Key.Key_Home)
    assert beside(shown) is None
    assert bars_of(shown)[0].other == ()


def test_b_is_the_second_bill_until_another_is_chosen(qtbot: QtBot) -> None:
    shown = live(qtbot, compare=Compare(SMALL.with_(d_ff=200)))
    mine, theirs = (sum(p.value for p in of) for of in (bars_of(shown)[0].pieces, bars_of(shown)[0].other))
    assert theirs - mine == SMALL.layers * (200 - 64) * (2 * 24 + 1)
    assert bars_of(shown)[0].head[0] == f"parameters: A {mine:,}, B {theirs:,}", (
        "both are networks of settings"
    )
    assert panel_of(shown).controls.beside.currentText() == "B (compared)"
    table = panel_of(shown).table()
    assert table is not None
    assert {row[0] for row in table[1:]} == {"A", "B"}
    shown.change(changes.set_costing(model="gpt2-small"))
    assert panel_of(shown).controls.beside.currentText() == "none"
    assert bars_of(shown)[0].other == (), "a public model has no B"
    pick(panel_of(shown).controls.beside, "The settings")
    assert beside(shown) == ""
    assert sum(piece.value for piece in bars_of(shown)[0].other) == mine


@pytest.mark.parametrize("name", ["", "llama-3-8b", "deepseek-v3", "t5-small"])
@pytest.mark.parametrize("scope", ["model", "layer"])
@pytest.mark.parametrize("phase", ["prefill", "decode"])
def test_bars_rows_and_table_are_the_bill(qtbot: QtBot, name: str, scope: str, phase: str) -> None:
    costing = Costing(name, scope=scope, phase=phase, tokens=500, bits=8)  # type: ignore[arg-type]
    shown = live(qtbot, costing)
    table = panel_of(shown).table()
    assert table is not None
    columns = [sum(int(row[n]) for row in table[1:]) for n in (2, 4, 5)]
    drawn = [sum(piece.value for piece in bar.pieces) for bar in bars_of(shown)]
    assert drawn == columns
    lines = [rows_of(shown).row(n) for n in range(rows_of(shown).total)]
    sums = [line for line in lines if line.texts[0] in TOTALS]
    assert [line.texts[0] for line in lines if line not in sums] == [row[1] for row in table[1:]]
    assert len(sums) == len(TOTALS)
    if name:
        use = Use(1, cached=500, bits=8) if phase == "decode" else Use(500, bits=8)
        shape = model(name).shape
        bill = layer_bill(shape, use) if scope == "layer" else model_bill(shape, use)
        assert columns[:2] == [bill.count(), bill.flops()]
        assert [row[6] for row in table[1:] if "=" in row[6]]
    # The layer that most of an encoder-decoder's are computes nothing for the next token.
    some = 1.0 if columns[1] else 0.0
    assert sum(line.value for line in lines if line not in sums) == pytest.approx(some)
    assert max(line.value for line in sums) == some
    assert columns[1] > 0 or (name, scope, phase) == ("t5-small", "layer", "decode")


def test_tabs_choose_what_is_counted(qtbot: QtBot) -> None:
    shown = live(qtbot, LLAMA)
    whole = bars_of(shown)
    click_tab(shown, "scope", 1)
    assert shown.state.costing.scope == "layer"
    assert bars_of(shown)[0].head[0] == "218,112,000 parameters"
    assert panel_of(shown).title.text == "One layer of Llama 3 8B"
    click_tab(shown, "scope", 0)
    assert bars_of(shown) == whole
    click_tab(shown, "bits", 3)
    assert shown.state.costing.bits == 4
    click_tab(shown, "bits", 1)
    assert bars_of(shown) == whole
    click_tab(shown, "causal", 1)
    scores = {p.group: p.value for p in bars_of(shown)[1].pieces}["scores"]
    assert scores == 32 * 4 * 8_192**2 * 4_096
    click_tab(shown, "phase", 1)
    assert shown.state.costing.phase == "decode"
    controls = panel_of(shown).controls
    assert (controls.labels["tokens"].text(), controls.tokens.value()) == ("T", 8_192)
    assert {p.group: p.value for p in bars_of(shown)[1].pieces}["scores"] == 32 * 4 * 8_193 * 4_096


def test_s_is_typed(qtbot: QtBot) -> None:
    shown = live(qtbot)
    panel = panel_of(shown)
    assert panel.controls.tokens.text() == "8 (sentence)"
    panel.controls.tokens.setFocus()
    panel.controls.tokens.selectAll()
    QTest.keyClicks(panel.controls.tokens, "4096")
    qtbot.keyClick(panel.controls.tokens, Qt.Key.Key_Return)
    settle()
    assert shown.state.costing.tokens == 4_096
    assert panel.controls.tokens.value() == 4_096
    assert panel.list.hasFocus(), "the keyboard goes on with the rows"
    panel.controls.tokens.setFocus()
    panel.controls.tokens.selectAll()
    QTest.keyClicks(panel.controls.tokens, "0")
    qtbot.keyClick(panel.controls.tokens, Qt.Key.Key_Return)
    settle()
    assert shown.state.costing.tokens == 0
    assert panel.controls.tokens.text() == "8 (sentence)"


def test_a_row_says_its_formulas(qtbot: QtBot) -> None:
    shown = live(qtbot, LLAMA)
    assert lines_of(shown)[0] == "Choose a row or a piece of a bar: its formulas stand here."
    panel_of(shown).list.setFocus()
    for _ in range(rows_of(shown).total):
        qtbot.keyClick(panel_of(shown).list, Qt.Key.Key_Down)
        if chosen_of(shown) == "FFN up":
            break
    assert chosen_of(shown) == "FFN up"
    assert lines_of(shown) == [
        "Parameters: L·D·F = 32·4,096·14,336 = 1,879,048,192",
        "FLOPs: 2·L·S·D·F = 2·32·8,192·4,096·14,336 = 30,786,325,577,728",
        "Bytes: (L·D·F) · 16 / 8 = (32·4,096·14,336) · 16 / 8 = 3,758,096,384",
    ]
    picture = panel_of(shown).bars.picture
    assert picture is not None
    assert picture.chosen == "up"


@pytest.mark.parametrize("bar", [0, 1, 2])
def test_a_piece_chooses_its_rows_one_after_the_other(qtbot: QtBot, bar: int) -> None:
    shown = live(qtbot, LLAMA)
    bill = model_bill(model("llama-3-8b").shape, Use(8_192))
    inside = [row.name for row in bill.rows if group_of(row) == "attention"]
    assert len(inside) == 4
    for name in (*inside, inside[0]):
        click_piece(shown, bar, "attention")
        assert dict(shown.state.views)["model"].sort == name


def test_a_piece_that_only_the_second_bill_has_can_be_chosen_too(qtbot: QtBot) -> None:
    shown = live(qtbot, Costing("gpt2-small", beside="t5-1.1-xxl"))
    click_piece(shown, 0, "gate", other=True)
    assert chosen_of(shown) == "FFN gate"
    assert lines_of(shown)[0].endswith(f" = {48 * 4_096 * 10_240:,}")
    click_piece(shown, 0, "down", other=True)
    assert chosen_of(shown) == "FFN down"


def test_the_chosen_row_stays_while_another_model_has_it(qtbot: QtBot) -> None:
    shown = live(qtbot, LLAMA)
    click_piece(shown, 0, "gate")
    shown.change(changes.set_costing(model="gpt2-small"))
    assert chosen_of(shown) == ""
    assert lines_of(shown)[0].startswith("Choose a row")
    shown.change(changes.set_costing(model="mistral-7b"))
    assert chosen_of(shown) == "FFN gate"


def test_only_a_public_model_can_be_loaded(qtbot: QtBot) -> None:
    shown = live(qtbot)
    assert not panel_of(shown).controls.load_button.isEnabled()
    shown.change(changes.set_costing(model="gpt2-small"))
    assert panel_of(shown).controls.load_button.isEnabled()
    shown.change(changes.use_memory("facts"))
    assert not panel_of(shown).controls.load_button.isEnabled(), "memories are hand-built"
