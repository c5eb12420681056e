"""Number fields: double click, Escape, Enter and the keyboard, numbers out of range."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from ffn_explorer.app.controls.editors import TYPING_PAUSE_MS, FloatEdit, IntEdit, RatioEdit
from ffn_explorer.core.errors import SettingError
from ffn_explorer.panels.memory import MemoryPanel
from ffn_explorer.panels.neuron import NeuronPanel
from ffn_explorer.panels.output import OutputPanel
from ffn_explorer.panels.running_sum import RunningSumPanel
from ffn_explorer.panels.sparsity import SparsityPanel
from ffn_explorer.panels.theatre import TheatrePanel
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, View
from ffn_explorer.state.change import Change
from ffn_explorer.widgets.panel import Panel
from tests.ui.house import SMALL, house, press, scene
from tests.ui.live import Live, mouse, settle, state_of

Field = IntEdit | FloatEdit


class Case(NamedTuple):
    """A card, its field, the picture that the keyboard goes back to, and what the number stands for."""

    panel: Callable[[], Panel]
    field: Callable[[Any], Field]
    picture: Callable[[Any], QWidget]
    value: Callable[[AppState], float | None]
    typed: str
    outside: str


CASES = {
    "memory": Case(
        MemoryPanel, lambda p: p.field, lambda p: p.list, lambda s: s.selection.neuron, "12", "9,999"
    ),
    "running_sum": Case(
        RunningSumPanel, lambda p: p.field, lambda p: p.plot, lambda s: s.edits.keep, "12", "0"
    ),
    "output": Case(OutputPanel, lambda p: p.dim, lambda p: p.list, lambda s: s.selection.dim, "12", "24"),
    "neuron": Case(
        NeuronPanel,
        lambda p: p.body.neuron,
        lambda p: p.body.tokens,
        lambda s: s.selection.neuron,
        "12",
        "64",
    ),
    "theta": Case(
        SparsityPanel, lambda p: p.theta.field, lambda p: p.bars, lambda s: s.theta.value, "0.25", "-1"
    ),
}


def opened(qtbot: QtBot, case: Case) -> tuple[Live, Field]:
    live = Live(qtbot, case.panel(), state_of())
    live.change(changes.choose(neuron=3))
    field = case.field(live.panel)
    field.setFocus()
    field.selectAll()
    settle()
    assert field.hasFocus()
    return live, field


def line_of(field: QWidget) -> QLineEdit:
    line = field.findChild(QLineEdit)
    assert line is not None
    return line


def test_a_double_click_takes_the_whole_number(qtbot: QtBot) -> None:
    field = IntEdit(1, 65_536, 64)
    qtbot.addWidget(field)
    field.show_value(2_048)
    field.show()
    line = line_of(field)
    place = QPointF(line.cursorRect().center())
    for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick):
        mouse(line, kind, place)
    assert line.selectedText() == "2,048"
    QTest.keyClicks(field, "1024")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.value() == 1_024


def test_a_double_click_takes_a_whole_fraction(qtbot: QtBot) -> None:
    field = RatioEdit()
    qtbot.addWidget(field)
    field.show_ratio(1_376, 516)
    field.show()
    line = line_of(field)
    assert line.text() == "×8/3"
    mouse(line, QEvent.Type.MouseButtonDblClick, QPointF(line.cursorRect().center()))
    assert line.selectedText() == "×8/3"


@pytest.mark.parametrize("typed", ["700", "", "99999", "-"])
def test_escape_takes_back_what_is_typed(qtbot: QtBot, typed: str) -> None:
    field = IntEdit(1, 16_384, 64)
    qtbot.addWidget(field)
    field.show_value(2_048)
    field.show()
    said: list[object] = []
    for signal in (field.chosen, field.refused, field.entered):
        signal.connect(lambda *what: said.append(what))
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, typed)
    if not typed:
        QTest.keyClick(field, Qt.Key.Key_Backspace)
    with qtbot.waitSignal(field.done, timeout=500):
        QTest.keyClick(field, Qt.Key.Key_Escape)
    field.clearFocus()
    qtbot.wait(TYPING_PAUSE_MS + 100)
    assert (field.text(), field.value(), said) == ("2,048", 2_048, [])


def test_escape_shows_what_came_while_typing(qtbot: QtBot) -> None:
    field = IntEdit(1, 16_384, 64)
    qtbot.addWidget(field)
    field.show_value(512)
    field.selectAll()
    QTest.keyClicks(field, "70")
    field.show_value(640)
    assert field.text() == "70"
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert (field.text(), field.value()) == ("640", 640)


def test_a_step_starts_from_what_is_typed(qtbot: QtBot) -> None:
    field = IntEdit(1, 16_384, 64)
    qtbot.addWidget(field)
    heard: list[int] = []
    field.chosen.connect(heard.append)
    field.selectAll()
    QTest.keyClicks(field, "128")
    field.stepBy(1)
    qtbot.wait(TYPING_PAUSE_MS + 100)
    assert heard == [192]


@pytest.mark.parametrize("name", CASES)
def test_enter_in_a_card_applies_and_gives_the_keyboard_back(qtbot: QtBot, name: str) -> None:
    live, field = opened(qtbot, CASES[name])
    QTest.keyClicks(field, CASES[name].typed)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert CASES[name].value(live.state) == float(CASES[name].typed)
    assert QApplication.focusWidget() is CASES[name].picture(live.panel)


@pytest.mark.parametrize("name", CASES)
def test_typing_in_a_card_counts_after_a_pause(qtbot: QtBot, name: str) -> None:
    live, field = opened(qtbot, CASES[name])
    QTest.keyClicks(field, CASES[name].typed)
    wanted = float(CASES[name].typed)
    qtbot.waitUntil(lambda: CASES[name].value(live.state) == wanted, timeout=3 * TYPING_PAUSE_MS)
    assert field.hasFocus()


@pytest.mark.parametrize("name", CASES)
def test_escape_in_a_card_leaves_all_as_it_was(qtbot: QtBot, name: str) -> None:
    live, field = opened(qtbot, CASES[name])
    before, text = live.state, field.text()
    QTest.keyClicks(field, CASES[name].typed)
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert (live.state, field.text()) == (before, text)
    assert QApplication.focusWidget() is CASES[name].picture(live.panel)


@pytest.mark.parametrize("name", CASES)
def test_a_number_out_of_range_is_refused_in_a_card(qtbot: QtBot, name: str) -> None:
    live, field = opened(qtbot, CASES[name])
    live.panel.requested.disconnect(live.change)
    asked: list[Change] = []
    live.panel.requested.connect(asked.append)
    text = field.text()
    QTest.keyClicks(field, CASES[name].outside)
    qtbot.wait(TYPING_PAUSE_MS + 100)
    assert asked == []
    QTest.keyClick(field, Qt.Key.Key_Return)
    with pytest.raises(SettingError) as refusal:
        asked[0].to(live.state)
    assert refusal.value.values["value"] == int(CASES[name].outside.replace(",", ""))
    assert refusal.value.values["high"] == int(field.maximum())
    assert field.text() == text


@pytest.mark.parametrize("mode", ["", "patterns"])
def test_the_list_of_the_theatre_gives_the_keyboard_back(qtbot: QtBot, mode: str) -> None:
    live = Live(qtbot, TheatrePanel(), state_of())
    panel = live.panel
    assert isinstance(panel, TheatrePanel)
    panel.bar.picker.activated.emit(panel.bar.picker.findData("xor"))
    live.change(changes.set_view("theatre", View(mode=mode)))
    settle()
    panel.bar.picker.setFocus()
    panel.bar.picker.showPopup()
    panel.bar.picker.hidePopup()
    assert QApplication.focusWidget() is (panel if mode else panel.view)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [("0", "D cannot be 0: give a number from 1 to 32,768."), ("40000", "D cannot be 40,000: give a number")],
)
def test_a_width_out_of_range_is_refused_in_a_sentence(qtbot: QtBot, typed: str, sentence: str) -> None:
    with house(qtbot) as window:
        field = next(knob.editor for knob in window.controls.knobs if knob.row.field == "d_model")
        assert isinstance(field, IntEdit)
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, typed)
        press(window, Qt.Key.Key_Return)
        assert window.board.hasFocus()
        label = window.notices.message.label
        qtbot.waitUntil(lambda: sentence in label.text())
        assert (field.text(), window.director.state.settings) == ("8", SMALL.settings)
        assert scene(window).settings == SMALL.settings


def test_escape_in_a_knob_of_the_bar_gives_the_keyboard_back(qtbot: QtBot) -> None:
    with house(qtbot) as window:
        field = next(knob.editor for knob in window.controls.knobs if knob.row.field == "d_ff")
        assert isinstance(field, IntEdit)
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, "48")
        press(window, Qt.Key.Key_Escape)
        assert window.board.hasFocus()
        assert (field.text(), window.director.state.settings) == ("32", SMALL.settings)
