"""The tokenizer that a GGUF file holds in its metadata: lists of tokens, kinds, scores and merges.

Source: docs/gguf.md of the ggml project, and its conversion of each model's own tokenizer.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ffn_explorer.checkpoints.readers.gguf_values import Later
from ffn_explorer.checkpoints.readers.json_text import short
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.checkpoints.tokenizing.checks import Refused, table_growth
from ffn_explorer.checkpoints.tokenizing.contents import MOST_BYTES
from ffn_explorer.checkpoints.tokenizing.engine import (
    Sentence,
    Vocabulary,
    byte_bpe,
    check_size,
    damaged,
    merges_of,
    sentence_bpe,
    unigram,
    word_piece,
)
from ffn_explorer.checkpoints.tokenizing.patterns import CUTS, GUESS
from ffn_explorer.checkpoints.tokenizing.pieces import MOST_TOKENS, Tokenizer
from ffn_explorer.checkpoints.tokenizing.spelling import BAR
from ffn_explorer.core.errors import InputError

NORMAL, UNKNOWN, CONTROL, OWN, UNUSED, BYTE = range(1, 7)
"""Kinds of tokens, by the format's numbers; OWN: put there by whoever trained it."""

PREFIX = "tokenizer.ggml."
AROUND = ("roberta-bpe", "jina-v1-en", "jina-v2-code")
"""Rules for cutting whose models read every text between two tokens."""


class Metadata:
    """The entries of one file; InputError where one is of another kind than it must be."""

    def __init__(self, source: Source) -> None:
        self.file = short(source.path.name)
        self._header = source.header

    def strings(self, key: str) -> list[str]:
        """A list of texts, empty where there is none."""
        value = self._header.get(PREFIX + key, [])
        if isinstance(value, Later) and value.kind == "string":
            if value.count > MOST_TOKENS or value.nbytes > MOST_BYTES:
                raise damaged(self.file)
            return value.strings()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(key)
        return value

    def numbers(self, key: str) -> list[float]:
        """A list of numbers, empty where there is none."""
        value = self._header.get(PREFIX + key, [])
        if isinstance(value, Later) and value.kind != "string":
            if value.count > MOST_TOKENS:
                raise damaged(self.file)
            found: list[float] = value.numbers().tolist()
            return found
        if not isinstance(value, list) or not all(type(item) in (int, float) for item in value):
            raise self.wrong(key)
        return value

    def table(self, key: str) -> bytes:
        """A list of bytes, empty where there is none."""
        value = self._header.get(PREFIX + key, [])
        if isinstance(value, Later) and value.kind in ("int8", "uint8"):
            return value.numbers().tobytes()
        if not isinstance(value, list) or not all(type(item) is int and -129 < item < 256 for item in value):
            raise self.wrong(key)
        return bytes(item & 0xFF for item in value)

    def word(self, key: str) -> str:
        """A text, "" where there is none."""
        value = self._header.get(PREFIX + key, "")
        if not isinstance(value, str):
            raise self.wrong(key)
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """Yes or no."""
        value = self._header.get(PREFIX + key, default)
        if type(value) is not bool:
            raise self.wrong(key)
        return value

    def token(self, key: str, size: int, default: int = -1) -> tuple[int, ...]:
        """One token's id, `()` where there is none in the vocabulary."""
        value = self._header.get(f"{PREFIX}{key}_token_id", default)
        return (value,) if type(value) is int and 0 <= value < size else ()

    def wrong(self, key: str) -> InputError:
        """An entry is not of its kind."""
        return InputError("checkpoint.metadata_kind", file=self.file, entry=PREFIX + key)


def read_gguf(source: Source) -> Tokenizer | None:
    """The tokenizer of a GGUF file, None where it holds none; InputError where it cannot be read."""
    metadata = Metadata(source)
    kind = metadata.word("model")
    if kind in ("", "none", "no_vocab"):
        return None
    reader = READERS.get(kind)
    if reader is None:
        raise InputError("tokenizer.kind_inside", file=metadata.file, kind=short(kind))
    tokens = metadata.strings("tokens")
    check_size(len(tokens), metadata.file)
    kinds = metadata.numbers("token_type") or [NORMAL] * len(tokens)
    scores = metadata.numbers("scores")
    if len(kinds) != len(tokens) or len(scores) not in (0, len(tokens)):
        raise damaged(metadata.file)
    return reader(metadata, tokens, kinds)


def _vocabulary(
    texts: Sequence[str], kinds: Sequence[float], *, before: tuple[int, ...] = (), after: tuple[int, ...] = ()
) -> Vocabulary:
    """Tokens with what the file says of each."""
    array = np.asarray(kinds)
    special = frozenset(np.flatnonzero((array == CONTROL) | (array == UNKNOWN)).tolist())
    literal = frozenset(np.flatnonzero(array == OWN).tolist())
    return Vocabulary(tuple(texts), special, literal, before, after)


def _bytes(metadata: Metadata, tokens: list[str], kinds: Sequence[float]) -> Tokenizer:
    """GPT-2's kind: merges over bytes, cut as the entry `pre` names."""
    name = metadata.word("pre") or "default"
    cut = CUTS.get(name, CUTS[GUESS])
    around = name in AROUND
    size = len(tokens)
    begins = metadata.flag("add_bos_token", default=cut.begins or around)
    ends = metadata.flag("add_eos_token", default=around)
    vocabulary = _vocabulary(
        tokens,
        kinds,
        before=metadata.token("bos", size) if begins else (),
        after=metadata.token("eos", size) if ends else (),
    )
    merges = [merge.partition(" ")[::2] for merge in metadata.strings("merges")]
    if not merges:
        raise damaged(metadata.file)
    said = f"{metadata.file} (gpt2 BPE, {short(name)})"
    return byte_bpe(vocabulary, merges, cut, said=said, guessed="" if name in CUTS else short(name))


