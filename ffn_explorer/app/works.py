"""Works: everything that is under way on other threads, as one: what is announced of it, and how it stops."""

from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance

from ffn_explorer.state.text import Text


class Work(Protocol):
    """Something that works on a thread of its own."""

    @property
    def busy_changed(self) -> SignalInstance:
        """Text of what takes long, or None."""
        ...

    def cancel(self) -> bool:
        """Stop because a person asked for it; False if nothing is under way."""
        ...

    def close(self) -> bool:
        """Stop for good; True if nothing is left running."""
        ...


class Works(QObject):
    """The works there are, the most important one first: its words are shown, and it is stopped first."""

    changed = Signal()
    """Something else is announced."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Build it with nothing under way."""
        super().__init__(parent)
        self._works: list[Work] = []
        self._busy: dict[int, Text | None] = {}

    @property
    def busy(self) -> Text | None:
        """What is announced now, or None."""
        return next((words for work in self._works if (words := self._busy[id(work)]) is not None), None)

    def add(self, work: Work, *, first: bool = False) -> None:
        """Take up another work."""
        self._works.insert(0 if first else len(self._works), work)
        self._busy[id(work)] = None
        work.busy_changed.connect(partial(self._note, id(work)))

    def cancel(self) -> bool:
        """Stop the work that is announced; where none is, all of them.  False if nothing is under way."""
        announced = next((work for work in self._works if self._busy[id(work)] is not None), None)
        stopped = [work.cancel() for work in ([announced] if announced else self._works)]
        return any(stopped)

    def close(self) -> bool:
        """Stop everything for good; True if nothing is left running."""
        ended = [work.close() for work in self._works]
        return all(ended)

    def _note(self, work: int, busy: Text | None) -> None:
        if busy != self._busy[work]:
            self._busy[work] = busy
            self.changed.emit()
