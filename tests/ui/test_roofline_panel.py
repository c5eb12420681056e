"""The roofline: offered, measured on a thread of its own, stopped, refused, shown, kept and found again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.app.window import Window
from ffn_explorer.core.errors import MemoryRefusal
from ffn_explorer.core.machine import device_name
from ffn_explorer.core.roofline_records import Roofline
from ffn_explorer.core.settings import Settings
from ffn_explorer.panels.roofline import RooflinePanel
from ffn_explorer.state import changes
from ffn_explorer.state.measuring import file, keep_roofline, load_rooflines
from ffn_explorer.state.text import catalogue
from tests.snapshots.scenes import roofline
from tests.ui.house import SMALL, house, press, scene
from tests.ui.live import mouse

EN = catalogue("en")


class StandIn:
    """In place of `measure`: tells a quarter, waits until it may go on, and finds a fixed roofline."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self.asked: list[Settings] = []
        self.stopped = threading.Event()
        self.go_on = threading.Event()
        self.error: Exception | None = None

    def __call__(self, settings: Settings, told: Callable[[float], None]) -> Roofline:
        """Measure nothing."""
        self.asked.append(settings)
        try:
            told(0.25)
            while not self.go_on.wait(0.005):
                told(0.25)
        except BaseException:
            self.stopped.set()
            raise
        if self.error is not None:
            raise self.error
        return replace(roofline(settings), machine=device_name("cpu"))


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    made = StandIn()
    monkeypatch.setattr("ffn_explorer.core.roofline.measure", made)
    yield made
    made.go_on.set()


@pytest.fixture
def window(bench: StandIn, qtbot: QtBot) -> Iterator[Window]:
    """A window whose machine nobody has measured."""
    with house(qtbot) as made:
        made.arrangement.use("cost")
        qtbot.waitUntil(lambda: offered(made))
        yield made


def panel_of(window: Window) -> RooflinePanel:
    panel = window.board.panels["roofline"]
    assert isinstance(panel, RooflinePanel)
    return panel


def offered(window: Window) -> bool:
    """Whether the panel offers to measure."""
    panel = panel_of(window)
    return panel.offer_measure.isVisible() and panel.offer_measure.button.isVisible()


def sentence(window: Window) -> str:
    """What the panel says in place of the plot."""
    return panel_of(window).offer_measure._sentence.text()


def busy(window: Window) -> str:
    """What is said to be under way, "" while nothing is."""
    return "" if window.notices.busy.isHidden() else window.notices.busy.sentence


def shown(window: Window) -> Roofline | None:
    """The roofline that is drawn."""
    return scene(window).roofline if panel_of(window).plot.isVisible() else None


def begin(window: Window, bench: StandIn, qtbot: QtBot) -> None:
    """Take the offer with the mouse, and wait until it is under way and said to be."""
    QTest.mouseClick(panel_of(window).offer_measure.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: busy(window) == "Measuring this machine… 25.0 %")


def test_nothing_is_measured_unasked(window: Window, bench: StandIn, qtbot: QtBot) -> None:
    assert sentence(window) == EN["panel.roofline.offer"].format(device="cpu", dtype="float32")
    window.director.request(changes.set_setting("d_ff", 40))
    qtbot.waitUntil(lambda: scene(window).settings.d_ff == 40 and not scene(window).stale)
    assert bench.asked == []
    assert not panel_of(window).again.isVisible()
    assert panel_of(window).table() is None


