"""Animating: a film of a subject, from state to state; the same Scenes and board as a still picture."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QImage

from ffn_explorer.app.still import Dress, Subject, prepare_application, resting, still, whole_application
from ffn_explorer.app.window import Window
from ffn_explorer.app.worker import SWITCH_S
from ffn_explorer.board import Board
from ffn_explorer.export.films.film import OPAQUE, Film, Frame
from ffn_explorer.export.films.reel import Reel
from ffn_explorer.export.films.table import check_film, write_film
from ffn_explorer.export.notes import notes_of
from ffn_explorer.export.png import image_of, size_in
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.compute import Asked, Cancelled, Told, attempt, compute, never, quiet
from ffn_explorer.state.layouts import panels_of
from ffn_explorer.state.needs import needs
from ffn_explorer.state.requests import FileRequest
from ffn_explorer.state.resolver import Resolver
from ffn_explorer.state.results import Failure, Results

Shoot = Callable[[AppState], Frame]
"""Draws one state; on the GUI thread."""

FRAMES, RATE = 60, 30
"""Of a film for which nothing else is asked."""

WAIT_S = 0.05
"""How long a frame waits for the encoder before it is asked again whether the film is wanted."""

_ROOM_BYTES = 2**60
"""Every result of a film stays until it is done: what one frame uses, another may use again."""


def of_pass(state: AppState, *, frames: int, span: tuple[float, float] = (0.0, 1.0)) -> tuple[AppState, ...]:
    """The state at evenly spaced times of the pass, both ends of the span (0..1) among them.

    Time passes evenly, as in playback; the moves of the stages are eased by the timeline.
    """
    start, end = span
    last = max(1, frames - 1)
    times = (start + (end - start) * frame / last for frame in range(frames))
    return tuple(replace(state, playback=replace(state.playback, time=time)) for time in times)


def film_of(states: Sequence[AppState], subject: Subject, *, rate: int, pixels: float) -> Film:
    """The film that these states make, one frame each; the last one stands in its notes."""
    size = size_in(subject.size_px, pixels)
    first, last = states[0], states[-1]
    times = f"{first.playback.time:g}:{last.playback.time:g}"
    notes = {**notes_of(last), "Time": times, "Frames": str(len(states)), "Rate": str(rate)}
    return Film((size.width(), size.height()), len(states), rate, notes)


def animate(
    states: Sequence[AppState],
    path: Path,
    subject: Subject,
    *,
    rate: int = RATE,
    pixels: float = 1.0,
    told: Told = quiet,
    stopped: Asked = never,
) -> None:
    """Write a film of these states, one frame each, in the format of the file's suffix; without a screen.

    told: hears the share of frames drawn.  stopped: asked between frames; Cancelled is raised then and no
    file is left.  InputError on an impossible film, subject or place, and whatever computing raises.
    """
    film = film_of(states, subject, rate=rate, pixels=pixels)
    subject.check(pixels=pixels)
    check_film(film, path.suffix)
    prepare_application(states[0].appearance)
    shown = changes.show_panels(frozenset(panels_of(subject.inside)))
    states = [shown.to(state) for state in states]
    results = computed_for(states, stopped=stopped)
    with camera(states[0], results, subject, wear=whole_application, pixels=pixels) as shoot:
        expose(states, shoot, film, path, told=told, stopped=stopped)


def expose(
    states: Sequence[AppState],
    shoot: Shoot,
    film: Film,
    path: Path,
    *,
    told: Told = quiet,
    stopped: Asked = never,
) -> None:
    """Draw here and encode on another thread, both at once; raises as `animate`."""
    reel, over = Reel(film), threading.Event()
    failed: list[BaseException] = []

    def gone() -> bool:
        return over.is_set() or stopped()

    def write() -> None:
        try:
            write_film(reel.frames(gone), film, path, stopped=gone)
        except BaseException as error:  # noqa: BLE001 - travels to the thread that waits for it
            failed.append(error)

    sys.setswitchinterval(SWITCH_S)
    writer = threading.Thread(target=write, name="ffn-explorer-film", daemon=True)
    writer.start()
    try:
        for done, state in enumerate(states, 1):
            frame = shoot(state)
            while not (taken := reel.offer(frame, patience_s=WAIT_S)) and writer.is_alive():
                pass
            if not taken or not writer.is_alive():
                break
            told(done / len(states))
    except BaseException:
        over.set()
        raise
    finally:
        writer.join()
    if failed:
        raise failed[0]


@contextmanager
def camera(
    first: AppState, results: Results, subject: Subject, *, wear: Dress, pixels: float
) -> Iterator[Shoot]:
    """What draws the frames of a film, on one widget that is on no screen, while this lasts."""
    resolver = Resolver(results)
    with still(first, results, subject, wear=wear) as widget:
        assert isinstance(widget, Board | Window)

        def shoot(state: AppState) -> Frame:
            widget.show_scene(resolver.resolve(resting(state)))
            # What a new Scene asks of the layouts is done at once: the picture then equals one drawn afresh.
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
            return frame_of(image_of(widget, pixels))

        yield shoot


def frame_of(image: QImage) -> Frame:
    """Colours of an image in Format_RGB32, as a copy."""
    height, width = image.height(), image.width()
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(height, image.bytesPerLine() // 4)
    return rows[:, :width] | np.uint32(OPAQUE)


def computed_for(
    states: Sequence[AppState], known: Results | None = None, *, stopped: Asked = never
) -> Results:
    """Everything that these states need; raises Cancelled, and what computing raises.

    known: where much of it may be already, and which stays as it is.
    """
    results = Results(_ROOM_BYTES)
    for state in states:
        while todo := needs(resting(state), results):
            if stopped():
                raise Cancelled
            request = todo[0]
            found = None if known is None else known.get(request)
            if found is not None and not isinstance(found, Failure):
                results.put(request, found)
            elif isinstance(request, FileRequest):
                # As in a still picture: its panel says what the file lacks.
                attempt(request, results, cancelled=stopped)
            else:
                results.put(request, compute(request, results, cancelled=stopped))
    return results
