"""Recent: what was opened last, newest first; whether it is there is found out on another thread."""

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from ffn_explorer.app.lone_job import LoneJob
from ffn_explorer.state.files import kind_of
from ffn_explorer.state.opened_json import MOST_PATH

MOST = 10
"""Files and folders that are remembered."""


class Recent(QObject):
    """Paths of sessions and weights, absolute."""

    changed = Signal()
    """Other paths than before."""
    looked = Signal()
    """Which of them are missing is known anew."""

    def __init__(self, parent: QObject | None = None, *, there: Callable[[Path], str] = kind_of) -> None:
        """Know of none; there: what a path leads to."""
        super().__init__(parent)
        self.paths: tuple[str, ...] = ()
        self.missing: frozenset[str] = frozenset()
        """Those that were not there when they were last looked for."""
        self._there = there
        self.job = LoneJob(self)

    def recall(self, paths: Iterable[object]) -> None:
        """Take over what was remembered; what is no path is left out."""
        good = [path for path in paths if isinstance(path, str) and 0 < len(path) <= MOST_PATH]
        self.paths = tuple(dict.fromkeys(good))[:MOST]

    def add(self, path: str) -> None:
        """Put a path in front."""
        self.missing -= {path}
        self._set((path, *(old for old in self.paths if old != path))[:MOST])

    def drop_missing(self) -> None:
        """Forget those that are no longer there."""
        self._set(tuple(path for path in self.paths if path not in self.missing))

    def clear(self) -> None:
        """Forget all of them."""
        self._set(())

    def look(self) -> None:
        """Find out which are missing; a drive that does not answer holds nothing up."""
        paths, there = self.paths, self._there

        def find() -> frozenset[str]:
            return frozenset(path for path in paths if there(Path(path)) == "nothing")

        self.job.start(find, self._note)

    def _note(self, missing: frozenset[str]) -> None:
        self.missing = missing
        self.looked.emit()

    def _set(self, paths: tuple[str, ...]) -> None:
        if paths != self.paths:
            self.paths = paths
            self.changed.emit()
