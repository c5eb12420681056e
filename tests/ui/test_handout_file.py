"""Handouts as files: what another reader finds in them, and how the command line and the window make them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from ffn_explorer.__main__ import main
from ffn_explorer.app import handout as handouts
from ffn_explorer.app.handout import Handout
from ffn_explorer.app.lecture.handout_dialog import HandoutDialog
from ffn_explorer.app.still import whole_application
from ffn_explorer.app.window import Window
from ffn_explorer.export.handout.compose import compose
from ffn_explorer.export.handout.words import HandoutWish
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.lectures.store import LECTURES
from ffn_explorer.state.results import Results
from ffn_explorer.state.sessions_in import session_in
from ffn_explorer.state.text import Text, say
from tests.ui.handouts import opened, overlapping, plain, small, words_of
from tests.ui.house import house
from tests.unit.test_lectures import SMALL

PATIENCE_MS = 30_000
MOST_BYTES = 15_000_000


pytestmark = pytest.mark.usefixtures("style_given_back")


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.toml"
    path.write_text(SMALL, "utf-8")
    return path


def made(lecture: Lecture, wish: HandoutWish) -> bytes:
    handout = Handout(lecture, wish, wear=whole_application)
    try:
        for _ in handout.set():
            pass
        for number in range(len(lecture.scenes)):
            handout.draw(number, handout.results(number))
        return handout.content()
    finally:
        handout.close()


def test_the_built_in_lecture_in_japanese_as_another_reader_finds_it(qtbot: QtBot, tmp_path: Path) -> None:
    lecture = LECTURES.open("")
    content = made(lecture, HandoutWish(Appearance(language="ja")))
    assert len(content) < MOST_BYTES
    document = opened(content)
    everything = document.text
    for words in words_of(lecture):
        assert plain(words.ja) in everything
    for page in document.pages:
        assert page.words
        assert all(0 <= word.left <= word.right <= page.width for word in page.words)
        assert all(0 <= word.bottom <= word.top <= page.height for word in page.words)
        assert page.fonts
        assert all("FFNExplorer" in name for name in page.fonts)
    assert 1 + len(lecture.scenes) + len(lecture.chapters) < len(document.pages) <= 24
    assert (document.title, document.language) == (lecture.title.ja, "ja")
    chapters = [title for level, title, _ in document.marks if level == 0]
    answers = say("ja", "handout.answers")
    assert chapters == [*(f"{chapter.letter}  {chapter.title.ja}" for chapter in lecture.chapters), answers]
    for number, scene in enumerate(lecture.scenes, 1):
        (at,) = [page for _, title, page in document.marks if title == f"{number}  {scene.title.ja}"]
        assert plain(scene.title.ja) in plain(document.pages[at].text)
        assert document.pages[at].shapes > 20
    path = tmp_path / "handout.pdf"
    path.write_bytes(content)
    state, note = session_in(path)
    assert note is None
    assert state.settings == lecture.scenes[0].state.settings


def test_no_word_stands_on_another_one(qtbot: QtBot) -> None:
    lecture = small(notes="What a speaker knows. " * 20)
    wish = HandoutWish(Appearance())
    document = opened(made(lecture, wish))
    assert "What a speaker knows" in document.pages[1].text
    for page, set_page in zip(document.pages, compose(lecture, wish), strict=True):
        places = [place.bottom() / 10 for place in set_page.pictures.values()]
        below = [word for word in page.words if word.top < page.height - max(places, default=0.0)]
        assert below
        assert overlapping(below) == []


def test_the_command_line_makes_a_lecture_of_a_file(qtbot: QtBot, tmp_path: Path, talk: Path) -> None:
    out = tmp_path / "talk.pdf"
    arguments = ["--lang", "ja", "--theme", "dark", "--paper", "letter", "--no-notes"]
    assert main(["lecture", "handout", str(talk), "-o", str(out), *arguments]) == 0
    document = opened(out)
    assert "日本語で。" in document.text
    # Front, two scenes, the chapter's end and the answers.
    assert [(page.width, page.height) for page in document.pages] == [(612, 792)] * 5
    assert all(max(page.corner) < 60 for page in document.pages)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-o", "{tmp}/none/x.pdf"], "could not be written"),
        (["-o", "{tmp}"], "end the file name in .pdf"),
        (["-o", "{tmp}/x.png"], "end the file name in .pdf"),
        (["-o", "{tmp}/folder.pdf"], "could not be written"),
        (["-o", ""], "--output"),
        (["-o", "{tmp}/x.pdf", "--depth", "deep"], "--depth"),
        (["-o", "{tmp}/x.pdf", "--paper", "a3"], "--paper"),
        (["-o", "{tmp}/x.pdf", "--theme", "pink"], "--theme"),
        (["{tmp}/no.toml", "-o", "{tmp}/x.pdf"], "no.toml"),
        ([], "--output"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(
    qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    (tmp_path / "folder.pdf").mkdir()
    typed = [each.replace("{tmp}", str(tmp_path)) for each in arguments]
    assert main(["lecture", "handout", *typed]) == 2
    told = capsys.readouterr().err
    assert says in told
    assert len(told.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["folder.pdf"]


def test_an_interrupted_handout_leaves_nothing(
    qtbot: QtBot, tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Handout.draw

    def draw(self: Handout, number: int, results: Results) -> None:
        if number == 1:
            raise KeyboardInterrupt
        before(self, number, results)

    monkeypatch.setattr(Handout, "draw", draw)
    out = tmp_path / "out"
    out.mkdir()
    assert main(["lecture", "handout", str(talk), "-o", str(out / "talk.pdf")]) == 130
    assert list(out.iterdir()) == []


def test_progress_is_told_before_a_terminal_alone(
    qtbot: QtBot,
    tmp_path: Path,
    talk: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    typed = ["lecture", "handout", str(talk), "-o", str(tmp_path / "talk.pdf")]
    assert main(typed) == 0
    assert "\r" not in capsys.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert main(typed) == 0
    assert "\rHandout: scene 1 of 2…\rHandout: scene 2 of 2…\n" in capsys.readouterr().err


# In the window ----------------------------------------------------------------------------------------------


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made_window:
        yield made_window


def dialog_of(window: Window) -> HandoutDialog:
    """The dialog that the action opens."""
    (action,) = [each for each in window.keymap.actions if each.name == "lecture_handout"]
    assert action.words(window) is not None
    action.run(window)
    return window.findChildren(HandoutDialog)[-1]


def choose(dialog: HandoutDialog, name: str, value: str) -> None:
    """Choose as a person does."""
    edit = dialog.edits[name]
    edit.setCurrentIndex(edit.findData(value))


def ask(window: Window, path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Text | None]:
    """Choose the action, and a place; what is announced from now on."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args, **_more: (str(path), ""))
    heard: list[Text | None] = []
    window.director.works.changed.connect(lambda: heard.append(window.director.works.busy))
    dialog_of(window).ok.click()
    return heard


