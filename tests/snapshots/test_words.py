"""Words on screen: none cut off, none over another, none too small or too faint, none without a name."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from ffn_explorer.app.director import Director
from ffn_explorer.app.window import Window
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state.app_state import Appearance, AppState, Language, Playback, Selection, ThemeName
from ffn_explorer.state.costing import Costing
from ffn_explorer.state.results import Results
from ffn_explorer.state.session import Session
from ffn_explorer.widgets import drawn_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.paragraphs import Paragraphs
from ffn_explorer.widgets.theme import THEMES, Theme, contrast
from tests.snapshots.pictures import settle
from tests.snapshots.scenes import computed
from tests.snapshots.words import cramped, nameless, overlapping, small

LEAST_CONTRAST = 4.5
LEAST_PX = {"light": 12, "dark": 12, "projector": 19}
SIZES = ((1_280, 720), (1_600, 1_000))

THEME_NAMES: tuple[ThemeName, ...] = ("light", "dark", "projector")
LANGUAGES: tuple[Language, ...] = ("en", "ja")
LOOKS = [Appearance(theme, language) for theme in THEME_NAMES for language in LANGUAGES]

GATED = Settings(activation="swiglu", d_ff=1_376, norm="rms", norm_placement="sandwich")
STATES = {
    "plain": AppState(selection=Selection(neuron=1_203, stage=Stage.ACT)),
    "gated": AppState(
        settings=GATED,
        playback=Playback(0.45),
        costing=Costing("llama-3.1-405b", beside="mixtral-8x7b", tokens=1_000_000, bits=4),
    ),
    "experts": AppState(
        settings=Settings(d_model=64, d_ff=128, experts=8, top_k=2),
        costing=Costing(beside="deepseek-v3", phase="decode", scope="layer", tokens=128_000),
    ),
}


CASES = [(name, look, SIZES[0]) for name in STATES for look in LOOKS]
CASES += [("plain", look, SIZES[1]) for look in LOOKS]


def case_id(value: object) -> str:
    """Return a short name of a part of a case."""
    if isinstance(value, Appearance):
        return f"{value.theme}-{value.language}"
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)


@cache
def results_of(name: str) -> Results:
    """Return what a state needs; a look changes nothing in it."""
    return computed(STATES[name])


@contextmanager
def opened(state: AppState, results: Results, size: tuple[int, int]) -> Iterator[Window]:
    """Open a finished window, on no screen."""
    window = Window(Director(Session(state), results))
    window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    window.resize(*size)
    window.director.start()
    window.show()
    settle()
    window.grab()
    yield window
    assert window.director.close()
    window.close()
    window.deleteLater()
    settle()


@pytest.mark.parametrize(("name", "look", "size"), CASES, ids=case_id)
def test_every_word_has_its_place(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, name: str, look: Appearance, size: tuple[int, int]
) -> None:
    cut = watch_drawn_texts(monkeypatch)
    with opened(replace(STATES[name], appearance=look), results_of(name), size) as window:
        assert (window.width(), window.height()) == size
        found = {
            "over or outside": list(overlapping(window)),
            "cut": list(cramped(window)) + cut,
            "without a name": list(nameless(window)),
            "too small": list(small(window, LEAST_PX[look.theme])),
            "out of sight": list(unseen_checks(window)),
        }
    assert {what: lines for what, lines in found.items() if lines} == {}


def unseen_checks(window: Window) -> Iterator[str]:
    """Name the page of the proof whose position check is out of sight; where the panels scroll, it may be."""
    if any(
        area.verticalScrollBar().maximum() for area in window.findChildren(QScrollArea) if area.isVisible()
    ):
        return
    for page in window.findChildren(Paragraphs):
        laid = page._laid()
        if laid.most and not laid.pinned:
            yield f"{page.height()} px for {laid.top.height:.0f} and {laid.bottom.height:.0f}"


def watch_drawn_texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that will hold the texts that pictures had to cut."""
    cut: list[str] = []
    original = drawn_text.draw_text

    def watched(
        painter: QPainter, text: str, place: QRectF, *, font: QFont, colour: str, align: Qt.AlignmentFlag
    ) -> None:
        if QFontMetricsF(font).horizontalAdvance(text) > place.width() + 1:
            cut.append(f"{text!r} in {place.width():.0f} px")
        original(painter, text, place, font=font, colour=colour, align=align)

    for name in PANELS:
        importlib.import_module(f"ffn_explorer.panels.{name}")  # whatever draws is loaded, and can be watched
    for module in list(sys.modules.values()):
        if getattr(module, "draw_text", None) is original:
            monkeypatch.setattr(module, "draw_text", watched)
    return cut


def test_a_cut_text_in_a_picture_is_seen(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = watch_drawn_texts(monkeypatch)
    image = QImage(50, 20, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    centre = Qt.AlignmentFlag.AlignCenter
    style: dict[str, Any] = {"font": font(LOOKS[0]), "colour": THEMES["light"].ink, "align": centre}
    drawn_text.draw_text(painter, "short", QRectF(0, 0, 50, 20), **style)
    assert cut == []
    drawn_text.draw_text(painter, "much longer", QRectF(0, 0, 9, 20), **style)
    painter.end()
    assert cut == ["'much longer' in 9 px"]


def pairs(theme: Theme) -> list[tuple[str, str]]:
    """Return every colour of words with every ground they stand on."""
    grounds = (theme.background, theme.surface)
    words = (theme.ink, theme.muted, theme.error, theme.focus, *theme.stages.values())
    found = [(word, ground) for word in words for ground in grounds]
    found += [(theme.ink, theme.sunken), (theme.muted, theme.sunken)]
    return [*found, (theme.on_accent, theme.accent), (theme.surface, theme.ink)]


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_words_stand_out_from_their_ground(theme: Theme) -> None:
    faint = [(word, ground) for word, ground in pairs(theme) if contrast(word, ground) < LEAST_CONTRAST]
    assert faint == []


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
@pytest.mark.parametrize("role", ["small", "body", "title"])
def test_no_role_is_too_small(qapp: QApplication, theme: Theme, role: str) -> None:
    appearance = next(look for look in LOOKS if look.theme == theme.name)
    assert font(appearance, role).pixelSize() >= LEAST_PX[theme.name]


def test_the_checks_see_what_is_wrong(qapp: QApplication) -> None:
    bad = QWidget()
    column = QVBoxLayout(bad)
    label, button = QLabel("a sentence that is too long"), QPushButton("")
    label.setFixedWidth(20)
    tiny = QLabel("tiny")
    tiny_font = QFont()
    tiny_font.setPixelSize(7)
    tiny.setFont(tiny_font)
    for widget in (label, button, tiny):
        column.addWidget(widget)
    over = QLabel("over", bad)
    over.setGeometry(0, 0, 200, 200)
    bad.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    bad.show()
    settle()
    assert any("too long" in line for line in cramped(bad))
    assert any(line.startswith("QPushButton") for line in nameless(bad))
    assert any("7 px" in line for line in small(bad, 12))
    assert any("over" in line for line in overlapping(bad))
    bad.close()
    bad.deleteLater()
    settle()
