"""A token that its experts have no room for: nothing flows, nothing is counted, and the words say why."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.curve import CurvePanel
from ffn_explorer.panels.proof import ProofPanel
from ffn_explorer.panels.stage import StagePanel
from ffn_explorer.state.app_state import Appearance, Language, Selection
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.panel import Panel
from tests.ui.live import SMALL, scene_of, state_of

TIGHT = SMALL.with_(experts=2, top_k=2, capacity_factor=0.01)
WORDS = {
    "en": ("dropped", "had no room left", "Strongest memory", "not computed"),
    "ja": ("枠なし", "枠が残っておらず", "最も強い記憶", "計算なし"),
}
LANGUAGES: tuple[Language, ...] = ("en", "ja")


def tight(language: Language = "en", **selection: object) -> Scene:
    """Two experts with one place each, both taken by the first token; the last one is shown."""
    chosen = Selection(**{"token": 3, **selection})  # type: ignore[arg-type] # fields of Selection
    look = Appearance(language=language)
    return scene_of(state_of("a b c d", settings=TIGHT, selection=chosen, appearance=look))


def shown(qtbot: QtBot, panel: Panel, scene: Scene) -> None:
    qtbot.addWidget(panel)
    panel.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    panel.resize(1100, 430)
    panel.offer(scene)
    panel.show()
    QApplication.processEvents()


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_flows_and_the_router_says_so(qtbot: QtBot, language: Language) -> None:
    plate, caption, memory, _ = WORDS[language]
    panel = StagePanel()
    shown(qtbot, panel, tight(language))
    picture = panel.view.item.picture
    assert picture is not None
    assert picture.ribbons == ()
    assert [choice.dropped for choice in picture.choices] == [True, True]
    assert all(plate in choice.long and plate in choice.short for choice in picture.choices)
    assert not any(choice.weight for choice in picture.choices)
    assert picture.router is not None
    words = panel.footer.shown()[0]
    assert caption in words
    assert memory not in words

    panel.offer(tight(language, token=0))
    picture = panel.view.item.picture
    assert picture is not None
    assert picture.ribbons
    assert not any(choice.dropped or plate in choice.long for choice in picture.choices)
    assert memory in panel.footer.shown()[0]


def test_a_neuron_of_it_can_be_looked_at(qtbot: QtBot) -> None:
    panel = StagePanel()
    shown(qtbot, panel, tight(stage=Stage.ACT, neuron=7))
    picture = panel.view.item.picture
    assert picture is not None
    cell = tight(stage=Stage.ACT, neuron=7).selection.cell()
    assert cell is not None
    assert picture.ribbons_at(cell) == ()
    assert not panel.grab().isNull()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_curve_shows_no_neurons_that_were_not_computed(qtbot: QtBot, language: Language) -> None:
    panel = CurvePanel()
    shown(qtbot, panel, tight(language, stage=Stage.ACT, neuron=7))
    picture = panel.plot.picture
    assert picture is not None
    assert (len(picture.dots), picture.histogram, picture.marks) == (0, None, ())
    assert [entry.key for entry in picture.legend] == ["slope", ""]
    assert WORDS[language][3] in picture.legend[1].words
    assert WORDS[language][3] in picture.legend[1].short
    panel.offer(tight(language, token=0))
    picture = panel.plot.picture
    assert picture is not None
    assert picture.histogram is not None
    assert len(picture.dots) == 64


@pytest.mark.parametrize("stage", [Stage.UP, Stage.ACT, Stage.OUT, Stage.RESIDUAL])
def test_its_numbers_are_proved(qtbot: QtBot, stage: Stage) -> None:
    scene = tight(stage=stage, neuron=7, dim=3)
    assert scene.proof is not None
    assert scene.proof.difference <= scene.proof.tolerance
    assert (scene.proof.shown == 0.0) == (stage is not Stage.RESIDUAL)
    panel = ProofPanel()
    shown(qtbot, panel, scene)
    assert panel.page.accessibleDescription()
