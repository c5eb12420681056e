"""Films of the running window: drawn between its events, told, stopped, and gone when it closes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ffn_explorer.app import filming
from ffn_explorer.app.animating import frame_of
from ffn_explorer.app.controls.editors import ChoiceEdit
from ffn_explorer.app.export_dialog import ExportDialog
from ffn_explorer.app.exporting import first_wish
from ffn_explorer.app.exports import Wish, export_of, pictured
from ffn_explorer.app.filming import Filming
from ffn_explorer.app.window import Window
from ffn_explorer.core.errors import InputError
from ffn_explorer.export.films.table import MOVING
from ffn_explorer.export.png import image_of
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import ThemeName
from ffn_explorer.state.needs import needs
from ffn_explorer.state.text import say
from ffn_explorer.widgets.number_edit import IntEdit
from tests.films import decoded, rgb
from tests.ui.house import SMALL, house, press, scene

PATIENCE_MS = 30_000


def wish_for(window: Window, kind: str = "panel_film", **parts: object) -> Wish:
    """A small film of the stage, as the dialog would ask for it."""
    first = first_wish(window, "stage", kind=kind)
    small = replace(first, suffix=".apng", size=(400, 240), pixels=1.0, frames=5, rate=10)
    return replace(small, **parts)  # type: ignore[arg-type]


def wait_until_done(qtbot: QtBot, window: Window) -> None:
    """Wait until nothing is exported any more."""
    qtbot.waitUntil(lambda: not window.exporting.job.under_way, timeout=PATIENCE_MS)


def message(window: Window) -> str:
    """What the window says, "" where it says nothing."""
    said = scene(window).message
    return "" if said is None else say("en", said)


def left_of_filming(window: Window) -> list[Filming]:
    """Films that are not gone yet."""
    QApplication.processEvents()
    QApplication.sendPostedEvents(None, 52)  # what was marked for deletion
    return window.findChildren(Filming)


@pytest.mark.parametrize(("kind", "suffix"), [("panel_film", ".apng"), ("film", ".mp4"), ("film", ".gif")])
def test_a_film_of_the_window_is_written_beside_it(
    qtbot: QtBot, tmp_path: Path, kind: str, suffix: str
) -> None:
    with house(qtbot) as window:
        path = tmp_path / f"f{suffix}"
        size = (1_000, 600) if kind == "film" else (400, 240)
        assert window.exporting.start(wish_for(window, kind, suffix=suffix, size=size), path)
        wait_until_done(qtbot, window)
        found = decoded(path)
        assert len(found.frames) == 5
        assert found.times[-1] == pytest.approx(0.5, abs=0.002)
        assert found.frames[0].shape == (size[1], size[0], 3)
        qtbot.waitUntil(lambda: "f" + suffix in message(window), timeout=PATIENCE_MS)
        assert left_of_filming(window) == []


def test_its_frames_are_the_pictures_that_would_be_exported(qtbot: QtBot, tmp_path: Path) -> None:
    with house(qtbot) as window:
        wish, path = wish_for(window, span=(1.0, 0.5)), tmp_path / "f.apng"
        director, stills = window.director, []
        director.request(changes.seek(0.5))
        # A still picture shows what is there; a film waits for all of it.
        qtbot.waitUntil(lambda: not needs(director.state, director.results), timeout=PATIENCE_MS)
        pictured(window, replace(wish, kind="panel", suffix=".png"), lambda w, _: stills.append(image_of(w)))
        assert window.exporting.start(wish, path)
        wait_until_done(qtbot, window)
        last = decoded(path).frames[-1]
        assert np.array_equal(last, rgb(frame_of(stills[0])))


@pytest.mark.parametrize(
    ("mine", "theirs"), [("dark", "projector"), ("projector", "light"), ("light", "dark")]
)
def test_its_theme_is_its_own_and_stays_when_the_window_takes_another(
    qtbot: QtBot, tmp_path: Path, mine: ThemeName, theirs: ThemeName
) -> None:
    with house(qtbot) as window:
        plain, spoilt = tmp_path / "plain.apng", tmp_path / "spoilt.apng"
        look = replace(window.look, theme=mine)
        wish = wish_for(window, "film", size=(1_280, 720), look=look, frames=4)
        window.director.request(changes.set_theme(theirs))
        assert window.exporting.start(wish, plain)
        wait_until_done(qtbot, window)
        assert window.exporting.start(wish, spoilt)
        film = window.findChildren(Filming)[-1]
        qtbot.waitUntil(lambda: film._drawn >= 2, timeout=PATIENCE_MS)
        window.director.request(changes.set_theme(mine))
        window.director.request(changes.set_theme("light" if mine != "light" else "projector"))
        wait_until_done(qtbot, window)
        first, second = decoded(plain).frames, decoded(spoilt).frames
        assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_what_is_filmed_does_not_keep_the_program_open(qtbot: QtBot, tmp_path: Path) -> None:
    with house(qtbot) as window:
        assert window.exporting.start(wish_for(window, "film", size=(1_000, 600)), tmp_path / "f.apng")
        film = window.findChildren(Filming)[-1]
        qtbot.waitUntil(lambda: film._drawn >= 1, timeout=PATIENCE_MS)
        others = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, Window)]
        keeping = [w for w in others if w.testAttribute(Qt.WidgetAttribute.WA_QuitOnClose)]
        assert keeping == [window]
        wait_until_done(qtbot, window)


def test_the_window_answers_while_a_film_is_drawn(qtbot: QtBot, tmp_path: Path) -> None:
    with house(qtbot) as window:
        ticks: list[int] = []
        timer = QTimer(window)
        timer.timeout.connect(lambda: ticks.append(window.exporting.job.under_way))
        timer.start(0)
        assert window.exporting.start(wish_for(window, frames=30), tmp_path / "f.apng")
        wait_until_done(qtbot, window)
        timer.stop()
        # At most one frame in a turn: other events come between any two.
        assert sum(ticks) >= 30
        assert len(decoded(tmp_path / "f.apng").frames) == 30


def test_its_share_is_told_and_escape_stops_it(qtbot: QtBot, tmp_path: Path) -> None:
    with house(qtbot) as window:
        told: list[str] = []
        window.exporting.job.busy_changed.connect(
            lambda busy: told.append("" if busy is None else say("en", busy))
        )
        path = tmp_path / "f.mp4"
        path.write_bytes(b"older")
        assert window.exporting.start(wish_for(window, suffix=".mp4", frames=3_000), path)
        qtbot.waitUntil(lambda: len({words for words in told if "%" in words}) > 3, timeout=PATIENCE_MS)
        assert told[-1].startswith("Drawing the film: ")
        press(window, Qt.Key.Key_Escape)
        assert not window.exporting.job.under_way
        assert told[-1] == ""
        assert left_of_filming(window) == []
        qtbot.waitUntil(lambda: [p.name for p in tmp_path.glob("*f*")] == ["f.mp4"], timeout=PATIENCE_MS)
        assert path.read_bytes() == b"older"


def test_closing_in_the_middle_leaves_nothing(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    with house(qtbot) as window:
        drawn: list[float] = []
        window.exporting.job.busy_changed.connect(drawn.append)
        assert window.exporting.start(wish_for(window, suffix=".mp4", frames=3_000), tmp_path / "f.mp4")
        qtbot.waitUntil(lambda: len(drawn) > 2, timeout=PATIENCE_MS)
    assert list(tmp_path.glob("*f*")) == []
    assert list(place.iterdir()) == []


def test_a_second_film_waits_until_the_first_is_done_or_given_up(qtbot: QtBot, tmp_path: Path) -> None:
    with house(qtbot) as window:
        first, second = tmp_path / "f1.apng", tmp_path / "f2.apng"
        assert window.exporting.start(wish_for(window, frames=3_000), first)
        qtbot.wait(200)
        assert not window.exporting.start(wish_for(window), second)
        assert window.exporting.job.under_way
        window.exporting.job.cancel()
        assert window.exporting.start(wish_for(window), second)
        wait_until_done(qtbot, window)
        assert len(decoded(second).frames) == 5
        assert not first.exists()
        assert left_of_filming(window) == []


def test_a_frame_that_cannot_be_drawn_is_told(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise InputError("export.memory", width=1, height=2)

    monkeypatch.setattr(filming, "camera", broken)
    with house(qtbot) as window:
        assert window.exporting.start(wish_for(window), tmp_path / "f.apng")
        wait_until_done(qtbot, window)
        qtbot.waitUntil(lambda: scene(window).message is not None)
        assert "memory" in message(window)
        qtbot.waitUntil(lambda: list(tmp_path.glob("*f*")) == [], timeout=PATIENCE_MS)


def test_a_place_that_cannot_be_written_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    with house(qtbot) as window:
        assert window.exporting.start(wish_for(window), tmp_path / "no" / "f.apng")
        wait_until_done(qtbot, window)
        qtbot.waitUntil(lambda: scene(window).message is not None)
        assert "could not be written" in message(window)
        assert left_of_filming(window) == []


@pytest.mark.parametrize("kind", ["film", "panel_film"])
def test_the_dialog_offers_what_a_film_has(qtbot: QtBot, kind: str) -> None:
    with house(qtbot) as window:
        dialog = ExportDialog(window, "stage", kind=kind)
        dialog.show()
        shown = {name for name, field in dialog.fields.items() if field.parts[0].editor.isVisible()}
        assert shown == set(export_of(kind).options)
        assert {"span", "frames", "rate"} <= shown
        assert (dialog.wish.suffix, dialog.wish.pixels) == (".mp4", 1.0)
        assert dialog.outcome.text().endswith("2 s long")
        rate, suffix = (dialog.fields[name].parts[0].editor for name in ("rate", "suffix"))
        assert isinstance(rate, IntEdit)
        assert isinstance(suffix, ChoiceEdit)
        rate.show_value(60)
        dialog.fields["rate"].changed.emit()
        assert dialog.outcome.text().endswith("1 s long")
        assert dialog.ok.isEnabled()
        suffix.setCurrentIndex(suffix.findData(".gif"))
        dialog.fields["suffix"].changed.emit()
        assert not dialog.ok.isEnabled()
        assert "at most 50" in dialog.outcome.text()
        dialog.reject()


@pytest.mark.parametrize(
    ("name", "typed", "limit"), [("frames", "1", "3,000"), ("rate", "99", "60"), ("span", "7", "1")]
)
def test_a_number_that_no_film_has_is_refused_in_words(
    qtbot: QtBot, name: str, typed: str, limit: str
) -> None:
    with house(qtbot) as window:
        dialog = ExportDialog(window, "stage", kind="film")
        dialog.show()
        edit, before = dialog.fields[name].parts[0].editor, dialog.wish
        edit.setFocus()
        edit.selectAll()  # type: ignore[attr-defined]  # a number editor
        QTest.keyClicks(edit, typed)
        QTest.keyClick(edit, Qt.Key.Key_Return)
        # Neither is said of a film that can be, and no place is asked for.
        assert f"cannot be {typed}" in dialog.outcome.text()
        assert f"to {limit}" in dialog.outcome.text()
        assert dialog.wish == before
        assert dialog.isVisible()
        dialog.reject()


def test_a_film_has_pixels_of_its_own(qtbot: QtBot) -> None:
    with house(qtbot) as window:
        still = first_wish(window, "stage", kind="panel")
        finer = replace(still, pixels=3.0)
        film = first_wish(window, "stage", kind="film", now=finer)
        assert (still.pixels, film.pixels) == (2.0, 1.0)
        assert first_wish(window, "stage", kind="panel_film", now=replace(film, pixels=1.5)).pixels == 1.5
        window.exporting.remember(finer)
        window.exporting.remember(replace(film, pixels=1.5))
        assert first_wish(window, "stage", kind="window", now=film).pixels == 3.0


def test_frames_and_rate_are_remembered_within_their_limits(qtbot: QtBot, tmp_path: Path) -> None:
    with house(qtbot) as window:
        window.exporting.remember(wish_for(window, frames=77, rate=12))
        again = first_wish(window, "stage", kind="film")
        assert (again.frames, again.rate) == (77, 12)
        window.exporting.recall({"frames": 10**9, "rate": -4, "kind": "film"})
        again = first_wish(window, "stage", kind="")
        assert (again.kind, again.frames, again.rate) == ("film", 3_000, 1)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_format_has_a_name(language: str) -> None:
    assert all(say(language, f"dialog.file{suffix}") for suffix in MOVING)
    assert SMALL.settings.d_model == 8
