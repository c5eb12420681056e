"""`ffn-explorer run`: one pass, its numbers as a table, as JSON or as an NPZ file."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ffn_explorer.cli.messages import language, report
from ffn_explorer.cli.options import state_from
from ffn_explorer.cli.parser import Parser, Subparsers, add_command, option_help
from ffn_explorer.cli.streams import out
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.app_state import AppState

if TYPE_CHECKING:
    from ffn_explorer.core.experiment import Run

X_IS = ("ffn-input", "residual")


def add(subparsers: "Subparsers[Parser]") -> None:
    """Add the parser of this command."""
    parser = add_command(subparsers, "run")
    parser.add_argument("--json", action="store_true", help=option_help("json"))
    parser.add_argument("--npz", metavar="FILE", help=option_help("npz"))
    parser.add_argument("--x", metavar="FILE.npy", help=option_help("x"))
    parser.add_argument("--x-is", metavar="|".join(X_IS), help=option_help("x_is"))


def main(args: argparse.Namespace) -> int:
    """Run the pass and print; 0 when done."""
    for option, given in (("--x", args.x), ("--npz", args.npz)):
        if given == "":
            raise InputError("cli.error.empty", option=option)
    run, state = _run(args)
    from ffn_explorer.cli.plain_json import as_json
    from ffn_explorer.cli.run_report import as_table, facts

    found = facts(run, state, x_file=args.x or "")
    if args.npz is not None:
        from ffn_explorer.export.tensors import write_npz

        write_npz(Path(args.npz), run.trace)
        report(args.npz)
    out(as_json(found) if args.json else as_table(found, language()))
    return 0


def _run(args: argparse.Namespace) -> "tuple[Run, AppState]":
    x_is = args.x_is or X_IS[0]
    if x_is not in X_IS:
        raise InputError("error.choice", field="--x-is", value=x_is, choices=", ".join(X_IS))
    if args.x is not None and hasattr(args, "sentence"):
        raise InputError("cli.error.x_and_sentence")
    if args.x is None and args.x_is is not None:
        raise InputError("cli.error.x_is_without_x")
    if hasattr(args, "open"):
        return _run_opened(args)
    if args.x is None:
        state = state_from(args)
        from ffn_explorer.core import experiment, tokens

        return experiment.run(state.settings, tokens.tokenize(state.source.sentences)), state

    from ffn_explorer.cli.run_input import run_on_file

    return run_on_file(Path(args.x), args, x_is="ffn-input" if x_is == "ffn-input" else "residual")


def _run_opened(args: argparse.Namespace) -> "tuple[Run, AppState]":
    """The pass of a layer of a file, on its token embeddings or on the hidden states of an NPY file.

    A session, or a picture that holds one, may also be of random weights or of a memory built by hand.
    """
    state = state_from(args)
    if state.source.opened is None:
        return _run_session(state), state
    from ffn_explorer.core import experiment
    from ffn_explorer.state.compute import tokens_of
    from ffn_explorer.state.opened_run import given_of
    from ffn_explorer.state.requests import run_of

    given = given_of(run_of(state))
    tokens = tokens_of(state.source)
    return experiment.run(
        state.settings, tokens, layer=given.layer, x=given.x, x_is=given.x_is, x_origin=given.origin
    ), state


def _run_session(state: "AppState") -> "Run":
    from ffn_explorer.state.compute import compute
    from ffn_explorer.state.requests import run_of
    from ffn_explorer.state.result import RunResult
    from ffn_explorer.state.results import Results

    made = compute(run_of(state), Results())
    assert isinstance(made, RunResult)
    assert made.run is not None
    return made.run
