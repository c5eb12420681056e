"""Numbers in the cells of a strip: the true values, only where they fit, readable on every colour."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.stage import StagePanel
from ffn_explorer.state.app_state import Appearance, ThemeName
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.flow_columns import Box, Column
from ffn_explorer.widgets.flow_numbers import LEAST_LINES, cell_numbers, written
from ffn_explorer.widgets.flow_picture import FlowPicture
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.map_image import shades
from ffn_explorer.widgets.theme import THEMES, contrast, ink_on
from tests.scenes import TINY, make_scene
from tests.ui.live import pixels

FEW = TINY.with_(d_model=7, d_ff=3, heads=1, kv_heads=1)
ONE = TINY.with_(d_model=1, d_ff=1, heads=1, kv_heads=1)
THEME_NAMES: tuple[ThemeName, ...] = ("light", "dark", "projector")


def panel_of(qtbot: QtBot, scene: Scene) -> StagePanel:
    panel = StagePanel()
    qtbot.addWidget(panel)
    panel.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    panel.resize(1100, 430)
    panel.offer(scene)
    panel.show()
    QApplication.processEvents()
    return panel


def picture_of(panel: StagePanel) -> FlowPicture:
    assert panel.view.item.picture is not None
    return panel.view.item.picture


@pytest.mark.parametrize("settings", [FEW, ONE])
def test_large_cells_bear_their_values(qtbot: QtBot, settings: Settings) -> None:
    picture = picture_of(panel_of(qtbot, make_scene(settings=settings)))
    for stage in picture.stages:
        values = picture.subject.run.values[stage][picture.at]
        shown = [float(text.replace("−", "-")) for text in picture.numbers[stage]]
        np.testing.assert_allclose(shown, values, atol=0.005001)


def test_small_cells_bear_none(qtbot: QtBot) -> None:
    assert not any(picture_of(panel_of(qtbot, make_scene())).numbers.values())


@given(count=st.integers(1, 40), height=st.floats(20, 600), width=st.floats(8, 60), peak=st.floats(-1e6, 1e6))
def test_numbers_fit_or_are_left_out(
    qapp: QApplication, count: int, height: float, width: float, peak: float
) -> None:
    look = Appearance()
    column = Column(Stage.UP, count, Box(0.0, 0.0, width, height))
    metrics = QFontMetricsF(font(look, "small"))
    texts = cell_numbers(np.linspace(0.0, peak, count), column, look)
    assert len(texts) in (0, count)
    for text in texts:
        assert column.cell >= LEAST_LINES * metrics.height()
        assert metrics.horizontalAdvance(text) <= width


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-0.0, "0"), (0.414, "0.41"), (-1.056, "−1.06"), (-0.001, "−0.00"),
     (float("nan"), "NaN"), (float("-inf"), "−∞")],
)  # fmt: skip
def test_zero_is_told_from_what_rounds_to_it(value: float, text: str) -> None:
    assert written(value, 2) == text


@pytest.mark.parametrize("name", THEME_NAMES)
def test_they_stand_out_from_every_colour(name: ThemeName) -> None:
    theme = THEMES[name]
    table = shades(theme)[255].view(np.uint8).reshape(-1, 4)
    for r, g, b, _ in table.tolist():
        ground = f"#{r:02x}{g:02x}{b:02x}"
        assert contrast(ink_on(ground), ground) >= 4.5


def test_a_number_comes_with_its_cell(qtbot: QtBot) -> None:
    """Before a strip is filled nothing is printed there; halfway, the first cells have their numbers."""
    panel = panel_of(qtbot, make_scene(settings=FEW, time=0.0))
    box = picture_of(panel).grid.column(Stage.OUT).box
    corner = panel.view.mapTo(panel, panel.view.rect().topLeft())
    x, y = corner.x() + round(box.x) + 4, corner.y() + round(box.y) + 4

    def colours() -> list[int]:
        cells = pixels(panel)[y : y + round(box.h) - 8, x : x + round(box.w) - 8]
        return [len(np.unique(part.reshape(-1, 3), axis=0)) for part in np.array_split(cells, 7)]

    assert max(colours()) == 1
    panel.offer(make_scene(settings=FEW, time=1.0))
    assert min(colours()) > 5
    assert re.fullmatch(r"−?\d\.\d\d", picture_of(panel).numbers[Stage.OUT][0])
