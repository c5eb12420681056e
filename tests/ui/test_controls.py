"""The knobs: they show the Scene, speak only when a person acts, and every setting has one."""

from dataclasses import fields, replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.app.controls.bar import ControlBar
from ffn_explorer.app.controls.editors import TYPING_PAUSE_MS, IntEdit, RatioEdit, parse_ratio
from ffn_explorer.app.controls.knobs import ChoiceKnob, Knob, ThetaKnob
from ffn_explorer.app.controls.presets import PRESETS
from ffn_explorer.app.controls.table import CONTROLS
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import Appearance, AppState, Theta
from ffn_explorer.state.change import Change
from ffn_explorer.state.resolver import Resolver
from ffn_explorer.state.results import Results
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say


def scene_of(settings: Settings | None = None, language: str = "en") -> Scene:
    look = Appearance(language="ja" if language == "ja" else "en")
    state = AppState(settings=settings or Settings(), appearance=look)
    return Resolver(Results(1 << 20)).resolve(state)


@pytest.fixture
def bar(qtbot: QtBot) -> ControlBar:
    made = ControlBar()
    qtbot.addWidget(made)
    made.resize(1280, 60)
    made.offer(scene_of())
    return made


def knob_of(bar: ControlBar, field: str) -> Knob:
    return next(knob for knob in (*bar.knobs, *bar.more.knobs) if knob.row.field == field)


def heard(bar: ControlBar) -> list[Change]:
    changes: list[Change] = []
    bar.requested.connect(changes.append)
    return changes


def test_every_setting_has_a_knob() -> None:
    assert {field.name for field in fields(Settings)} <= {row.field for row in CONTROLS}


def test_showing_another_scene_asks_for_nothing(bar: ControlBar) -> None:
    changes = heard(bar)
    bar.offer(
        scene_of(
            Settings(d_model=64, d_ff=96, activation="swiglu", norm="rms", bias=False, experts=4, top_k=2)
        )
    )
    bar.offer(scene_of(language="ja"))
    bar.offer(scene_of())
    assert changes == []


def test_a_step_asks_at_once(bar: ControlBar) -> None:
    changes = heard(bar)
    editor = knob_of(bar, "d_model").editor
    assert isinstance(editor, IntEdit)
    editor.stepBy(1)
    (change,) = changes
    assert change.to(AppState()).settings.d_model == 576


def test_typing_asks_after_enter_and_only_once(bar: ControlBar, qtbot: QtBot) -> None:
    changes = heard(bar)
    editor = knob_of(bar, "d_ff").editor
    assert isinstance(editor, IntEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, "1376")
    assert changes == []
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.wait(TYPING_PAUSE_MS + 100)
    assert [change.to(AppState()).settings.d_ff for change in changes] == [1376]


def test_typing_asks_after_a_pause(bar: ControlBar, qtbot: QtBot) -> None:
    editor = knob_of(bar, "seed").editor
    assert isinstance(editor, IntEdit)
    editor.selectAll()
    with qtbot.waitSignal(bar.requested, timeout=3 * TYPING_PAUSE_MS) as caught:
        qtbot.keyClicks(editor, "12")
    assert caught.args is not None
    assert caught.args[0].to(AppState()).settings.seed == 12


@pytest.mark.parametrize(
    ("start", "steps", "end"), [(512, 1, 576), (500, 1, 512), (500, -1, 448), (64, -1, 1)]
)
def test_steps_go_to_multiples(qtbot: QtBot, start: int, steps: int, end: int) -> None:
    editor = IntEdit(1, 16_384, 64)
    qtbot.addWidget(editor)
    editor.show_value(start)
    editor.stepBy(steps)
    assert editor.value() == end


def test_the_wheel_changes_nothing_without_focus(bar: ControlBar) -> None:
    changes = heard(bar)
    editor = knob_of(bar, "d_model").editor
    centre = editor.rect().center().toPointF()
    wheel = QWheelEvent(
        centre,
        editor.mapToGlobal(centre),
        editor.rect().center(),
        editor.rect().bottomRight(),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(editor, wheel)
    assert changes == []


@pytest.mark.parametrize(
    ("typed", "ratio"),
    [("4", 4.0), ("8/3", 8 / 3), ("×3.5", 3.5), ("2,5", 2.5), (" x2 ", 2.0), ("×6e-05", 6e-05)],
)
def test_ratios_that_can_be_typed(typed: str, ratio: float) -> None:
    assert parse_ratio(typed) == pytest.approx(ratio)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "typed",
    ["", "x", "0", "-4", "1/0", "nan", "inf", "inf/inf", "1e99", "four", "4/", "/3", "1e999999999", "1e-9/0"],
)
def test_what_is_no_ratio(typed: str) -> None:
    assert parse_ratio(typed) is None


