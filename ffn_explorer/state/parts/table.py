"""PARTS: every kind of part, one row each; a new one is a file beside this, a row here, a field of Scene."""

from ffn_explorer.state.parts import contributions, neuron
from ffn_explorer.state.parts.part import Part

PARTS: tuple[Part, ...] = (
    Part(
        field="contributions",
        panels=frozenset({"output"}),
        kind=contributions.ContributionsRequest,
        request=contributions.ask,
        compute=contributions.compute,
    ),
    Part(
        field="neuron_card",
        panels=frozenset({"neuron"}),
        kind=neuron.NeuronRequest,
        request=neuron.ask,
        compute=neuron.compute,
    ),
)

KINDS = {row.kind: row for row in PARTS}
"""Row of each kind of request."""