def test_a_measurement_is_announced_shown_and_kept(window: Window, bench: StandIn, qtbot: QtBot) -> None:
    begin(window, bench, qtbot)
    assert sentence(window) == EN["panel.roofline.measuring"]
    assert not offered(window)
    asked = bench.asked[0]
    assert (asked.d_model, asked.d_ff, asked.activation) == (8, 32, "relu")
    bench.go_on.set()
    qtbot.waitUntil(lambda: shown(window) is not None)
    qtbot.waitUntil(lambda: busy(window) == "")
    made = shown(window)
    assert load_rooflines(file()) == [made]
    assert panel_of(window).note.text == "float32" or panel_of(window).note.text.startswith(
        device_name("cpu")
    )
    with house(qtbot) as other:
        other.arrangement.use("cost")
        qtbot.waitUntil(lambda: shown(other) == made)
    assert len(bench.asked) == 1


def test_escape_stops_it_and_says_so(window: Window, bench: StandIn, qtbot: QtBot) -> None:
    begin(window, bench, qtbot)
    press(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: offered(window) and sentence(window) == EN["window.stopped_measuring"])
    assert bench.stopped.is_set()
    qtbot.waitUntil(lambda: busy(window) == "")
    assert load_rooflines(file()) == []
    bench.go_on.set()
    QTest.mouseClick(panel_of(window).offer_measure.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: shown(window) is not None)
    assert len(bench.asked) == 2


def test_the_button_of_the_notice_stops_it_too(window: Window, bench: StandIn, qtbot: QtBot) -> None:
    begin(window, bench, qtbot)
    QTest.mouseClick(window.notices.cancel_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: offered(window) and sentence(window) == EN["window.stopped_measuring"])


def test_what_was_stopped_begins_anew_only_when_a_person_asks(
    window: Window, bench: StandIn, qtbot: QtBot
) -> None:
    begin(window, bench, qtbot)
    press(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: offered(window))
    window.director.request(changes.set_setting("norm", "rms"))
    qtbot.waitUntil(lambda: scene(window).settings.norm == "rms" and not scene(window).stale)
    assert not scene(window).measuring
    assert len(bench.asked) == 1


def test_other_work_goes_on_beside_it(window: Window, bench: StandIn, qtbot: QtBot) -> None:
    begin(window, bench, qtbot)
    window.director.request(changes.set_setting("norm", "rms"))
    qtbot.waitUntil(lambda: not scene(window).stale and scene(window).settings.norm == "rms")
    window.director.request(changes.choose(token=3))
    qtbot.waitUntil(lambda: scene(window).detail is not None and scene(window).selection.token == 3)
    assert scene(window).measuring
    assert not bench.stopped.is_set()
    assert busy(window) == "Measuring this machine… 25.0 %"


def test_another_ffn_makes_it_pointless(window: Window, bench: StandIn, qtbot: QtBot) -> None:
    begin(window, bench, qtbot)
    window.director.request(changes.set_setting("d_ff", 40))
    qtbot.waitUntil(bench.stopped.is_set)
    qtbot.waitUntil(lambda: offered(window) and busy(window) == "")
    assert sentence(window).startswith("How fast")
    assert load_rooflines(file()) == []


def test_a_refusal_is_said_where_it_was_asked_for(window: Window, bench: StandIn, qtbot: QtBot) -> None:
    bench.error = MemoryRefusal("error.memory", needed="9 GB", free="8 GB")
    bench.go_on.set()
    QTest.mouseClick(panel_of(window).offer_measure.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "9 GB" in sentence(window))
    assert offered(window), "with fewer dimensions it may go well"
    assert sentence(window) == EN["error.memory"].format(needed="9 GB", free="8 GB")


