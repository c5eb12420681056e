"""safetensors files put together by hand, so that they can say what no library would write."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path


def entry(dtype: str, shape: Sequence[int], first: int, past: int) -> dict[str, object]:
    """One tensor of a header."""
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [first, past]}


def file_of(header: object, data: bytes = b"", *, length: int | None = None) -> bytes:
    """A file: length, header (JSON text where it is bytes already), numbers."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def written(path: Path, header: object, data: bytes = b"", *, length: int | None = None) -> Path:
    """The same, on the disk."""
    path.write_bytes(file_of(header, data, length=length))
    return path


def write_json(path: Path, value: object) -> Path:
    """Write a JSON file."""
    path.write_text(json.dumps(value), "utf-8")
    return path


def float32s(names: Mapping[str, Sequence[int]]) -> tuple[dict[str, object], bytes]:
    """Header and numbers of tensors in float32, all 0."""
    header: dict[str, object] = {}
    at = 0
    for name, shape in names.items():
        count = 4
        for size in shape:
            count *= size
        header[name] = entry("F32", shape, at, at + count)
        at += count
    return header, bytes(at)
