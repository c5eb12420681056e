"""`ffn-explorer doctor`: what this machine offers, and what to do where something is missing."""

import argparse
import json
from dataclasses import asdict

from ffn_explorer.cli.messages import language, tell
from ffn_explorer.cli.parser import Parser, Subparsers, add_command, option_help
from ffn_explorer.cli.streams import out
from ffn_explorer.state.text import say

MARKS = {"ok": "✓", "warn": "!", "bad": "✗"}


def add(subparsers: "Subparsers[Parser]") -> None:
    """Add the parser of this command."""
    parser = add_command(subparsers, "doctor", shared=False)
    parser.add_argument("--json", action="store_true", help=option_help("json"))
    parser.add_argument("--lang", metavar="en|ja", default=argparse.SUPPRESS, help=option_help("lang"))


def main(args: argparse.Namespace) -> int:
    """Print every finding; 0 when the program can run, 1 when something that it needs is missing."""
    from ffn_explorer.cli.findings import examine

    findings = examine()
    if args.json:
        rows = [{**asdict(row), "hint": tell(row.hint) if row.hint else ""} for row in findings]
        out(json.dumps(rows, indent=2))
    else:
        for row in findings:
            name = say(language(), f"cli.doctor.{row.name}")
            out(f"{MARKS[row.status]} {tell('cli.run.row', name=name, value=row.value)}")
            if row.hint:
                out(f"    {tell(row.hint)}")
    return 1 if any(row.status == "bad" for row in findings) else 0
