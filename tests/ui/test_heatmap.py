"""Heat maps: every pixel shows its strongest cell, and pointing at it finds that cell's exact value."""

from dataclasses import replace
from html import escape
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.pyramid import activity_levels, pyramid
from ffn_explorer.state.result import Floats
from ffn_explorer.widgets import map_frame
from ffn_explorer.widgets.axes import signed, ticks, whole_ticks
from ffn_explorer.widgets.heatmap import HeatMap
from ffn_explorer.widgets.map_image import FAINTEST, map_image, shades
from ffn_explorer.widgets.map_picture import MapPicture, MapWords
from ffn_explorer.widgets.pooling import columns, lanes, strongest
from ffn_explorer.widgets.theme import DARK, LIGHT, THEMES, diverging

WORDS = MapWords("neuron", ("neuron", "dimension"), "token", "no unit", "neuron 3", "", (), "")


def picture(values: Floats, *, share: np.ndarray | None = None, progress: float = 1.0) -> MapPicture:
    made = pyramid(values)
    rows, width = values.shape[1:]
    return MapPicture(
        look=Appearance(),
        stage=Stage.UP,
        made=made,
        share=None if share is None else activity_levels(share, made),
        exact=values[0],
        sentence=0,
        rows=tuple(f"t{row}" for row in range(rows)),
        axis=width,
        first=0,
        shown=width,
        progress=progress,
        row=0,
        column=3 if width > 3 else None,
        hovered=(None, None),
        words=WORDS,
        limits=(made.limit,),
    )


def shown_map(qtbot: QtBot, shown: MapPicture, size: tuple[int, int] = (500, 160)) -> HeatMap:
    view = HeatMap()
    qtbot.addWidget(view)
    view.resize(*size)
    view.show_picture(shown)
    return view


