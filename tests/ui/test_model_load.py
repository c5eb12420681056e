"""Loading a public model's sizes from the whole bill, and what is refused there, in a real window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from ffn_explorer.app.window import Window
from ffn_explorer.panels.model import ModelPanel
from ffn_explorer.state.app_state import AppState
from tests.ui.house import house, press
from tests.ui.live import pick


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        made.arrangement.use("cost")
        qtbot.waitUntil(lambda: "model" in made.board.panels and made.board.panels["model"].scene is not None)
        yield made


def load(window: Window, name: str, qtbot: QtBot) -> QAbstractButton:
    """Choose a public model and press Load."""
    panel = window.board.panels["model"]
    assert isinstance(panel, ModelPanel)
    pick(panel.controls.model, name)
    qtbot.waitUntil(panel.controls.load_button.isEnabled)
    QTest.mouseClick(panel.controls.load_button, Qt.MouseButton.LeftButton)
    return panel.controls.load_button


def message(window: Window) -> str:
    """Message on screen, "" where there is none."""
    notice = window.notices.message
    return "" if notice.isHidden() else notice.sentence


def test_sizes_become_settings_and_a_sentence_says_so(window: Window, qtbot: QtBot) -> None:
    before: AppState = window.director.state
    load(window, "Transformer base", qtbot)
    made = window.director.state.settings
    assert (made.d_model, made.d_ff, made.heads, made.activation) == (512, 2_048, 8, "relu")
    assert made.norm_placement == "post"
    assert (made.seed, made.dtype) == (before.settings.seed, before.settings.dtype)
    qtbot.waitUntil(lambda: message(window).startswith("Settings now have the sizes of Transformer base, "))
    qtbot.waitUntil(
        lambda: window.scene is not None and window.scene.run is not None and not window.scene.stale
    )
    window.director.session.undo()
    assert window.director.state.settings == before.settings


def test_what_does_not_fit_is_scaled_down_and_that_is_said(
    window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ffn_explorer.core.budget.free_bytes", lambda _device="cpu": 5 * 10**7)
    load(window, "GPT-3 175B", qtbot)
    made = window.director.state.settings
    divisor = 12_288 // made.d_model
    assert divisor in (16, 32, 64, 128, 256)
    assert (made.d_ff * divisor, made.heads * divisor) == (49_152, max(96, divisor))
    wanted = f"GPT-3 175B does not fit here whole: D, F and heads were divided by {divisor}, "
    qtbot.waitUntil(lambda: message(window).startswith(wanted))


def test_a_refusal_keeps_the_settings(window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    before = window.director.state.settings
    monkeypatch.setattr("ffn_explorer.core.budget.free_bytes", lambda _device="cpu": 10)
    button = load(window, "Llama 3 8B", qtbot)
    qtbot.waitUntil(lambda: "half" in message(window))
    assert window.director.state.settings == before
    assert window.director.state.costing.model == "llama-3-8b"
    assert button.isEnabled()


def test_s_out_of_range_is_said_and_gives_way(window: Window, qtbot: QtBot) -> None:
    panel = window.board.panels["model"]
    assert isinstance(panel, ModelPanel)
    panel.controls.tokens.setFocus()
    panel.controls.tokens.selectAll()
    QTest.keyClicks(panel.controls.tokens, "99999999999")
    press(window, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "10,000,000" in message(window))
    assert window.director.state.costing.tokens == 0
    qtbot.waitUntil(lambda: panel.controls.tokens.text() == "8 (sentence)")
