"""Damage to JSON in checkpoints, and to tensors of safetensors headers that stay free of lies otherwise."""

from __future__ import annotations

import json
import random
import re
from math import prod

from tests.unit.specimens import SIZES

Files = dict[str, bytes]

LITERALS = ("0", "-1", "1", "3", "1e308", "-1e999", "NaN", "Infinity", "1.5", "9" * 25, "9" * 400, "true",
            "null", '"x"', '""', "[]", "{}", '"\\u0000\\u001b[2J\\n"', '"\\ud800"', '[[[[1]]]]',
            '{"a":{"b":[1]}}', '"' + "n" * 3000 + '"')  # fmt: skip
"""JSON that may stand where something else did."""


def json_span(name: str, content: bytes) -> tuple[int, int] | None:
    """Where JSON stands in a file: all of it, or the header of a safetensors file."""
    if content[:1] == b"{":
        return (0, len(content))
    if content[8:9] == b"{":
        return (8, 8 + int.from_bytes(content[:8], "little"))
    return None


def put_json(files: Files, name: str, text: bytes) -> None:
    """Another header in place of the old one, its length right."""
    raw = files[name]
    span = json_span(name, raw)
    assert span
    lead = len(text).to_bytes(8, "little") if span[0] else b""
    files[name] = lead + text + raw[span[1] :]


def literal(files: Files, name: str, draw: random.Random) -> None:
    """One number, text, list or truth of the JSON becomes another."""
    raw = files[name]
    span = json_span(name, raw)
    if not span:
        return
    text = raw[span[0] : span[1]]
    found = list(re.finditer(rb'(?<=[:,\[])\s*(?:-?\d[\d.e+-]*|true|false|null|"[^"]*"|\[[^\[\]]*\])', text))
    if found:
        one = draw.choice(found)
        put_json(files, name, text[: one.start()] + draw.choice(LITERALS).encode() + text[one.end() :])


def value(files: Files, name: str, draw: random.Random) -> None:
    """One value of the JSON is replaced, left out, renamed, or said twice."""
    raw = files[name]
    span = json_span(name, raw)
    try:
        whole = json.loads(raw[span[0] : span[1]]) if span else None
    except ValueError:
        return
    if not isinstance(whole, dict) or not whole:
        return
    inside = whole
    while True:
        key = draw.choice(sorted(inside))
        deeper = inside[key]
        if not isinstance(deeper, dict) or not deeper or draw.random() < 0.4:
            break
        inside = deeper
    match draw.randrange(5):
        case 0:
            del inside[key]
        case 1:
            inside[key] = json.loads(draw.choice(LITERALS))
        case 2:
            inside[key + draw.choice(["", ".weight", "_config", ".bias", "\x1b", "0"])] = inside.pop(key)
        case 3:
            inside["text_config"] = dict(inside)
        case _:
            other = draw.choice(sorted(inside))
            inside[key], inside[other] = inside[other], inside[key]
    put_json(files, name, json.dumps(whole).encode())


def reshape(files: Files, name: str, draw: random.Random) -> None:
    """Tensors of a safetensors file get other shapes, types or names; its header stays free of lies."""
    tensors = _tensors(name, files[name])
    if not tensors:
        return
    chosen = draw.sample(sorted(tensors), min(len(tensors), draw.choice([1, 1, 2, 4])))
    at = 0
    made: dict[str, object] = {}
    for key, (dtype, shape) in tensors.items():
        new = key
        if key in chosen:
            new, dtype, shape = _reshaped(key, dtype, shape, draw=draw)
        size = SIZES[dtype] * prod(shape)
        made[new] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(made).encode()
    numbers = draw.choice([bytes(at), bytes(at % 61 for at in range(at)), draw.randbytes(at)])
    files[name] = len(text).to_bytes(8, "little") + text + numbers


def _tensors(name: str, raw: bytes) -> dict[str, tuple[str, list[int]]]:
    """Types and shapes of a safetensors file, none where it is damaged already."""
    span = json_span(name, raw)
    try:
        header = json.loads(raw[span[0] : span[1]]) if span else {}
        found = {key: (one["dtype"], [*one["shape"]]) for key, one in header.items() if key != "__metadata__"}
    except (ValueError, LookupError, TypeError, AttributeError):
        return {}
    good = all(
        dtype in SIZES and all(type(size) is int and 0 <= size < 999 for size in shape)
        for dtype, shape in found.values()
        if isinstance(dtype, str)
    )
    return found if good and all(isinstance(dtype, str) for dtype, _ in found.values()) else {}


def _reshaped(key: str, dtype: str, shape: list[int], *, draw: random.Random) -> tuple[str, str, list[int]]:
    """Name, type and shape, one of them changed."""
    match draw.randrange(8):
        case 0:
            shape = shape[:-1]
        case 1:
            shape = [*shape, draw.choice([1, 2, 0])]
        case 2:
            shape = shape[::-1]
        case 3:
            key += draw.choice([".bias", "_scale", "x", "_scale_inv", ".absmax"])
        case 4:
            key = key.replace("weight", draw.choice(["bias", "scales", "qweight", "weight_scale", "SCB"]))
        case 5:
            dtype = draw.choice(sorted(SIZES))
        case _ if shape:
            at = draw.randrange(len(shape))
            shape = [*shape[:at], draw.choice([0, 1, 2, 3, 5, 8, 64]), *shape[at + 1 :]]
    return key, dtype, shape
