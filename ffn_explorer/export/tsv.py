"""Tables as tab-separated text, which every spreadsheet takes from the clipboard."""

from collections.abc import Sequence


def tsv(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as lines; a tab or a line break inside a cell becomes a space."""
    return "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)
