"""A knob that leaves too few experts is refused in a sentence, as dropping one too many is."""

from dataclasses import replace

from pytestqt.qtbot import QtBot

from ffn_explorer.core.edits import Edits
from ffn_explorer.state import changes
from ffn_explorer.state.text import say
from tests.ui.house import SMALL, house, scene

EXPERTS = replace(SMALL, settings=SMALL.settings.with_(experts=4, top_k=2), edits=Edits(banned=(0, 1)))


def test_more_experts_per_token_than_are_left_are_refused(qtbot: QtBot) -> None:
    with house(qtbot, EXPERTS) as window:
        window.director.request(changes.set_setting("top_k", 3))
        assert window.director.state == replace(EXPERTS, shown=window.director.state.shown)
        qtbot.waitUntil(lambda: scene(window).message is not None)
        message = scene(window).message
        assert message is not None
        assert "2 experts are left and each token needs 3" in say("en", message)
        assert not scene(window).stale


def test_it_goes_on_once_they_are_back(qtbot: QtBot) -> None:
    with house(qtbot, EXPERTS) as window:
        window.director.request(changes.drop_edit("banned"))
        window.director.request(changes.set_setting("top_k", 3))
        assert window.director.state.settings.top_k == 3
        window.director.request(changes.set_setting("experts", 1))
        assert window.director.state.settings.experts == 1
