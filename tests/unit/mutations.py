"""Damage of every kind to good checkpoints, the same for the same seed."""

from __future__ import annotations

import pickletools
import random
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from struct import pack

from tests.unit.json_mutations import Files, json_span, literal, put_json, reshape, value
from tests.unit.specimens import Specimen
from tests.unit.torch_bytes import archive_of, records_in

INTEGERS = (0, 1, 2, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**63,
            2**64 - 8, 2**64 - 1)  # fmt: skip
"""What a count, size or offset may be replaced by: nothing, small, negative, overflowing."""

WORDS = (b"gate_proj", b"up_proj", b"down_proj", b"layers.0", b"layers.1", b"norm", b"weight", b"mlp",
         b"ffn_gate", b"ffn_up", b"ffn_down", b"blk.0", b"blk.1", b"experts.0", b"experts.1", b"F32", b"BF16",
         b"F8_E4M3", b"llama", b"silu", b"lora_A", b"scale", b"blocks", b"embed", b"data/0", b"data/1",
         b"torch", b"storage", b"FloatStorage", b"cpu", b"_rebuild_tensor_v2")  # fmt: skip
STRANGE = (b"layers.999999999", b"layers.\xd9\xa3", b"\x1b[31m", b"\n", b"\0", b"\xff\xfe", b"{layer}", b"#",
           b"lora_B", b"../../x", b"/etc/passwd", b"os", b"system", b"builtins", b"eval", b"", b"a" * 300,
           b"\xef\xbd\x97", b"\xe2\x80\xae", b"C64", b"I64", b"U8", b"bias", b"LongStorage",
           b"meta")  # fmt: skip

ANCHORS = (b".weight", b"block_count", b"embedding_length", b"alignment", b"epsilon", b"tokens", b"scores",
           b"split.count", b"split.no", b"tensors.count", b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06",
           b"PK\x06\x06", b"PK\x06\x07", b"FloatStorage", b"cpu", b"state_dict")  # fmt: skip
"""What stands before sizes, kinds, counts and places."""

OTHERS = (b"", b"hello\n", b"<html>", bytes(500), b"\x08\x07\x12\x07pytorch", b"GGUF", b"PK\x03\x04",
          b"\x80\x02cos\nsystem\n(X\x02\0\0\0lstR.")  # fmt: skip
"""What may lie where weights should."""

PICKLE_CODES = bytes(ord(code.code) for code in pickletools.opcodes)
"""Every instruction that a pickle may have: those that call and import among them."""


@dataclass(frozen=True)
class Mutated:
    """A damaged checkpoint, and what was done to it."""

    specimen: Specimen
    done: str


def mutated(specimen: Specimen, seed: str) -> Mutated:
    """Damage one or two places of a specimen."""
    draw = random.Random(seed)
    files, said = dict(specimen.files), []
    for _ in range(draw.choice([1, 1, 1, 2])):
        before = dict(files)
        while files == before and files:  # some changes find nothing to change
            victim = draw.choice(sorted(files))
            change = draw.choice(_changes(victim, files[victim]))
            change(files, victim, draw)
        said.append(f"{change.__name__.strip('_')} {victim}")
        if not files:
            break
    return Mutated(replace(specimen, files=files), ", ".join(said))


Change = Callable[[Files, str, random.Random], None]


def _changes(name: str, content: bytes) -> list[Change]:
    """What may be done to a file, the likelier more often."""
    found: list[Change] = [_flip, _integer, _cut, _repeat, _swap_words, _replace_word, _files]
    if json_span(name, content):
        # Bytes that change blindly hardly ever leave JSON behind.
        more = [reshape] * 12 if content[8:9] == b"{" else []
        return [*found, *more, *[literal, value, _replace_word] * 6]
    if content.startswith(b"PK"):
        return [*found, _field, _field, _pickle_code, _pickle_code, _pickle_bytes, _pickle_bytes]
    return [*found, _flip, _field, _field, _field, _field]


def _head(name: str, content: bytes) -> int:
    """How many bytes at the start hold the structure."""
    span = json_span(name, content)
    if span:
        return min(span[1], len(content))
    return min(len(content), 900 if content.startswith(b"GGUF") else len(content))


def _at(content: bytes, draw: random.Random, name: str) -> int:
    """A place, mostly where the structure is."""
    head = _head(name, content) if draw.random() < 0.85 else len(content)
    return draw.randrange(max(1, head))


def _flip(files: Files, name: str, draw: random.Random) -> None:
    raw = bytearray(files[name])
    for _ in range(draw.choice([1, 1, 2, 4, 16]) if raw else 0):
        at = _at(bytes(raw), draw, name)
        raw[at] = draw.choice([raw[at] ^ 1 << draw.randrange(8), draw.randrange(256), 0, 255])
    files[name] = bytes(raw)


