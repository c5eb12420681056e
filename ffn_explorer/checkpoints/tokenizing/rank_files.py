"""Lists of byte strings by rank, as tiktoken has them: tekken.json, and the `.model` of Llama 3."""

import base64
import binascii
import re
from collections.abc import Mapping
from pathlib import Path

from ffn_explorer.checkpoints.readers.json_text import short
from ffn_explorer.checkpoints.tensors import Files
from ffn_explorer.checkpoints.tokenizing.contents import json_of, text_of
from ffn_explorer.checkpoints.tokenizing.engine import (
    BYTES,
    Vocabulary,
    byte_bpe,
    check_size,
    damaged,
    merges_of,
)
from ffn_explorer.checkpoints.tokenizing.patterns import CUTS, LLAMA3, TEKKEN, Cut
from ffn_explorer.checkpoints.tokenizing.pieces import Tokenizer
from ffn_explorer.checkpoints.tokenizing.sidecars import completed, sidecars_of

ROW = re.compile(rb"[A-Za-z0-9+/]{2,}={0,2} \d{1,7}\r?\n")
"""A token in base64 and its rank."""

LLAMA3_RANKS, LLAMA3_SPECIAL = 128_000, 256
LLAMA3_NAMES: Mapping[int, str] = {
    128_000: "<|begin_of_text|>",
    128_001: "<|end_of_text|>",
    128_006: "<|start_header_id|>",
    128_007: "<|end_header_id|>",
    128_009: "<|eot_id|>",
}
"""Special tokens that every release of Llama 3 has at the same place; its file does not list any."""

LLAMA4_RANKS = 200_000

TEKKEN_SPECIAL = 1_000
"""Ids before the first rank, where a tekken.json does not say."""

TEKKEN_NAMES: Mapping[int, str] = {0: "<unk>", 1: "<s>", 2: "</s>"}
"""Special tokens of every tekken.json that lists none."""


def is_ranks(path: Path) -> bool:
    """Whether a file begins with a token in base64 and its rank; InputError where it cannot be read."""
    with Files() as files:
        head = files.read(path, 0, min(files.size(path), 4096)).tobytes()
    return ROW.match(head) is not None


def read_ranks(beside: Mapping[str, Path], path: Path) -> Tokenizer:
    """One token in base64 and its rank a line; special tokens from files beside, Llama 3's by number."""
    said, sidecars = f"{short(path.name)} (tiktoken BPE)", sidecars_of(beside)
    tokens: list[bytes] = []
    try:
        for line in text_of(path).split("\n"):
            word, _, rank = line.rstrip("\r").partition(" ")
            if not line.strip():
                continue
            if rank != str(len(tokens)):
                raise damaged(said)
            tokens.append(base64.b64decode(word, validate=True))
    except (binascii.Error, ValueError) as error:
        raise damaged(said) from error
    texts = _texts(tokens, said)
    count = len(tokens)
    names: Mapping[int, str] = {}
    if count == LLAMA3_RANKS and not sidecars.added:
        names = LLAMA3_NAMES
        texts += [names.get(count + place) for place in range(LLAMA3_SPECIAL)]
    vocabulary = completed(texts, sidecars, said=said, special=frozenset(names))
    known = {LLAMA3_RANKS: "llama-bpe", LLAMA4_RANKS: "llama4"}.get(count)
    first = sidecars.special("bos", "<|begin_of_text|>") if known else sidecars.special("bos")
    ids = vocabulary.ids()
    begins = sidecars.flag("add_bos_token", default=bool(known)) and first in ids
    finished = Vocabulary(
        vocabulary.texts, vocabulary.special, vocabulary.literal, (ids[first],) if begins else ()
    )
    cut = CUTS[known or "llama-bpe"]
    return byte_bpe(
        finished, _merges(texts[:count], said), cut, said=said, guessed="" if known else "tiktoken"
    )


def read_tekken(path: Path) -> Tokenizer:
    """Mistral's tekken.json: ranks after the special tokens, and the pattern that text is cut by."""
    said = f"{short(path.name)} (tekken BPE)"
    rules, _ = json_of(path)
    config, rows = rules.get("config"), rules.get("vocab")
    if not isinstance(config, dict) or not isinstance(rows, list):
        raise damaged(said)
    special = _number(config, "default_num_special_tokens", TEKKEN_SPECIAL, said)
    size = _number(config, "default_vocab_size", special + len(rows), said)
    check_size(size, said)
    if not 0 <= special < size:
        raise damaged(said)
    tokens: list[bytes] = []
    try:
        for rank, row in enumerate(rows[: size - special]):
            if not isinstance(row, dict) or row.get("rank") != rank:
                raise damaged(said)
            tokens.append(base64.b64decode(str(row.get("token_bytes")), validate=True))
    except (binascii.Error, ValueError) as error:
        raise damaged(said) from error
    texts = _texts(tokens, said)
    names = _special_names(rules.get("special_tokens"), special, said)
    ids = {name: token for token, name in enumerate(names)}
    vocabulary = Vocabulary(
        (*names, *texts), frozenset(range(special)), before=(ids["<s>"],) if "<s>" in ids else ()
    )
    pattern = config.get("pattern")
    cut = Cut((pattern,)) if pattern in (TEKKEN, LLAMA3) else CUTS["tekken"]
    guessed = "" if pattern in cut.patterns else "tekken"
    return byte_bpe(vocabulary, _merges(texts, said), cut, said=said, guessed=guessed)


def _special_names(rows: object, count: int, said: str) -> list[str]:
    """Names of the special tokens by id."""
    names = [TEKKEN_NAMES.get(token, f"<SPECIAL_{token}>") for token in range(count)]
    for row in rows if isinstance(rows, list) else ():
        token, name = (row.get("rank"), row.get("token_str")) if isinstance(row, dict) else (None, None)
        if type(token) is not int or not 0 <= token < count or not isinstance(name, str):
            raise damaged(said)
        names[token] = name
    return names


def _texts(tokens: list[bytes], said: str) -> list[str | None]:
    """Tokens as GPT-2 writes bytes."""
    check_size(len(tokens), said)
    return [BYTES.written(raw)[0] for raw in tokens]


def _merges(texts: list[str | None], said: str) -> list[tuple[str, str]]:
    known = [text for text in texts if text is not None]
    return merges_of(known, frozenset(known), said=said)


def _number(config: Mapping[str, object], key: str, default: int, said: str) -> int:
    value = config.get(key, default)
    if type(value) is not int:
        raise damaged(said)
    return value
