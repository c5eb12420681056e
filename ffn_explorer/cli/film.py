"""`ffn-explorer render --animate`: the pass as a film, written while it is drawn."""

import argparse
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ffn_explorer.cli.messages import tell_share
from ffn_explorer.cli.parser import Parser, option_help
from ffn_explorer.cli.readers import number, whole
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.app_state import AppState

if TYPE_CHECKING:
    from ffn_explorer.state.compute import Asked

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
"""Those that end a film early, where there are such; the last one is that of a terminal that is closed."""

OPTIONS = ("frames", "fps", "range")
"""Options that only films have."""


def add(parser: Parser) -> None:
    """Add the options of films."""
    parser.add_argument("--animate", action="store_true", help=option_help("animate"))
    parser.add_argument("--frames", metavar="N", help=option_help("frames"))
    parser.add_argument("--fps", metavar="N", help=option_help("fps"))
    parser.add_argument("--range", metavar="A:B", help=option_help("range"))


def check(args: argparse.Namespace, *, moving: bool, suffix: str) -> None:
    """Raise InputError where the options and the format (moving: of films) do not go together."""
    if args.animate and not moving:
        from ffn_explorer.export.films.table import moving_of

        moving_of(suffix)  # which says what films can be written as
    if args.animate and args.time is not None:
        raise InputError("export.film_time")
    if not args.animate and moving:
        raise InputError("export.film_still", suffix=suffix)
    if not args.animate and any(getattr(args, name) is not None for name in OPTIONS):
        raise InputError("export.film_options")


def write(
    args: argparse.Namespace, state: AppState, path: Path, *, size: tuple[int, int] | None, pixels: float
) -> None:
    """Write the film; KeyboardInterrupt where a person stops it, and no file is left then."""
    from ffn_explorer.app.animating import FRAMES, RATE, animate, of_pass
    from ffn_explorer.app.still import subject_in
    from ffn_explorer.export.films import film
    from ffn_explorer.state.compute import Cancelled
    from ffn_explorer.state.lectures.shown import span_of

    frames = FRAMES if args.frames is None else _whole("frames", args.frames, film.FRAMES)
    rate = RATE if args.fps is None else _whole("fps", args.fps, film.RATES)
    states = of_pass(state, frames=frames, span=span_of(state) if args.range is None else _span(args.range))
    subject = subject_in(state, panel=args.panel, layout=args.layout, size=size)
    with _interruptible() as stopped:
        try:
            animate(states, path, subject, rate=rate, pixels=pixels, told=_told, stopped=stopped)
        except Cancelled as error:
            raise KeyboardInterrupt from error


def _told(share: float) -> None:
    tell_share("cli.film.progress", share)


@contextmanager
def _interruptible() -> "Iterator[Asked]":
    """Whether a person has pressed Ctrl+C while this lasts; pressed again, it ends the program at once."""
    pressed = threading.Event()

    def hear(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        pressed.set()

    # A handler only notes it: an exception raised in a callback of Qt would be lost.
    here = threading.current_thread() is threading.main_thread()
    wanted = [getattr(signal, name) for name in SIGNALS if here and hasattr(signal, name)]
    before = {number: signal.signal(number, hear) for number in wanted}
    try:
        yield pressed.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if pressed.is_set() and sys.stderr is not None and sys.stderr.isatty():
            print(file=sys.stderr)  # below the line of the progress


def _whole(name: str, typed: str, limits: tuple[int, int]) -> int:
    value, (low, high) = whole(name, typed), limits
    if not low <= value <= high:
        raise InputError("error.range", field=f"--{name}", value=value, low=low, high=high)
    return value


def _span(typed: str) -> tuple[float, float]:
    """Two times of the pass, 0..1; the film may run backwards."""
    start, colon, end = typed.partition(":")
    if not colon:
        raise InputError("export.film_range", value=typed)
    found = number("range", start), number("range", end)
    for value in found:
        if not 0.0 <= value <= 1.0:
            raise InputError("error.range", field="--range", value=value, low=0.0, high=1.0)
    return found
