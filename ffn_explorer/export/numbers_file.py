"""Numbers of a panel as files: CSV for spreadsheets, NPZ for programs; exact, with their names."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.errors import InputError
from ffn_explorer.export.written import write_bytes
from ffn_explorer.state.text import text
from ffn_explorer.widgets.panel import Panel

Table = Sequence[Sequence[str]]
"""Rows of cells, the names of the columns first."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?inf|nan")
_WHOLE = re.compile(r"[+-]?\d{1,18}")


def csv_bytes(table: Table) -> bytes:
    """CSV with a header row, in UTF-8 with the mark by which spreadsheets know it for Japanese.

    A word that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([*map(_harmless, row)] for row in table)
    return text.getvalue().encode("utf-8-sig", "backslashreplace")


def npz_bytes(table: Table) -> bytes:
    """NPZ with `names` of all columns, and `column_0`, `column_1` … with their values.

    Columns of whole numbers are int64, of numbers float64 (NaN where nothing stands), all others texts.
    """
    names, *rows = table
    columns = [_array([row[at] if at < len(row) else "" for row in rows]) for at in range(len(names))]
    made = io.BytesIO()
    arrays: dict[str, NDArray[np.generic]] = {f"column_{at}": column for at, column in enumerate(columns)}
    np.savez_compressed(made, names=np.array(list(names), np.str_), **arrays)  # type: ignore[arg-type]
    return made.getvalue()


def table_of(panel: Panel) -> list[list[str]]:
    """What a panel shows as a table; InputError where it shows no numbers, or none yet."""
    found = panel.table()
    if found is None or len(found) < 2:
        raise InputError("export.no_numbers", panel=text(f"panel_name.{panel.name}"))
    return found


WRITERS: dict[str, Callable[[Table], bytes]] = {".csv": csv_bytes, ".npz": npz_bytes}
"""By suffix."""


def write_table(table: Table, path: Path) -> None:
    """Write a table in the format of the file's suffix; InputError where that cannot be done."""
    write_bytes(WRITERS[path.suffix.lower()](table), path)


def _harmless(cell: str) -> str:
    risky = cell[:1] in ("=", "+", "-", "@", "\t", "\r") and len(cell) > 1 and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if risky else cell


def _array(cells: list[str]) -> NDArray[np.generic]:
    if cells and all(_WHOLE.fullmatch(cell) for cell in cells):
        return np.array([int(cell) for cell in cells], np.int64)
    if any(cells) and all(not cell or _NUMBER.fullmatch(cell) for cell in cells):
        return np.array([float(cell) if cell else np.nan for cell in cells], np.float64)
    # NumPy cuts zeros off the end of a text; none of ours ends in one.
    return np.array([cell.encode("utf-8", "backslashreplace").decode() for cell in cells], np.str_)
