"""The ranked list: rows in sight only, wheel and marker ask for another first row, arrows for another key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.ranked import Column, RankedList, Ranking, Row
from ffn_explorer.widgets.ranked_paint import marker_place
from ffn_explorer.widgets.theme import LIGHT
from tests.ui.live import mouse, pixels, settle

LOOK = Appearance()
COLUMNS = (Column("neuron", "left", "its number"), Column("m"), Column("a long head of a column"))


class Source:
    """Rows 0.. with keys 1000.., and which of them were asked for."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def row(self, index: int) -> Row:
        """Row at a place; the bars alternate in sign and shrink."""
        self.asked.append(index)
        value = (1.0 if index % 2 else -1.0) / (1 + index)
        return Row(1_000 + index, (f"{1_000 + index:,}", f"{value:.3f}", "x"), value)


def ranking(source: Source, *, total: int = 65_536, first: int = 0) -> Ranking:
    place = {1_000 + i: i for i in range(total)}.get
    return Ranking(LOOK, COLUMNS, "bars", total, source.row, first=first, limit=1.0, place=place)


@pytest.fixture
def listed(qtbot: QtBot) -> Iterator[RankedList]:
    holder = QWidget()
    qtbot.addWidget(holder)
    holder.resize(440, 280)
    made = RankedList(holder)
    made.resize(420, 260)
    holder.show()
    settle()
    yield made
    holder.hide()


