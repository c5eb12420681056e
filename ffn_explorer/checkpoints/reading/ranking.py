"""The largest and the smallest of very many scores that come block by block."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Best first: numbers `[k]` of neurons or tokens, scores `[k]`, cosines `[k]` where they were taken.

    A score that is no finite number stands last, as NaN.
    """

    ids: Ids
    scores: Scores
    cosines: Scores | None = None


@dataclass
class Best:
    """Keeps the `count` largest and the `count` smallest; of equal ones the lower number comes first."""

    count: int
    _most: tuple[Ids, Scores] = field(default_factory=lambda: (np.zeros(0, np.int64), np.zeros(0)))
    _least: tuple[Ids, Scores] = field(default_factory=lambda: (np.zeros(0, np.int64), np.zeros(0)))

    def add(self, first: int, scores: Scores) -> None:
        """Scores `[n]` of the numbers first.. on."""
        if not len(scores):
            return
        known = np.where(np.isfinite(scores), scores, np.nan)
        self._most = self._kept(self._most, first, known)
        ids, least = self._kept((self._least[0], -self._least[1]), first, -known)
        self._least = ids, -least

    def most(self) -> Ranked:
        """The largest, largest first."""
        return Ranked(*self._most)

    def least(self) -> Ranked:
        """The smallest, smallest first."""
        return Ranked(*self._least)

    def _kept(self, before: tuple[Ids, Scores], first: int, scores: Scores) -> tuple[Ids, Scores]:
        ids, known = before
        if len(ids) == self.count and self.count and not np.isnan(known[-1]):
            # Nearly every block has nothing better: then nothing is sorted.
            better = np.flatnonzero(scores > known[-1])
        else:
            better = np.arange(len(scores))
        ids = np.concatenate([ids, first + better])
        known = np.concatenate([known, scores[better]])
        order = np.lexsort((ids, -np.nan_to_num(known, nan=-np.inf)))[: self.count]
        return ids[order], known[order]
