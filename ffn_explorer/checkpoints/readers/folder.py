"""Any path -> a Source: one file, a shard and its neighbours, a folder, or the hub's cache of a model."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from ffn_explorer.checkpoints.readers.content import content_of, kind_of
from ffn_explorer.checkpoints.readers.json_text import read_object, short
from ffn_explorer.checkpoints.readers.shards import MOST_TENSORS, check_there, joined, shards_in
from ffn_explorer.checkpoints.readers.weights import Weights, set_of, several, weights_in
from ffn_explorer.checkpoints.tensors import Files, Source
from ffn_explorer.core.errors import InputError

CONFIGS: Mapping[str, str] = MappingProxyType(
    {"config": "config.json", "params": "params.json", "adapter": "adapter_config.json"}
)
"""Files that say what the tensors mean, read into the header under these names."""

BESIDE = (
    "config.json", "params.json", "adapter_config.json", "generation_config.json", "quantize_config.json",
    "hf_quant_config.json", "tokenizer.json", "tokenizer_config.json", "tokenizer.model", "tekken.json",
    "special_tokens_map.json", "added_tokens.json", "vocab.json", "merges.txt", "vocab.txt", "spiece.model",
    "sentencepiece.bpe.model", "tiktoken.model", "chat_template.jinja", "chat_template.json",
)  # fmt: skip
"""Files whose paths are given, where they are there."""

REVISION = re.compile(r"[0-9A-Za-z_-][0-9A-Za-z._-]{0,127}")
"""Name of a snapshot: a commit's hash."""

MOST_REF_BYTES = 256
"""Longest file of a reference; it holds a hash."""

MOST_SNAPSHOTS = 1_000
"""Snapshots that are looked at."""


def open_source(path: Path) -> Source:
    """Tensors of whatever a path leads to; nothing is read of them yet, and nothing in any file is run.

    header: what the format says, and `config`, `params`, `adapter`: JSON beside the weights, `{}` where there
    is none; `beside`: paths of these and of the tokenizer, by name; `weights`: names of the files that
    are read; `unread`: other sets of weights in the folder.  InputError, one sentence for each thing wrong.
    """
    kind = kind_of(path)
    if kind == "nothing":
        raise InputError("checkpoint.nothing", path=short(str(path)))
    if kind == "special":
        raise InputError("checkpoint.special", file=short(path.name))
    weights = weights_in(snapshot_of(path)) if kind == "folder" else set_of(path)
    source = _open(path, weights)
    try:
        return replace(source, header=MappingProxyType({**source.header, **_surroundings(source, weights)}))
    except BaseException:
        source.close()
        raise


def snapshot_of(folder: Path) -> Path:
    """The folder itself, or where it is the hub's cache of one model, the snapshot that `refs/main` names."""
    cache = folder.parent if folder.name == "snapshots" else folder
    if kind_of(cache / "snapshots") != "folder" or kind_of(cache / "blobs") != "folder":
        return folder
    snapshots = cache / "snapshots"
    named = _reference(cache / "refs" / "main")
    if named and kind_of(snapshots / named) == "folder":
        return snapshots / named
    try:
        found = sorted(
            islice((one for one in snapshots.iterdir() if kind_of(one) == "folder"), MOST_SNAPSHOTS)
        )
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError("checkpoint.read", file="snapshots", why=why) from error
    if not found:
        raise InputError("checkpoint.no_weights", folder=short(cache.name))
    if len(found) > 1:
        raise several(cache, (f"snapshots/{one.name}" for one in found))
    return found[0]


def _reference(path: Path) -> str:
    """Name of the snapshot that a reference file holds; "" where it holds none."""
    if kind_of(path) != "file":
        return ""
    with Files() as files:
        raw = files.read(path, 0, min(files.size(path), MOST_REF_BYTES)).tobytes()
    name = raw.decode("ascii", errors="replace").strip()
    return name if REVISION.fullmatch(name) else ""


def _open(path: Path, weights: Weights) -> Source:
    """Open one set of weights, whose Source bears the path that was asked for."""
    named = shards_in(weights.index) if weights.index else {}
    shards = sorted(set(named.values())) if weights.index else list(weights.files)
    if weights.index and path not in (weights.folder, weights.index, *shards) and kind_of(path) == "file":
        named, shards = {}, [path]  # it bears the name of a shard, and the index knows nothing of it
    check_there(shards)
    if not named and len(shards) == 1:
        return replace(_open_file(shards[0]), path=path)
    sources: list[Source] = []
    tensors = 0
    try:
        for shard in shards:
            sources.append(_open_file(shard))
            tensors += len(sources[-1].tensors)
            if tensors > MOST_TENSORS:
                raise InputError("checkpoint.json_large", file=short(shard.name))
        return joined(path, sources, named)
    except BaseException:
        for source in sources:
            source.close()
        raise


def _open_file(path: Path) -> Source:
    """Open one file by the reader that its content calls for, imported only now."""
    kind = content_of(path)
    if kind == "safetensors":
        from ffn_explorer.checkpoints.readers.safetensors import open_safetensors

        return open_safetensors(path)
    if kind == "gguf":
        from ffn_explorer.checkpoints.readers.gguf import open_gguf

        return open_gguf(path)
    from ffn_explorer.checkpoints.readers.torch_file import open_torch

    try:
        return open_torch(path)
    except InputError as error:
        # Torch itself goes by that name, and takes any file that bears it for the other format.
        if path.suffix == ".safetensors" and error.key == "checkpoint.torch_load":
            raise InputError("checkpoint.renamed", file=short(path.name)) from error
        raise


def _surroundings(source: Source, weights: Weights) -> dict[str, object]:
    """What stands beside the weights; a GGUF file says all of it itself."""
    beside = {name: weights.folder / name for name in BESIDE if kind_of(weights.folder / name) == "file"}
    own = source.format == "gguf"
    configs = {
        key: read_object(beside[name]) if name in beside and not own else {} for key, name in CONFIGS.items()
    }
    files = {stored.path for stored in source.tensors.values()}
    return {
        **configs,
        "beside": MappingProxyType(beside),
        "weights": tuple(sorted(file.name for file in files)),
        "unread": weights.others,
    }
