"""vocab.txt, and vocab.json with merges.txt: vocabularies whose rules stand in the tokenizer's class."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ffn_explorer.checkpoints.readers.json_text import short
from ffn_explorer.checkpoints.tokenizing.contents import json_of, text_of
from ffn_explorer.checkpoints.tokenizing.engine import (
    Vocabulary,
    byte_bpe,
    check_size,
    clip_bpe,
    damaged,
    word_piece,
)
from ffn_explorer.checkpoints.tokenizing.patterns import CUTS, GUESS
from ffn_explorer.checkpoints.tokenizing.pieces import MOST_TOKENS, Tokenizer
from ffn_explorer.checkpoints.tokenizing.sidecars import Sidecars, completed, sidecars_of
from ffn_explorer.core.errors import InputError

PIECES = frozenset(
    [
        "Bert",
        "DistilBert",
        "Electra",
        "MobileBert",
        "Funnel",
        "ConvBert",
        "Lxmert",
        "Splinter",
        "SqueezeBert",
        "LayoutLM",
        "LayoutLMv2",
        "Retribert",
        "Realm",
        "DPR",
        "DPRReader",
        "DPRContextEncoder",
        "DPRQuestionEncoder",
        "MPNet",
    ]
) | {""}
"""Classes that read vocab.txt as BERT does."""

BYTES: Mapping[str, str] = {
    **dict.fromkeys(
        [
            "GPT2",
            "GPTNeo",
            "Roberta",
            "Bart",
            "Longformer",
            "LED",
            "Blenderbot",
            "Deberta",
            "CodeGen",
            "Whisper",
            "OPT",
            "MVP",
        ],
        "gpt-2",
    ),
    "Qwen2": "qwen2",
    "": "gpt-2",
}
"""Classes that read vocab.json and merges.txt as bytes, with the rule by which each cuts."""

BETWEEN = frozenset(["Roberta", "Bart", "Longformer", "LED", "MVP", "Deberta"])
"""Of these, those that put two tokens around every text."""


def read_words(beside: Mapping[str, Path]) -> Tokenizer:
    """BERT's vocab.txt: one token a line, by id."""
    path, sidecars = beside["vocab.txt"], sidecars_of(beside)
    said = f"{short(path.name)} (WordPiece)"
    if sidecars.name not in PIECES:
        raise _unread(path, sidecars)
    lines = text_of(path).split("\n")
    texts: list[str | None] = [line.rstrip("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]
    check_size(len(texts), said)
    first, last = ("<s>", "</s>") if sidecars.name == "MPNet" else ("[CLS]", "[SEP]")
    vocabulary = completed(texts, _with_roles(sidecars, first, last), said=said)
    plain = sidecars.settings.get("strip_accents")
    return word_piece(
        _around(vocabulary, sidecars.special("cls", first), sidecars.special("sep", last)),
        said=said,
        unknown=sidecars.special("unk", "[UNK]"),
        lower=sidecars.flag("do_lower_case", default=True),
        chinese=sidecars.flag("tokenize_chinese_chars", default=True),
        plain=plain if isinstance(plain, bool) else None,
    )


def read_merges(beside: Mapping[str, Path]) -> Tokenizer:
    """GPT-2's vocab.json and merges.txt: ids of tokens, and merges by rank."""
    path, sidecars = beside["vocab.json"], sidecars_of(beside)
    said = f"{short(path.name)} (BPE)"
    ids, _ = json_of(path)
    clip = sidecars.name == "CLIP" or (not sidecars.name and "<|startoftext|>" in ids)
    if sidecars.name not in BYTES and not clip:
        raise _unread(path, sidecars)
    texts = _by_id(ids, said)
    rows = [line.rstrip("\r") for line in text_of(beside["merges.txt"]).split("\n")]
    merges = [row.partition(" ")[::2] for row in rows if row and not row.startswith("#version")]
    vocabulary = completed(texts, sidecars, said=said)
    if clip:
        names = sidecars.special("bos", "<|startoftext|>"), sidecars.special("eos", "<|endoftext|>")
        unknown = names[1] if names[1] in ids else None
        return clip_bpe(_around(vocabulary, *names), merges, unknown=unknown, said=said)
    if any(text is not None and text.endswith("</w>") for text in texts):
        raise _unread(path, sidecars)
    first = last = ""
    if sidecars.name in BETWEEN:
        first, last = sidecars.special("cls", "<s>"), sidecars.special("sep", "</s>")
    elif sidecars.flag("add_bos_token", default=False):
        first = sidecars.special("bos")
    # Without a class the bytes are sure and the cut is not.
    guessed = "" if sidecars.name else GUESS
    rule = CUTS[BYTES[sidecars.name]]
    return byte_bpe(_around(vocabulary, first, last), merges, rule, said=said, guessed=guessed)


def _by_id(ids: Mapping[str, object], said: str) -> list[str | None]:
    """Tokens in order of their ids; InputError where those are none."""
    highest = max((token for token in ids.values() if type(token) is int), default=-1)
    check_size(highest + 1, said)
    if highest + 1 > min(MOST_TOKENS, 2 * len(ids) + 1_000):
        raise damaged(said)
    texts: list[str | None] = [None] * (highest + 1)
    for text, token in ids.items():
        if type(token) is not int or token < 0 or texts[token] is not None:
            raise damaged(said)
        texts[token] = text
    return texts


def _with_roles(sidecars: Sidecars, first: str, last: str) -> Sidecars:
    """The usual names where none are given."""
    usual = {
        "cls_token": first,
        "sep_token": last,
        "unk_token": "[UNK]",
        "pad_token": "[PAD]",
        "mask_token": "[MASK]",
    }
    return replace(sidecars, names={**usual, **sidecars.names})


def _around(vocabulary: Vocabulary, first: str, last: str) -> Vocabulary:
    """The tokens around a text by their names, where the vocabulary has them."""
    ids = vocabulary.ids()
    before = (ids[first],) if first in ids else ()
    after = (ids[last],) if last in ids else ()
    return replace(vocabulary, before=before, after=after)


def _unread(path: Path, sidecars: Sidecars) -> InputError:
    return InputError("tokenizer.kind", file=short(path.name), kind=sidecars.name or "BPE")
