"""`ffn-explorer lecture check FILE` and `lecture handout [FILE]`: what is wrong with a lecture; its PDF."""

import argparse
from pathlib import Path

from ffn_explorer.cli import handout
from ffn_explorer.cli.messages import language, tell
from ffn_explorer.cli.parser import Parser, Subparsers, add_command, option_help
from ffn_explorer.cli.streams import err, out
from ffn_explorer.state.text import say

DONE, WRONG = 0, 2


def add(subparsers: "Subparsers[Parser]") -> None:
    """Add the parser of this command, with one of its own for each of the two."""
    parser = add_command(subparsers, "lecture", shared=False)
    acts = parser.add_subparsers(dest="act", metavar="check|handout", required=True, parser_class=Parser)
    says = tell("cli.lecture.check")
    check = acts.add_parser("check", help=says, description=says)
    check.add_argument("path", metavar="FILE", help=option_help("lecture_file"))
    check.add_argument("--lang", metavar="en|ja", default=argparse.SUPPRESS, help=option_help("lang"))
    says = tell("cli.lecture.handout")
    handout.add(acts.add_parser("handout", help=says, description=says))


def main(args: argparse.Namespace) -> int:
    """Do one of the two; 2 where a lecture has mistakes."""
    return handout.main(args) if args.act == "handout" else _check(args)


def _check(args: argparse.Namespace) -> int:
    """Print every mistake on standard error, or what the lecture holds."""
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
