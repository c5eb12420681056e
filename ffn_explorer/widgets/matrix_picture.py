"""What the picture of a weight matrix shows, as one frozen value, and the places that follow from it."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.result import Matrix
from ffn_explorer.widgets.colourbar import bar_width
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.lens import Lens
from ffn_explorer.widgets.sizes import px

LABELS_SHARE = 0.4
"""Share of the width that names of rows may take."""

_MAP_PX = 44
"""Longest side of the small map of the whole matrix."""

Span = tuple[int, int]
Place = tuple[int | None, int | None]
"""Row and column, each where there is one."""


@dataclass(frozen=True, slots=True)
class MatrixWords:
    """Every word of the picture, already in the person's language."""

    rows: str
    columns: str
    unit: str
    chosen_row: str
    chosen_column: str
    """Labels of the chosen row and column."""
    readout: tuple[str, ...]
    """The pointed weight, longest wording first."""
    waiting: str
    """Said in the middle while nothing of the window is known."""
    row_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] = ()
    """Names of every row and column, where they have some."""


@dataclass(frozen=True, slots=True, eq=False)
class MatrixPicture:
    """All that is drawn: the weights known, the part in sight, and what is chosen and pointed at."""

    look: Appearance
    stage: Stage
    """The stage that reads this matrix: its colour."""
    made: Matrix
    rows: Span
    columns: Span
    """Part in sight; `made` may cover another one."""
    chosen: Place
    pointed: Place
    read: float
    """0..1: rows that the pass has read, from the first."""
    words: MatrixWords
    lens: Lens | None

    @property
    def zoomed(self) -> bool:
        """Whether some of the matrix is out of sight."""
        return (self.rows, self.columns) != tuple((0, size) for size in self.made.shape)


@dataclass(frozen=True, slots=True)
class MatrixPlaces:
    """Rectangles in logical pixels; the corners of `area` lie on whole device pixels."""

    area: QRectF
    pixels: tuple[int, int]
    """Device pixels of the area: width, height."""
    bar: QRectF
    small: QRectF
    """The small map of the whole matrix; empty while all of it is in sight."""
    band: float
    """Height of the line above the area."""
    size: QSizeF

    def row_at(self, picture: MatrixPicture, y: float) -> float:
        """Row of the matrix at a height, as a fraction."""
        return _along(picture.rows, (y - self.area.top()) / max(1e-9, self.area.height()))

    def column_at(self, picture: MatrixPicture, x: float) -> float:
        """Column of the matrix at a place, as a fraction."""
        return _along(picture.columns, (x - self.area.left()) / max(1e-9, self.area.width()))

    def row_edge(self, picture: MatrixPicture, row: float) -> float:
        """Upper edge of a row."""
        return self.area.top() + _share(picture.rows, row) * self.area.height()

    def column_edge(self, picture: MatrixPicture, column: float) -> float:
        """Left edge of a column."""
        return self.area.left() + _share(picture.columns, column) * self.area.width()

    def cell(self, picture: MatrixPicture, row: int, column: int) -> QRectF:
        """Place of one weight, often far less than a pixel."""
        left, top = self.column_edge(picture, column), self.row_edge(picture, row)
        right, bottom = self.column_edge(picture, column + 1), self.row_edge(picture, row + 1)
        return QRectF(left, top, right - left, bottom - top)


def matrix_places(picture: MatrixPicture, size: QSizeF, *, ratio: float) -> MatrixPlaces:
    """Divide a widget of this size, with `ratio` device pixels per logical pixel."""
    look, words = picture.look, picture.words
    small = QFontMetricsF(font(look, "small"))
    strong = QFontMetricsF(font(look, "small", bold=True))
    # The widest number that any row may have, so that zooming never moves the picture.
    numbers = [strong.horizontalAdvance(f"{picture.made.shape[0]:,}")]
    names = [min(strong.horizontalAdvance(name), size.width() * LABELS_SHARE) for name in words.row_names]
    both = map(small.horizontalAdvance, (words.rows, words.columns))
    left = max(*(names or numbers), min(max(both), size.width() * LABELS_SHARE)) + px(look, 8)
    bar = bar_width(look, (picture.made.limit,))
    right = max(bar + px(look, 14), small.horizontalAdvance(words.unit) + px(look, 10))
    band = small.height() + px(look, 4)
    top, bottom = band + px(look, 5), small.height() + px(look, 6)
    x0, y0 = round(left * ratio), round(top * ratio)
    wide = max(0, int((size.width() - right) * ratio) - x0)
    high = max(0, int((size.height() - bottom) * ratio) - y0)
    area = QRectF(x0 / ratio, y0 / ratio, wide / ratio, high / ratio)
    beside = QRectF(area.right() + px(look, 14), area.top(), right - px(look, 14), area.height())
    below = _small_map(picture, beside)
    if not below.isEmpty():
        beside.setBottom(below.top() - px(look, 10))
    return MatrixPlaces(area, (wide, high), beside, below, band, size)


def _small_map(picture: MatrixPicture, beside: QRectF) -> QRectF:
    """Place of the small map at the foot of the colour bar; empty where it is not needed or has no room."""
    look, (rows, columns) = picture.look, picture.made.shape
    longest = px(look, _MAP_PX)
    if not picture.zoomed or beside.height() < 2.2 * longest:
        return QRectF()
    # A matrix a hundred times as wide as high would be a line: its short side stays visible.
    scale = longest / max(rows, columns)
    wide, high = max(columns * scale, longest / 4), max(rows * scale, longest / 4)
    return QRectF(beside.left(), beside.bottom() - high, min(wide, beside.width()), high)


def _along(seen: Span, share: float) -> float:
    return seen[0] + share * (seen[1] - seen[0])


def _share(seen: Span, index: float) -> float:
    return (index - seen[0]) / (seen[1] - seen[0])
