"""Doubts: what an opened file leaves open, offered for correction until a person puts it away."""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ffn_explorer.app.messages import Offer
from ffn_explorer.state.app_state import AppState, Opened
from ffn_explorer.state.known_file import facts_of
from ffn_explorer.state.numbers import count
from ffn_explorer.state.text import Text, text

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.scheme import LayerScheme
    from ffn_explorer.state.file_facts import FileFacts

SETTLED_BY_HAND = frozenset({"checkpoint.gap_confirm", "checkpoint.gap_order"})
"""Gaps that a person's reading closes; of the others nothing can be said by hand."""


class Doubts(QObject):
    """Remembers which files a person does not want to be asked about again."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Know of none."""
        super().__init__(parent)
        self._put_away: set[Opened] = set()

    def offer(self, state: AppState) -> Offer | None:
        """What is offered now."""
        opened = state.source.opened
        facts = facts_of(opened)
        if opened is None or facts is None or replace(opened, x="") in self._put_away:
            return None
        words = doubt_words(facts, facts.layers[state.settings.layer])
        return None if words is None else Offer(words, "action.correct")

    def put_away(self, state: AppState) -> None:
        """Do not offer it again for this file, as it is read now."""
        if state.source.opened is not None:
            self._put_away.add(replace(state.source.opened, x=""))


def must_be_confirmed(layer: "LayerScheme") -> bool:
    """Whether a layer is not computed before a person says how it is read."""
    return not layer.activation or any(gap.key in SETTLED_BY_HAND for gap in layer.gaps)


def doubt_words(facts: "FileFacts", layer: "LayerScheme") -> Text | None:
    """That a layer waits for a person, or how much of a guess the reading of its file is; None if neither."""
    percent = count(round(100 * facts.confidence))
    if must_be_confirmed(layer):
        return text("open.confirm", percent=percent)
    return text("open.guess", file=facts.name, percent=percent) if facts.confidence < 1.0 else None