def begun(window: Window, qtbot: QtBot, talk: Path) -> None:
    window.opener.open_text(str(talk))
    qtbot.waitUntil(lambda: window.scene is not None and window.scene.lesson is not None, timeout=PATIENCE_MS)


def test_the_lecture_under_way_becomes_a_handout_beside_the_window(
    window: Window, qtbot: QtBot, tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(window, qtbot, talk)
    state, sheet = window.director.state, window.styleSheet()
    out = tmp_path / "talk"
    heard = ask(window, out, monkeypatch)
    assert window.lecture.handout.under_way
    qtbot.waitUntil(lambda: not window.lecture.handout.under_way, timeout=PATIENCE_MS)
    told = [say("en", words) for words in heard if words is not None]
    assert {"Handout: scene 1 of 2…", "Handout: scene 2 of 2…"} <= set(told)
    assert heard[-1] is None
    document = opened(out.with_suffix(".pdf"))
    assert "InEnglish." in document.text
    assert (window.director.state.lesson, window.styleSheet()) == (state.lesson, sheet)
    qtbot.waitUntil(lambda: window.scene is not None and window.scene.message is not None)
    assert window.scene is not None
    assert window.scene.message is not None
    assert window.scene.message.key == "window.saved"


def test_a_person_may_give_it_up(
    window: Window, qtbot: QtBot, tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(window, qtbot, talk)
    out = tmp_path / "out"
    out.mkdir()
    drawn: list[int] = []
    before = Handout.draw

    def draw(self: Handout, number: int, results: Results) -> None:
        before(self, number, results)
        drawn.append(number)

    monkeypatch.setattr(Handout, "draw", draw)
    ask(window, out / "talk.pdf", monkeypatch)
    qtbot.waitUntil(lambda: drawn == [0], timeout=PATIENCE_MS)
    assert window.director.cancel()
    assert not window.lecture.handout.under_way
    qtbot.wait(50)
    assert drawn == [0]
    assert list(out.iterdir()) == []
    assert window.director.works.busy is None


def test_closing_the_window_ends_it(
    window: Window, qtbot: QtBot, tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(window, qtbot, talk)
    out = tmp_path / "out"
    out.mkdir()
    ask(window, out / "talk.pdf", monkeypatch)
    job = window.lecture.handout
    assert job.under_way
    window.close()
    assert window.director.close()
    assert window.director.works.busy is None
    assert not job.cancel()
    assert list(out.iterdir()) == []


@pytest.mark.parametrize(("name", "key"), [("none/talk.pdf", "export.write"), ("talk.txt", "export.format")])
def test_a_place_where_nothing_can_be_written_is_told_at_once(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, key: str
) -> None:
    ask(window, tmp_path / name, monkeypatch)
    assert not window.lecture.handout.under_way
    qtbot.waitUntil(lambda: window.scene is not None and window.scene.message is not None)
    assert window.scene is not None
    assert window.scene.message is not None
    assert window.scene.message.key == key


def test_a_defect_while_drawing_ends_it_and_is_told(
    window: Window, qtbot: QtBot, tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: object, **_more: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(handouts, "paint_whole", broken)
    begun(window, qtbot, talk)
    out = tmp_path / "talk.pdf"
    ask(window, out, monkeypatch)
    qtbot.waitUntil(lambda: not window.lecture.handout.under_way, timeout=PATIENCE_MS)
    assert not out.exists()
    assert "broken" in window.director.details
    window.director.tell(None)


def test_choices_make_the_handout_and_are_remembered(
    window: Window, qtbot: QtBot, tmp_path: Path, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(window, qtbot, talk)
    out = tmp_path / "talk.pdf"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args, **_more: (str(out), ""))
    dialog = dialog_of(window)
    chosen = {"depth": "shapes", "notes": "without", "paper": "letter", "theme": "dark", "language": "ja"}
    for name, value in chosen.items():
        choose(dialog, name, value)
    dialog.ok.click()
    qtbot.waitUntil(lambda: not window.lecture.handout.under_way, timeout=PATIENCE_MS)
    document = opened(out)
    assert document.language == "ja"
    assert document.pages[0].height == 792
    assert "日本語で。" not in document.text
    window.exporting.recall(json.loads(json.dumps(window.exporting.choices)))
    again = dialog_of(window)
    # The language is that of the window each time.
    assert again.choices == {**chosen, "language": "en"}
    again.reject()


def test_what_was_remembered_and_is_none_of_the_choices_is_left_out(window: Window) -> None:
    window.exporting.recall({"handout": {"depth": "deep", "notes": 3, "paper": ["a4"], "theme": None}})
    dialog = dialog_of(window)
    assert dialog.wish.depth is None
    assert dialog.wish.notes
    assert dialog.wish.look.theme == "light"
    assert dialog.lecture == LECTURES.open("")
    dialog.reject()
