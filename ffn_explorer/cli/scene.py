"""The options that name a scene of a lecture, and the state that it declares."""

import argparse
from typing import get_args

from ffn_explorer.cli.opened import LOOK
from ffn_explorer.cli.options import OPTIONS
from ffn_explorer.cli.parser import Parser, option_help
from ffn_explorer.cli.readers import flag, one_of
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.lesson import Depth

FREE = LOOK - {"open"}
"""Options of the state that a scene leaves to a person."""

REST = ("depth", "lecture")
"""Options that mean something beside --scene alone."""


def add_scene(parser: Parser) -> None:
    """Add the options that choose a scene."""
    parser.add_argument("--scene", metavar="NAME", help=option_help("scene"))
    parser.add_argument("--depth", metavar="|".join(get_args(Depth)), help=option_help("depth"))
    parser.add_argument("--lecture", metavar="FILE", help=option_help("lecture"))


def check_scene(args: argparse.Namespace) -> None:
    """Raise InputError on options that would change what a scene declares, or mean nothing without one."""
    given = vars(args)
    if args.scene is None:
        wrong = next((name for name in REST if given[name] is not None), None)
        if wrong is not None:
            raise InputError("cli.error.needs_scene", option=flag(wrong))
        return
    wrong = next((row.name for row in OPTIONS if row.name in given and row.name not in FREE), None)
    if wrong is not None:
        raise InputError("cli.error.scene_option", option=flag(wrong))


def in_scene(state: AppState, args: argparse.Namespace) -> AppState:
    """The state of the scene that is named, its question answered and its move done; without one as it is.

    InputError on a scene or depth that does not exist, and on a file that is no lecture.
    """
    if args.scene is None:
        return state
    from ffn_explorer.state.lectures.changes import at_scene
    from ffn_explorer.state.lectures.store import LECTURES

    depth = one_of("depth", args.depth or "idea", get_args(Depth))
    lecture = LECTURES.open(args.lecture or "")
    number = lecture.find(args.scene)
    if number is None:
        names = ", ".join(scene.name for scene in lecture.scenes)
        raise InputError("cli.error.no_scene", name=args.scene, choices=names)
    return at_scene(lecture, number, depth).to(state)
