"""PARTS: every kind of part, one row each; a new one is a file beside this, a row here, a field of Scene."""

from ffn_explorer.state.parts.part import Part

PARTS: tuple[Part, ...] = ()

KINDS = {row.kind: row for row in PARTS}
"""Row of each kind of request."""