def test_a_defect_is_said_and_the_offer_stays(
    window: Window, bench: StandIn, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    bench.error = ZeroDivisionError("not foreseen")
    bench.go_on.set()
    QTest.mouseClick(panel_of(window).offer_measure.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "not foreseen" in window.notices.message.sentence)
    qtbot.waitUntil(lambda: offered(window))
    assert "ZeroDivisionError" in caplog.text


def test_a_window_can_be_closed_while_it_measures(bench: StandIn, qtbot: QtBot) -> None:
    with house(qtbot) as window:
        window.arrangement.use("cost")
        qtbot.waitUntil(lambda: offered(window))
        begin(window, bench, qtbot)
    assert bench.stopped.is_set()
    assert load_rooflines(file()) == []


def test_it_is_measured_again_while_the_last_one_stays(bench: StandIn, qtbot: QtBot) -> None:
    before = replace(roofline(SMALL.settings.with_(d_ff=64)), machine=device_name("cpu"))
    keep_roofline(file(), before)
    with house(qtbot) as window:
        window.arrangement.use("cost")
        qtbot.waitUntil(lambda: shown(window) == before)
        panel = panel_of(window)
        assert "F = 64" in panel.note.toolTip(), "it is told that another FFN was measured"
        QTest.mouseClick(panel.again, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: busy(window) == "Measuring this machine… 25.0 %")
        assert shown(window) == before
        assert not panel.again.isEnabled()
        bench.go_on.set()
        qtbot.waitUntil(lambda: shown(window) not in (None, before))
        assert panel.again.isEnabled()
        assert "F = 64" not in panel.note.toolTip()
        assert len(load_rooflines(file())) == 2
        window.director.request(changes.set_setting("dtype", "float64"))
        # In another dtype nothing is known.
        qtbot.waitUntil(lambda: offered(window))


def test_points_choose_how_many_tokens_are_counted(bench: StandIn, qtbot: QtBot) -> None:
    keep_roofline(file(), replace(roofline(), machine=device_name("cpu")))
    with house(qtbot) as window:
        window.arrangement.use("cost")
        qtbot.waitUntil(lambda: shown(window) is not None)
        panel = panel_of(window)
        found, picture = shown(window), panel.plot.picture
        assert found is not None
        assert picture is not None
        ridge, *points = picture.dots
        assert 10.0**ridge.x == pytest.approx(found.roof.ridge)
        assert [dot.strong for dot in points] == [point.tokens == 8 for point in found.points]
        for dot, wanted in ((ridge, 0), (points[0], 1), (points[5], 32)):
            at = panel.plot.point_of(dot.x, dot.y)
            for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
                mouse(panel.plot.viewport(), kind, QPointF(at))
            assert window.director.state.costing.tokens == wanted
        qtbot.waitUntil(lambda: [dot.strong for dot in (panel.plot.picture or picture).dots].index(True) == 6)
        assert picture.cursor is None
        for key, tokens in ((Qt.Key.Key_Right, 64), (Qt.Key.Key_Left, 32), (Qt.Key.Key_Left, 16)):
            qtbot.keyClick(panel.plot, key)
            assert window.director.state.costing.tokens == tokens
            qtbot.waitUntil(lambda: scene(window).costing == window.director.state.costing)
        table = panel.table()
        assert table is not None
        assert [int(row[0]) for row in table[1:]] == [point.tokens for point in found.points]
        for row, point in zip(table[1:], found.points, strict=True):
            flops, moved, intensity, seconds, rate, bound, reached = map(float, row[1:])
            assert (flops, moved, seconds) == (point.flops, point.bytes, point.seconds)
            assert (intensity, rate) == (flops / moved, flops / seconds)
            assert reached == rate / bound <= 1.0


def test_every_control_is_reached_by_tab_and_named(bench: StandIn, qtbot: QtBot) -> None:
    keep_roofline(file(), replace(roofline(), machine=device_name("cpu")))
    with house(qtbot) as window:
        window.arrangement.use("cost")
        qtbot.waitUntil(lambda: shown(window) is not None)
        panel = panel_of(window)
        panel.setFocus()
        panel.menu_button.setFocus()
        reached = set()
        for _ in range(120):
            focused = QApplication.focusWidget()
            assert focused is not None
            if focused in reached:
                break
            reached.add(focused)
            press(window, Qt.Key.Key_Tab)
        assert {panel.again, panel.plot} <= reached
        assert all(widget.accessibleName() for widget in (panel.again, panel.plot))
