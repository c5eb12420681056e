"""`ffn-explorer bench`: speed and steadiness of this machine, against bare torch and pyqtgraph."""

import argparse
import json
from dataclasses import asdict

from ffn_explorer.cli.benches.table import BENCHES, Row, named, row_of
from ffn_explorer.cli.messages import tell
from ffn_explorer.cli.parser import Parser, Subparsers, add_command, option_help
from ffn_explorer.cli.streams import err, out
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.numbers import short

COLUMNS = ("name", "median", "p95", "ratio", "limit", "result")


def add(subparsers: "Subparsers[Parser]") -> None:
    """Add the parser of this command."""
    parser = add_command(subparsers, "bench", shared=False)
    known = ", ".join(bench.name for bench in BENCHES)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=tell("bench.names", known=known).replace("%", "%%")
    )
    parser.add_argument("--json", action="store_true", help=option_help("json"))
    parser.add_argument("--lang", metavar="en|ja", default=argparse.SUPPRESS, help=option_help("lang"))


def main(args: argparse.Namespace) -> int:
    """Measure and print; 0 also where a limit is missed, since then the measuring has worked."""
    try:
        chosen = named(args.names)
    except ValueError as error:
        known = ", ".join(bench.name for bench in BENCHES)
        raise InputError("bench.unknown", name=str(error), known=known) from error
    rows = []
    for bench in chosen:
        err(tell("bench.measuring", name=bench.name, about=tell(f"bench.about.{bench.name}")))
        rows.append(row_of(bench, bench.measure()))
    out(json.dumps([asdict(row) for row in rows], indent=2) if args.json else _table(rows))
    return 0


def _table(rows: list[Row]) -> str:
    """Rows under their headings, columns aligned."""
    heads = [tell(f"bench.column.{column}") for column in COLUMNS]
    lines = [
        heads,
        *([row.name, *_cells(row), tell("bench.ok" if row.ok else "bench.missed")] for row in rows),
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines
    )


def _cells(row: Row) -> tuple[str, str, str, str]:
    ratio = "—" if row.ratio is None else f"{row.ratio:.3f}×"
    limit = f"≤ {short(row.limit)} {row.unit}" if row.ratio is None else f"≤ {row.limit:g}×"
    return f"{short(row.median)} {row.unit}", f"{short(row.p95)} {row.unit}", ratio, limit
