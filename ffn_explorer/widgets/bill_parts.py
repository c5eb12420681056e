"""Where the pieces of the bill's bars lie, and what stands in them: found once per bar and place."""

from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.bill_picture import Bar, BarPlaces, Piece
from ffn_explorer.widgets.drawn_text import advance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.stacked_bar import laid

SLIVER_PX = 2
"""Pieces up to this width have no gap at their end: there they share a pixel with the next one."""


class Part(NamedTuple):
    """A piece and its place; words: what stands in it, "" where nothing fits; letters: their place."""

    piece: Piece
    rect: QRectF
    words: str
    letters: QRectF

    @property
    def inner(self) -> QRectF:
        """What is filled: all but the gap at the end."""
        return self.rect if self.is_sliver else self.rect.adjusted(0, 0, -1, 0)

    @property
    def is_sliver(self) -> bool:
        """Whether there is no room for a gap."""
        return self.rect.width() <= SLIVER_PX


class Parts(NamedTuple):
    """Those of A and of B in one Bar."""

    mine: tuple[Part, ...]
    other: tuple[Part, ...]


# A few pictures of one card in turn: before and after a change, with and without B.
@lru_cache(maxsize=16)
def parts_of(bar: Bar, place: BarPlaces, look: Appearance) -> Parts:
    """Lay out both strips of a bar."""
    most = bar.most
    return Parts(_parts(bar.pieces, place.bar, most, look), _parts(bar.other, place.other, most, look))


def _parts(pieces: tuple[Piece, ...], strip: QRectF, most: int, look: Appearance, /) -> tuple[Part, ...]:
    placed = laid(pieces, strip, most)
    return tuple(Part(piece, rect, *_words(piece, rect, pieces, look)) for piece, rect in placed)


def _words(piece: Piece, rect: QRectF, beside: tuple[Piece, ...], look: Appearance, /) -> tuple[str, QRectF]:
    """What stands in a piece, and the letters' place; nothing where none of its wordings fits.

    Matrices of one size have their wordings in common: else equal numbers would look different.
    """
    small = font(look, "small")
    metrics = QFontMetricsF(small)
    room = rect.width() - px(look, 8)
    alike = [piece]
    if piece.stage is not None:
        alike = [p for p in beside if p.stage is not None and p.value == piece.value]
    levels = zip(piece.words, zip(*(p.words for p in alike), strict=True), strict=True)
    common = (own for own, every in levels if all(advance(words, small) <= room for words in every))
    least = piece.words[-1] if advance(piece.words[-1], small) <= room else ""
    words = next(common, least)
    if not words or rect.height() < metrics.height() - 2:
        return "", QRectF()
    place = QRectF(0, 0, advance(words, small) + 4, metrics.capHeight() + 4)
    place.moveCenter(rect.center())
    return words, place
