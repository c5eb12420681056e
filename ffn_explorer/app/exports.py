"""EXPORTS: everything that can be taken out of the window as a file, one row each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtWidgets import QWidget

from ffn_explorer.app.acts import state_shown
from ffn_explorer.app.numbers_out import write_arrays, write_script
from ffn_explorer.app.still import Subject, beside_others, still
from ffn_explorer.core.errors import InputError
from ffn_explorer.export.notes import notes_of
from ffn_explorer.export.numbers_file import WRITERS, table_of, write_table
from ffn_explorer.export.table import EXPORTERS
from ffn_explorer.export.written import write_bytes
from ffn_explorer.state.app_state import Appearance, AppState
from ffn_explorer.state.code.dialect import DialectName

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

Option = Literal["panel", "size", "pixels", "look", "library"]
"""What of a Wish a person can choose."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants as a file; kind: name of a row of EXPORTS.

    size, pixels: of pictures, in logical pixels, and device pixels for each.  look: of pictures.
    """

    kind: str
    suffix: str
    look: Appearance
    panel: str = ""
    size: tuple[int, int] = (0, 0)
    pixels: float = 1.0
    library: DialectName = "torch"


Stopped = Callable[[], bool]
"""Whether a person has given the work up: nothing is written then."""
Work = Callable[[Path, Stopped], None]
"""Makes the file and writes it, on any thread."""


@dataclass(frozen=True, slots=True)
class Export:
    """One kind of file; its words are "export.kind.<kind>" and "export.about.<kind>".

    prepare: does what only the GUI thread can, and returns the rest; raises InputError with a sentence.
    """

    kind: str
    suffixes: tuple[str, ...]
    options: tuple[Option, ...]
    prepare: "Callable[[Window, Wish], Work]"


def subject_of(window: "Window", wish: Wish) -> Subject:
    """What a picture shows: a panel as it is, or the window as a person has arranged it."""
    if wish.kind == "panel":
        return Subject(wish.panel, size=wish.size)
    arrangement = window.arrangement
    return Subject(
        layout=arrangement.name, arranged=arrangement.to_json(), alone=window.board.alone, size=wish.size
    )


def pictured(window: "Window", wish: Wish, paint: Callable[[QWidget, AppState], object]) -> None:
    """Paint a picture on a widget that is on no screen, with all that is computed by now."""
    state = state_shown(window, wish.look)
    with still(state, window.director.results, subject_of(window, wish), wear=beside_others) as widget:
        paint(widget, state)


def _picture(window: "Window", wish: Wish) -> Work:
    subject_of(window, wish).check(pixels=wish.pixels if wish.suffix == ".png" else 1.0)
    made: list[Callable[[], bytes]] = []

    def paint(widget: QWidget, state: AppState) -> None:
        made.append(EXPORTERS[wish.suffix](widget, notes=notes_of(state), pixels=wish.pixels))

    pictured(window, wish, paint)

    def work(path: Path, stopped: Stopped) -> None:
        content = made[0]()
        if not stopped():
            write_bytes(content, path)

    return work


def _numbers(window: "Window", wish: Wish) -> Work:
    if wish.panel not in window.board.panels:
        raise InputError("export.no_numbers", panel=wish.panel)
    table = table_of(window.board.panels[wish.panel])

    def work(path: Path, stopped: Stopped) -> None:
        if not stopped():
            write_table(table, path)

    return work


def _arrays(window: "Window", _wish: Wish) -> Work:
    state, results = state_shown(window), window.director.results

    def work(path: Path, stopped: Stopped) -> None:
        write_arrays(state, path, results=results, stopped=stopped)

    return work


def _script(window: "Window", wish: Wish) -> Work:
    state, results = state_shown(window), window.director.results

    def work(path: Path, stopped: Stopped) -> None:
        write_script(state, path, wish.library, results=results, stopped=stopped)

    return work


EXPORTS: tuple[Export, ...] = (
    Export("panel", tuple(EXPORTERS), ("panel", "size", "pixels", "look"), _picture),
    Export("window", tuple(EXPORTERS), ("size", "pixels", "look"), _picture),
    Export("numbers", tuple(WRITERS), ("panel",), _numbers),
    Export("arrays", (".npz",), (), _arrays),
    Export("script", (".py",), ("library",), _script),
)


def export_of(kind: str) -> Export:
    """The row of a kind; the first one where there is none of that name."""
    return next((row for row in EXPORTS if row.kind == kind), EXPORTS[0])
