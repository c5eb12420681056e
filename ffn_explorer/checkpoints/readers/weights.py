"""Which files of a folder are its weights: exactly one set, and the others named."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from ffn_explorer.checkpoints.readers.content import content_of, kind_of
from ffn_explorer.checkpoints.readers.json_text import short
from ffn_explorer.checkpoints.readers.shards import MOST_SHARDS
from ffn_explorer.core.errors import InputError

MOST_ENTRIES = 20_000
"""Entries of a folder that are looked at."""

MOST_SNIFFED = 200
"""Files without a known ending whose content is looked at."""

MOST_NAMED = 6
"""Names that a sentence lists."""

ENDINGS = (".safetensors", ".gguf", ".bin", ".pt", ".pth", ".ckpt", ".th")
"""Endings that weights have."""

LEFTOVERS = (
    "training_args.bin", "optimizer*", "scheduler*", "rng_state*", "random_states*", "scaler.*",
    "*optim_states.pt", "openvino*", "mmproj*.gguf", "*imatrix*", "tokenizer.bin",
)  # fmt: skip
"""Files that lie beside weights, have their endings and are none."""

ORDER = (
    "model.safetensors", "*.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json",
    "pytorch_model*", "consolidated.safetensors", "consolidated*", "*.gguf", "ckpt.pt", "*",
)  # fmt: skip
"""Which set is taken where there are several: the first that any name fits."""

FIRST_INDEX = "model.safetensors.index.json"
"""The index that is taken where there are several, as Mistral ships them."""

PART = re.compile(r"(?P<stem>.+)-(?P<number>\d{5,6})-of-(?P<count>\d{5,6})(?P<ending>\.\w+)", re.DOTALL)
"""File name of one shard of several, counted from one."""

RANK = re.compile(r"consolidated\.\d+\.\w+")
"""File name of one rank's part of every tensor."""

INDEX_ENDING = ".index.json"


@dataclass(frozen=True, slots=True)
class Weights:
    """One set of weights: its files, or the index that names them; others: sets that are not read."""

    folder: Path
    name: str
    files: tuple[Path, ...]
    index: Path | None = None
    others: tuple[str, ...] = ()


def weights_in(folder: Path) -> Weights:
    """The one set of a folder; InputError where there is none, or no telling which."""
    names = _names(folder)
    sets = _sets(folder, [name for name in names if name.endswith((*ENDINGS, INDEX_ENDING))])
    if not sets:
        others = [name for name in names if kind_of(folder / name) == "file"]
        sets = [_alone(folder / name) for name in islice(others, MOST_SNIFFED) if _is_weights(folder / name)]
    if not sets:
        raise InputError("checkpoint.no_weights", folder=short(folder.name))
    chosen = _first(folder, sets)
    part = PART.fullmatch(chosen.files[0].name) if chosen.files else None
    files = _parts(folder, part).files if part else chosen.files
    others = sorted({one.name for one in sets} - {chosen.name})
    return Weights(folder, chosen.name, files, chosen.index, tuple(others))


def set_of(path: Path) -> Weights:
    """The set that one file belongs to: with its neighbours where it is a shard or their index."""
    if path.name.endswith(INDEX_ENDING):
        return Weights(path.parent, path.name, (), path)
    part = PART.fullmatch(path.name)
    if part is None or part["ending"] == ".gguf":  # whose reader finds the other parts
        return _alone(path)
    index = path.with_name(f"{part['stem']}{part['ending']}{INDEX_ENDING}")
    if kind_of(index) == "file":
        return Weights(path.parent, index.name, (), index)
    return _parts(path.parent, part)


def _names(folder: Path) -> list[str]:
    """Names of everything but folders and hidden files; of links that lead nowhere as well."""
    try:
        with os.scandir(folder) as entries:
            seen = [entry.name for entry in islice(entries, MOST_ENTRIES) if not entry.is_dir()]
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError("checkpoint.read", file=short(folder.name), why=why) from error
    hidden = (".", "~")
    return sorted(
        name
        for name in seen
        if not name.startswith(hidden) and not any(fnmatchcase(name, other) for other in LEFTOVERS)
    )


def _sets(folder: Path, names: Sequence[str]) -> list[Weights]:
    """Indices, numbered shards without an index (one file of each set so far), and single files."""
    found = [
        Weights(folder, name, (), folder / name)
        for name in names
        if name.endswith(INDEX_ENDING) and name.removesuffix(INDEX_ENDING).endswith(ENDINGS)
    ]
    # Labels of sets that are there already: by their index, and by one of their shards.
    seen = {one.name.removesuffix(INDEX_ENDING) for one in found}
    for name in names:
        part = PART.fullmatch(name)
        label = part["stem"] + part["ending"] if part else name
        if name.endswith(INDEX_ENDING) or (part and label in seen):
            continue
        found.append(Weights(folder, label, (folder / name,)))
        seen.add(label)
    return found


def _first(folder: Path, sets: Sequence[Weights]) -> Weights:
    """The set that stands first in ORDER, where it is the only one there."""
    names = [one.name for one in sets]
    pattern = next(pattern for pattern in ORDER if any(fnmatchcase(name, pattern) for name in names))
    fitting = [one for one in sets if fnmatchcase(one.name, pattern)]
    if len(fitting) > 1 and all(RANK.fullmatch(one.name) for one in fitting):
        raise InputError("checkpoint.ranks", folder=short(folder.name), count=len(fitting))
    chosen = next((one for one in fitting if one.name == FIRST_INDEX), fitting[0])
    if len(fitting) > 1 and chosen.name != FIRST_INDEX:
        raise several(folder, [one.name for one in fitting])
    return chosen


def several(folder: Path, names: Iterable[str]) -> InputError:
    """What is said where there is no telling which of several is meant."""
    quoted = [short(name) for name in names]
    shown = ", ".join(quoted[:MOST_NAMED]) + (", …" if len(quoted) > MOST_NAMED else "")
    return InputError("checkpoint.several", folder=short(folder.name), count=len(quoted), names=shown)


def _alone(path: Path) -> Weights:
    return Weights(path.parent, path.name, (path,))


def _parts(folder: Path, part: re.Match[str]) -> Weights:
    """All shards that a numbered name calls for, there or not; GGUF's reader finds them from the first."""
    count, digits = int(part["count"]), len(part["count"])
    last = 1 if part["ending"] == ".gguf" else min(count, MOST_SHARDS + 1)  # more are refused anyway
    files = [
        folder / f"{part['stem']}-{number:0{digits}d}-of-{part['count']}{part['ending']}"
        for number in range(1, last + 1)
    ]
    return Weights(folder, part["stem"] + part["ending"], tuple(files))


def _is_weights(path: Path) -> bool:
    """Whether a file's content alone says so: a zip or pickle may be anything."""
    try:
        return content_of(path) != "torch"
    except InputError:
        return False
