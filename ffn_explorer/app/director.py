"""Director: the one place where changes are applied, and where every new state becomes a Scene."""

import logging
import traceback
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Signal

from ffn_explorer.app.clock import FRAME_MS, Clock
from ffn_explorer.app.loader import Loader
from ffn_explorer.app.torch_import import no_preparation
from ffn_explorer.app.works import Works
from ffn_explorer.core.budget import check
from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.core.stages import Stage, stages_of
from ffn_explorer.state import changes, timeline
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.asked import chosen_in, drawn_in
from ffn_explorer.state.change import Change
from ffn_explorer.state.compute import tokens_of
from ffn_explorer.state.handmade_changes import check_state
from ffn_explorer.state.needs import ROOFLINE, in_sight, measurements, ordinary, readings
from ffn_explorer.state.requests import RooflineRequest, roofline_of, run_of
from ffn_explorer.state.resolver import Resolver
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Failure, Results
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.session import Session
from ffn_explorer.state.text import Text, said, say, text

HOVER = "undo.hover"

FLASH_MS = 2_500
"""How long what changed with the last run is told; a run that follows within this time starts it anew."""

REMARK_MS, READ_MS = 2_500, 90
"""How long a remark stays at least, and for each of its letters; a later message stays as long as it must."""

log = logging.getLogger(__name__)


