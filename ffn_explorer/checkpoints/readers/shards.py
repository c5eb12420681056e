"""Several files that hold one model: named by an index, or numbered."""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import MappingProxyType

from ffn_explorer.checkpoints.readers.content import kind_of
from ffn_explorer.checkpoints.readers.json_text import read_object, short
from ffn_explorer.checkpoints.tensors import Source, Stored
from ffn_explorer.core.errors import InputError

MOST_SHARDS = 2_000
"""Most files of one model; the largest published ones have some 200."""

MOST_TENSORS = 250_000
"""Most tensors of all files together; the largest published models have some 100,000."""

MOST_PATH = 255
"""Letters of a shard's name."""


def shards_in(index: Path) -> Mapping[str, Path]:
    """File of each tensor, as an index says; InputError where it is damaged or names places elsewhere."""
    found = read_object(index).get("weight_map")
    if not isinstance(found, dict) or not found:
        raise InputError("checkpoint.index", file=short(index.name))
    places: dict[str, Path] = {}
    for shard in {shard for shard in found.values() if isinstance(shard, str)}:
        if not _is_inside(shard):
            raise InputError("checkpoint.shard_path", file=short(index.name), shard=short(shard))
        places[shard] = index.parent / shard
    if len(places) > MOST_SHARDS or not all(isinstance(shard, str) for shard in found.values()):
        raise InputError("checkpoint.index", file=short(index.name))
    return {tensor: places[shard] for tensor, shard in found.items()}


def check_there(shards: Sequence[Path]) -> None:
    """See that no shard is missing: without one, the model would be shorter than it is."""
    if len(shards) > MOST_SHARDS:
        raise InputError("checkpoint.index", file=short(shards[0].name))
    missing = [shard for shard in shards if kind_of(shard) == "nothing"]
    if missing:
        name = short(missing[0].name)
        raise InputError("checkpoint.shard_missing", file=name, missing=len(missing), count=len(shards))


def joined(path: Path, sources: Sequence[Source], named: Mapping[str, Path]) -> Source:
    """One Source of all shards' tensors; named: the file of each tensor, where an index says so.

    InputError where a tensor is in no shard or in two, or one shard is of another format.
    """
    tensors: dict[str, Stored] = {}
    for source in sources:
        if source.format != sources[0].format:
            raise InputError("checkpoint.mixed", file=short(source.path.name), format=source.format)
        for name, stored in source.tensors.items():
            if name not in tensors or named.get(name) == stored.path:
                tensors[name] = stored
            elif named.get(name) != tensors[name].path:
                raise InputError("checkpoint.twice", file=short(source.path.name), name=short(name))
    for name, shard in named.items():
        if name not in tensors:
            raise InputError("checkpoint.index_tensor", tensor=short(name), file=short(shard.name))
    for source in sources:
        source.close()
    return Source(sources[0].format, path, MappingProxyType(tensors), sources[0].header)


def _is_inside(shard: str) -> bool:
    """Whether a name leads nowhere but into the folder of its index, on any system."""
    if not 0 < len(shard) <= MOST_PATH or not shard.isprintable():
        return False
    windows, posix = PureWindowsPath(shard), PurePosixPath(shard)
    parts = (*windows.parts, *posix.parts)
    return not (windows.drive or windows.root or posix.root) and ".." not in parts and bool(posix.name)
