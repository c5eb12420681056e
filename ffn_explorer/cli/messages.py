"""Which language the command line speaks, and how it says things."""

import os
from collections.abc import Sequence
from contextvars import ContextVar

from ffn_explorer.cli.streams import err, progress
from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.state.app_state import Language
from ffn_explorer.state.quoting import harmless
from ffn_explorer.state.text import said, say
from ffn_explorer.state.visible import visible

_language: ContextVar[Language] = ContextVar("language", default="en")


def language() -> Language:
    """Language in force."""
    return _language.get()


def choose_language(arguments: Sequence[str]) -> Language:
    """Take `--lang` from the raw arguments, else the locale: help texts are made before parsing."""
    wanted = ""
    for here, after in zip(arguments, [*arguments[1:], ""]):
        if here == "--lang":
            wanted = after
        elif here.startswith("--lang="):
            wanted = here.partition("=")[2]
    locale = next(
        (os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), ""
    )
    chosen: Language = "ja" if (wanted or locale).startswith("ja") else "en"
    _language.set(chosen)
    return chosen


def tell(key: str, **values: object) -> str:
    """Sentence in the language in force."""
    return say(language(), key, **values)


def report(path: str) -> None:
    """Say on standard error which file was written; standard output is for results."""
    err(f"ffn-explorer: {tell('cli.wrote', path=visible(path))}")


def tell_share(key: str, share: float) -> None:
    """How far it is (0..1), for who sits before a terminal; key: a sentence with {share} in percent."""
    progress(tell(key, share=f"{100 * share:.0f}"), last=share >= 1.0)


def complain(error: ExplorerError) -> None:
    """One sentence on standard error: what is wrong, and what to do."""
    err(f"ffn-explorer: {say(language(), harmless(said(error)))}")