def _sentence(metadata: Metadata, tokens: list[str], kinds: Sequence[float]) -> Tokenizer:
    """Llama's kind: SentencePiece's BPE, by scores, or by merges where the file has them."""
    size, said = len(tokens), f"{metadata.file} (llama BPE)"
    vocabulary = _vocabulary(
        tokens,
        kinds,
        before=metadata.token("bos", size, 1) if metadata.flag("add_bos_token", default=True) else (),
        after=metadata.token("eos", size, 2) if metadata.flag("add_eos_token", default=False) else (),
    )
    merges = [merge.partition(" ")[::2] for merge in metadata.strings("merges")]
    if not merges:
        merges = _ranked_merges(tokens, kinds, metadata.numbers("scores"), said)
    unknown = metadata.token("unknown", size, 0)
    rules = Sentence(prefix=metadata.flag("add_space_prefix", default=True))
    return sentence_bpe(vocabulary, merges, rules, unknown=tokens[unknown[0]] if unknown else None, said=said)


def _ranked_merges(
    tokens: Sequence[str], kinds: Sequence[float], scores: Sequence[float], said: str
) -> list[tuple[str, str]]:
    """Merges from the scores of what they make, the highest first."""
    if not scores:
        raise damaged(said)
    usable = [token for token, kind in enumerate(kinds) if kind in (NORMAL, OWN)]
    usable.sort(key=lambda token: -scores[token])
    known = {text for text, kind in zip(tokens, kinds) if kind in (NORMAL, OWN, UNUSED)}
    return merges_of([tokens[token] for token in usable], known, said=said)


def _gemma4(metadata: Metadata, tokens: list[str], kinds: Sequence[float]) -> Tokenizer:
    """Gemma's later kind: the same with merges, and no space before a text."""
    merges = [merge.partition(" ")[::2] for merge in metadata.strings("merges")]
    if not merges:
        raise damaged(metadata.file)
    size = len(tokens)
    before = metadata.token("bos", size) if metadata.flag("add_bos_token", default=True) else ()
    unknown = metadata.token("unknown", size)
    return sentence_bpe(
        _vocabulary(tokens, kinds, before=before),
        merges,
        Sentence(prefix=False),
        unknown=tokens[unknown[0]] if unknown else None,
        said=f"{metadata.file} (gemma4 BPE)",
    )


def _words(metadata: Metadata, tokens: list[str], kinds: Sequence[float]) -> Tokenizer:
    """BERT's kind: WordPiece, whose marks the format turns round (▁ at a word's start, none further on)."""
    size = len(tokens)
    plain = [text if kind != NORMAL else _unturned(text) for text, kind in zip(tokens, kinds)]
    first = metadata.token("cls", size) or metadata.token("bos", size, 101)
    # The key is spelled so in the format.
    last = metadata.token("seperator", size) or metadata.token("eos", size, 102)
    unknown = metadata.token("unknown", size, 100)
    # The format does not say whether letters become small; a vocabulary without any large one does.
    lower = not any(
        text.lower() != text for text, kind in zip(plain, kinds) if kind == NORMAL and text[:1] != "["
    )
    return word_piece(
        _vocabulary(plain, kinds, before=first, after=last),
        said=f"{metadata.file} (bert WordPiece)",
        unknown=plain[unknown[0]] if unknown else "[UNK]",
        lower=lower,
    )


def _unturned(text: str) -> str:
    """A token as BERT's own files write it."""
    if text.startswith(BAR):
        return text[1:]
    return text if text.startswith("[") and text.endswith("]") else f"##{text}"


def _likely(metadata: Metadata, tokens: list[str], kinds: Sequence[float]) -> Tokenizer:
    """T5's kind: SentencePiece's Unigram."""
    size, said = len(tokens), f"{metadata.file} (t5 Unigram)"
    scores = metadata.numbers("scores")
    table = metadata.table("precompiled_charsmap")
    try:
        table_growth(table)
    except Refused as error:
        raise damaged(metadata.file) from error
    if not scores:
        raise damaged(metadata.file)
    vocabulary = _vocabulary(
        tokens,
        kinds,
        before=metadata.token("bos", size) if metadata.flag("add_bos_token", default=False) else (),
        after=metadata.token("eos", size, 1) if metadata.flag("add_eos_token", default=True) else (),
    )
    rules = Sentence(
        charsmap=table,
        prefix=metadata.flag("add_space_prefix", default=True),
        tidy=metadata.flag("remove_extra_whitespaces", default=True),
    )
    unknown = metadata.token("unknown", size, 2)
    return unigram(vocabulary, scores, rules, unknown=unknown[0] if unknown else None, said=said)


READERS: Mapping[str, Callable[[Metadata, list[str], Sequence[float]], Tokenizer]] = MappingProxyType(
    {"gpt2": _bytes, "llama": _sentence, "gemma4": _gemma4, "bert": _words, "t5": _likely}
)
"""By what the entry `model` says."""
