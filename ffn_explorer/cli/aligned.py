"""Tables for people: columns under each other in any terminal."""

from unicodedata import east_asian_width


def aligned(lines: list[list[str]], *, right: tuple[int, ...]) -> list[str]:
    """Lines of cells, those of the `right` columns at the right; full-width characters count twice."""
    widths = [max(width_of(line[column]) for line in lines) for column in range(len(lines[0]))]
    made = []
    for line in lines:
        cells = []
        for column, (cell, width) in enumerate(zip(line, widths)):
            space = " " * (width - width_of(cell))
            cells.append(space + cell if column in right else cell + space)
        made.append("  ".join(cells).rstrip())
    return made


def width_of(text: str) -> int:
    """Columns that a text takes in a terminal."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
