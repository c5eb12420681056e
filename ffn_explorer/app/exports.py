"""EXPORTS: everything that can be taken out of the window as a file, one row each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from ffn_explorer.app.acts import state_shown
from ffn_explorer.app.animating import FRAMES, RATE, film_of, of_pass
from ffn_explorer.app.numbers_out import write_arrays, write_script
from ffn_explorer.app.still import Subject, beside_others, still
from ffn_explorer.core.errors import InputError
from ffn_explorer.export.films.film import Film
from ffn_explorer.export.films.table import MOVING, check_film
from ffn_explorer.export.notes import notes_of
from ffn_explorer.export.numbers_file import WRITERS, table_of, write_table
from ffn_explorer.export.png import size_in
from ffn_explorer.export.table import EXPORTERS, PIXELLED
from ffn_explorer.export.written import write_bytes
from ffn_explorer.state.app_state import Appearance, AppState
from ffn_explorer.state.code.dialect import DIALECTS, DialectName
from ffn_explorer.state.numbers import count
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.text import Text, text

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

Option = Literal["panel", "suffix", "span", "frames", "rate", "size", "pixels", "look", "library"]
"""What of a Wish a person can choose; `export_fields.FIELDS` holds the field for each."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants as a file; kind: name of a row of EXPORTS.

    size, pixels: of pictures, in logical pixels, and device pixels for each.  look: of pictures.
    span, frames, rate: of films, times 0..1 of the pass, and frames per second.
    """

    kind: str
    suffix: str
    look: Appearance
    panel: str = ""
    size: tuple[int, int] = (0, 0)
    pixels: float = 1.0
    library: DialectName = "torch"
    span: tuple[float, float] = (0.0, 1.0)
    frames: int = FRAMES
    rate: int = RATE

    @property
    def of_panel(self) -> bool:
        """Whether a picture or film shows one panel, and not the window."""
        return self.kind in ("panel", "panel_film")

    @property
    def moving(self) -> bool:
        """Whether it is a film."""
        return self.suffix in MOVING


Stopped = Callable[[], bool]
"""Whether a person has given the work up: nothing is written then."""
Work = Callable[[Path, Stopped], None]
"""Makes the file and writes it, on any thread."""


@dataclass(frozen=True, slots=True)
class Export:
    """One kind of file; its words are "export.kind.<kind>" and "export.about.<kind>".

    options: what of it can be chosen, from top to bottom; the format too where there are several.
    stem: of the file name that is proposed; None: the panel's name.
    prepare: does what only the GUI thread can, and returns the rest; raises InputError with a sentence.
    says: what will come of a wish, in words; raises InputError, one sentence, where nothing can.
    """

    kind: str
    suffixes: tuple[str, ...]
    options: tuple[Option, ...]
    stem: str | None
    prepare: "Callable[[Window, Wish], Work]"
    says: "Callable[[Window, Wish], Text]"


def subject_of(window: "Window", wish: Wish) -> Subject:
    """What a picture shows: a panel as it is, or the window as a person has arranged it."""
    if wish.of_panel:
        return Subject(wish.panel, size=wish.size)
    arrangement = window.arrangement
    return Subject(
        layout=arrangement.name,
        arranged=arrangement.to_json(),
        scene=window.board.arrangement() if arrangement.in_scene else None,
        alone=window.board.alone,
        size=wish.size,
    )


def pictured(window: "Window", wish: Wish, paint: Callable[[QWidget, AppState], object]) -> None:
    """Paint a picture on a widget that is on no screen, with all that is computed by now."""
    state = state_shown(window, wish.look)
    with still(state, window.director.results, subject_of(window, wish), wear=beside_others) as widget:
        paint(widget, state)


def _picture(window: "Window", wish: Wish) -> Work:
    _picture_says(window, wish)
    made: list[Callable[[], bytes]] = []

    def paint(widget: QWidget, state: AppState) -> None:
        made.append(EXPORTERS[wish.suffix](widget, notes=notes_of(state), pixels=wish.pixels))

    pictured(window, wish, paint)

    def work(path: Path, stopped: Stopped) -> None:
        content = made[0]()
        if not stopped():
            write_bytes(content, path)

    return work


def _picture_says(window: "Window", wish: Wish) -> Text:
    pixels = wish.pixels if wish.suffix in PIXELLED else 1.0
    size = _size(window, wish, pixels)
    key = "export.says.pixels" if wish.suffix in PIXELLED else "export.says.shapes"
    return text(key, width=count(size.width()), height=count(size.height()))


def _size(window: "Window", wish: Wish, pixels: float) -> QSize:
    """Size in device pixels; InputError where no picture can have it, or no panel is chosen."""
    if wish.of_panel and wish.panel not in window.board.panels:
        raise InputError("export.no_panel")
    subject = subject_of(window, wish)
    subject.check(pixels=pixels)
    return size_in(subject.size_px, pixels)


def _film(window: "Window", wish: Wish) -> Work:
    from ffn_explorer.app.filming import Filming

    _film_says(window, wish)
    states = of_pass(state_shown(window, wish.look), frames=wish.frames, span=wish.span)
    subject = subject_of(window, wish)
    film = film_of(states, subject, rate=wish.rate, pixels=wish.pixels)
    return Filming(window, states, subject, film, pixels=wish.pixels)


def _film_says(window: "Window", wish: Wish) -> Text:
    size = _size(window, wish, wish.pixels)
    film = Film((size.width(), size.height()), wish.frames, wish.rate, {})
    check_film(film, wish.suffix)
    width, height = MOVING[wish.suffix].size_of(film)
    seconds = f"{wish.frames / wish.rate:.3g}"
    return text("export.says.film", width=count(width), height=count(height), seconds=seconds)


def _numbers(window: "Window", wish: Wish) -> Work:
    table = _table(window, wish)

    def work(path: Path, stopped: Stopped) -> None:
        if not stopped():
            write_table(table, path)

    return work


def _table(window: "Window", wish: Wish) -> list[list[str]]:
    if wish.panel not in window.board.panels:
        raise InputError("export.no_panel")
    return table_of(window.board.panels[wish.panel])


def _numbers_say(window: "Window", wish: Wish) -> Text:
    names, *rows = _table(window, wish)
    return text("export.says.table", rows=count(len(rows)), columns=count(len(names)))


def _arrays(window: "Window", _wish: Wish) -> Work:
    state, results = state_shown(window), window.director.results

    def work(path: Path, stopped: Stopped) -> None:
        write_arrays(state, path, results=results, stopped=stopped)

    return work


def _arrays_say(window: "Window", _wish: Wish) -> Text:
    settings = state_shown(window).settings
    return text(
        "export.says.arrays",
        d_model=count(settings.d_model),
        d_ff=count(settings.d_ff),
        dtype=settings.dtype,
    )


def _script_says(window: "Window", wish: Wish) -> Text:
    from ffn_explorer.state.code.script import script_of

    state, label = state_shown(window), DIALECTS[wish.library].label
    found = window.director.results.get(run_of(state))
    if not isinstance(found, RunResult):
        return text("export.says.script_later", library=label)
    lines = script_of(state, found, wish.library).count("\n")
    return text("export.says.script", lines=count(lines), library=label)


def _script(window: "Window", wish: Wish) -> Work:
    state, results = state_shown(window), window.director.results

    def work(path: Path, stopped: Stopped) -> None:
        write_script(state, path, wish.library, results=results, stopped=stopped)

    return work


_PASS: tuple[Option, ...] = ("suffix", "span", "frames", "rate", "size", "pixels", "look")
_LOOK: tuple[Option, ...] = ("suffix", "size", "pixels", "look")

EXPORTS: tuple[Export, ...] = (
    Export("panel", tuple(EXPORTERS), ("panel", *_LOOK), None, _picture, _picture_says),
    Export("window", tuple(EXPORTERS), _LOOK, "ffn-explorer", _picture, _picture_says),
    Export("panel_film", tuple(MOVING), ("panel", *_PASS), None, _film, _film_says),
    Export("film", tuple(MOVING), _PASS, "ffn-explorer", _film, _film_says),
    Export("numbers", tuple(WRITERS), ("panel", "suffix"), None, _numbers, _numbers_say),
    Export("arrays", (".npz",), (), "pass", _arrays, _arrays_say),
    Export("script", (".py",), ("library",), "ffn", _script, _script_says),
)


def export_of(kind: str) -> Export:
    """The row of a kind; the first one where there is none of that name."""
    return next((row for row in EXPORTS if row.kind == kind), EXPORTS[0])
