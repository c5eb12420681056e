"""Lectures that are open, by the path of their file; the one that comes with the program always is."""

import threading
from dataclasses import replace
from pathlib import Path

from ffn_explorer.state.assets import asset
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.lectures.reading import load_lecture

BUILT_IN = "lectures/ffn.toml"
"""The lecture that comes with the program, among the assets."""

MOST_OPEN = 16


class Lectures:
    """The state names a lecture by its path, and window and workers find it here."""

    def __init__(self) -> None:
        self._held: dict[str, Lecture] = {}
        self._lock = threading.Lock()

    def known(self, path: str) -> Lecture | None:
        """The lecture of a path, where it is open; the built-in one always is."""
        with self._lock:
            found = self._held.get(path)
        return self.open("") if found is None and not path else found

    def open(self, path: str) -> Lecture:
        """Read a lecture anew, "" for the built-in one; InputError with the first mistake."""
        made = load_lecture(Path(path)) if path else replace(load_lecture(asset(BUILT_IN)), path="")
        with self._lock:
            self._held.pop(path, None)
            self._held[path] = made
            while len(self._held) > MOST_OPEN:
                self._held.pop(next(iter(self._held)))
        return made


LECTURES = Lectures()
"""Those of this program."""
