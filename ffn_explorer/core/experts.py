"""Experts that a file holds: each is made when it is looked at, and the last ones stay."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import overload

from ffn_explorer.core.ffn import FFN

HELD_BYTES = 2**30
"""Experts kept beyond the last one, in bytes of their matrices."""


class StoredExperts(Sequence[FFN]):
    """E experts of one shape, read one by one: memory is needed only for those that tokens chose.

    make: number -> expert, whatever it raises passes on.  May be read from several threads.
    """

    def __init__(self, count: int, make: Callable[[int], FFN], *, held_bytes: int = HELD_BYTES) -> None:
        self._count = count
        self._make = make
        self._held_bytes = held_bytes
        self._held: OrderedDict[int, FFN] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def held(self) -> tuple[int, ...]:
        """Numbers of the experts that stay now, the last used last."""
        with self._lock:
            return tuple(self._held)

    def changed(self, change: Callable[[FFN], FFN]) -> "StoredExperts":
        """The same experts, each with a change that leaves its weights as they are."""
        return StoredExperts(self._count, lambda number: change(self[number]), held_bytes=0)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> FFN: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[FFN]: ...
    def __getitem__(self, index: int | slice) -> FFN | Sequence[FFN]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(self._count))]
        if not 0 <= index < self._count:
            raise IndexError(index)
        with self._lock:
            if index in self._held:
                self._held.move_to_end(index)
                return self._held[index]
        made = self._make(index)
        with self._lock:
            self._held[index] = made
            while len(self._held) > 1 and len(self._held) * bytes_of(made) > self._held_bytes:
                self._held.popitem(last=False)
        return made

    def __iter__(self) -> Iterator[FFN]:
        return (self[number] for number in range(self._count))


def bytes_of(expert: FFN) -> int:
    """Bytes of an expert's matrices."""
    return sum(matrix.nbytes for matrix in (expert.up, expert.gate, expert.down) if matrix is not None)
