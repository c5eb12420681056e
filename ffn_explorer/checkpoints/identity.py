"""What a checkpoint is recognised by: a hash of its headers, never of its weights."""

import hashlib
import json
from collections.abc import Mapping

from ffn_explorer.checkpoints.tensors import Source

LENGTH = 32
"""Hexadecimal digits that are kept."""


def digest_of(source: Source, config: Mapping[str, object]) -> str:
    """Hash of every tensor's name, shape, codec and place, and of the configuration: `[0-9a-f]{32}`.

    Files of the same headers and other weights have the same one: telling them apart would read them whole.
    """
    found = hashlib.sha256()
    for name, stored in source.tensors.items():
        row = (name, stored.shape, stored.codec.name, stored.path.name, stored.offset)
        found.update(repr(row).encode("utf-8", "surrogatepass") + b"\n")
    if source.format != "gguf":  # there the configuration is the header, and lies in front of the offsets
        found.update(json.dumps(config, sort_keys=True, default=str).encode())
    return found.hexdigest()[:LENGTH]
