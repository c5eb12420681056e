"""Edits: what a person changes inside an FFN, as plain values; the weights stay as they are."""

from dataclasses import dataclass, replace
from typing import Self

from ffn_explorer.core.choice import check_choice
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec_of import spec_of


@dataclass(frozen=True, slots=True)
class Edits:
    """Interventions on one layer; the defaults change nothing.

    keep: how many memories each token keeps, the strongest by |m| · ||v||; 0 keeps all.
    banned: experts that no token may choose.  forced: an expert that every token must choose.
    """

    keep: int = 0
    banned: tuple[int, ...] = ()
    forced: int | None = None

    def fitting(self, settings: Settings) -> Self:
        """What of these edits exists for these settings; keeping all F memories is keeping all.

        Raises InputError where too few experts are left to choose from.
        """
        experts = settings.experts if settings.is_moe else 0
        banned = tuple(sorted({e for e in self.banned if e < experts}))
        forced = self.forced if self.forced is not None and self.forced < experts else None
        keep = self.keep if 0 < self.keep < settings.d_ff else 0
        rule = spec_of(settings).routing
        if rule is not None:
            check_choice(replace(rule, banned=banned, forced=forced))
        return replace(self, keep=keep, banned=banned, forced=forced)
