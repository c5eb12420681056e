"""Opener: files of weights, sessions and links, opened on another thread and then taken up by the session."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from ffn_explorer.app.corrections import Corrections
from ffn_explorer.app.director import Director
from ffn_explorer.app.lone_job import LoneJob
from ffn_explorer.app.recent import Recent
from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, Opened, XIs
from ffn_explorer.state.file_endings import holds_lecture, holds_session
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.text import Text, said, text

if TYPE_CHECKING:
    from ffn_explorer.state.target import Target


class Opener(QObject):
    """Whatever cannot be opened is one sentence, and what was on screen stays."""

    def __init__(self, director: Director) -> None:
        """Join a director; nothing is opened yet, and nothing that opens files is imported."""
        super().__init__(director)
        self._director = director
        self.recent = Recent(self)
        self.corrections = Corrections(self)
        self.awaited: AppState | None = None
        """The last session, until its file is open again or a person begins something else."""
        self.job = LoneJob(self)
        self.job.failed.connect(director.tell)
        director.works.add(self.job, first=True)
        director.works.add(self.recent.job)
        director.state_changed.connect(self._heard)

    def open_text(self, typed: str) -> None:
        """Open what a person typed, pasted or dropped: a link, the address of a file, or a path."""

        def begin() -> None:
            from ffn_explorer.state.links import meant_by

            self.begin(meant_by(typed))

        self._director.attempt(begin)

    def open_path(self, path: str) -> None:
        """Open what a person chose from a list, whatever letters its name has."""
        from ffn_explorer.state.target import Target

        self.begin(Target(os.path.abspath(path)))  # noqa: PTH100 - Path.resolve follows links

    def begin(self, target: "Target") -> None:
        """Open a session or a picture that holds one, or a file, folder or link of weights."""
        if holds_session(target.path):
            self._open_session(Path(target.path))
        elif holds_lecture(target.path):
            self._open_lecture(target.path)
        else:
            self.open(target)

    def open(self, target: "Target") -> None:
        """Open the file of a target and take it up; the sentences stay."""
        known = self.corrections.known

        def work() -> Opened:
            from ffn_explorer.state.target import open_target

            return open_target(target, known=known)

        self._start(target.path, work, lambda opened: self._take(opened, target))

    def restore(self, state: AppState) -> None:
        """Open the file of the last session again, and bring all of it back."""
        opened = state.source.opened
        assert opened is not None
        self.awaited = state
        self.recent.add(opened.path)
        self._start(
            opened.path,
            lambda: _reopened(state),
            lambda found: self._take_state(*found),
        )

    def hidden_states(self, path: str, *, x_is: XIs) -> None:
        """Let the rows of an NPY file flow into the opened layer."""

        def work() -> None:
            from ffn_explorer.state.hidden_states import look_at

            look_at(path)

        def then(_: object) -> None:
            from ffn_explorer.state.opened_changes import set_hidden_states

            self._director.read_again(path)
            self._director.request(set_hidden_states(path, x_is=x_is))

        self._start(path, work, then)

    def _open_session(self, path: Path) -> None:
        def work() -> tuple[AppState, Text | None]:
            from ffn_explorer.state.sessions_in import session_in

            state, note = session_in(path)
            found, more = _reopened(state)
            return found, note or more

        self._start(str(path), work, lambda found: self._take_state(*found, path=str(path)))

    def _open_lecture(self, path: str) -> None:
        def work() -> object:
            from ffn_explorer.state.lectures.store import LECTURES

            return LECTURES.open(path)

        def then(lecture: Any) -> None:  # noqa: ANN401 - a Lecture; the first picture imports none
            from ffn_explorer.state.lectures.changes import to_beat

            if self._director.attempt(lambda: self._director.apply(to_beat(lecture, 0))):
                self.recent.add(path)

        self._start(path, work, then)

    def _start(
        self,
        path: str,
        work: Callable[[], object],
        then: Callable[..., object],
    ) -> None:
        self._director.tell(None)
        busy = text("open.busy", file=Path(path).name or path)
        self.job.start(work, then, busy=busy)

    def _take(self, opened: Opened, target: "Target") -> None:
        """Take up a layer of a file that is open, and say what a person must know of it."""
        from ffn_explorer.state.target import use_target

        if target.correction is not None or target.as_found:
            self.corrections.keep(opened.digest, target.correction)
        self._read_again(opened, target.x)
        if not self._director.attempt(lambda: self._director.apply(use_target(opened, target))):
            return
        self.recent.add(opened.path)
        other = bool(target.digest) and target.digest != opened.digest
        note = text("open.other_file", file=Path(opened.path).name) if other else trouble_of(opened)
        self._director.tell(note)

    def _take_state(self, state: AppState, note: Text | None, *, path: str = "") -> None:
        def take() -> None:
            from ffn_explorer.state.target import restored

            opened = state.source.opened
            if opened is not None:
                self._read_again(opened, opened.x)
            self._director.apply(changes.load_state(restored(state)))
            self.awaited = None

        if self._director.attempt(take):
            if path:
                self.recent.add(path)
            self._director.tell(note)

    def _read_again(self, opened: Opened, x: str) -> None:
        """Let nothing stand that was read of an older file of the same name and headers."""
        from ffn_explorer.state.open_files import OPEN_FILES

        renewed = OPEN_FILES.take_renewed(opened.path)
        self._director.read_again(*([opened.path] if renewed else []), *([x] if x else []))

    def _heard(self, old: AppState, new: AppState) -> None:
        """A file that undo leads back to, and that was closed for others meanwhile, is opened again."""
        if not self.job.under_way and run_of(old) != run_of(new):
            # Until then a drive that is missing today does not cost a person the session of yesterday.
            self.awaited = None
        opened = new.source.opened
        if opened is None or opened == old.source.opened:
            return
        from ffn_explorer.state.open_files import OPEN_FILES

        if OPEN_FILES.known(opened) is None:
            self._start(opened.path, lambda: OPEN_FILES.get(opened), lambda _: self._read_again(opened, ""))


def trouble_of(opened: Opened) -> Text | None:
    """Why the tokenizer of an open file is of no use; None where it is, or where there is none."""
    from ffn_explorer.state.open_files import OPEN_FILES

    held = OPEN_FILES.known(opened)
    trouble = None if held is None else held.facts.trouble
    return None if trouble is None else Text(trouble.key, trouble.values)


def _reopened(state: AppState) -> tuple[AppState, Text | None]:
    """A saved state, its file open again; hidden states that are gone give way to embeddings, with a note.

    InputError where the file is gone, or another one by now.
    """
    opened = state.source.opened
    if opened is None:
        return state, None
    from ffn_explorer.state.hidden_states import look_at
    from ffn_explorer.state.open_files import OPEN_FILES

    OPEN_FILES.get(opened)
    if not opened.x:
        return state, None
    try:
        look_at(opened.x)
    except ExplorerError as error:
        orders = tuple(() for _ in state.source.sentences)
        source = replace(state.source, opened=replace(opened, x=""), orders=orders)
        return replace(state, source=source), said(error)
    return state, None
