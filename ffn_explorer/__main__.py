"""Where the program starts; neither torch nor Qt is imported before a command needs it."""

import signal
import sys
import traceback
from argparse import Namespace
from collections.abc import Sequence

from ffn_explorer.cli import COMMANDS
from ffn_explorer.cli.messages import choose_language, complain, tell
from ffn_explorer.cli.streams import discard, err, finish, hold_places
from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.state.quoting import WIDEST_PLACE, quoted

DONE, OUR_FAULT, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, or open the window without one.

    Returns 0 when done, 2 for wrong input (one sentence on standard error), 1 for a fault of the program.
    """
    hold_places()
    if argv is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # The exception would be raised in Qt callbacks and native imports, which lose it or crash on it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    arguments = list(sys.argv[1:] if argv is None else argv)
    choose_language(arguments)
    try:
        code = _run(arguments)
        finish()
    except ExplorerError as error:
        complain(error)
        return WRONG_INPUT
    except BrokenPipeError:
        # Whoever read our output has enough of it; the interpreter must not flush the rest at exit.
        discard(sys.stdout)
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last net: one sentence instead of a traceback
        return _report(error, debug="--debug" in arguments)
    return code


def _run(arguments: list[str]) -> int:
    # Characters that the terminal lacks are written as \u escapes, never as an error.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    if not arguments:
        # Most windows are opened so, and need not wait for what reads a command line.
        from ffn_explorer.app.start import start

        return start(None)
    from ffn_explorer.cli.options import OPTIONS, state_from
    from ffn_explorer.cli.parser import parse

    try:
        args = parse(arguments)
    except SystemExit:  # --help and --version have printed what was asked for
        return DONE
    for command in COMMANDS:
        if command.name == args.command:
            return int(command.load().main(args))
    from ffn_explorer.app.start import start

    given = frozenset(row.name for row in OPTIONS if row.name in args)
    if "open" in given:
        from ffn_explorer.cli.opened import window_target

        look = {name: value for name, value in vars(args).items() if name in ("lang", "theme")}
        target = window_target(vars(args), options=given)
        return start(state_from(Namespace(**look)), given=given, target=target)
    return start(state_from(args) if given else None, given=given)


def _report(error: Exception, *, debug: bool) -> int:
    if debug:
        err("".join(traceback.format_exception(error)).rstrip("\n"))
    name = quoted(f"{type(error).__name__}: {error}".splitlines()[0], WIDEST_PLACE)
    err(f"ffn-explorer: {tell('cli.error.unexpected', what=name)}")
    return OUR_FAULT


if __name__ == "__main__":
    sys.exit(main())
