"""The lens of a map of all positions: tokens and columns around the pointed cell."""

from ffn_explorer.state import numbers
from ffn_explorer.state.result import Floats
from ffn_explorer.widgets.lens import ACROSS, CELLS, Lens, around


def map_lens(
    values: Floats, limit: float, at: tuple[int | None, int | None], *, names: tuple[str, ...]
) -> Lens | None:
    """Lens on the values revealed `[S, N]`, around a row and column; None where they are not among them."""
    row, column = at
    if row is None or column is None or column >= values.shape[1]:
        return None
    rows, columns = around(row, values.shape[0], ACROSS), around(column, values.shape[1], CELLS)
    window = values[rows[0] : rows[1], columns[0] : columns[1]]
    middle = (row - rows[0], column - columns[0])
    labels = tuple(numbers.count(index) for index in range(*columns))
    words = numbers.short(float(values[row, column]))
    return Lens(window, limit, middle, names[rows[0] : rows[1]], labels, words)
