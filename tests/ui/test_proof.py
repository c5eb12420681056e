"""Proof: the chosen number's formula, its recomputation, and the position check."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.records import PositionCheck, Proof
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.proof import ProofPanel, right_side
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Appearance, Cell, Playback, Selection, View
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.page import LEAST_LINES, Block, font_of, indent_of, middle_of, small_line, wrap
from ffn_explorer.widgets.proof_words import sequence_first
from tests.scenes import empty_scene
from tests.ui.live import SMALL, Live, picture, pixels, scene_of, settle, state_of

OUT = Selection(token=5, dim=3, neuron=7, stage=Stage.OUT)


def proved(**parts: object) -> Scene:
    return scene_of(state_of(**{"selection": OUT, **parts}))


def shown(qtbot: QtBot, scene: Scene, *, width: int = 400, height: int = 340) -> ProofPanel:
    panel = ProofPanel()
    qtbot.addWidget(panel)
    panel.offer(scene)
    panel.resize(width, height)
    panel.show()
    return panel


def unfocus(panel: ProofPanel) -> None:
    """Take the keyboard from whatever part holds it."""
    for widget in panel.findChildren(QWidget):
        widget.clearFocus()


def said(panel: ProofPanel) -> str:
    return panel.page.accessibleDescription()


def test_the_chosen_number_its_formula_and_its_numbers_are_there(qtbot: QtBot) -> None:
    scene = proved()
    assert scene.proof is not None
    panel = shown(qtbot, scene)
    lines = said(panel).split("\n")
    assert lines[0].startswith("out[3] at “are” (5) = ")
    assert lines[1] == right_side(scene.proof.formula)
    assert lines[2] == scene.proof.numbers
    assert "W_down[3, :]" in said(panel)
    assert "seed 7" in said(panel)


def test_the_number_shown_is_the_scene_s(qtbot: QtBot) -> None:
    scene = proved()
    value = scene.value(Cell(Stage.OUT, 0, 5, 3))
    assert value is not None
    number = said(shown(qtbot, scene)).split("\n")[0].rpartition(" = ")[2]
    assert float(number.replace("−", "-")) == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("stage", list(Stage))
def test_every_stage_can_be_asked(qtbot: QtBot, stage: Stage) -> None:
    settings = SMALL.with_(activation="swiglu", norm_placement="sandwich")
    scene = proved(settings=settings, selection=replace(OUT, stage=stage))
    assert scene.proof is not None
    assert scene.proof.difference <= scene.proof.tolerance
    assert marks(shown(qtbot, scene)) == ["holds", "holds", "holds"]


def marks(panel: ProofPanel) -> list[str]:
    page = panel.page._page
    return [block.icon for block in (*page.top, *page.bottom) if block.icon]


def test_hover_comes_before_the_chosen_cell(qtbot: QtBot) -> None:
    scene = proved(hover=Cell(Stage.UP, 0, 2, 11))
    assert said(shown(qtbot, scene)).startswith("up[11] at “on” (2) = ")


def test_unasked_it_proves_the_largest_value_of_the_stage(qtbot: QtBot) -> None:
    panel = shown(qtbot, proved(selection=Selection()))
    assert said(panel).startswith("residual[14] at “are” (5) = 2.63")
    assert panel.note.text == "largest magnitude at this token"
    panel.offer(proved())
    assert panel.note.text == ""


def test_before_the_first_pass_it_says_what_to_do(qtbot: QtBot) -> None:
    panel = shown(qtbot, empty_scene(subject=None))
    assert said(panel).startswith("Point at any cell")
    assert not panel.copy.isEnabled()


def test_while_it_is_computed_the_value_is_there_already(qtbot: QtBot) -> None:
    panel = shown(qtbot, replace(proved(), proof=None, position=None))
    assert "out[3] at “are” (5) = −" in said(panel) or "out[3] at “are” (5) = 0." in said(panel)
    assert marks(panel) == ["waits", "waits"]


def test_a_number_out_of_tolerance_is_not_passed_off_as_right(qtbot: QtBot) -> None:
    scene = proved()
    assert scene.proof is not None
    wrong = replace(scene.proof, difference=scene.proof.tolerance * 2)
    panel = shown(qtbot, replace(scene, proof=wrong))
    assert marks(panel)[0] == "breaks"
    assert " > " in said(panel).split("\n")[3]


def test_a_number_that_is_not_finite_has_no_mark_of_success(qtbot: QtBot) -> None:
    nan = Proof(math.nan, math.nan, math.nan, 1e-6, "out[0] = x", "NaN", ("x",))
    assert marks(shown(qtbot, replace(proved(), proof=nan)))[0] == "waits"


def test_the_mixer_breaks_the_check_and_is_named(qtbot: QtBot) -> None:
    panel = shown(qtbot, proved(settings=SMALL.with_(mixer=True)))
    assert "breaks" in marks(panel)
    assert panel.say("breaks_mixer") in said(panel)


def test_a_tight_expert_breaks_the_check_and_is_named(qtbot: QtBot) -> None:
    settings = SMALL.with_(experts=4, top_k=1, capacity_factor=0.5)
    scene = proved(settings=settings)
    assert scene.position is not None
    assert not scene.position.holds
    panel = shown(qtbot, scene)
    assert panel.say("breaks_capacity") in said(panel)


def test_an_unexplained_difference_is_called_that(qtbot: QtBot) -> None:
    check = PositionCheck(alone=1.0, permuted=0.0, tolerance=1e-6, dtype="float32")
    panel = shown(qtbot, replace(proved(), position=check))
    assert marks(panel)[1:] == ["breaks", "holds"]
    assert panel.say("breaks_unknown") in said(panel)


def test_copy_puts_plain_text_on_the_clipboard(qtbot: QtBot) -> None:
    scene = proved()
    panel = shown(qtbot, scene)
    panel.copy.click()
    text = QGuiApplication.clipboard().text()
    assert scene.proof is not None
    assert scene.proof.formula in text
    assert scene.proof.numbers in text
    assert text.startswith(panel.title.text + "\n")


def test_the_check_stays_in_place_when_another_cell_is_pointed_at(qtbot: QtBot) -> None:
    heights = set()
    for stage in (Stage.INPUT, Stage.NORM, Stage.UP, Stage.ACT, Stage.OUT, Stage.RESIDUAL):
        panel = shown(qtbot, proved(hover=Cell(stage, 0, 5, 3)))
        panel.page.resize(372, 300)
        heights.add(panel.page._laid().top.height)
    assert len(heights) == 1


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("theme", ["light", "dark", "projector"])
def test_no_line_is_wider_than_the_card(qtbot: QtBot, language: str, theme: str) -> None:
    look = Appearance(language=language, theme=theme)  # type: ignore[arg-type]
    for width in (260, 400, 700):
        panel = shown(qtbot, proved(appearance=look), width=width)
        pixels(panel)
        laid = panel.page._laid()
        for placed in (*laid.top.blocks, *laid.bottom.blocks):
            metrics = QFontMetrics(font_of(placed.block, look))
            room = panel.page.width() - indent_of(placed.block, look)
            assert max(map(metrics.horizontalAdvance, placed.lines)) <= room


def test_a_low_card_keeps_two_lines_and_no_header(qtbot: QtBot) -> None:
    panel = shown(qtbot, proved(), width=900, height=80)
    pixels(panel)
    assert not panel.title.isVisible()
    panel.resize(900, 300)
    pixels(panel)
    assert panel.title.isVisible()


def test_a_page_that_is_too_long_scrolls_through_the_state(qtbot: QtBot) -> None:
    panel = ProofPanel()
    joined = Live(qtbot, panel, state_of(selection=OUT), width=300)
    panel.resize(300, 170)
    start = pixels(panel)
    assert panel.page.most_scroll() > 0
    panel.page.setFocus()
    QTest.keyClick(panel.page, Qt.Key.Key_PageDown)
    assert dict(joined.state.views)["proof"] == View(first=panel.page.height())
    panel.page.clearFocus()
    assert not np.array_equal(pixels(panel), start)


def test_a_used_panel_shows_what_a_new_one_shows(qtbot: QtBot) -> None:
    scenes = [
        proved(),
        proved(selection=Selection()),
        proved(hover=Cell(Stage.ACT, 0, 1, 9), appearance=Appearance(theme="dark", language="ja")),
        proved(settings=SMALL.with_(mixer=True), views=(("proof", View(first=40)),)),
        replace(proved(), proof=None),
    ]
    used = shown(qtbot, scenes[0])
    for height in (340, 170, 80):
        for scene in (*scenes, *reversed(scenes)):
            used.offer(scene)
            new = shown(qtbot, scene, height=height)
            settle()
            for panel in (used, new):  # a window that opens gives the keyboard to its first widget
                unfocus(panel)
            assert np.array_equal(
                picture(used, width=400, height=height), picture(new, width=400, height=height)
            )


@pytest.mark.parametrize("text", ["a" * 300, "ab 😀😀😀 " * 20, "鍵" * 90, "", "one\ntwo"])
def test_wrapping_loses_nothing(qapp: QApplication, text: str) -> None:
    lines = wrap(text, font_of(Block(text), Appearance()), 100.0)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "").replace("\n", "")


TRANSPOSED = Appearance(transposed=True)


@pytest.mark.parametrize("stage", list(Stage))
@pytest.mark.parametrize(
    "settings",
    [SMALL.with_(activation="swiglu", norm_placement="sandwich"), SMALL.with_(experts=4, top_k=2)],
    ids=["gated", "experts"],
)
def test_indices_follow_the_order_of_axes(qtbot: QtBot, settings: Settings, stage: Stage) -> None:
    state = state_of("The keys.", "They are lost.", settings=settings)
    state = replace(state, selection=replace(OUT, sentence=1, token=2, stage=stage))
    plain, turned = scene_of(state), scene_of(replace(state, appearance=TRANSPOSED))
    if plain.proof is None:
        pytest.skip("this FFN has no such stage")
    assert re.search(r"\[1, 2, ", plain.proof.formula + plain.proof.slices[0])
    for text in (said(shown(qtbot, turned)), shown(qtbot, turned).as_text()):
        assert "[1, 2, " not in text
        assert "[2, 1, " in text
    one, other = shown(qtbot, plain).as_text(), shown(qtbot, turned).as_text()
    assert one.replace("[1, 2, ", "[2, 1, ") == other


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("out[0, 5, 3] = Σ W_down[3, i] · act[0, 5, i]", "out[5, 0, 3] = Σ W_down[3, i] · act[5, 0, i]"),
        ("E_out[0, 5, :, 3]", "E_out[5, 0, :, 3]"),
        ("h[0, :, :]", "h[:, 0, :]"),
        ("W_up[17, :], b[17], clamp(x, 1, 2)", "W_up[17, :], b[17], clamp(x, 1, 2)"),
    ],
)
def test_only_tensors_over_sentences_and_tokens_turn(text: str, turned: str) -> None:
    assert sequence_first(text) == turned


@pytest.mark.parametrize(
    ("reason", "ringed"),
    [
        (Qt.FocusReason.MouseFocusReason, False),
        (Qt.FocusReason.TabFocusReason, True),
        (Qt.FocusReason.ShortcutFocusReason, True),
    ],
)
def test_a_ring_stands_around_the_text_for_the_keyboard_alone(
    qtbot: QtBot, reason: Qt.FocusReason, ringed: bool
) -> None:
    panel = shown(qtbot, proved())
    panel.activateWindow()
    settle()  # a window that opens gives the keyboard to its first widget
    unfocus(panel)
    plain = pixels(panel)
    panel.page.setFocus(reason)
    changed = (pixels(panel) != plain).any(axis=2)
    page = panel.page.geometry()
    assert changed.any() == ringed
    assert not changed[page.top() : page.bottom(), page.left() : page.right()].any()


LOOKS: list[Appearance] = [
    Appearance(theme=theme, language=language)
    for theme in ("light", "dark", "projector")
    for language in ("en", "ja")
]


# Sizes of the card in a window of 1,280 x 720 and of 1,600 x 1,000, and a lower one; in the projector theme
# the panels scroll before it is as low as in the first.
CARDS = [
    (look, size)
    for look in LOOKS
    for size in ((384, 309), (482, 399), (384, 230))
    if look.theme != "projector" or size == (482, 399)
]


@pytest.mark.parametrize(("look", "size"), CARDS)
@pytest.mark.parametrize("stage", [Stage.UP, Stage.OUT, Stage.NORM, Stage.RESIDUAL])
def test_the_position_check_stays_in_sight(
    qtbot: QtBot, look: Appearance, size: tuple[int, int], stage: Stage
) -> None:
    scene = proved(selection=replace(OUT, stage=stage), appearance=look)
    panel = shown(qtbot, scene, width=size[0], height=size[1])
    pixels(panel)
    page = panel.page
    laid = page._laid()
    assert laid.most == 0 or laid.pinned
    assert laid.bottom.height + middle_of(page._page) + LEAST_LINES * small_line(look) <= page.height()
    assert [placed.block.icon for placed in laid.bottom.blocks] == ["", "holds", "holds"]


def test_the_least_important_lines_go_before_anything_scrolls(qtbot: QtBot) -> None:
    panel = shown(qtbot, proved(), width=400, height=600)
    seen = []
    for height in range(500, 90, -1):
        panel.page.resize(372, height)
        laid = panel.page._laid()
        seen.append((len(laid.top.blocks), laid.most > 0))
    without = list(dict.fromkeys(seen))
    assert [count for count, scrolls in without if not scrolls] == [6, 5, 4]
    assert without[3:] == [(6, True)]


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look.theme}-{look.language}")
@pytest.mark.parametrize("width", [380, 482])
def test_the_title_is_never_cut(qtbot: QtBot, look: Appearance, width: int) -> None:
    panel = shown(qtbot, proved(selection=Selection(), appearance=look), width=width, height=340)
    pixels(panel)
    assert panel.title.shown() in (panel.say("title"), panel.say("title_short"))
    assert not 0 < len(panel.note.shown()) < 8 or panel.note.shown() == panel.say("unasked_short")
    assert panel.note.geometry().right() < panel.copy.geometry().left()


def test_one_step_back_leads_to_what_mattered_most(qtbot: QtBot) -> None:
    """From the output to its strongest neuron, to what that reads, and to x, where the way ends."""
    made = Live(qtbot, ProofPanel(), state_of(selection=OUT))
    panel = made.panel
    assert isinstance(panel, ProofPanel)
    seen = []
    while panel.back.isEnabled():
        panel.back.click()
        cell = made.state.selection.cell()
        assert cell is not None
        seen.append(cell)
    assert [cell.stage for cell in seen] == [Stage.ACT, Stage.UP, Stage.NORM, Stage.INPUT]
    run = panel.scene.run if panel.scene is not None else None
    assert run is not None
    assert run.run is not None
    layer = run.run.layer
    assert isinstance(layer, FFN)
    parts = layer.down[OUT.dim or 0] * run.run.trace.hidden[0, OUT.token]
    assert seen[0].index == int(parts.abs().argmax())


def test_a_residual_leads_to_out_even_where_x_is_the_larger_term(qtbot: QtBot) -> None:
    scene = proved()
    out, x = (
        np.abs([scene.value(Cell(stage, 0, 5, dim)) or 0.0 for dim in range(SMALL.d_model)])
        for stage in (Stage.OUT, Stage.INPUT)
    )
    dim = int((x - out).argmax())
    assert x[dim] > out[dim]
    made = Live(qtbot, ProofPanel(), state_of(selection=replace(OUT, stage=Stage.RESIDUAL, dim=dim)))
    panel = made.panel
    assert isinstance(panel, ProofPanel)
    assert "matters" not in panel.back.toolTip()
    panel.back.click()
    assert made.state.selection.cell() == Cell(Stage.OUT, 0, 5, dim)


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        (SMALL, "origin of x: drawn from the token’s text and seed 7, float32"),
        (SMALL.with_(mixer=True), "plus what the attention mixer adds, float32"),
    ],
)
def test_at_x_it_says_where_x_comes_from(qtbot: QtBot, settings: Settings, wanted: str) -> None:
    scene = proved(settings=settings, selection=replace(OUT, stage=Stage.INPUT))
    assert wanted in said(shown(qtbot, scene))
    assert wanted not in said(shown(qtbot, proved(settings=settings)))


def test_at_x_of_a_memory_built_by_hand_it_says_so(qtbot: QtBot) -> None:
    state = changes.use_memory("xor").to(state_of())
    scene = scene_of(changes.select_cell(Cell(Stage.INPUT, 0, 0, 0)).to(state))
    assert "origin of x: a pattern built by hand" in said(shown(qtbot, scene))


def test_before_the_pass_comes_to_it_a_number_is_not_shown(qtbot: QtBot) -> None:
    early = proved(playback=Playback(0.1))
    panel = shown(qtbot, early)
    value = early.value(OUT.cell() or Cell(Stage.OUT, 0, 0, 0))
    assert value is not None
    assert numbers.short(value, digits=7) not in said(panel)
    assert not panel.back.isEnabled()
