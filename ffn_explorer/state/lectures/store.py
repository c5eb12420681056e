"""Lectures that are open, by the path of their file; the one that comes with the program always is."""

import threading
from dataclasses import replace
from functools import cached_property
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

    @cached_property
    def built_in(self) -> Lecture:
        """The lecture that comes with the program, read when it is first wanted."""
        return replace(load_lecture(asset(BUILT_IN)), path="")

    def known(self, path: str) -> Lecture | None:
        """The lecture of a path, where it is open; the built-in one, "", always is."""
        if not path:
            return self.built_in
        with self._lock:
            return self._held.get(path)

    def open(self, path: str) -> Lecture:
        """Read a lecture anew, but the built-in one, ""; InputError with the first mistake."""
        if not path:
            return self.built_in
        made = load_lecture(Path(path))
        with self._lock:
            self._held.pop(path, None)
            self._held[path] = made
            while len(self._held) > MOST_OPEN:
                self._held.pop(next(iter(self._held)))
        return made


LECTURES = Lectures()
"""Those of this program."""