def test_the_ratio_sets_dff(bar: ControlBar, qtbot: QtBot) -> None:
    changes = heard(bar)
    editor = knob_of(bar, "ratio").editor
    assert isinstance(editor, RatioEdit)
    assert editor.currentText() == "×4"
    editor.lineEdit().selectAll()  # type: ignore[union-attr]
    qtbot.keyClicks(editor.lineEdit(), "8/3")
    qtbot.keyClick(editor.lineEdit(), Qt.Key.Key_Return)
    assert changes[-1].to(AppState()).settings.d_ff == 1365
    bar.offer(scene_of(Settings(d_ff=1365)))
    assert editor.currentText() == "×8/3"


@pytest.mark.parametrize(
    ("d_ff", "d_model", "shown"), [(1376, 512, "×2.688"), (3, 7, "×0.429"), (1, 16_384, "×6e-05")]
)
def test_a_ratio_is_as_short_as_its_field(qtbot: QtBot, d_ff: int, d_model: int, shown: str) -> None:
    editor = RatioEdit()
    qtbot.addWidget(editor)
    editor.show_ratio(d_ff, d_model)
    assert editor.currentText() == shown


def test_a_knob_that_cannot_be_used_says_why(bar: ControlBar) -> None:
    knob = knob_of(bar, "top_k")
    assert not knob.isEnabled()
    assert knob.toolTip() == "Needs at least 2 experts"
    bar.offer(scene_of(Settings(experts=4, top_k=2)))
    assert knob.isEnabled()


def test_the_layer_ends_at_the_last(bar: ControlBar) -> None:
    bar.offer(scene_of(Settings(layers=3, layer=2)))
    editor = knob_of(bar, "layer").editor
    assert isinstance(editor, IntEdit)
    assert (editor.value(), editor.maximum()) == (2, 2)


def test_devices_appear_when_they_are_found(bar: ControlBar) -> None:
    knob = knob_of(bar, "device")
    assert isinstance(knob, ChoiceKnob)
    assert [knob.edit.itemData(i) for i in range(knob.edit.count())] == ["cpu"]
    bar.set_devices(("cpu", "cuda"))
    assert [knob.edit.itemText(i) for i in range(knob.edit.count())] == ["CPU", "CUDA"]


def test_the_other_knobs_are_built_when_asked_for_and_then_show_what_is(bar: ControlBar) -> None:
    bar.set_devices(("cpu", "cuda"))
    bar.offer(scene_of(Settings(layers=3), language="ja"))
    assert "more" not in vars(bar)
    layers, device = knob_of(bar, "layers").editor, knob_of(bar, "device")
    assert isinstance(layers, IntEdit)
    assert layers.value() == 3
    assert layers.accessibleName() == say("ja", "control.layers")
    assert isinstance(device, ChoiceKnob)
    assert device.edit.count() == 2
    changes = heard(bar)
    layers.stepBy(1)
    assert len(changes) == 1


def test_every_preset_is_possible() -> None:
    for preset in PRESETS:
        settings = preset.change().to(AppState()).settings
        assert settings == replace(settings)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_editor_is_named_and_reachable(bar: ControlBar, language: str) -> None:
    bar.offer(scene_of(language=language))
    for knob in (*bar.knobs, *bar.more.knobs):
        assert knob.editor.accessibleName(), knob.row.field
        assert knob.toolTip(), knob.row.field
        assert knob.editor.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert knob.label.buddy() is knob.editor


@pytest.mark.parametrize("width", [1280, 900, 640])
def test_the_bar_wraps_instead_of_cutting(bar: ControlBar, qtbot: QtBot, width: int) -> None:
    bar.resize(width, 400)
    bar.show()
    qtbot.waitExposed(bar)
    for knob in bar.knobs:
        assert knob.width() >= knob.sizeHint().width(), knob.row.field
        right = knob.mapTo(bar, knob.rect().topRight()).x()
        assert right <= width, knob.row.field


def test_the_tick_beside_theta_leaves_the_number(bar: ControlBar) -> None:
    state = AppState(theta=Theta(0.004))
    bar.offer(Resolver(Results(1 << 20)).resolve(state))
    knob = knob_of(bar, "theta")
    assert isinstance(knob, ThetaKnob)
    assert knob.edit.text() == "0.004"
    changes = heard(bar)
    knob.relative.click()
    assert changes[-1].to(state).theta == Theta(0.004, relative=True)