class Director(QObject):
    """Takes changes, applies them to the session, and tells the Scene that follows at most once a frame."""

    scene_made = Signal(object)
    """The Scene to show now."""
    state_changed = Signal(object, object)
    """The state before and after."""
    refused = Signal()
    """A change could not be made: editors must show again what is."""

    def __init__(self, session: Session, results: Results, parent: QObject | None = None) -> None:
        """Build a director at rest; `scene()` is there at once, computing starts with `loader.warm_up()`."""
        super().__init__(parent)
        self.session = session
        self.results = results
        self.details = ""
        """Report of the last unexpected error, for the clipboard."""
        self.loader = Loader(results, self, needs=ordinary)
        # A thread of its own: a measurement takes seconds, and a click must not wait for it.
        self.measurer = Loader(results, self, needs=measurements, prepare=no_preparation)
        self.works = Works(self)
        """What is under way on other threads; others may join it."""
        # And one for what is read of an opened file, larger than memory, for its own panels.
        self.reader = Loader(results, self, needs=readings, prepare=no_preparation)
        self.loaders = (self.loader, self.measurer, self.reader)
        self.clock = Clock(self)
        self._resolver = Resolver(results)
        self._scene: Scene | None = None
        self._message: Text | None = None
        self._hover: Change | None = None
        self._before: RunResult | None = None
        self._started = False
        self._wanting = False
        self._last_frame = 0.0
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.timeout.connect(self.show_now)
        self._compute = QTimer(self)
        self._compute.setSingleShot(True)
        self._compute.setInterval(0)
        self._compute.timeout.connect(self._want)
        self._flash = QTimer(self)
        self._flash.setSingleShot(True)
        self._flash.setInterval(FLASH_MS)
        self._flash.timeout.connect(self._end_flash)
        self._remarked: Text | None = None
        self._remark = QTimer(self)
        self._remark.setSingleShot(True)
        self._remark.setInterval(REMARK_MS)
        self._remark.timeout.connect(self._end_remark)
        session.listen(self._heard)
        for loader in self.loaders:
            self.works.add(loader)
            loader.arrived.connect(self._schedule)
            loader.failed.connect(self.tell)
        self.works.changed.connect(self._schedule)
        for beside in self.loaders[1:]:
            self.loader.ready.connect(lambda _found, beside=beside: beside.warm_up())
        self.clock.ticked.connect(self._tick)

    @property
    def state(self) -> AppState:
        """The state now."""
        return self.session.state

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Stages of the pass on screen, which may be an older one than the settings ask for."""
        if self._scene is None:
            return stages_of(spec_of(self.state.settings))
        return tuple(info.stage for info in self._scene.stages)

    def request(self, change: Change) -> None:
        """Do what a person asked for; what cannot be is said in one sentence, and the screen stays."""
        if change.what == HOVER:
            # Pointers move faster than frames are drawn: only the last place counts.
            self._hover = change
            self._schedule()
            return
        if self.attempt(lambda: self.apply(change)) and change.says is not None:
            words = change.says(self.state)
            if words is not None:
                self.remark(words)

    def apply(self, change: Change) -> None:
        """Apply a change, unless its run would need too much memory, or cannot be with memory or edits.

        Raises what the change raises, InputError and MemoryRefusal; the state then stays as it was.
        """
        wanted = change.to(self.state)
        check_state(wanted)
        if run_of(wanted) != run_of(self.state):
            # More experts per token than are left would stand in the knobs and never come on screen.
            wanted.edits.fitting(wanted.settings)
            # This machine's own memory only: asking a device would import torch here, and may fail.
            on_this_machine = wanted.settings.with_(device="cpu")
            stored = wanted.source.opened is not None
            check(on_this_machine, [len(tokens) for tokens in tokens_of(wanted.source)], stored=stored)
        self.session.apply(change)

    def attempt(self, act: Callable[[], object]) -> bool:
        """Run an act of a person; an error becomes a message. True if all went well."""
        try:
            act()
        except ExplorerError as error:
            self.tell(said(error))
        except Exception as error:  # a defect must not close the window in a lecture
            details = "".join(traceback.format_exception(error))
            if details != self.details:
                log.exception("unexpected error")
            self.tell(text("window.unexpected", error=f"{type(error).__name__}: {error}"), details)
        else:
            return True
        self.refused.emit()
        return False

    def tell(self, message: Text | None, details: str = "") -> None:
        """Show one sentence to the person, with details to copy; None takes it away."""
        # A defect in drawing comes back with every frame; saying it once must not ask for another frame.
        if (message, details) != (self._message, self.details):
            self._message, self.details = message, details
            self._schedule()

    def remark(self, message: Text) -> None:
        """Tell for a moment that something went well; it goes away by itself."""
        self.tell(message)
        self._remarked = message
        words = say(self.state.appearance.language, message)
        self._remark.start(max(REMARK_MS, len(words) * READ_MS))

    def step(self, by: int) -> None:
        """Rest at the end of the next stage (+1) or of the one before (-1)."""
        self.request(changes.step_stage(by, self.stages))

    def play_or_pause(self) -> None:
        """Play or pause; where motion is reduced, jump to the next stage, from the end to the start."""
        playback = self.state.playback
        if playback.playing:
            self.request(changes.pause())
        elif self.state.appearance.reduce_motion:
            self.request(changes.seek(0.0)) if playback.time >= 1.0 else self.step(1)
        else:
            self.request(changes.play())

    def start(self) -> None:
        """Show the present state for the first time."""
        self._started = True
        for loader in self.loaders:
            loader.want(self.state)
        self.clock.run(self.state.playback.playing)
        self.show_now()

    def close(self) -> bool:
        """Stop for good; True if nothing is left running."""
        self.clock.run(False)
        for timer in (self._frame, self._compute, self._flash, self._remark):
            timer.stop()
        return self.works.close()

    def cancel(self) -> bool:
        """Stop what is under way because a person asked for it; False if there is nothing."""
        return self.works.cancel()

    def read_again(self, *paths: str) -> None:
        """Drop what was computed of files that were opened anew, and show what they hold now."""
        self.results.forget_files(paths)
        self._wanting = self._started
        self._schedule()

    def _fall_back(self, why: Text | None) -> None:
        """The default settings and sentence, where those to begin with cannot be computed here.

        A file stays: another layer of it may well be computed, and a person may say how it is to be read.
        """
        if self.state.source.opened is None and run_of(self.state) != run_of(AppState()):
            self.session.apply(changes.load_state(AppState()))
            self.tell(why)

    def _heard(self, old: AppState, new: AppState) -> None:
        if chosen_in(old) != chosen_in(new):
            self._message = None
        if self._started and (*drawn_in(old), self._at(old)) != (*drawn_in(new), self._at(new)):
            self._wanting = True
        self._drop_measurement(new)
        self.clock.run(self._started and new.playback.playing)
        if new.playback.playing and new.appearance.reduce_motion:
            self.session.apply(changes.step_stage(1, self.stages))
        self.state_changed.emit(old, new)
        self._schedule()

    def _drop_measurement(self, state: AppState) -> None:
        """A measurement whose FFN or panel is gone is given up, and not begun anew when they come back."""
        asked = state.asked
        if asked is None or (roofline_of(state).measurement == asked and in_sight(state, ROOFLINE)):
            return
        if self.results.get(RooflineRequest(asked)) is None:
            self.remark(text("window.stopped_measuring"))
        self.session.apply(changes.drop_measurement())

    def _at(self, state: AppState) -> Stage:
        """The stage under way, which says what is proved unasked."""
        return timeline.current(state.playback.time, self.stages)

    def _tick(self, seconds: float) -> None:
        self.request(changes.tick(seconds, stages=self.stages))
        self.show_now()

    def _schedule(self) -> None:
        if self._started and not self._frame.isActive():
            due_ms = FRAME_MS - (perf_counter() - self._last_frame) * 1_000
            self._frame.start(max(0, round(due_ms)))

    def show_now(self) -> None:
        """Make the Scene of the present state, without waiting for the next frame."""
        hover, self._hover = self._hover, None
        if hover is not None:
            self.attempt(lambda: self.session.apply(hover))
        self._frame.stop()
        self._last_frame = perf_counter()
        self._scene = self._resolved()
        if self._scene.run is None and isinstance(self.results.get(run_of(self.state)), Failure):
            self._fall_back(self._scene.message)
        self.scene_made.emit(self._scene)
        if self._wanting:
            # What was asked for is seen first: a worker that began before it is painted would slow that down.
            self._compute.start()

    def _want(self) -> None:
        self._wanting = False
        for loader in self.loaders:
            loader.want(self.state, self._resolver.shown)

    def _resolved(self) -> Scene:
        """Scene of the present state; for a while after a new run, with the one before it."""
        shown = self._resolver.shown
        scene = self._resolver.resolve(
            self.state, busy=self.works.busy, message=self._message, before=self._before
        )
        if scene.run is None or (shown is not None and scene.run.request == shown.request):
            return scene
        # What is read of a file's new layer follows from its run, which the other loaders have not seen yet.
        self._wanting = True
        if shown is None or (scene.lesson is not None and not scene.lesson.strayed):
            return scene  # a scene of a lecture is another picture, not a change of the one before
        # While a knob is being turned, what changed is told from where it started.
        self._before = self._before or shown
        self._flash.start()
        return replace(scene, before=self._before)

    def _end_remark(self) -> None:
        if self._message == self._remarked:
            self.tell(None)

    def _end_flash(self) -> None:
        self._before = None
        self._schedule()
