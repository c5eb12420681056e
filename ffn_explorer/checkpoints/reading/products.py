"""Products of every vector of a bank with a few others, in float64, block by block."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.checkpoints.codec import Floats
from ffn_explorer.checkpoints.reading.banks import Bank
from ffn_explorer.checkpoints.tensors import check_room

Wide = NDArray[np.float64]

BLOCK = 2**19
"""Numbers of a block: small enough for a processor's cache and for memory that is used again."""


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """Vectors first.. of a bank: products `[k, n]` with k vectors, own squared lengths `[n]` where asked for.

    share: of the bank that is done by now, 0..1; n is 0 where a block finishes none.
    """

    share: float
    first: int
    dots: Wide
    squares: Wide | None = None


def products(bank: Bank, others: Wide, *, squares: bool = False) -> Iterator[Products]:
    """Dot products with others `[k, width]`, in the order of the bank.

    Of vectors that stand apart, whole rows of the plane are read and all products end with the last of them:
    reads in one stretch, where columns would be read number by number. NaN and infinite numbers pass through.
    """
    assert others.shape[1] == bank.width
    yield from (_across if bank.apart else _along)(bank, others, squares=squares)


def wide(block: Floats) -> Wide:
    """The same numbers in float64, side by side."""
    return np.ascontiguousarray(block, np.float64)


def _along(bank: Bank, others: Wide, *, squares: bool) -> Iterator[Products]:
    step = max(1, BLOCK // max(1, bank.width))
    for first in range(0, bank.count, step):
        past = min(first + step, bank.count)
        block = wide(bank.block(first, past))  # [n, D]
        with np.errstate(all="ignore"):
            dots = np.stack([np.einsum("nd,d->n", block, other) for other in others])
            own = np.einsum("nd,nd->n", block, block) if squares else None
        yield Products(past / bank.count, first, dots, own)


def _across(bank: Bank, others: Wide, *, squares: bool) -> Iterator[Products]:
    check_room((len(others) + 1) * bank.count)
    dots, own = np.zeros((len(others), bank.count)), np.zeros(bank.count)
    nothing = np.zeros((len(others), 0))
    step = max(1, BLOCK // max(1, bank.count * bank.step))
    for first in range(0, bank.width, step):
        past = min(first + step, bank.width)
        block = wide(bank.across(first, past))  # [d, n]
        with np.errstate(all="ignore"):
            for at, other in enumerate(others):
                dots[at] += np.einsum("dn,d->n", block, other[first:past])
            if squares:
                own += np.einsum("dn,dn->n", block, block)
        if past < bank.width:
            yield Products(past / bank.width, 0, nothing)
    yield Products(1.0, 0, dots, own if squares else None)
