"""`ffn-explorer lecture handout [FILE] -o OUT.pdf`: a lecture on paper, without a screen."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from ffn_explorer.cli.messages import language, report, tell
from ffn_explorer.cli.parser import Parser, option_help
from ffn_explorer.cli.readers import one_of
from ffn_explorer.cli.streams import progress
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.app_state import Appearance, Language, ThemeName
from ffn_explorer.state.lesson import Depth

if TYPE_CHECKING:
    from ffn_explorer.export.handout.words import HandoutWish

PAPERS = ("a4", "letter")


def add(parser: Parser) -> None:
    """Add what a handout is told."""
    parser.add_argument("path", metavar="FILE", nargs="?", default="", help=option_help("handout_file"))
    parser.add_argument(
        "-o", "--output", metavar="OUT.pdf", required=True, help=option_help("handout_output")
    )
    parser.add_argument("--lang", metavar="|".join(get_args(Language)), help=option_help("lang"))
    themes = "|".join(get_args(ThemeName))
    parser.add_argument("--theme", metavar=themes, default="light", help=option_help("handout_theme"))
    parser.add_argument("--depth", metavar="|".join(get_args(Depth)), help=option_help("handout_depth"))
    parser.add_argument("--no-notes", action="store_true", help=option_help("handout_no_notes"))
    parser.add_argument(
        "--paper", metavar="|".join(PAPERS), default=PAPERS[0], help=option_help("handout_paper")
    )


def main(args: argparse.Namespace) -> int:
    """Make it scene by scene, and write it whole; 0 when done."""
    from ffn_explorer.app.screen import check_libraries

    if not args.output:
        raise InputError("cli.error.empty", option="--output")
    look, depth = _look(args), _depth(args)
    paper = one_of("paper", args.paper, PAPERS)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    check_libraries(window=False)
    from ffn_explorer.export.handout.words import HandoutWish

    wish = HandoutWish(look, depth, notes=not args.no_notes, paper=paper)
    _make(args.path, Path(args.output), wish)
    report(args.output)
    return 0


def _make(lecture_path: str, path: Path, wish: "HandoutWish") -> None:
    from PySide6.QtWidgets import QApplication

    from ffn_explorer.app.handout import Handout, check_handout_place
    from ffn_explorer.app.still import whole_application
    from ffn_explorer.export.written import write_bytes
    from ffn_explorer.state.lectures.store import LECTURES

    check_handout_place(path)
    lecture = LECTURES.open(lecture_path)
    QApplication.instance() or QApplication([])
    handout = Handout(lecture, wish, wear=whole_application)
    try:
        for _ in handout.set():
            pass
        count = len(lecture.scenes)
        for number in range(count):
            progress(tell("handout.busy", n=number + 1, count=count), last=number + 1 == count)
            handout.draw(number, handout.results(number))
        content = handout.content()
    finally:
        handout.close()
    write_bytes(content, path)


def _look(args: argparse.Namespace) -> Appearance:
    chosen = language() if args.lang is None else one_of("lang", args.lang, get_args(Language))
    return Appearance(theme=one_of("theme", args.theme, get_args(ThemeName)), language=chosen)


def _depth(args: argparse.Namespace) -> Depth | None:
    found: Depth | None = None if args.depth is None else one_of("depth", args.depth, get_args(Depth))
    return found
