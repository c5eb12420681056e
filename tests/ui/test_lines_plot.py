"""The plot of named lines: dots are chosen, the line follows drags and keys, words stay apart."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QPainter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets import lines_plot, plot
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.lines_plot import (
    Dot,
    Line,
    LinesPicture,
    LinesPlot,
    decades,
    kept_apart,
    power_label,
)
from ffn_explorer.widgets.plot import Axes
from ffn_explorer.widgets.theme import THEMES
from tests.snapshots.pictures import picture_of
from tests.ui.live import drag, mouse, settle

AXES = Axes(
    x=(0.0, 4.0),
    y=(0.0, 4.0),
    x_ticks=(0.0, 1.0, 2.0, 3.0, 4.0),
    y_ticks=(0.0, 1.0, 2.0, 3.0, 4.0),
    x_name=("x",),
    y_name="y",
)
ENDS = np.array([0.0, 4.0])
COLOUR = THEMES["light"].muted
LOOKS = [Appearance(), Appearance("dark", "ja"), Appearance("projector"), Appearance(scale=2.0)]


def line(*heights: float, name: tuple[str, ...] = ()) -> Line:
    """A line over the whole width, through heights at equal distances."""
    return Line(np.linspace(0.0, 4.0, len(heights)), np.array(heights), COLOUR, name)


def picture(look: Appearance | None = None, **parts: object) -> LinesPicture:
    """A rising line, two dots, and the movable line at 3."""
    usual = {
        "axes": AXES,
        "lines": (line(0.0, 4.0, name=("rising",)),),
        "dots": (
            Dot(1.0, 1.0, COLOUR, ("one", "1"), False, "the first"),
            Dot(2.0, 2.0, COLOUR, ("two",), True),
        ),
        "cursor": 3.0,
        "cursor_words": ("here: 3", "3"),
    }
    return LinesPicture(look=look or Appearance(), **{**usual, **parts})  # type: ignore[arg-type]


class Bench:
    """A plot in a window, and everything it says."""

    def __init__(self, qtbot: QtBot, shown: LinesPicture, *, size: tuple[int, int] = (460, 300)) -> None:
        """Show a picture."""
        self.heard: list[tuple[object, ...]] = []
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.window.resize(*size)
        self.plot = LinesPlot(self.window, plain=True)
        self.plot.resize(*size)
        for name in ("picked", "nudged", "released", "chosen", "pointed"):
            getattr(self.plot, name).connect(lambda *said, name=name: self.heard.append((name, *said)))
        self.plot.show_picture(shown)
        self.window.show()
        settle()

    def at(self, x: float, y: float) -> QPointF:
        """Where a point of the axes stands."""
        return self.plot.point_of(x, y)

    def press(self, x: float, y: float) -> None:
        """Press the left button there."""
        mouse(self.plot.viewport(), QEvent.Type.MouseButtonPress, self.at(x, y))

    @property
    def picked(self) -> list[float]:
        """Places at which the line was wanted."""
        return [float(said[1]) for said in self.heard if said[0] == "picked"]  # type: ignore[arg-type]


def test_the_line_follows_a_drag_and_is_let_go(qtbot: QtBot) -> None:
    bench = Bench(qtbot, picture())
    drag(bench.plot.viewport(), bench.at(3.5, 0.5), bench.at(2.5, 1.0), bench.at(0.5, 3.0))
    assert bench.picked == pytest.approx([3.5, 2.5, 0.5])
    assert [said[0] for said in bench.heard] == ["picked"] * 3 + ["released"]
    mouse(bench.plot.viewport(), QEvent.Type.MouseMove, bench.at(1.5, 3.0))
    mouse(bench.plot.viewport(), QEvent.Type.MouseButtonRelease, bench.at(1.5, 3.0))
    assert len(bench.heard) == 4, "what was let go stays where it is"


def test_a_drag_past_the_ends_stays_on_the_axis(qtbot: QtBot) -> None:
    bench = Bench(qtbot, picture())
    drag(bench.plot.viewport(), bench.at(3.0, 0.5), QPointF(-900.0, 50.0), QPointF(9_000.0, 50.0))
    assert bench.picked == pytest.approx([3.0, 0.0, 4.0])


def test_a_press_on_a_dot_chooses_it_and_moves_nothing(qtbot: QtBot) -> None:
    bench = Bench(qtbot, picture())
    for number, (x, y) in enumerate(((1.0, 1.0), (2.0, 2.0))):
        at = bench.at(x, y) + QPointF(4.0, -3.0)
        drag(bench.plot.viewport(), at, at + QPointF(60.0, 0.0))
        assert bench.heard == [("chosen", number)]
        bench.heard.clear()


def test_the_nearest_of_two_dots_in_reach_is_meant(qtbot: QtBot) -> None:
    near = (Dot(2.0, 2.0, COLOUR), Dot(2.03, 2.0, COLOUR))
    bench = Bench(qtbot, picture(dots=near))
    assert bench.plot.dot_at(bench.at(2.0, 2.0) - QPointF(2.0, 0.0)) == 0
    assert bench.plot.dot_at(bench.at(2.03, 2.0) + QPointF(2.0, 0.0)) == 1
    assert bench.plot.dot_at(bench.at(3.0, 3.0)) is None


def test_other_buttons_do_nothing(qtbot: QtBot) -> None:
    bench = Bench(qtbot, picture())
    at, right = bench.at(3.5, 0.5), Qt.MouseButton.RightButton
    for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
        place = bench.plot.viewport().mapToGlobal(at)
        event = QMouseEvent(kind, at, place, right, right, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(bench.plot.viewport(), event)
    assert bench.heard == []


def test_arrows_move_the_line_by_steps(qtbot: QtBot) -> None:
    bench = Bench(qtbot, picture())
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Right):
        qtbot.keyClick(bench.plot, key)
    assert bench.heard == [("nudged", -1), ("nudged", 1), ("nudged", 1)]


def test_without_a_line_nothing_can_be_dragged(qtbot: QtBot) -> None:
    bench = Bench(qtbot, picture())
    shape = bench.plot.cursor().shape()
    assert shape == Qt.CursorShape.SplitHCursor
    bench.plot.show_picture(picture(cursor=None))
    drag(bench.plot.viewport(), bench.at(3.5, 0.5), bench.at(2.5, 1.0))
    assert bench.heard == []
    assert bench.plot.cursor().shape() != shape
    bench.press(1.0, 1.0)
    qtbot.keyClick(bench.plot, Qt.Key.Key_Right)
    assert bench.heard == [("chosen", 0), ("nudged", 1)], "its dots can be chosen, and gone through by key"


def test_axes_that_follow_the_line_do_not_run_away_with_it(qtbot: QtBot) -> None:
    bench = Bench(qtbot, picture())
    place = bench.at(3.0, 0.5)
    drag(bench.plot.viewport(), bench.at(3.5, 0.5), place, drop=False)
    bench.plot.show_picture(picture(axes=replace(AXES, x=(0.0, 8.0)), lines=(line(0.0, 4.0),)))
    right = bench.plot.area.right()
    mouse(bench.plot.viewport(), QEvent.Type.MouseMove, QPointF(right, place.y()))
    assert bench.picked == pytest.approx([3.5, 3.0, 4.0])
    mouse(bench.plot.viewport(), QEvent.Type.MouseButtonRelease, place)
    bench.press(6.0, 0.5)
    assert bench.picked[-1] == pytest.approx(6.0), "the next drag goes by what is on screen"


def test_a_release_that_went_elsewhere_ends_the_drag(qtbot: QtBot) -> None:
    bench = Bench(qtbot, picture())
    bench.press(3.5, 0.5)
    at, free = bench.at(1.5, 0.5), Qt.MouseButton.NoButton
    place = bench.plot.viewport().mapToGlobal(at)
    event = QMouseEvent(QEvent.Type.MouseMove, at, place, free, free, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(bench.plot.viewport(), event)
    assert [said[0] for said in bench.heard] == ["picked", "released"]


def test_pointing_at_a_dot_is_told_once_and_explained(qtbot: QtBot) -> None:
    bench = Bench(qtbot, picture())
    for x in (1.0, 1.02):
        mouse(bench.plot.viewport(), QEvent.Type.MouseMove, bench.at(x, 1.0))
        qtbot.waitUntil(lambda: bench.plot.toolTip() == "the first")
    QApplication.sendEvent(bench.plot, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: bench.heard == [("pointed", 0), ("pointed", None)])
    assert bench.plot.toolTip() == ""


def test_what_is_dragged_points_at_nothing(qtbot: QtBot) -> None:
    bench = Bench(qtbot, picture())
    drag(bench.plot.viewport(), bench.at(3.0, 0.5), bench.at(1.0, 1.0), drop=False)
    bench.plot.moved.emit(bench.at(1.0, 1.0))
    assert not any(said[0] == "pointed" for said in bench.heard)
    mouse(bench.plot.viewport(), QEvent.Type.MouseButtonRelease, bench.at(1.0, 1.0))
    bench.plot.moved.emit(bench.at(1.0, 1.0))
    assert bench.heard[-1] == ("pointed", 0)


def test_a_used_plot_shows_what_a_new_one_shows(qtbot: QtBot) -> None:
    few = picture(lines=(line(1.0, np.nan, 3.0, name=("broken",)),), dots=(), cursor=None)
    many = picture(lines=tuple(line(n, n + 1.0, name=(str(n),)) for n in (0.0, 1.0, 2.0, 3.0)))
    used = Bench(qtbot, many)
    for shown in (few, many, few):
        used.plot.show_picture(shown)
        settle()
        assert (picture_of(used.plot) == picture_of(Bench(qtbot, shown).plot)).all()
    assert (picture_of(Bench(qtbot, few).plot) != picture_of(Bench(qtbot, many).plot)).any()


@pytest.mark.parametrize(
    "middles",
    [[50.0] * 4, [100.0, 101.0, 102.0, 103.0], [30.0, 150.0], [190.0, 195.0, 198.0], [80.0, 70.0, 60.0], []],
)
def test_names_are_kept_apart_in_their_order(middles: list[float]) -> None:
    area = QRectF(0.0, 0.0, 100.0, 200.0)
    made = kept_apart(middles, 14.0, area)
    order = sorted(range(len(middles)), key=middles.__getitem__)
    for upper, lower in pairwise(order):
        assert made[lower] - made[upper] >= 14.0 - 0.1
    assert all(y <= area.bottom() for y in made)
    if all(lower - upper >= 14.0 for upper, lower in pairwise(sorted(middles))):
        assert made == middles, "what is apart already stays"


def written(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, QRectF]]:
    """Every text that a LinesPlot itself will draw, with its place."""
    found: list[tuple[str, QRectF]] = []

    def record(_painter: QPainter, text: str, place: QRectF, **_style: object) -> None:
        found.append((text, QRectF(place)))

    monkeypatch.setattr(lines_plot, "draw_text", record)
    return found


@pytest.mark.parametrize("look", LOOKS)
def test_words_lie_inside_and_over_no_others(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, look: Appearance
) -> None:
    found = written(monkeypatch)
    dots = tuple(
        Dot(0.05 * n, 0.05 * n, COLOUR, (f"a dot with many words, {n}", f"dot {n}", f"{n}"), n == 30)
        for n in range(6, 80, 8)
    )
    bench = Bench(qtbot, picture(look, lines=(line(0.0, 4.0),), dots=dots, cursor=3.8))
    found.clear()
    bench.plot.grab()
    assert len(found) > 3
    inside = bench.plot.area.adjusted(-1, -1, 3, 1)
    assert all(inside.contains(place) for _, place in found)
    over = [(one, other) for (one, a), (other, b) in combinations(found, 2) if a.intersects(b)]
    assert over == []
    hidden = [dot.words[1] for dot in dots for _, place in found if place.contains(bench.at(dot.x, dot.y))]
    assert hidden == [], "words hide no dots"
    said = [text for text, _ in found]
    assert any(each.endswith("30") for each in said), "the strong one comes first"


@pytest.mark.parametrize("look", LOOKS)
def test_names_stand_beside_the_ends_of_their_lines(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, look: Appearance
) -> None:
    found = written(monkeypatch)
    names = ("projections", "scores", "FFN")
    lines = tuple(line(2.0, 2.0 + 0.01 * n, name=(name, name[:2])) for n, name in enumerate(names))
    bench = Bench(qtbot, picture(look, lines=lines, dots=(), cursor=None))
    found.clear()
    bench.plot.grab()
    places = dict(found)
    assert len(places) == 3
    assert all(place.left() >= bench.plot.area.right() for place in places.values())
    assert all(place.right() <= bench.plot.width() for place in places.values())
    tops = [place.top() for place in places.values()]
    assert tops == sorted(tops, reverse=True), "the highest line has the highest name"
    high = min(place.height() for place in places.values())
    assert all(upper - lower >= high - 0.2 for upper, lower in pairwise(tops))


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("width", [200, 320, 640])
def test_numbers_below_stand_apart(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, look: Appearance, width: int
) -> None:
    found: list[QRectF] = []

    def record(_painter: QPainter, text: str, place: QRectF, *, font: QFont, **_style: object) -> None:
        wide = QFontMetricsF(font).horizontalAdvance(text)
        if text in labels:
            found.append(QRectF(place.center().x() - wide / 2, place.top(), wide, place.height()))

    monkeypatch.setattr(plot, "draw_text", record)
    ticks = tuple(0.5 * n for n in range(9))
    labels = tuple(power_label(tick) for tick in range(1, 10))
    axes = replace(AXES, x_ticks=ticks, x_labels=labels)
    bench = Bench(qtbot, picture(look, axes=axes, lines=(line(0.0, 4.0),)), size=(width, 300))
    found.clear()
    bench.plot.layers = Layers()
    bench.plot.grab()
    assert len(found) >= 2
    assert all(left.right() <= right.left() for left, right in pairwise(found))


@pytest.mark.parametrize(
    ("low", "high", "most", "wanted"),
    [
        (0.0, 3.0, 8, (0.0, 1.0, 2.0, 3.0)),
        (-0.5, 2.9, 8, (0.0, 1.0, 2.0)),
        (-12.2, -9.8, 8, (-12.0, -11.0, -10.0)),
        (0.0, 9.0, 5, (0.0, 2.0, 4.0, 6.0, 8.0)),
        (0.1, 0.9, 5, ()),
    ],
)
def test_ticks_are_whole_powers_of_ten(low: float, high: float, most: int, wanted: tuple[float, ...]) -> None:
    found = decades(low, high, most=most)
    assert found == wanted
    assert len(found) <= most


def test_powers_are_said_as_numbers(qtbot: QtBot) -> None:
    assert [power_label(tick) for tick in (0.0, 1.0, 3.0, 7.0, 12.0)] == ["1", "10", "1 K", "10 M", "1 T"]
    for plain, said in ((True, "3"), (False, "1 K")):
        plot = LinesPlot(plain=plain)
        qtbot.addWidget(plot)
        assert plot.y_label(3.0) == said