def _integer(files: Files, name: str, draw: random.Random) -> None:
    raw = bytearray(files[name])
    width = draw.choice([1, 2, 4, 8, 8])
    at = _at(bytes(raw), draw, name)
    raw[at : at + width] = pack("<Q", draw.choice(INTEGERS))[:width]
    files[name] = bytes(raw)


def _field(files: Files, name: str, draw: random.Random) -> None:
    """A size, kind, count or place right behind a name or sign that stays."""
    raw = bytearray(files[name])
    found = [at.end() for anchor in ANCHORS for at in re.finditer(re.escape(anchor), raw)]
    if not found:
        return
    at, width = draw.choice(found) + draw.choice([0, 4, 6, 8, 12, 16, 20, 24, 38]), draw.choice([1, 4, 8])
    if at + width <= len(raw):
        raw[at : at + width] = pack("<Q", draw.choice([*INTEGERS, *range(40)]))[:width]
    files[name] = bytes(raw)


def _cut(files: Files, name: str, draw: random.Random) -> None:
    raw = files[name]
    head = _head(name, raw)
    edges = [0, 1, 4, 7, 8, 9, 12, 24, head - 1, head, head + 1, len(raw) - 1, len(raw) - 22]
    at = draw.choice([*edges, draw.randrange(len(raw) + 1), _at(raw, draw, name)])
    files[name] = raw[: max(0, min(at, len(raw)))]


def _repeat(files: Files, name: str, draw: random.Random) -> None:
    raw = files[name]
    at, count = _at(raw, draw, name), draw.choice([1, 2, 8, 64, 500])
    there = draw.choice([at, _at(raw, draw, name)])
    new = draw.choice([raw[at : at + count], bytes(count), draw.randbytes(count)])
    left_out = draw.choice([0, 0, count])
    files[name] = raw[:there] + (b"" if left_out else new) + raw[there + left_out :]


def _swap_words(files: Files, name: str, draw: random.Random) -> None:
    raw = bytearray(files[name])
    width = draw.choice([4, 8, 8, 16])
    one, two = _at(bytes(raw), draw, name), _at(bytes(raw), draw, name)
    one, two = min(one, two), max(one, two)
    if one + width <= two and two + width <= len(raw):
        raw[one : one + width], raw[two : two + width] = raw[two : two + width], raw[one : one + width]
    files[name] = bytes(raw)


def _replace_word(files: Files, name: str, draw: random.Random) -> None:
    raw = files[name]
    there = [word for word in WORDS if word in raw]
    if not there:
        return
    old, new = draw.choice(there), draw.choice([*there, *STRANGE])
    count = draw.choice([1, 1, -1])
    span = json_span(name, raw)
    if span and span[0] == 8:
        put_json(files, name, raw[span[0] : span[1]].replace(old, new, count))
    elif span:
        files[name] = raw.replace(old, new, count)
    else:  # lengths stand before names: keep them
        files[name] = raw.replace(old, new[: len(old)].ljust(len(old), b"x"), count)


def _files(files: Files, name: str, draw: random.Random) -> None:
    """Files change places, vanish, or hold what belongs elsewhere."""
    others = sorted(files)
    match draw.randrange(5):
        case 0 if len(files) > 1:
            del files[name]
        case 1:
            other = draw.choice(others)
            files[name], files[other] = files[other], files[name]
        case 2:
            files[name] = draw.choice(OTHERS)
        case 3:
            files[draw.choice(["config.json", "params.json", "adapter_config.json"])] = draw.choice(
                [b"{}", b"[", b'{"model_type":"llama"}', b'{"model_type":"bert"}', b'{"text_config":{}}']
            )
        case _:
            files[name + draw.choice([".bak", ".safetensors", ".bin", ".gguf"])] = files[name]


def _pickle_code(files: Files, name: str, draw: random.Random) -> None:
    """An instruction of any protocol stands in the archive's pickle, whose checksum is right."""

    def change(pickle: bytes) -> bytes:
        at = draw.randrange(len(pickle))
        code = bytes([draw.choice(PICKLE_CODES)])
        more = draw.choice([b"", b"os\nsystem\n", b"\x04\0\0\0eval", b"\0" * 8, b"\xff\xff\xff\x7f"])
        return pickle[:at] + code + more + pickle[at + draw.choice([0, 1]) :]

    _repickle(files, name, change)


def _pickle_bytes(files: Files, name: str, draw: random.Random) -> None:
    """Bytes of the archive's pickle change; its checksum is right."""

    def change(pickle: bytes) -> bytes:
        inner = {"p": pickle}
        draw.choice([_flip, _repeat, _integer, _replace_word, _swap_words])(inner, "p", draw)
        return inner["p"]

    _repickle(files, name, change)


def _repickle(files: Files, name: str, change: Callable[[bytes], bytes]) -> None:
    try:
        records: Mapping[str, bytes] = records_in(files[name])
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError, RuntimeError):
        return  # another change has been here before
    made = {key: change(raw) if key.endswith("data.pkl") else raw for key, raw in records.items()}
    files[name] = archive_of(made)
