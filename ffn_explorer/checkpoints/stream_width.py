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
    if not lengths:
        # Without norms, the side that most matrices have; of two alike the smaller, since F is the wider.
        sides = Counter(
            side for name, shape in names.shapes.items() if _is_inside(name, shape) for side in shape
        )
        lengths = Counter({side: count for side, count in sides.items() if count == max(sides.values())})
    common = sorted(lengths.items(), key=lambda item: (-item[1], item[0]))[:1]
    return common[0][0] if common and common[0][0] > 1 else None


def _is_inside(name: str, shape: tuple[int, ...]) -> bool:
    """Whether a tensor is a matrix of a numbered layer."""
    return len(shape) == 2 and re.search(r"\.\d+\.", name) is not None
