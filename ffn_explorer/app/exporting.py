"""Exporting: one file at a time is made, beside the window; what a person chose last is remembered."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication

from ffn_explorer.app.lone_job import LoneJob
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.text import text

if TYPE_CHECKING:
    from ffn_explorer.app.exports import Wish
    from ffn_explorer.app.window import Window
    from ffn_explorer.state.code.dialect import DialectName

KEPT: Mapping[str, type] = {"kind": str, "pixels": float, "library": str, "frames": int, "rate": int}
"""Choices that are remembered, with their types; size, look and panel are those of the screen each time."""

SUFFIXES = "suffixes"
"""Name of the formats that are remembered, by kind."""

HANDOUT = "handout"
"""Name of the choices of the last handout."""

FIRST_PIXELS = 2.0
"""Device pixels of the first picture: sharp on a slide."""

FILM_PIXELS = 1.0
"""Those of a film, which at 2 would be larger than most programs play without a stop."""

Number = TypeVar("Number", int, float)


class Exporting(QObject):
    """Prepares a file on the GUI thread, and has it made and written on another one."""

    changed = Signal()
    """Other choices are to be remembered."""
    ended = Signal()
    """What was under way is done, has failed, or was given up."""

    def __init__(self, window: "Window") -> None:
        """Join a window; nothing that exports is imported yet."""
        super().__init__(window)
        self._window = window
        self.choices: dict[str, Any] = {}
        """What a person chose last, by name."""
        self.job = LoneJob(self)
        self.job.failed.connect(window.director.tell)
        window.director.works.add(self.job, first=True)

    def start(self, wish: "Wish", path: Path) -> bool:
        """Make a file; False where what is wanted cannot be, which the window then says."""
        from ffn_explorer.app.exports import export_of

        window = self._window
        window.folder = path.parent
        self.remember(wish)
        given_up = threading.Event()
        done: list[bool] = []

        def prepare() -> None:
            # Newer work would take the place of this one, whose file nobody would then get.
            if self.job.under_way:
                raise InputError("export.under_way")
            work = export_of(wish.kind).prepare(window, wish)
            self.job.start(
                lambda: work(path, given_up.is_set),
                lambda _: done.append(True),
                busy=text("export.busy", file=path.name),
                ended=lambda: self._end(path, given_up, written=bool(done)),
            )

        QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            return window.director.attempt(prepare)
        finally:
            QApplication.restoreOverrideCursor()

    def remember(self, wish: "Wish") -> None:
        """Take over what was chosen of a wish."""
        choices = {name: getattr(wish, name) for name in KEPT}
        if wish.moving:  # whose pixels are another matter than those of a picture
            choices["pixels"] = self.choices.get("pixels", FIRST_PIXELS)
        choices[SUFFIXES] = {**self.choices.get(SUFFIXES, {}), wish.kind: wish.suffix}
        self._keep({**self.choices, **choices})

    def remember_handout(self, choices: Mapping[str, Any]) -> None:
        """Take over what was chosen of a handout."""
        self._keep({**self.choices, HANDOUT: dict(choices)})

    def recall(self, data: object) -> None:
        """Take over what was remembered; whatever does not fit is left out."""
        found = data if isinstance(data, Mapping) else {}
        self.choices = {name: found[name] for name, kind in KEPT.items() if isinstance(found.get(name), kind)}
        suffixes = found.get(SUFFIXES)
        if isinstance(suffixes, Mapping):
            rows = suffixes.items()
            self.choices[SUFFIXES] = {str(kind): suffix for kind, suffix in rows if isinstance(suffix, str)}
        handout = found.get(HANDOUT)
        if isinstance(handout, Mapping):
            self.choices[HANDOUT] = {str(name): value for name, value in handout.items()}

    def _keep(self, choices: dict[str, Any]) -> None:
        if choices != self.choices:
            self.choices = choices
            self.changed.emit()

    def _end(self, path: Path, given_up: threading.Event, *, written: bool) -> None:
        given_up.set()
        self.ended.emit()
        if written:
            self._window.director.remark(text("window.saved", path=str(path)))


def first_wish(window: "Window", panel: str, *, kind: str, now: "Wish | None" = None) -> "Wish":
    """What a person probably wants as a file of a kind: as last time, and as it is on screen.

    kind: "" for the one chosen last.  now: what was wished for a moment ago, which goes before.
    """
    from ffn_explorer.app.exports import Wish, export_of
    from ffn_explorer.export.films.film import FRAMES, RATES
    from ffn_explorer.export.films.table import MOVING
    from ffn_explorer.export.png import PIXELS
    from ffn_explorer.state.lectures.shown import span_of

    kept = window.exporting.choices
    row = export_of(kind or kept.get("kind", "window"))
    suffixes = (now.suffix if now else "", kept.get(SUFFIXES, {}).get(row.kind), *row.suffixes)
    suffix = next(suffix for suffix in suffixes if suffix in row.suffixes)
    moving = suffix in MOVING
    pixels = FILM_PIXELS if moving else _within(kept.get("pixels", FIRST_PIXELS), PIXELS)
    if now is not None:
        chosen = now.pixels if now.moving == moving else pixels
        return replace(now, kind=row.kind, suffix=suffix, panel=panel, pixels=chosen)
    library: DialectName = "numpy" if kept.get("library") == "numpy" else "torch"
    wish = Wish(row.kind, suffix, window.look, panel, pixels=pixels, library=library)
    wish = replace(wish, span=span_of(window.director.state))
    frames = _within(kept.get("frames", wish.frames), FRAMES)
    return replace(wish, frames=frames, rate=_within(kept.get("rate", wish.rate), RATES))


def _within(value: Number, limits: tuple[Number, Number]) -> Number:
    low, high = limits
    return min(high, max(low, value))
