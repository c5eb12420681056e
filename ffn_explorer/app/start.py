"""Start: from the command line to a window with its first picture; torch comes after that."""

import gc
import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ffn_explorer.app.screen import check_libraries, check_server, has_screen
from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.state.text import say

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from ffn_explorer.app.window import Window
    from ffn_explorer.state.app_state import AppState
    from ffn_explorer.state.target import Target

PICTURE = "ffn-explorer.png"


def start(
    state: "AppState | None", *, given: frozenset[str] = frozenset(), target: "Target | None" = None
) -> int:
    """Open the window and run until it closes; returns the exit code.

    state: what the command line describes; None takes up the last session.
    given: names of the options on the command line; a look among them goes before the remembered one.
    target: what is to be opened once the window is there.
    Raises InputError, one sentence, where Qt cannot start here.
    """
    if not has_screen():
        return _without_screen(state, target)
    with _garbage_left():
        check_libraries(window=True)
        check_server()
        from PySide6.QtWidgets import QApplication

        application = QApplication(sys.argv[:1])
        window = open_window(application, state, given, target)
    from ffn_explorer.app.signals import SignalWatch

    watch = SignalWatch(window.close, application)
    # A second Ctrl+C while the work ends must not end the process in its midst.
    code = _leave(window, application.exec())
    watch.stop()
    return code


def open_window(
    application: "QApplication", state: "AppState | None", given: frozenset[str], target: "Target | None"
) -> "Window":
    """A window as the command line wants it; what was left begins again with its first picture."""
    from ffn_explorer.app.director import Director
    from ffn_explorer.app.memory import Memory
    from ffn_explorer.app.window import Window
    from ffn_explorer.state import changes
    from ffn_explorer.state.first_scene import preload
    from ffn_explorer.state.results import Results
    from ffn_explorer.state.session import Session

    application.setApplicationName("ffn-explorer")
    application.setDesktopFileName("ffn-explorer")
    memory = Memory(application)
    first = memory.first_state(state, given)
    results = Results()
    preload(results, first)
    director = Director(Session(first), results)
    window = Window(director, layout_name=memory.layout_name)
    memory.watch(window)
    window.painted.connect(director.loader.warm_up)
    last = memory.last_opened if state is None else None
    window.opener.awaited = last
    if target is not None:
        window.painted.connect(lambda: window.opener.begin(target))
    elif last is not None:
        window.painted.connect(lambda: window.opener.restore(last))
    place, unasked = memory.place, memory.goes_on and state is None and target is None
    if place:
        window.painted.connect(
            lambda: window.lecture.resume(place, missed=memory.miss_place, unasked=unasked)
        )
    director.request(changes.play())
    director.start()
    # The pass begins when it can be seen: a frame that falls due before would only delay the first picture.
    director.clock.run(False)
    window.painted.connect(lambda: director.clock.run(director.state.playback.playing))
    window.hints.begin()
    window.show()
    return window


@contextmanager
def _garbage_left() -> Iterator[None]:
    """Look for no garbage while the window is made, nor later on in what was made until then.

    Nearly all of it lives as long as the program: looking through it took a twentieth of the start.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was_on:
            gc.enable()


def _leave(window: "Window", code: int) -> int:
    """End; work that does not heed its cancel flag goes with the process, since it may take minutes."""
    if not window.director.close():
        logging.shutdown()
        for stream in (sys.stdout, sys.stderr):
            # A desktop may start the program with either of them closed.
            if stream is not None:
                stream.flush()
        os._exit(code)
    window.deleteLater()
    return code


def _without_screen(state: "AppState | None", target: "Target | None") -> int:
    """Write the scene, or the opened layer, as a picture and say how to open the window; 0 if that worked."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    check_libraries(window=False)
    from ffn_explorer.app.still import draw
    from ffn_explorer.app.system_look import system_language
    from ffn_explorer.state.app_state import Appearance, AppState

    if state is None:
        state = AppState(appearance=Appearance(language=system_language()))
    if target is not None:
        from ffn_explorer.state.remembered import remembered_corrections
        from ffn_explorer.state.target import state_now

        state = state_now(target, state.appearance, known=remembered_corrections())
    path = Path.cwd() / PICTURE
    try:
        draw(state, path)
    except ExplorerError as error:
        if error.key != "export.write":
            raise
        path = Path(tempfile.mkdtemp(prefix="ffn-explorer-")) / PICTURE
        draw(state, path)
    print(say(state.appearance.language, "window.no_display", path=str(path)))  # noqa: T201 - no window can say it
    return 0
