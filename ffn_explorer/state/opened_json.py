"""An opened file <-> plain JSON values: where it lies, what it is recognised by, how a person reads it."""

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.state.app_state import Opened

MOST_PATH = 4_096
"""Letters of a path."""

MOST_NAME = 1_000
"""Letters of a tensor's name."""

DIGEST = re.compile(r"[0-9a-f]{32}")

_CHOICES = {
    "layout": ("out_in", "in_out", "grouped"),
    "fused": ("", "half0", "half1", "even", "odd"),
    "norm": ("none", "rms", "layer", "rms+1", "layer+1"),
    "place": ("none", "pre", "post", "post_only", "sandwich", "parallel"),
}


def opened_from_json(data: object) -> Opened:
    """The file that plain values name; ValueError where they name none."""
    if not isinstance(data, Mapping) or not set(data) <= {field.name for field in fields(Opened)}:
        raise ValueError("opened")
    path, digest, x = data.get("path"), data.get("digest"), data.get("x", "")
    x_is = data.get("x_is", "residual")
    if not (isinstance(path, str) and 0 < len(path) <= MOST_PATH):
        raise ValueError("path")
    if not (isinstance(digest, str) and DIGEST.fullmatch(digest)):
        raise ValueError("digest")
    if not (isinstance(x, str) and len(x) <= MOST_PATH) or x_is not in ("residual", "ffn-input"):
        raise ValueError("x")
    said = data.get("correction")
    return Opened(path, digest, None if said is None else correction_from_json(said), x, x_is)


def correction_from_json(data: Any) -> Correction:  # noqa: ANN401 - whatever a file holds
    """A person's reading of plain values; ValueError where they are none."""
    known = {field.name for field in fields(Correction)}
    if not isinstance(data, Mapping) or not set(data) <= known:
        raise ValueError("correction")
    for name, value in data.items():
        if not isinstance(value, str) or len(value) > MOST_NAME or value not in _CHOICES.get(name, (value,)):
            raise ValueError(name)
    return Correction(**data)
