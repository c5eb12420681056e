"""Tokens that no font can draw are named by code points wherever a token is written."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.chips import ChipsPanel
from ffn_explorer.panels.curve import CurvePanel
from ffn_explorer.panels.maps import MapsPanel
from ffn_explorer.panels.proof import ProofPanel
from ffn_explorer.panels.stage import StagePanel
from ffn_explorer.state.app_state import Selection, View
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets import glyphs
from ffn_explorer.widgets.panel import Panel
from tests.ui.live import scene_of, state_of

NAMED = "<U+1F468><U+1F469>"
"""What is written for 👨‍👩, the joiner left as it is or out."""


@pytest.fixture(autouse=True)
def no_emoji(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fonts as on a machine without one for emoji."""
    glyphs.drawable.cache_clear()
    monkeypatch.setattr(glyphs, "_has_glyphs", lambda text, _font: not any(c in text for c in "👨👩"))
    yield
    glyphs.drawable.cache_clear()


def family() -> Scene:
    chosen = Selection(token=1, neuron=3, stage=Stage.ACT)
    return scene_of(state_of("a 👨‍👩 b", selection=chosen, views=(("maps", View(Stage.ACT)),)))


def words_of(panel: Panel) -> list[str]:
    """Every sentence of a panel that names the token."""
    scene = family()
    panel.resize(900, 300)
    panel.offer(scene)
    QApplication.processEvents()
    match panel:
        case ChipsPanel():
            return [panel.row.accessibleDescription()]
        case StagePanel():
            return [panel.title.text]
        case CurvePanel():
            picture = panel.plot.picture
            assert picture is not None
            return list(picture.axes.x_name[:2])  # the shortest names no token
        case MapsPanel():
            shown = panel.map.picture
            assert shown is not None
            return [shown.rows[1], shown.words.readout]
        case ProofPanel():
            return [panel.page.accessibleDescription(), panel.as_text()]
    raise AssertionError(panel)


@pytest.mark.parametrize("kind", [ChipsPanel, StagePanel, CurvePanel, MapsPanel, ProofPanel])
def test_every_panel_names_what_it_cannot_draw(qtbot: QtBot, kind: type[Panel]) -> None:
    panel = kind()
    qtbot.addWidget(panel)
    found = words_of(panel)
    assert found
    for words in found:
        assert NAMED in words.replace("\u200d", ""), words
        assert "👨" not in words
