"""`ffn-explorer lecture check FILE`: what is wrong with a lecture that somebody wrote, place by place."""

import argparse
from pathlib import Path

from ffn_explorer.cli.messages import language, tell
from ffn_explorer.cli.parser import Parser, Subparsers, add_command, option_help
from ffn_explorer.cli.streams import err, out
from ffn_explorer.state.text import say

DONE, WRONG = 0, 2


def add(subparsers: "Subparsers[Parser]") -> None:
    """Add the parser of this command."""
    parser = add_command(subparsers, "lecture", shared=False)
    parser.add_argument("act", metavar="check", choices=("check",), help=option_help("lecture_act"))
    parser.add_argument("path", metavar="FILE", help=option_help("lecture_file"))
    parser.add_argument("--lang", metavar="en|ja", default=argparse.SUPPRESS, help=option_help("lang"))


def main(args: argparse.Namespace) -> int:
    """Print every mistake on standard error, or what the lecture holds; 2 where there are mistakes."""
    from ffn_explorer.state.lectures.reading import read_lecture

    lecture, problems = read_lecture(Path(args.path))
    for problem in problems:
        err(say(language(), problem))
    if problems or lecture is None:
        return WRONG
    for chapter in lecture.chapters:
        out(f"{chapter.letter}  {chapter.title.say(language())}")
        for scene in chapter.scenes:
            number = lecture.scenes.index(scene) + 1
            out(f"   {number:>2}  {scene.name:<16} {scene.title.say(language())}")
    minutes = sum(scene.minutes for scene in lecture.scenes)
    counts = {"chapters": len(lecture.chapters), "scenes": len(lecture.scenes)}
    out(tell("cli.lecture.good", **counts, minutes=f"{minutes:g}"))
    return DONE
