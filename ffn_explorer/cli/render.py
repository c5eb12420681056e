"""`ffn-explorer render`: the window or a panel as picture or film, numbers, a program; without a screen."""

import argparse
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from ffn_explorer.cli import film
from ffn_explorer.cli.messages import report
from ffn_explorer.cli.options import state_from
from ffn_explorer.cli.parser import Parser, Subparsers, add_command, option_help
from ffn_explorer.cli.readers import one_of
from ffn_explorer.cli.scene import add_scene, check_scene, in_scene
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.changes import SCALES
from ffn_explorer.state.code.dialect import DIALECTS


def add(subparsers: "Subparsers[Parser]") -> None:
    """Add the parser of this command."""
    parser = add_command(subparsers, "render")
    parser.add_argument("-o", "--output", metavar="OUT", required=True, help=option_help("output"))
    parser.add_argument("--panel", metavar="NAME", help=option_help("panel"))
    parser.add_argument("--window", action="store_true", help=option_help("window"))
    parser.add_argument("--layout", metavar="NAME", help=option_help("layout"))
    add_scene(parser)
    parser.add_argument("--size", metavar="WxH", help=option_help("size"))
    parser.add_argument("--time", metavar="T", help=option_help("time"))
    parser.add_argument("--scale", metavar="X", help=option_help("scale"))
    parser.add_argument("--pixels", metavar="X", help=option_help("pixels"))
    film.add(parser)
    parser.add_argument("--script", metavar="|".join(DIALECTS), help=option_help("script"))


def main(args: argparse.Namespace) -> int:
    """Draw and write; 0 when done."""
    if not args.output:
        raise InputError("cli.error.empty", option="--output")
    if args.panel is not None and (args.window or args.layout is not None):
        raise InputError("export.one_of")
    path = Path(args.output)
    write = OUTPUTS.get(path.suffix.lower())
    if write is None:
        raise InputError("export.format", suffix=path.suffix or path.name, choices=", ".join(OUTPUTS))
    film.check(args, moving=write is _film, suffix=path.suffix)
    if args.script is not None and write is not _script:
        raise InputError("export.script_suffix")
    state = _state(args)
    # No window appears, so no screen is needed, unless a person asks for another platform.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        write(args, state, path)
    except MemoryError as error:
        raise InputError("export.out_of_memory") from error
    report(args.output)
    return 0


def _sizes(args: argparse.Namespace) -> tuple[tuple[int, int] | None, float]:
    """Size in logical pixels, None for the usual one, and device pixels for each."""
    _check_libraries()
    from ffn_explorer.export.png import PIXELS

    pixels = 1.0 if args.pixels is None else _within("pixels", args.pixels, PIXELS)
    return None if args.size is None else _size(args.size), pixels


def _film(args: argparse.Namespace, state: AppState, path: Path) -> None:
    size, pixels = _sizes(args)
    film.write(args, state, path, size=size, pixels=pixels)


def _picture(args: argparse.Namespace, state: AppState, path: Path) -> None:
    size, pixels = _sizes(args)
    from ffn_explorer.app.still import draw
    from ffn_explorer.export.table import PIXELLED

    if args.pixels is not None and path.suffix.lower() not in PIXELLED:
        raise InputError("export.pixels_shapes", suffix=path.suffix)
    draw(state, path, panel=args.panel, size=size, layout=args.layout, pixels=pixels)


def _numbers(args: argparse.Namespace, state: AppState, path: Path) -> None:
    """A panel's table; without a panel, every stage of the pass as arrays."""
    if args.panel is None and path.suffix.lower() == ".csv":
        raise InputError("export.needs_panel")
    _check_libraries()
    from ffn_explorer.app.numbers_out import write_arrays, write_panel_numbers

    if args.panel is None:
        write_arrays(state, path)
    else:
        write_panel_numbers(state, path, args.panel)


def _script(args: argparse.Namespace, state: AppState, path: Path) -> None:
    if args.panel is not None or args.window or args.layout is not None:
        raise InputError("export.script_alone")
    chosen = one_of("script", args.script or "torch", tuple(DIALECTS))
    _check_libraries()
    from ffn_explorer.app.numbers_out import write_script

    write_script(state, path, chosen)


OUTPUTS: Mapping[str, Callable[[argparse.Namespace, AppState, Path], None]] = {
    ".png": _picture,
    ".svg": _picture,
    ".pdf": _picture,
    ".mp4": _film,
    ".gif": _film,
    ".webp": _film,
    ".apng": _film,
    ".csv": _numbers,
    ".npz": _numbers,
    ".py": _script,
}
"""By suffix of the file."""


def _check_libraries() -> None:
    from ffn_explorer.app.screen import check_libraries

    check_libraries(window=False)


def _state(args: argparse.Namespace) -> AppState:
    check_scene(args)
    state = in_scene(state_from(args), args)
    time = state.playback.time if args.time is None else _within("time", args.time, (0.0, 1.0))
    scale = 1.0 if args.scale is None else _within("scale", args.scale, SCALES)
    return replace(
        state,
        playback=replace(state.playback, time=time),
        appearance=replace(state.appearance, scale=scale),
    )


def _within(name: str, typed: str, limits: tuple[float, float]) -> float:
    low, high = limits
    try:
        value = float(typed)
    except ValueError as error:
        raise InputError("cli.error.number", option=f"--{name}", value=typed) from error
    if not low <= value <= high:
        raise InputError("error.range", field=f"--{name}", value=value, low=low, high=high)
    return value


def _size(typed: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,6})[x×](\d{1,6})", typed.strip(), re.ASCII)
    if not found:
        raise InputError("export.size_format", value=typed)
    return int(found[1]), int(found[2])
