"""Session: the only mutable object of the program; it holds one frozen state and its history."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.change import Change
from ffn_explorer.state.text import Text, text

Listener = Callable[[AppState, AppState], None]

HISTORY = 200
"""Undo steps kept."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One undo step: the states around it; only their undoable parts are ever restored."""

    what: str
    gesture: str
    before: AppState
    after: AppState


class Session:
    """One state, replaced whole by `apply`; each listener hears (old, new) once per difference.

    Changes that arrive while listeners run are queued and follow in order. Everything happens on the thread
    that made the session (asserted).
    """

    def __init__(self, state: AppState, on_change: Listener | None = None) -> None:
        self._state = state
        self._listeners = [on_change] if on_change else []
        self._done: deque[_Step] = deque(maxlen=HISTORY)
        self._undone: list[_Step] = []
        self._open = False
        self._queue: deque[Callable[[], None]] = deque()
        self._running = False
        self._thread = threading.get_ident()

    @property
    def state(self) -> AppState:
        """The state now."""
        return self._state

    def listen(self, listener: Listener) -> None:
        """Tell this listener, too, of every difference."""
        self._listeners.append(listener)

    def apply(self, change: Change) -> None:
        """Replace the state by what the change makes of it; a change to an equal state is no change.

        Raises what the change raises (SettingError, InputError); the state then stays as it was.
        """
        self._run(lambda: self._apply(change))

    def end_gesture(self) -> None:
        """Close the undo step that a gesture keeps open (slider released, editor left)."""
        self._run(self._close)

    def undo(self) -> None:
        """Take the last step back, if there is one; hover, playback, looks and views stay."""
        self._run(self._undo)

    def redo(self) -> None:
        """Do the step taken back last again, if there is one."""
        self._run(self._redo)

    @property
    def undo_text(self) -> Text | None:
        """Menu text of undo, or None where there is nothing to undo."""
        return text("undo.undo", what=text(self._done[-1].what)) if self._done else None

    @property
    def redo_text(self) -> Text | None:
        """Menu text of redo, or None where there is nothing to do again."""
        return text("undo.redo", what=text(self._undone[-1].what)) if self._undone else None

    def _run(self, act: Callable[[], None]) -> None:
        assert threading.get_ident() == self._thread, "a session is used from one thread"
        self._queue.append(act)
        if self._running:
            return
        self._running = True
        refused: Exception | None = None
        try:
            while self._queue:
                try:
                    self._queue.popleft()()
                except Exception as error:  # noqa: BLE001 - raised below, after the acts that still wait
                    refused = refused or error
        finally:
            self._running = False
        if refused is not None:
            raise refused

    def _apply(self, change: Change) -> None:
        old = self._state
        new = change.to(old)
        if change.undoable and _restored(old, new) != old:
            self._record(change, old, new)
        self._show(new)

    def _record(self, change: Change, old: AppState, new: AppState) -> None:
        self._undone.clear()
        joins = self._gather(change.gathers)
        last = self._done[-1] if self._done else None
        joins = joins or bool(last and self._open and change.gesture and last.gesture == change.gesture)
        if last and joins:
            self._done[-1] = replace(last, what=change.what, gesture=change.gesture, after=new)
        else:
            self._done.append(_Step(change.what, change.gesture, old, new))
        self._open = True

    def _gather(self, gesture: str) -> bool:
        """Give up the steps since the last one of a gesture; False where there is none."""
        if not gesture or all(step.gesture != gesture for step in self._done):
            return False
        while self._done[-1].gesture != gesture:
            self._done.pop()
        return True

    def _close(self) -> None:
        self._open = False

    def _undo(self) -> None:
        self._open = False
        if self._done:
            step = self._done.pop()
            self._undone.append(step)
            self._show(_restored(self._state, step.before))

    def _redo(self) -> None:
        self._open = False
        if self._undone:
            step = self._undone.pop()
            self._done.append(step)
            self._show(_restored(self._state, step.after))

    def _show(self, new: AppState) -> None:
        old = self._state
        if new == old:
            return
        self._state = new
        for listener in tuple(self._listeners):
            listener(old, new)


def _restored(now: AppState, kept: AppState) -> AppState:
    """`now` with the undoable parts of `kept`; hover, playback, looks and views keep their present value."""
    return replace(
        now,
        source=kept.source,
        settings=kept.settings,
        edits=kept.edits,
        compare=kept.compare,
        theta=kept.theta,
        selection=kept.selection,
        before_memory=kept.before_memory,
        lesson=kept.lesson,
    )
