"""Corrections: how a person read files that do not say it, remembered by the hash of their headers."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.correction import Correction


class Corrections(QObject):
    """One reading for each file."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        """Know of none."""
        super().__init__(parent)
        self._kept: OrderedDict[str, Correction] = OrderedDict()

    @property
    def known(self) -> "dict[str, Correction]":
        """Reading by digest; a copy, for another thread."""
        return dict(self._kept)

    def keep(self, digest: str, correction: "Correction | None") -> None:
        """Remember how a file is read; None: as it was found."""
        from ffn_explorer.state.remembered import MOST_CORRECTIONS

        before = self._kept.pop(digest, None)
        if correction is not None:
            self._kept[digest] = correction
            while len(self._kept) > MOST_CORRECTIONS:
                self._kept.popitem(last=False)
        if correction is not None or before is not None:
            self.changed.emit()

    def to_json(self) -> dict[str, Any]:
        """All of them as plain values."""
        return {digest: asdict(correction) for digest, correction in self._kept.items()}

    def recall(self, data: Mapping[str, Any]) -> None:
        """Take over what was remembered; whatever does not fit is left out."""
        from ffn_explorer.state.remembered import corrections_from_json

        self._kept.update(corrections_from_json(data))
