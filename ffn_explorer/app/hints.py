"""Hints for the first minutes: one at a time, each gone for good once it was followed or put away."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from ffn_explorer.state.app_state import AppState


@dataclass(frozen=True, slots=True)
class Hint:
    """One hint; its words are "hint.<name>". done: whether a person has just done what it says."""

    name: str
    done: Callable[[AppState, AppState], bool]


def _played(old: AppState, new: AppState) -> bool:
    """Played, paused on the way or moved by hand; coming to the end by itself is none of these."""
    before, now = old.playback, new.playback
    if before.playing:
        return not now.playing and now.time < 1.0
    return now.playing or now.time != before.time


def _chose(old: AppState, new: AppState) -> bool:
    return new.selection.stage is not None and new.selection != old.selection


def _turned(old: AppState, new: AppState) -> bool:
    return new.settings != old.settings


def _began(old: AppState, new: AppState) -> bool:
    return new.lesson is not None and old.lesson is None


def _elsewhere(_old: AppState, _new: AppState) -> bool:
    """Never seen in the state: whoever sees it tells `Hints.did`."""
    return False


HINTS = (
    Hint("play", _played),
    Hint("cell", _chose),
    Hint("knob", _turned),
    Hint("find", _elsewhere),
    Hint("lecture", _began),
)


class Hints(QObject):
    """Shows nothing before `begin`, so that tests and pictures are free of them."""

    changed = Signal()
    """Another hint is due, or none any more."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Know of nothing done yet."""
        super().__init__(parent)
        self._done: set[str] = set()
        self._on = False

    @property
    def current(self) -> str | None:
        """Name of the hint to show now."""
        return next((hint.name for hint in HINTS if hint.name not in self._done), None) if self._on else None

    @property
    def done(self) -> list[str]:
        """Names of those that never come again."""
        return [hint.name for hint in HINTS if hint.name in self._done]

    def recall(self, done: Iterable[object]) -> None:
        """Take over which were done in earlier sessions; what is not known is left out."""
        self._done |= {hint.name for hint in HINTS} & {name for name in done if isinstance(name, str)}

    def begin(self) -> None:
        """Show hints from now on."""
        self._on = True
        self.changed.emit()

    def note(self, old: AppState, new: AppState) -> None:
        """See whether a person has just done what a hint says."""
        for hint in HINTS:
            if self._on and hint.name not in self._done and hint.done(old, new):
                self.did(hint.name)

    def did(self, name: str) -> None:
        """Never show this one again."""
        if name not in self._done:
            self._done.add(name)
            self.changed.emit()
