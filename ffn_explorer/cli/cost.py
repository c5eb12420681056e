"""`ffn-explorer cost`: the bill of a network or of a public model, without computing anything of it."""

import argparse
import re
from dataclasses import replace

from ffn_explorer.cli.messages import language, tell
from ffn_explorer.cli.options import OPTIONS, state_from
from ffn_explorer.cli.parser import Parser, Subparsers, add_command, option_help
from ffn_explorer.cli.streams import err, out
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.tokens import tokenize
from ffn_explorer.state.costing import BITS, MOST_TOKENS, Costing
from ffn_explorer.state.costs import Subject, goes_on, subject_of
from ffn_explorer.state.models import model

_ABOUT_SIZES = frozenset(
    {
        "d_model", "d_ff", "ratio", "activation", "bias", "norm", "norm_placement", "layers", "heads",
        "kv_heads", "head_dim", "stack", "experts", "top_k", "shared_experts", "routing",
    }
)  # fmt: skip
"""Options that a preset answers itself."""


def add(subparsers: "Subparsers[Parser]") -> None:
    """Add the parser of this command."""
    parser = add_command(subparsers, "cost")
    parser.add_argument("--preset", metavar="NAME", nargs="?", const="", help=option_help("preset"))
    parser.add_argument("--tokens", metavar="S", help=option_help("tokens"))
    parser.add_argument("--cached", metavar="T", help=option_help("cached"))
    parser.add_argument("--bits", metavar="|".join(map(str, BITS)), help=option_help("bits"))
    parser.add_argument("--cache-bits", metavar="|".join(map(str, BITS)), help=option_help("cache_bits"))
    parser.add_argument(
        "--causal", action=argparse.BooleanOptionalAction, default=True, help=option_help("causal")
    )
    parser.add_argument("--json", action="store_true", help=option_help("json"))


def main(args: argparse.Namespace) -> int:
    """Count and print; `--preset` without a name lists those there are."""
    from ffn_explorer.cli import cost_report

    if args.preset == "":
        out(cost_report.list_as_json() if args.json else cost_report.list_as_table(language()))
        return 0
    state = state_from(args)
    subject, costing = _subject(args, state.settings), _costing(args)
    sentence = len(tokenize(state.source.sentences)[0])
    if costing.phase == "decode" and not goes_on(subject.shape):
        err(f"ffn-explorer: {tell('panel.model.no_decode')}")
    found = cost_report.facts(subject, costing, sentence=sentence)
    out(cost_report.as_json(found) if args.json else cost_report.as_table(found, subject, language()))
    return 0


def _subject(args: argparse.Namespace, settings: Settings) -> Subject:
    if args.preset is None:
        return subject_of(Costing(), settings)
    given = [row.flag for row in OPTIONS if row.name in _ABOUT_SIZES and row.name in args]
    if given:
        raise InputError("cli.error.preset_and_option", option=given[0])
    return subject_of(Costing(model=model(args.preset).id), settings)


def _costing(args: argparse.Namespace) -> Costing:
    if args.tokens is not None and args.cached is not None:
        raise InputError("cli.error.tokens_and_cached")
    costing = Costing(
        causal=args.causal,
        bits=_bits("--bits", args.bits),
        cache_bits=_bits("--cache-bits", args.cache_bits),
    )
    if args.cached is not None:
        return replace(costing, phase="decode", tokens=_tokens("--cached", args.cached))
    return replace(costing, tokens=0 if args.tokens is None else _tokens("--tokens", args.tokens))


def _tokens(option: str, typed: str) -> int:
    if not re.fullmatch(r"[+-]?\d{1,18}", typed, re.ASCII):
        raise InputError("cli.error.whole", option=option, value=typed)
    if not 1 <= int(typed) <= MOST_TOKENS:
        raise InputError("error.range", field=option, value=int(typed), low=1, high=MOST_TOKENS)
    return int(typed)


def _bits(option: str, typed: str | None) -> int:
    if typed is None:
        return 16
    if typed not in map(str, BITS):
        raise InputError("error.choice", field=option, value=typed, choices=", ".join(map(str, BITS)))
    return int(typed)
