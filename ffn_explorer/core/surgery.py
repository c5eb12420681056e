"""Surgery: what a person changes inside an FFN (keep the strongest memories, drop or force an expert)."""

from dataclasses import replace

from ffn_explorer.core.choice import check_choice
from ffn_explorer.core.edits import Edits
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
    experts = tuple(replace(e, spec=replace(e.spec, keep=_kept(edits, e.d_ff))) for e in layer.experts)
    routing = replace(layer.routing, banned=edits.banned, forced=edits.forced)
    check_choice(routing)
    spec = replace(layer.spec, keep=_kept(edits, layer.d_ff), routing=routing)
    return replace(layer, spec=spec, experts=experts)


def _kept(edits: Edits, d_ff: int) -> int:
    """Memories kept of F; keeping all is no edit."""
    return edits.keep if edits.keep < d_ff else 0
