"""Exporting: one file at a time is made, beside the window; what a person chose last is remembered."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from ffn_explorer.app.lone_job import LoneJob
from ffn_explorer.state.text import text

if TYPE_CHECKING:
    from ffn_explorer.app.exports import Wish
    from ffn_explorer.app.window import Window

KEPT: Mapping[str, type] = {"kind": str, "suffix": str, "pixels": float, "library": str}
"""Choices that are remembered, with their types; size, look and panel are those of the screen each time."""


class Exporting(QObject):
    """Prepares a file on the GUI thread, and has it made and written on another one."""

    changed = Signal()
    """Other choices are to be remembered."""

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
        self.remember({name: getattr(wish, name) for name in KEPT})
        given_up = threading.Event()
        done: list[bool] = []

        def prepare() -> None:
            work = export_of(wish.kind).prepare(window, wish)
            self.job.start(
                lambda: work(path, given_up.is_set),
                lambda _: done.append(True),
                busy=text("export.busy", file=path.name),
                ended=lambda: self._end(path, given_up, written=bool(done)),
            )

        return window.director.attempt(prepare)

    def remember(self, choices: dict[str, Any]) -> None:
        """Take over choices."""
        if choices != self.choices:
            self.choices = choices
            self.changed.emit()

    def recall(self, data: object) -> None:
        """Take over what was remembered; whatever does not fit is left out."""
        found = data if isinstance(data, Mapping) else {}
        self.choices = {name: found[name] for name, kind in KEPT.items() if isinstance(found.get(name), kind)}

    def _end(self, path: Path, given_up: threading.Event, *, written: bool) -> None:
        given_up.set()
        if written:
            self._window.director.remark(text("window.saved", path=str(path)))
