"""FILE_PARTS: every kind of reading of an opened file; a new one is a file, a row, a field of Scene."""

from ffn_explorer.state.file_parts import atlas, memory_tokens, nearest, neuron_tokens, promoters
from ffn_explorer.state.file_parts.part import FilePart

FILE_PARTS: tuple[FilePart, ...] = (
    FilePart("neuron_tokens", frozenset({"reads"}), neuron_tokens.NeuronTokensRequest, neuron_tokens.ask,
             neuron_tokens.compute),
    FilePart("memory_tokens", frozenset({"memory"}), memory_tokens.MemoryTokensRequest, memory_tokens.ask,
             memory_tokens.compute),
    FilePart("atlas", frozenset({"atlas"}), atlas.AtlasRequest, atlas.ask, atlas.compute),
    FilePart("nearest", frozenset({"reads"}), nearest.NearestRequest, nearest.ask, nearest.compute),
    FilePart("promoters", frozenset({"promoters"}), promoters.PromotersRequest, promoters.ask,
             promoters.compute),
)  # fmt: skip

FILE_KINDS = {row.kind: row for row in FILE_PARTS}
"""Row of each kind of request."""
