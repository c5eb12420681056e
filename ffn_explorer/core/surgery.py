"""Surgery: what a person changes inside an FFN (keep the strongest memories, drop or force an expert)."""

from collections.abc import Sequence
from dataclasses import replace

from ffn_explorer.core.choice import check_choice
from ffn_explorer.core.edits import Edits
from ffn_explorer.core.experts import StoredExperts
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.moe import MoE


def edited(layer: FFN | MoE, edits: Edits) -> FFN | MoE:
    """The layer with these edits in its spec; the weights are the same tensors.

    Raises InputError where too few experts are left.
    """
    if edits == Edits():
        return layer
    if isinstance(layer, FFN):
        return replace(layer, spec=replace(layer.spec, keep=_kept(edits, layer.d_ff)))
    experts = _each(layer.experts, _kept(edits, layer.d_ff))
    routing = replace(layer.routing, banned=edits.banned, forced=edits.forced)
    check_choice(routing)
    spec = replace(layer.spec, keep=_kept(edits, layer.d_ff), routing=routing)
    return replace(layer, spec=spec, experts=experts)


def _each(experts: Sequence[FFN], keep: int) -> Sequence[FFN]:
    """Every expert with so many memories kept; those of a file are still read only when looked at."""

    def cut(expert: FFN) -> FFN:
        return replace(expert, spec=replace(expert.spec, keep=keep))

    return experts.changed(cut) if isinstance(experts, StoredExperts) else tuple(map(cut, experts))


def _kept(edits: Edits, d_ff: int) -> int:
    """Memories kept of F; keeping all is no edit."""
    return edits.keep if edits.keep < d_ff else 0
