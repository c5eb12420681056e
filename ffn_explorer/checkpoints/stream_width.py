"""D of a file that no family knows: by its configuration, its embedding, or its norms."""

import re
from collections import Counter

from ffn_explorer.checkpoints.family import Family
from ffn_explorer.checkpoints.names import Names
from ffn_explorer.checkpoints.settings_view import WIDTH_KEYS, Config, View

EMBEDDINGS = (
    "embed_tokens.weight",
    "wte.weight",
    "tok_embeddings.weight",
    "word_embeddings.weight",
    "embedding.weight",
)
"""Endings of an embedding's name."""


def width_of(names: Names, config: Config) -> int | None:
    """D by the configuration, or by the embedding."""
    view = View(config, Family("", (), "non-hf", "read"))
    for key in WIDTH_KEYS:
        if width := view.count(f"@{key}"):
            return width
    shapes = [shape for name, shape in names.shapes.items() if name.endswith(EMBEDDINGS) and len(shape) == 2]
    return shapes[0][1] if shapes else None


def usual_width(names: Names) -> int | None:
    """D, where nothing says it: the length that most vectors of numbered layers have, those of norms."""
    lengths = Counter(
        shape[0] for name, shape in names.shapes.items() if len(shape) == 1 and re.search(r"\.\d+\.", name)
    )
    common = lengths.most_common(1)
    return common[0][0] if common and common[0][0] > 1 else None
