"""Transport: play, scrub, step, and the caption of the present stage."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.transport import SPEEDS, TransportPanel
from ffn_explorer.state import timeline
from ffn_explorer.state.app_state import Appearance, Playback
from ffn_explorer.state.text import Text
from tests.scenes import TINY, make_scene
from tests.ui.live import SMALL, Live, drag, picture, pixels, state_of

FULL = TINY.with_(activation="swiglu", norm="rms", norm_placement="sandwich")
"""Most stages there can be: eight dots."""


def live(qtbot: QtBot, *, settings: Settings = SMALL, **parts: object) -> tuple[Live, TransportPanel]:
    panel = TransportPanel()
    state = replace(state_of(), settings=settings, playback=Playback(**parts))  # type: ignore[arg-type]
    return Live(qtbot, panel, state, width=1_280), panel


def shown(qtbot: QtBot, **parts: object) -> TransportPanel:
    panel = TransportPanel()
    qtbot.addWidget(panel)
    panel.offer(make_scene(**parts))  # type: ignore[arg-type]
    panel.resize(1_280, panel.height())
    panel.show()
    return panel


def test_the_button_plays_from_the_start_and_pauses(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    assert panel.play.icon_name == "play"
    panel.play.click()
    assert joined.state.playback == Playback(time=0.0, playing=True)
    assert panel.play.icon_name == "pause"
    panel.play.click()
    assert not joined.state.playback.playing


@pytest.mark.parametrize("x", [30, 101, 222, 333, 468])
def test_a_press_on_the_line_goes_to_that_very_pixel(qtbot: QtBot, x: int) -> None:
    joined, panel = live(qtbot)
    near = [abs(panel.track.x_of(stop) - x) for stop in rests(joined)]
    if min(near) <= 11:
        pytest.fail("choose a pixel between the dots")
    drag(panel.track, QPointF(x, 14))
    assert panel.track.x_of(joined.state.playback.time) == pytest.approx(x, abs=1e-9)


def rests(joined: Live) -> list[float]:
    assert joined.panel.scene is not None
    stages = tuple(info.stage for info in joined.panel.scene.stages)
    return [segment.end for segment in timeline.segments(stages)]


def test_a_press_on_a_dot_or_its_name_goes_exactly_there(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    for index, time in enumerate(rests(joined)):
        drag(panel.track, QPointF(panel.track.x_of(time) + 7, 14))
        assert joined.state.playback.time == time
        name = panel.track.names_shown()[index]
        drag(panel.track, name.center())
        assert joined.state.playback.time == time


def test_a_drag_scrubs_and_dots_hold_the_knob(qtbot: QtBot) -> None:
    joined, panel = live(qtbot, time=0.0)
    track, dot = panel.track, rests(joined)[2]
    free, held = track.x_of(dot) - 40.0, track.x_of(dot) - 4.0
    drag(track, QPointF(60, 14), QPointF(free, 14), drop=False)
    assert track.x_of(joined.state.playback.time) == pytest.approx(free)
    drag(track, QPointF(60, 14), QPointF(free, 14), QPointF(held, 300))
    assert joined.state.playback.time == dot
    drag(track, QPointF(60, 14), QPointF(-500, 14))
    assert joined.state.playback.time == 0.0


def test_keys_step_and_go_to_the_ends(qtbot: QtBot) -> None:
    joined, panel = live(qtbot, time=0.0)
    panel.track.setFocus()
    stops = rests(joined)
    QTest.keyClick(panel.track, Qt.Key.Key_Right)
    assert joined.state.playback.time == stops[1]
    QTest.keyClick(panel.track, Qt.Key.Key_End)
    assert joined.state.playback.time == 1.0
    QTest.keyClick(panel.track, Qt.Key.Key_Left)
    assert joined.state.playback.time == stops[-2]
    QTest.keyClick(panel.track, Qt.Key.Key_Home)
    assert joined.state.playback.time == 0.0
    QTest.keyClick(panel.track, Qt.Key.Key_Space)
    assert joined.state.playback.playing


def test_arrows_reach_the_track_from_a_button(qtbot: QtBot) -> None:
    joined, panel = live(qtbot, time=0.0)
    panel.speed.setFocus()
    QTest.keyClick(panel.speed, Qt.Key.Key_Right)
    assert joined.state.playback.time == rests(joined)[1]


def test_speeds_go_round(qtbot: QtBot) -> None:
    joined, panel = live(qtbot)
    seen = []
    for _ in SPEEDS:
        panel.speed.click()
        seen.append(joined.state.playback.speed)
    assert seen == [2.0, 0.25, 0.5, 1.0]
    width = panel.speed.sizeHint().width()
    panel.speed.click()
    assert panel.speed.sizeHint().width() == width


def test_the_axes_button_turns_the_shapes(qtbot: QtBot) -> None:
    joined, panel = live(qtbot, time=1.0)
    assert panel.shapes.text == "[1, 8, 24] → [1, 8, 24]"
    panel.axes.click()
    assert joined.state.appearance.transposed
    assert panel.shapes.text == "[8, 1, 24] → [8, 1, 24]"
    assert panel.axes.text() == "S,B,D"


def test_the_caption_is_the_present_stage_s(qtbot: QtBot) -> None:
    scene = make_scene(settings=FULL)
    panel = shown(qtbot, settings=FULL)
    for info in scene.stages:
        time = timeline.time_of(info.stage, tuple(other.stage for other in scene.stages))
        panel.offer(make_scene(settings=FULL, time=time))
        said = panel.formula.text + panel.shapes.text
        assert info.formula in said


def test_gate_and_up_share_one_dot(qtbot: QtBot) -> None:
    panel = shown(qtbot, settings=FULL, time=0.2)
    assert panel.scene is not None
    assert panel.scene.current is Stage.GATE
    assert len(panel.track._picture.stops) == len(panel.scene.stages) - 1
    assert panel.track._picture.stops[2].name.count("·") == 1


def test_what_is_computed_is_said_without_moving_anything(qtbot: QtBot) -> None:
    panel = shown(qtbot)
    height = panel.height()
    panel.offer(make_scene(busy=Text("job.run")))
    assert panel.shapes.text == panel.say("job.run")
    assert panel.height() == height


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("settings", [TINY, FULL])
@pytest.mark.parametrize("theme", ["light", "projector"])
def test_nothing_is_clipped_at_1280(qtbot: QtBot, language: str, settings: Settings, theme: str) -> None:
    for time in (0.0, 0.2, 0.5, 0.8, 1.0):
        look = Appearance(language=language, theme=theme)  # type: ignore[arg-type]
        panel = shown(qtbot, settings=settings, look=look, time=time)
        picture(panel, width=1_280, height=panel.height())
        places = panel.track.names_shown()
        if theme == "light":
            assert len(places) == len(panel.track._picture.stops)
            assert not elided(panel.formula)
            assert not elided(panel.shapes)
        for index, place in places.items():
            stop = panel.track._picture.stops[index]
            metrics = QFontMetrics(panel.track._name_font(index))
            assert metrics.horizontalAdvance(stop.name) <= place.width()
            assert place.left() >= 0
            assert place.right() <= panel.track.width()


def elided(label: object) -> bool:
    return label.sizeHint().width() > label.width() + 2  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("width", [200, 320, 640, 950])
def test_names_never_touch_and_the_current_one_is_there(qtbot: QtBot, width: int) -> None:
    for time in (0.0, 0.3, 0.6, 1.0):
        panel = shown(qtbot, settings=FULL, time=time)
        picture(panel, width=width, height=panel.height())
        places = panel.track.names_shown()
        assert panel.track._picture.current in places
        ordered = sorted(places.values(), key=lambda place: place.left())
        assert all(a.right() <= b.left() for a, b in pairwise(ordered))


def test_focus_is_visible(qtbot: QtBot) -> None:
    _, panel = live(qtbot)
    panel.window().setFocus()
    for widget in (panel.track, panel.play, panel.axes, panel.speed):
        widget.clearFocus()
        calm = pixels(panel)
        widget.setFocus()
        assert (pixels(panel) != calm).any()


def test_the_picture_follows_the_time(qtbot: QtBot) -> None:
    panel = shown(qtbot, time=0.0)
    one = picture(panel, width=1_280, height=panel.height())
    panel.offer(make_scene(time=0.5))
    assert not np.array_equal(one, pixels(panel))
    panel.offer(make_scene(time=0.0))
    assert np.array_equal(one, pixels(panel))