def turn(listed: RankedList, notches: float) -> bool:
    """Turn the wheel over the list, down for positive notches; say whether the list took it."""
    at = QPointF(50, 100)
    turned = QPoint(0, -round(notches * 120))
    event = QWheelEvent(
        at,
        listed.mapToGlobal(at),
        QPoint(),
        turned,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    event.setAccepted(False)
    QApplication.sendEvent(listed.viewport(), event)
    return event.isAccepted()


def test_only_rows_in_sight_are_asked_for(listed: RankedList) -> None:
    source = Source()
    listed.show_picture(ranking(source, first=30_000))
    assert listed.laid is not None
    assert sorted(set(source.asked)) == list(range(30_000, 30_000 + listed.laid.in_sight))
    assert 5 < listed.laid.in_sight < 15


def test_the_first_row_never_leaves_room_below_the_last(listed: RankedList) -> None:
    listed.show_picture(ranking(Source(), total=20, first=19))
    assert listed.laid is not None
    assert listed.laid.rows[-1].key == 1_019
    assert len(listed.laid.rows) == listed.laid.in_sight


def test_the_last_columns_give_way_first(listed: RankedList) -> None:
    listed.show_picture(ranking(Source()))
    assert listed.laid is not None
    found = []
    for width in (420, 250, 60):
        listed.resize(width, 260)
        settle()
        found.append(len(listed.laid.columns))
    assert found == [3, 2, 1]


def test_a_click_chooses_and_the_pointer_points(qtbot: QtBot, listed: RankedList) -> None:
    listed.show_picture(ranking(Source()))
    assert listed.laid is not None
    at = listed.laid.place(3).center()
    with qtbot.waitSignal(listed.pointed, check_params_cb=lambda key: key == 1_003):
        mouse(listed.viewport(), QEvent.Type.MouseMove, at)
    with qtbot.waitSignal(listed.chosen, check_params_cb=lambda key: key == 1_003):
        mouse(listed.viewport(), QEvent.Type.MouseButtonPress, at)
    with qtbot.waitSignal(listed.pointed, check_params_cb=lambda key: key is None):
        mouse(listed.viewport(), QEvent.Type.MouseMove, QPointF(50, 2))


def test_rows_that_move_under_a_resting_pointer_are_pointed_at(qtbot: QtBot, listed: RankedList) -> None:
    listed.show_picture(ranking(Source()))
    assert listed.laid is not None
    with qtbot.waitSignal(listed.pointed):
        mouse(listed.viewport(), QEvent.Type.MouseMove, listed.laid.place(3).center())
    with qtbot.waitSignal(listed.pointed, check_params_cb=lambda key: key == 1_013):
        listed.show_picture(ranking(Source(), first=10))


def test_the_wheel_scrolls_and_stops_at_the_ends(qtbot: QtBot, listed: RankedList) -> None:
    found: list[int] = []
    listed.scrolled.connect(found.append)
    listed.show_picture(ranking(Source(), total=100))
    assert turn(listed, 1)
    assert turn(listed, -1)
    listed.show_picture(ranking(Source(), total=100, first=50))
    assert turn(listed, 0.5)
    assert turn(listed, 0.5)
    assert turn(listed, 100)
    assert listed.laid is not None
    assert found == [3, 51, 52, 100 - listed.laid.in_sight], (
        "what is less than a row is kept for the next turn"
    )


def test_a_list_all_in_sight_leaves_the_wheel_alone(listed: RankedList) -> None:
    listed.show_picture(ranking(Source(), total=4))
    assert not turn(listed, 1)


def test_the_marker_is_dragged(listed: RankedList) -> None:
    found: list[int] = []
    listed.scrolled.connect(found.append)
    shown = ranking(Source(), total=1_000)
    listed.show_picture(shown)
    assert listed.laid is not None
    marker = marker_place(shown, listed.laid)
    bottom = QPointF(marker.center().x(), listed.height() + 50.0)
    mouse(listed.viewport(), QEvent.Type.MouseButtonPress, marker.center())
    mouse(listed.viewport(), QEvent.Type.MouseMove, bottom)
    mouse(listed.viewport(), QEvent.Type.MouseButtonRelease, bottom)
    assert found == [1_000 - listed.laid.in_sight]


def test_arrows_choose_the_neighbour_and_bring_it_to_sight(qtbot: QtBot, listed: RankedList) -> None:
    chosen: list[int] = []
    scrolled: list[int] = []
    listed.chosen.connect(chosen.append)
    listed.scrolled.connect(scrolled.append)
    shown = ranking(Source(), total=100, first=10)
    listed.show_picture(shown)
    assert listed.laid is not None
    qtbot.keyClick(listed, Qt.Key.Key_Down)
    assert chosen == [1_010], "nothing is chosen: the first row in sight"
    listed.show_picture(replace(shown, chosen=1_010))
    qtbot.keyClick(listed, Qt.Key.Key_Up)
    assert (chosen[-1], scrolled) == (1_009, [9])
    last = 10 + listed.laid.in_sight - 1
    listed.show_picture(replace(shown, chosen=1_000 + last))
    qtbot.keyClick(listed, Qt.Key.Key_Down)
    assert (chosen[-1], scrolled[-1]) == (1_000 + last + 1, 11)
    listed.show_picture(replace(shown, chosen=1_099))
    qtbot.keyClick(listed, Qt.Key.Key_Down)
    assert chosen[-1] == 1_000 + last + 1, "the last row has no next one"


def test_bars_have_the_hue_of_their_sign_and_their_length(listed: RankedList) -> None:
    rows = [Row(0, ("0", "", ""), 0.5), Row(1, ("1", "", ""), -0.25), Row(2, ("2", "", ""), float("nan"))]
    shown = Ranking(LOOK, COLUMNS, "", 3, rows.__getitem__, limit=1.0)
    listed.show_picture(shown)
    assert listed.laid is not None
    picture = pixels(listed.window())
    left, right = (round(x) for x in listed.laid.bar)
    lengths = {}
    for at, colour in enumerate((LIGHT.positive, LIGHT.negative, LIGHT.non_finite)):
        rgb = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        line = picture[round(listed.laid.place(at).center().y()), left:right]
        lengths[at] = int((line == rgb).all(axis=1).sum()) / (right - left)
    assert lengths[0] == pytest.approx(0.5, abs=0.02)
    assert lengths[1] == pytest.approx(0.25, abs=0.02)
    assert lengths[2] == pytest.approx(1.0, abs=0.02)


def test_a_sentence_takes_the_place_of_the_rows(listed: RankedList) -> None:
    listed.show_picture(ranking(Source()))
    listed.show_sentence("nothing here", LOOK)
    assert listed.laid is None
    assert listed.key_at(QPointF(50, 50)) is None
