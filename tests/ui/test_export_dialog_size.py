"""The export dialog has room for all of its choices, and where the screen has not, they scroll."""

from __future__ import annotations

from typing import get_args

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ffn_explorer.app.exports import EXPORTS
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Language
from tests.ui.house import house
from tests.ui.live import settle
from tests.ui.test_export_dialog import dialog_on


@pytest.mark.parametrize("language", get_args(Language))
@pytest.mark.parametrize("theme", ["light", "projector"])
def test_nothing_scrolls_at_the_usual_size(qtbot: QtBot, theme: str, language: Language) -> None:
    with house(qtbot) as window:
        window.director.request(changes.set_language(language))
        window.director.request(changes.set_theme("projector" if theme == "projector" else "light"))
        window.director.show_now()
        window.resize(1_280, 720)
        dialog = dialog_on(window)
        first = dialog.size()
        for row in range(len(EXPORTS)):
            dialog.kinds.setCurrentRow(row)
            settle()
            assert not dialog.area.verticalScrollBar().isVisible(), EXPORTS[row].kind
            assert not dialog.area.horizontalScrollBar().isVisible(), EXPORTS[row].kind
        assert dialog.size() == first


def test_at_twice_the_size_the_buttons_stay_in_sight(qtbot: QtBot) -> None:
    with house(qtbot) as window:
        window.director.request(changes.set_scale(2.0))
        window.director.show_now()
        window.resize(1_280, 720)
        dialog = dialog_on(window, "film")
        settle()
        assert dialog.height() <= window.height()
        assert dialog.width() <= window.width()
        assert dialog.rect().contains(dialog.ok.geometry().translated(dialog.box.pos()))
        assert dialog.area.verticalScrollBar().isVisible()
        # The keyboard brings what lies below into sight.
        seen = set()
        for _ in range(30):
            qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
            at = dialog.focusWidget()
            if dialog.area.widget().isAncestorOf(at):
                seen.add(at)
                corner = at.mapTo(dialog.area.viewport(), at.rect().center())
                assert dialog.area.viewport().rect().contains(corner)
        assert len(seen) >= 8
        assert dialog.area.verticalScrollBar().maximum() > 0