@given(st.integers(1, 5_000), st.integers(1, 900), st.integers(0, 40))
def test_lanes_cover_every_cell_once(count: int, pixels: int, start: int) -> None:
    laid = lanes(count, pixels, start=start)
    assert laid.low[0] == start
    assert laid.high[-1] == start + count
    if count >= pixels:
        assert (laid.low[1:] == laid.high[:-1]).all()  # no cell twice, none left out
    else:
        assert (laid.high - laid.low == 1).all()
    for cell in (start, start + count // 2, start + count - 1):
        span = laid.pixels_of(cell)
        assert span is not None
        for pixel in span[0], span[1] - 1:
            assert laid.low[pixel] <= cell < laid.high[pixel]
    assert laid.pixels_of(start - 1) is None
    assert laid.pixels_of(start + count) is None


@given(st.integers(1, 12_000), st.integers(1, 1_500), st.data())
@settings(deadline=None)
def test_level_has_one_to_two_cells_per_pixel(width: int, pixels: int, data: st.DataObject) -> None:
    made = pyramid(np.zeros((1, 1, width), np.float32))
    first = data.draw(st.integers(0, width - 1))
    shown = data.draw(st.integers(1, width - first))
    laid = columns(made, width, first=first, shown=shown, pixels=pixels)
    cells = -(-(first + shown) // laid.step) - first // laid.step
    assert laid.used == pixels
    if laid.level > 0:
        assert cells >= pixels  # never coarser than the pixels
    if laid.level + 1 < len(made.levels):
        double = 2 * laid.step
        assert -(-(first + shown) // double) - first // double < pixels  # and no finer than needed


def test_a_narrow_stage_takes_its_share_of_the_pixels() -> None:
    made = pyramid(np.ones((1, 1, 512), np.float32))
    laid = columns(made, 512, first=0, shown=2_048, pixels=800)
    assert laid.used == 200
    assert laid.range_at(199)[1] == 512


def test_columns_out_of_sight_take_no_pixels() -> None:
    made = pyramid(np.ones((1, 1, 512), np.float32))
    assert columns(made, 512, first=600, shown=300, pixels=800).used == 0


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("at", [0, 5_000, 11_007])
def test_a_lone_strong_neuron_survives(sign: float, at: int) -> None:
    values = np.full((1, 64, 11_008), 0.01, np.float32)
    values[0, 40, at] = sign * 5.0
    made = pyramid(values)
    laid = columns(made, 11_008, first=0, shown=11_008, pixels=300)
    image = map_image(made, None, rows=(0, 64), at=laid, height=20, theme=LIGHT)
    full = 128 + int(sign * 127)
    where = np.argwhere(image.values == full)
    assert len(where) == 1
    row, pixel = where[0]
    assert image.rows.low[row] <= 40 < image.rows.high[row]
    low, high = laid.range_at(int(pixel))
    assert low <= at < high


def test_its_activity_survives_too() -> None:
    values = np.zeros((1, 2, 4_096), np.float32)
    values[0, 1, 77] = 3.0
    made = pyramid(values)
    laid = columns(made, 4_096, first=0, shown=4_096, pixels=100)
    share = activity_levels(values > 0, made)
    image = map_image(made, share, rows=(0, 2), at=laid, height=2, theme=LIGHT)
    strong = diverging(LIGHT)[255].astype(float)
    seen = image.pixels[1, laid.lanes.pixels_of(77 // laid.step)[0], :3].astype(float)  # type: ignore[index]
    away, full = np.abs(seen - 255.0).sum(), np.abs(strong - 255.0).sum()
    assert away >= FAINTEST * full - 3  # rounding of three channels
    assert away < full


@given(st.lists(st.integers(0, 255), min_size=1, max_size=60), st.integers(1, 60))
def test_strongest_is_the_member_of_largest_magnitude(cells: list[int], pixels: int) -> None:
    values = np.array([cells], np.uint8)
    laid = lanes(len(cells), pixels)
    found = strongest(values, laid, axis=1)[0]
    for pixel, byte in enumerate(found):
        members = cells[laid.low[pixel] : laid.high[pixel]]
        if 0 in members:
            assert byte == 0
        else:
            assert byte in members
            assert abs(int(byte) - 128) == max(abs(member - 128) for member in members)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_not_finite_is_marked_whatever_the_activity(theme: object) -> None:
    table = shades(theme).view(np.uint8).reshape(256, 256, 4)
    marked = diverging(theme)[0]
    assert (table[:, 0, :3] == marked).all()
    assert (table[0, 1:, :3] == table[0, 128, :3]).all()  # nothing active: the bare surface
    assert (table[255, :, :3] == diverging(theme)).all()


@pytest.mark.parametrize(("rows", "width"), [(5, 40), (8, 2_048), (300, 700), (3, 1)])
def test_pointing_finds_the_strongest_member(qtbot: QtBot, rows: int, width: int) -> None:
    values = np.random.default_rng(rows).normal(0, 1, (1, rows, width)).astype(np.float32)
    view = shown_map(qtbot, picture(values))
    assert view.columns is not None
    area = view._places.area  # type: ignore[union-attr] # the picture's place, to walk over its pixels
    for x in np.linspace(area.left() + 0.5, area.right() - 0.5, 37):
        for y in np.linspace(area.top() + 0.5, area.bottom() - 0.5, 11):
            cell = view.cell_at(QPointF(x, y))
            assert cell is not None
            pixel = int(x - area.left())
            low, high = view.columns.range_at(pixel)
            band = lanes(rows, round(area.height()))
            top, past = band.low[int(y - area.top())], band.high[int(y - area.top())]
            block = np.abs(values[0, top:past, low:high])
            assert top <= cell[0] < past
            assert low <= cell[1] < high
            # Equal bytes may hide a member larger by less than half a step of the scale.
            step = view.picture.made.limit / 127  # type: ignore[union-attr]
            assert np.abs(values[0, cell[0], cell[1]]) >= block.max() - step


def test_pointing_at_what_is_not_finite_finds_it(qtbot: QtBot) -> None:
    values = np.ones((1, 2, 2_000), np.float32)
    values[0, 1, 1_234] = np.nan
    view = shown_map(qtbot, picture(values))
    assert view.columns is not None
    area = view._places.area  # type: ignore[union-attr]
    pixel = view.columns.pixels_of(1_234)[0]  # type: ignore[index]
    assert view.cell_at(QPointF(area.left() + pixel + 0.5, area.bottom() - 5)) == (1, 1_234)


def test_nothing_is_found_outside_or_before_it_is_revealed(qtbot: QtBot) -> None:
    view = shown_map(qtbot, picture(np.ones((1, 4, 40), np.float32), progress=0.5))
    area = view._places.area  # type: ignore[union-attr]
    middle = area.center().y()
    assert view.cell_at(QPointF(area.left() + 3, middle)) == (2, 0)
    assert view.cell_at(QPointF(area.right() - 3, middle)) is None
    assert view.cell_at(QPointF(area.left() - 3, middle)) is None
    assert view.cell_at(QPointF(area.left() + 3, area.top() - 3)) is None


def test_a_frame_of_the_animation_makes_no_new_image(qtbot: QtBot) -> None:
    values = np.ones((1, 4, 40), np.float32)
    whole = picture(values)
    view = shown_map(qtbot, whole)
    before = view._image
    halfway = picture(values, progress=0.5)
    view.show_picture(
        MapPicture(
            **{name: getattr(whole, name) for name in whole.__slots__} | {"progress": halfway.progress}
        )
    )
    assert view._image is before
    view.show_picture(halfway)  # other data, though equal
    assert view._image is not before


def test_columns_are_revealed_from_the_left(qtbot: QtBot) -> None:
    values = np.full((1, 2, 40), 2.0, np.float32)
    view = shown_map(qtbot, picture(values, progress=0.5))
    image = view.grab().toImage()
    area = view._places.area  # type: ignore[union-attr]
    y = round(area.bottom() - 12)
    assert image.pixelColor(round(area.left() + 30), y).name() == "#{:02x}{:02x}{:02x}".format(
        *diverging(LIGHT)[255]
    )
    assert image.pixelColor(round(area.right() - 30), y).name() == LIGHT.surface


def test_zoom_keeps_the_column_under_the_pointer(qtbot: QtBot) -> None:
    view = shown_map(qtbot, picture(np.ones((1, 2, 1_000), np.float32)))
    asked: list[tuple[int, int]] = []
    view.zoomed.connect(lambda first, shown: asked.append((first, shown)))
    view._zoom(1.0, around=0.25)
    first, shown = asked[-1]
    assert shown == 800
    assert first == 50  # column 250 stays a quarter of the way along
    view._zoom(-1.0, around=0.25)
    assert asked[-1] == (0, 0)  # all of them


def wheel(view: HeatMap, at: QPointF, *, up: int, shift: bool = False) -> None:
    held = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(
        at,
        view.mapToGlobal(at),
        QPoint(),
        QPoint(0, up),
        Qt.MouseButton.NoButton,
        held,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def test_the_wheel_zooms_and_with_shift_moves_along(qtbot: QtBot) -> None:
    values = np.ones((1, 2, 1_000), np.float32)
    view = shown_map(qtbot, picture(values))
    asked: list[tuple[int, int]] = []
    view.zoomed.connect(lambda first, shown: asked.append((first, shown)))
    area = view._places.area  # type: ignore[union-attr]
    wheel(view, area.center(), up=120)
    assert asked == [(100, 800)]
    whole = picture(values)
    fields = {name: getattr(whole, name) for name in whole.__slots__} | {"first": 100, "shown": 800}
    view.show_picture(MapPicture(**fields))
    wheel(view, area.center(), up=-120, shift=True)
    assert asked[-1] == (180, 800)
    wheel(view, area.center(), up=240 * 5, shift=True)
    assert asked[-1] == (0, 800)  # never beyond the first column


def test_keys_step_zoom_and_show_all(qtbot: QtBot) -> None:
    view = shown_map(qtbot, picture(np.ones((1, 2, 1_000), np.float32)))
    steps: list[tuple[int, int]] = []
    asked: list[tuple[int, int]] = []
    view.stepped.connect(lambda dx, dy: steps.append((dx, dy)))
    view.zoomed.connect(lambda first, shown: asked.append((first, shown)))
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Down):
        qtbot.keyClick(view, key)
    assert steps == [(-1, 0), (0, 1)]
    qtbot.keyClick(view, "+")
    assert asked == [(1, 800)]  # around column 3, the chosen one
    qtbot.keyClick(view, "0")
    assert asked[-1] == (0, 0)


def test_ticks_stand_at_round_places() -> None:
    assert whole_ticks(0, 2_048, most=8) == tuple(range(0, 2_049, 256))
    assert whole_ticks(0, 1_376, most=8) == tuple(range(0, 1_201, 200))
    assert whole_ticks(0, 1, most=8) == (0, 1)
    assert ticks(-4.0, 4.0, most=4) == (-4.0, -2.0, 0.0, 2.0, 4.0)
    assert (signed(2.6), signed(-2.6), signed(0.0)) == ("+2.6", "−2.6", "0")


@given(st.integers(0, 5_000), st.integers(1, 20_000), st.integers(1, 12))
def test_whole_ticks_are_few_and_inside(first: int, span: int, most: int) -> None:
    found = whole_ticks(first, first + span, most=most)
    assert len(found) <= most + 1
    assert all(first <= tick <= first + span for tick in found)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_zero_is_the_surface(theme: object) -> None:
    r, g, b = diverging(theme)[128]
    assert f"#{r:02x}{g:02x}{b:02x}" == theme.surface  # type: ignore[attr-defined]


def ticks_of(monkeypatch: pytest.MonkeyPatch, view: HeatMap) -> dict[str, QRectF]:
    """Return the texts that a map writes under its image, and where."""
    found: dict[str, QRectF] = {}

    def record(painter: object, text: str, place: QRectF, **_style: object) -> None:
        assert view._places is not None
        if place.top() > view._places.area.bottom() and text not in ("neuron", "no unit"):
            found[text] = QRectF(place)

    with monkeypatch.context() as patch:
        patch.setattr(map_frame, "draw_text", record)
        view._layers.clear()
        view.grab()
    return found


@pytest.mark.parametrize("column", [None, 0, 3, 400, 65_535])
@pytest.mark.parametrize(("first", "shown"), [(0, 65_536), (0, 700), (23, 900), (600, 20)])
def test_the_axis_says_where_it_begins(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, first: int, shown: int, column: int | None
) -> None:
    narrow = picture(np.ones((1, 4, 512), np.float32))
    words = replace(WORDS, column=f"neuron {column}")
    seen = replace(narrow, axis=65_536, first=first, shown=shown, column=column, words=words)
    view = shown_map(qtbot, seen, (700, 180))
    found = ticks_of(monkeypatch, view)
    if first >= 512:
        return  # no column of this stage in sight
    assert f"{first:,}" in found
    assert (f"neuron {column}" in found) == (column is not None and first <= column < min(512, first + shown))
    places = list(found.values())
    for one, two in combinations(places, 2):
        assert not one.intersects(two)


@pytest.mark.parametrize("width", [500, 900, 1_600])
def test_long_tokens_leave_the_map_its_room(qtbot: QtBot, width: int) -> None:
    token = "Donaudampfschifffahrt" * 6 + "<b>"
    long = replace(picture(np.ones((1, 2, 40), np.float32)), rows=(token, "b"))
    view = shown_map(qtbot, long, (width, 160))
    assert view._places is not None
    area = view._places.area
    assert area.left() <= 0.18 * width + 1
    label = QPointF(area.left() / 2, area.top() + area.height() / 4)
    assert view.token_at(label) == token
    assert view.token_at(QPointF(area.center())) == ""
    assert view.token_at(QPointF(2, area.bottom() + 3)) == ""
    view.moved.emit(label)
    assert escape(token) in view.toolTip()
    view.moved.emit(area.center())
    assert view.toolTip() == ""
