"""PARTS: every kind of part, one row each; a new one is a file beside this, a row here, a field of Scene."""

from ffn_explorer.state.parts import (
    contributions,
    difference,
    gate_view,
    lab,
    matrix,
    memories,
    neuron,
    spread,
    terms,
)
from ffn_explorer.state.parts.part import Part

PARTS: tuple[Part, ...] = (
    Part(
        field="memories",
        panels=frozenset({"memory", "running_sum", "theatre"}),
        kind=memories.MemoriesRequest,
        request=memories.ask,
        compute=memories.compute,
    ),
    Part(
        field="contributions",
        panels=frozenset({"output", "theatre"}),
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
    Part(
        field="lab",
        panels=frozenset({"position"}),
        kind=lab.LabRequest,
        request=lab.ask,
        compute=lab.compute,
    ),
    Part(
        field="spread",
        panels=frozenset({"sparsity"}),
        kind=spread.SpreadRequest,
        request=spread.ask,
        compute=spread.compute,
    ),
    Part(
        field="gate_view",
        panels=frozenset({"gate"}),
        kind=gate_view.GateRequest,
        request=gate_view.ask,
        compute=gate_view.compute,
    ),
    Part(
        field="matrix",
        panels=frozenset({"weights"}),
        kind=matrix.MatrixRequest,
        request=matrix.ask_matrix,
        compute=matrix.compute_matrix,
    ),
    Part(
        field="spot",
        panels=frozenset({"weights"}),
        kind=matrix.SpotRequest,
        request=matrix.ask_spot,
        compute=matrix.compute_matrix,
    ),
    Part(
        field="terms",
        panels=frozenset({"terms"}),
        kind=terms.TermsRequest,
        request=terms.ask,
        compute=terms.compute,
    ),
    Part(
        field="difference",
        panels=frozenset({"maps"}),
        kind=difference.DifferenceRequest,
        request=difference.ask_difference,
        compute=difference.compute_difference,
    ),
)

KINDS = {row.kind: row for row in PARTS}
"""Row of each kind of request."""
