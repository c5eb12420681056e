"""The ratio lesson: 4 D with two matrices, 8/3 D with three; the line and the dot move the width itself."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from pytestqt.qtbot import QtBot

from ffn_explorer.app.window import Window
from ffn_explorer.core.settings import LIMITS, Settings
from ffn_explorer.panels.ratio import RatioPanel, ratio_words
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, Compare
from ffn_explorer.widgets.lines_plot import LinesPicture
from tests.ui.house import house
from tests.ui.live import SMALL, Live, drag, mouse, state_of

D = SMALL.d_model
GATED = SMALL.with_(activation="swiglu")
WIDE = Settings(d_model=768, d_ff=3_072, heads=12, kv_heads=12)


def live(qtbot: QtBot, settings: Settings = SMALL, **parts: object) -> Live:
    return Live(qtbot, RatioPanel(), state_of(settings=settings, **parts), width=560)


def panel_of(shown: Live) -> RatioPanel:
    assert isinstance(shown.panel, RatioPanel)
    return shown.panel


def picture_of(shown: Live) -> LinesPicture:
    picture = panel_of(shown).plot.picture
    assert picture is not None
    return picture


def at_ratio(panel: RatioPanel, ratio: float) -> QPointF:
    """A place on the plot at a ratio, near its lower edge, away from the dots."""
    plot = panel.plot
    return QPointF(plot.point_of(ratio, 0.0).x(), plot.area.bottom() - 3.0)


def click_dot(panel: RatioPanel, number: int) -> None:
    """Press and let go at a dot."""
    plot = panel.plot
    assert plot.picture is not None
    dot = plot.picture.dots[number]
    for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
        mouse(plot.viewport(), kind, plot.point_of(dot.x, dot.y))


def test_equal_weights_are_4_and_8_3_of_d(qtbot: QtBot) -> None:
    shown = live(qtbot, WIDE)
    two, three = picture_of(shown).dots
    assert (two.x, three.x) == pytest.approx((4.0, 8 / 3))
    assert two.y == three.y == 2 * 4 * 768 * 768 == 4_718_592
    assert two.words[0] == "F = 3,072 = 4 · D"
    assert three.words[0] == "F = 2,048 = 8/3 · D"
    assert (two.strong, three.strong) == (True, False)
    assert "4,718,592" in panel_of(shown).note.text
    shown.change(changes.set_setting("activation", "swiglu"))
    assert [dot.strong for dot in picture_of(shown).dots] == [False, True]


def test_the_lines_count_weights(qtbot: QtBot) -> None:
    shown = live(qtbot)
    guide, two, three = picture_of(shown).lines
    assert guide.y.tolist() == [8 * D * D] * 2
    for n, line in ((2, two), (3, three)):
        np.testing.assert_allclose(line.y, n * D * D * line.x)
        assert line.y[-1] <= picture_of(shown).axes.y[1] * (1 + 1e-12)
    assert two.colour != three.colour


def test_the_readout_is_exact(qtbot: QtBot) -> None:
    shown = live(qtbot)
    assert panel_of(shown).readout.text == f"F = 64 = 8/3 · D: {2 * D * 64:,} weights"
    mixed = live(qtbot, GATED.with_(experts=4, top_k=2))
    assert panel_of(mixed).readout.text == f"One expert: F = 64 = 8/3 · D: {3 * D * 64:,} weights"


def test_a_drag_sets_dff_in_steps_that_meet_thirds(qtbot: QtBot) -> None:
    shown = live(qtbot, WIDE)
    panel, seen, ended = panel_of(shown), [], []
    panel.requested.connect(lambda _change: seen.append(shown.state.settings.d_ff))
    panel.gesture_ended.connect(lambda: ended.append(True))
    places = [at_ratio(panel, ratio) for ratio in (2.0, 3.51, 8 / 3 + 0.005)]
    drag(panel.plot.viewport(), places[0], *places[1:])
    assert seen == [1_536, round(84 / 24 * 768), 2_048]
    assert ended == [True]
    assert picture_of(shown).cursor == pytest.approx(8 / 3)
    assert picture_of(shown).cursor_words == ("F = 8/3 · D",)


def test_a_drag_past_the_ends_stays_possible(qtbot: QtBot) -> None:
    shown = live(qtbot)
    drag(panel_of(shown).plot.viewport(), at_ratio(panel_of(shown), 3.0), QPointF(-500.0, 100.0))
    assert shown.state.settings.d_ff == 3 * D, "no width at all is no FFN: the last one stays"
    end = picture_of(shown).axes.x[1]
    drag(panel_of(shown).plot.viewport(), at_ratio(panel_of(shown), 3.0), QPointF(5_000.0, 100.0))
    assert shown.state.settings.d_ff == round(end * D)
    assert picture_of(shown).axes.x[1] > end, "there is always room to go on"


@pytest.mark.parametrize(
    ("key", "d_ff", "wanted"),
    [
        (Qt.Key.Key_Right, 2 * D, 2.25),
        (Qt.Key.Key_Left, 2 * D, 1.75),
        (Qt.Key.Key_Right, 64, 2.75),
        (Qt.Key.Key_Left, 64, 2.5),
        (Qt.Key.Key_Left, D // 4, 0.25),
        (Qt.Key.Key_Left, 1, 0.25),
    ],
)
def test_arrows_go_by_quarters(qtbot: QtBot, key: Qt.Key, d_ff: int, wanted: float) -> None:
    shown = live(qtbot, SMALL.with_(d_ff=d_ff))
    qtbot.keyClick(panel_of(shown).plot, key)
    assert shown.state.settings.d_ff == wanted * D


def test_the_widest_ffn_is_the_end(qtbot: QtBot) -> None:
    most = int(LIMITS["d_ff"][1])
    shown = live(qtbot, Settings(d_model=1, d_ff=most, heads=1, kv_heads=1, bias=False))
    qtbot.keyClick(panel_of(shown).plot, Qt.Key.Key_Right)
    assert shown.state.settings.d_ff == most


@pytest.mark.parametrize(("settings", "own", "wanted"), [(SMALL, 0, 4 * D), (GATED.with_(d_ff=90), 1, 64)])
def test_a_click_on_the_dot_of_this_form_matches_the_weights(
    qtbot: QtBot, settings: Settings, own: int, wanted: int
) -> None:
    shown = live(qtbot, settings)
    click_dot(panel_of(shown), 1 - own)
    assert shown.asked == [], "that of the other form is only shown"
    click_dot(panel_of(shown), own)
    assert shown.asked == ["undo.match"]
    assert shown.state.settings.d_ff == wanted


def test_b_is_matched_where_there_is_one(qtbot: QtBot) -> None:
    shown = live(qtbot, GATED, compare=Compare(SMALL.with_(d_ff=100)))
    weights = 2 * D * 100
    assert [dot.y for dot in picture_of(shown).dots] == [weights, weights]
    assert f"{weights:,}, as B" in panel_of(shown).note.text
    click_dot(panel_of(shown), 1)
    assert shown.state.settings.d_ff == round(weights / (3 * D))


def test_hand_built_memories_are_looked_at_only(qtbot: QtBot) -> None:
    shown = Live(qtbot, RatioPanel(), changes.use_memory("facts").to(AppState()), width=560)
    panel = panel_of(shown)
    assert picture_of(shown).cursor is None
    drag(panel.plot.viewport(), at_ratio(panel, 2.0), at_ratio(panel, 3.0))
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
        qtbot.keyClick(panel.plot, key)
    for number in (0, 1):
        click_dot(panel, number)
    assert shown.asked == []


def test_the_copied_table_has_both_forms(qtbot: QtBot) -> None:
    shown = live(qtbot)
    table = panel_of(shown).table()
    assert table is not None
    assert [[float(each) for each in row] for row in table[1:]] == [
        [2.0, 4.0 * D, 4.0],
        [3.0, pytest.approx(8 * D / 3), pytest.approx(8 / 3)],
    ]


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (Fraction(4), "4"),
        (Fraction(8, 3), "8/3"),
        (Fraction(7, 2), "7/2"),
        (Fraction(11_008, 4_096), "2.688"),
        (Fraction(1, 13), "0.07692"),
    ],
)
def test_simple_ratios_are_said_as_fractions(ratio: Fraction, said: str) -> None:
    assert ratio_words(ratio) == said


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        made.arrangement.use("cost")
        yield made


def test_each_drag_is_one_step_of_undo(window: Window, qtbot: QtBot) -> None:
    panel = window.board.panels["ratio"]
    assert isinstance(panel, RatioPanel)
    qtbot.waitUntil(lambda: panel.plot.picture is not None and panel.plot.area.width() > 50)
    widths = [window.director.state.settings.d_ff]
    for ratio in (2.0, 3.0):
        places = [at_ratio(panel, ratio + more) for more in (0.0, 0.6, 0.3)]
        drag(panel.plot.viewport(), places[0], *places[1:])
        widths.append(window.director.state.settings.d_ff)
        qtbot.waitUntil(lambda: panel.scene is not None and panel.scene.settings.d_ff == widths[-1])
    assert len(set(widths)) == 3
    for width in (widths[1], widths[0]):
        window.director.session.undo()
        assert window.director.state.settings.d_ff == width
