"""The stacked bars of a bill: pieces as long as they are large, chosen by a click, explained by a tip."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.costs import GROUPS
from ffn_explorer.widgets import cost_bars, stacked_bar
from ffn_explorer.widgets.cost_bars import CostBar, CostBars, CostPicture, CostPiece, colour_of
from ffn_explorer.widgets.stacked_bar import laid
from ffn_explorer.widgets.theme import THEMES, contrast, ink_on
from tests.snapshots.pictures import picture_of
from tests.ui.live import mouse, settle

LOOKS = [Appearance(), Appearance("dark", "ja"), Appearance("projector"), Appearance(scale=2.0)]


def piece(group: str, value: int) -> CostPiece:
    """A piece that says its group, and in more room its value too."""
    return CostPiece(group, value, (f"{group} {value}", group), f"{group}: {value} <b>")


ONE = (piece("gate", 400), piece("up", 400), piece("down", 200))
TWO = (piece("up", 250), piece("attention", 250))
LARGE = (piece("up", 9 * 10**17 + 1), piece("norms", 1))


def picture(look: Appearance | None = None, *, chosen: str = "", beside: bool = False) -> CostPicture:
    """Three bars, the first with a second bill beside it."""
    heads = ("a head with many words", "short head")
    bars = (
        CostBar(heads, "parameters", ONE, TWO if beside else ()),
        CostBar(heads, "FLOPs", LARGE),
        CostBar(heads, "bytes", ()),
    )
    return CostPicture(look or Appearance(), bars, chosen)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """A window for all bars of a test."""
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(1_300, 900)
    made.show()
    return made


def bars_of(window: QWidget, shown: CostPicture, *, size: tuple[int, int] = (480, 260)) -> CostBars:
    """New bars in the window."""
    made = CostBars(window)
    made.show_picture(shown)
    made.resize(*size)
    made.show()
    settle()
    return made


@pytest.mark.parametrize("pieces", [ONE, TWO, LARGE, ()])
def test_pieces_follow_each_other_and_are_as_long_as_they_are_large(pieces: tuple[CostPiece, ...]) -> None:
    total = sum(each.value for each in pieces)
    strip = QRectF(10.0, 5.0, 300.0, 20.0)
    made = laid(pieces, strip, max(1, total))
    assert [each for each, _ in made] == list(pieces)
    for (_, before), (_, after) in pairwise(made):
        assert after.left() == pytest.approx(before.right())
    for each, rect in made:
        assert rect.width() == pytest.approx(300.0 * each.value / total)
        assert (rect.top(), rect.height()) == (5.0, 20.0)
    if made:
        assert made[0][1].left() == 10.0
        assert made[-1][1].right() == pytest.approx(310.0)


def test_both_bills_have_one_scale() -> None:
    first = picture(beside=True).bars[0]
    assert first.most == 1_000
    assert CostBar(("h",), "u", TWO, ONE).most == 1_000
    assert CostBar(("h",), "u", ()).most == 1, "nothing is no length, and divides nothing by 0"


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("beside", [False, True])
def test_bars_stand_under_each_other_and_inside(window: QWidget, look: Appearance, beside: bool) -> None:
    bars = bars_of(window, picture(look, beside=beside))
    for height in (bars.minimumHeight(), bars.sizeHint().height(), 2 * bars.sizeHint().height()):
        bars.resize(480, height)
        settle()
        rows = [
            rect
            for place in bars.places()
            for rect in (place.head, place.strip, place.other, place.ticks)
            if rect.height()
        ]
        assert len(rows) == (12 if beside else 9)
        for upper, lower in pairwise(rows):
            assert lower.top() >= upper.bottom()
        assert rows[-1].bottom() <= height
        assert all(place.strip.height() >= 9 for place in bars.places())


def at(bars: CostBars, bar: int, group: str, *, other: bool = False) -> QPointF:
    """Middle of a piece."""
    assert bars.picture is not None
    shown, place = bars.picture.bars[bar], bars.places()[bar]
    strip, pieces = (place.other, shown.other) if other else (place.strip, shown.pieces)
    return next(rect.center() for each, rect in laid(pieces, strip, shown.most) if each.group == group)


def test_a_click_chooses_a_piece_of_either_bill(window: QWidget) -> None:
    bars = bars_of(window, picture(beside=True))
    heard: list[str] = []
    bars.chosen.connect(heard.append)
    for bar, group, other in ((0, "up", False), (0, "down", False), (1, "up", False), (0, "attention", True)):
        mouse(bars.viewport(), QEvent.Type.MouseButtonPress, at(bars, bar, group, other=other))
    assert heard == ["up", "down", "up", "attention"]
    for place in (bars.places()[0].head, bars.places()[0].ticks, bars.places()[2].strip):
        mouse(bars.viewport(), QEvent.Type.MouseButtonPress, place.center())
    assert len(heard) == 4, "heads, ticks and an empty bar choose nothing"


def test_pointing_explains_a_piece_in_plain_words(window: QWidget, qtbot: QtBot) -> None:
    bars = bars_of(window, picture())
    mouse(bars.viewport(), QEvent.Type.MouseMove, at(bars, 0, "gate"))
    qtbot.waitUntil(lambda: bars.toolTip() == "<p>gate: 400 &lt;b&gt;</p>")
    mouse(bars.viewport(), QEvent.Type.MouseMove, bars.places()[0].head.center())
    qtbot.waitUntil(lambda: bars.toolTip() == "")


def test_the_chosen_piece_is_picked_out(window: QWidget) -> None:
    plain = picture_of(bars_of(window, picture()))
    seen = {group: picture_of(bars_of(window, picture(chosen=group))) for group in ("gate", "down", "router")}
    assert (seen["gate"] != plain).any()
    assert (seen["down"] != seen["gate"]).any()
    assert (seen["router"] == plain).all(), "what is not there cannot be picked out"


def test_used_bars_show_what_new_ones_show(window: QWidget) -> None:
    used = bars_of(window, picture(chosen="up"))
    for shown in (picture(beside=True), picture(LOOKS[1]), picture(chosen="gate")):
        used.show_picture(shown)
        settle()
        assert (picture_of(used) == picture_of(bars_of(window, shown))).all()


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("width", [160, 480, 1_200])
def test_no_word_is_cut_or_over_another(
    window: QWidget, monkeypatch: pytest.MonkeyPatch, look: Appearance, width: int
) -> None:
    found: list[tuple[str, QRectF]] = []

    def record(
        _painter: QPainter, text: str, place: QRectF, *, font: QFont, colour: str, align: Qt.AlignmentFlag
    ) -> None:
        wide = QFontMetricsF(font).horizontalAdvance(text)
        assert wide <= place.width() + 1, text
        if align & Qt.AlignmentFlag.AlignHCenter:
            found.append((text, QRectF(place.center().x() - wide / 2, place.top(), wide, place.height())))
        else:
            right = bool(align & Qt.AlignmentFlag.AlignRight)
            left = place.right() - wide if right else place.left()
            found.append((text, QRectF(left, place.top(), wide, place.height())))

    for module in (cost_bars, stacked_bar):
        monkeypatch.setattr(module, "draw_text", record)
    bars = bars_of(window, picture(look, beside=True), size=(width, 420))
    found.clear()
    bars.grab()
    texts = [text for text, _ in found]
    assert {"parameters", "FLOPs", "bytes", "0"} <= set(texts)
    over = [
        (one, other)
        for number, (one, a) in enumerate(found)
        for other, b in found[:number]
        if a.adjusted(0.5, 0, -0.5, 0).intersects(b.adjusted(0.5, 1, -0.5, -1))
    ]
    assert over == []


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_every_group_has_a_colour_on_which_words_can_be_read(theme: object) -> None:
    assert theme in THEMES.values()
    colours = {group: colour_of(group, theme).name() for group in GROUPS}  # type: ignore[arg-type]
    assert len(set(colours.values())) == len(GROUPS), "each looks different"
    assert [group for group, ground in colours.items() if contrast(ink_on(ground), ground) < 4.5] == []
