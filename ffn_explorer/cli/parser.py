"""The argument parser: speaks the chosen language, and raises instead of leaving."""

import argparse
import os
import re
from pathlib import Path
from typing import Any, NoReturn

from ffn_explorer import __version__
from ffn_explorer.cli import COMMANDS
from ffn_explorer.cli.messages import tell
from ffn_explorer.cli.options import OPTIONS
from ffn_explorer.cli.streams import out
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.file_endings import LECTURE, PICTURES, SUFFIX, WEIGHTS
from ffn_explorer.state.files import kind_of

Subparsers = argparse._SubParsersAction

_MISTAKES = (
    (re.compile(r"argument (?P<option>\S+): expected"), "cli.error.value_missing"),
    (
        re.compile(r"invalid choice: '?(?P<value>[\s\S]*?)'? \(choose from (?P<choices>.*)\)"),
        "cli.error.choice",
    ),
    (re.compile(r"unrecognized arguments: (?P<option>[\s\S]*)"), "cli.error.unknown"),
    (re.compile(r"arguments are required: (?P<option>.*)"), "cli.error.required"),
)
"""What argparse says, and the sentence for it; anything else is quoted."""


_ENDINGS = (*WEIGHTS, SUFFIX, LECTURE, *PICTURES)
"""What names of files to open end in; a word that ends so is one, even where no such file is."""

_STARTS = ("ffn-explorer:", "file:", "~", ".")


class Parser(argparse.ArgumentParser):
    """ArgumentParser without abbreviations, with translated headings; every mistake is an InputError."""

    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401 - argparse's own
        super().__init__(**{**kwargs, "add_help": False, "allow_abbrev": False})
        self.add_argument("-h", "--help", action="help", help=option_help("help"))
        self.add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help=option_help("debug")
        )

    def error(self, message: str) -> NoReturn:
        """Raise the mistake as a sentence of the catalogue."""
        for pattern, key in _MISTAKES:
            if found := pattern.search(message):
                raise InputError(
                    key, **{name: value.replace("'", "") for name, value in found.groupdict().items()}
                )
        raise InputError("cli.error.usage", message=message)

    def _print_message(self, message: str, file: object = None) -> None:  # noqa: ARG002 - argparse's own
        """Help and version are results; argparse would leave out, silently, what it cannot write."""
        out(message.rstrip("\n"))


def add_command(subparsers: "Subparsers[Parser]", name: str, *, shared: bool = True) -> Parser:
    """Parser of one subcommand, with its help and, if wanted, all the shared options."""
    text = tell(f"cli.command.{name}")
    parser: Parser = subparsers.add_parser(name, help=_escaped(text), description=text)
    if shared:
        add_options(parser)
    return parser


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that every command shares; those not given leave no trace in the namespace."""
    group = parser.add_argument_group(tell("cli.settings"))
    for row in OPTIONS:
        group.add_argument(
            row.flag, dest=row.name, default=argparse.SUPPRESS, help=option_help(row.name), **row.extra()
        )


def parse(arguments: list[str]) -> argparse.Namespace:
    """Namespace of a command line; `command` is None for the window. Raises InputError.

    A file, folder or link that stands by itself is the value of `open`.
    """
    usage = f"%(prog)s [{tell('cli.options')}] [{tell('cli.file')} | {tell('cli.commands')} ...]"
    parser = Parser(prog="ffn-explorer", usage=usage, description=tell("cli.about"))
    parser.add_argument(
        "--version", action="version", version=f"ffn-explorer {__version__}", help=option_help("version")
    )
    add_options(parser)
    subparsers = parser.add_subparsers(dest="command", metavar=tell("cli.commands"), parser_class=Parser)
    for command in COMMANDS:
        # Only the command named is imported; the others are listed by --help, and no more.
        if command.name in arguments:
            command.load().add(subparsers)
        else:
            subparsers.add_parser(command.name, help=_escaped(tell(command.help)))
    file, arguments = _file_in(arguments)
    try:
        args = parser.parse_args(arguments)
    except InputError as error:
        # The value of a mistyped option would be taken for a command: name the option instead.
        if error.key == "cli.error.choice":
            for typed in arguments:
                if typed.startswith("--") and typed.partition("=")[0] not in parser._option_string_actions:
                    raise InputError("cli.error.unknown", option=typed) from error
            if file is not None:
                raise InputError("cli.error.one_file", value=error.values["value"]) from error
        raise
    if file is not None:
        if "open" in args:
            raise InputError("cli.error.one_file", value=args.open)
        args.open = file
    return args


def _file_in(arguments: list[str]) -> tuple[str | None, list[str]]:
    """The file, folder or link that stands before any command, or None; and what is left without it."""
    valued = {row.flag for row in OPTIONS if row.kind != "switch"}
    at = 0
    while at < len(arguments):
        typed = arguments[at]
        if not typed.startswith("-"):
            names = {command.name for command in COMMANDS}
            if typed in names or not _is_file(typed):
                return None, arguments
            return typed, [*arguments[:at], *arguments[at + 1 :]]
        at += 2 if typed in valued else 1
    return None, arguments


def _is_file(word: str) -> bool:
    """Whether a word means a file: it looks like the name of one, or there is one of that name."""
    separators = ("/", os.sep) if os.altsep is None else ("/", os.sep, os.altsep)
    looks = any(sign in word for sign in separators) or word.lower().endswith(_ENDINGS)
    return looks or word.lower().startswith(_STARTS) or kind_of(Path(word)) != "nothing"


def option_help(name: str) -> str:
    """Help text of an option in the language in force, ready for argparse."""
    return _escaped(tell(f"cli.option.{name}"))


def _escaped(text: str) -> str:
    """Text as argparse wants it: it would take a lone % for one of its own fields."""
    return text.replace("%", "%%")
