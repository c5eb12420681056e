"""SentencePiece's `.model` files: pieces with scores in a protocol buffer, read without that library.

Its own reader walks tables of the file without bounds; here everything is checked, and the pieces go to a
library that cannot be led out of its memory.  Source: sentencepiece_model.proto.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from struct import unpack

from ffn_explorer.checkpoints.readers.json_text import short
from ffn_explorer.checkpoints.tokenizing.checks import Refused, table_growth
from ffn_explorer.checkpoints.tokenizing.contents import content
from ffn_explorer.checkpoints.tokenizing.engine import (
    Sentence,
    check_size,
    damaged,
    merges_of,
    sentence_bpe,
    unigram,
)
from ffn_explorer.checkpoints.tokenizing.pieces import MOST_TOKENS, Tokenizer
from ffn_explorer.checkpoints.tokenizing.sidecars import Sidecars, completed, sidecars_of
from ffn_explorer.core.errors import InputError

NORMAL, UNKNOWN, CONTROL, OWN, UNUSED, BYTE = range(1, 7)
"""Kinds of pieces, by the format's numbers; OWN: put there by whoever trained it."""

UNIGRAM, BPE = 1, 2
"""Models that are read, by the format's numbers."""

OTHER_IDS = frozenset(
    [
        "Pegasus",
        "Camembert",
        "MBart",
        "MBart50",
        "Nllb",
        "XGLM",
        "Barthez",
        "PLBart",
        "M2M100",
        "Marian",
        "SeamlessM4T",
        "Siglip",
        "ErnieM",
        "Fnet",
        "CpmAnt",
        "BertGeneration",
        "LayoutXLM",
    ]
)
"""Classes whose ids are not those of the file, by rules of their own."""

SHIFTED = frozenset({"XLMRoberta", ""})
"""Classes that put four tokens of fairseq's in place of the first three pieces."""

EXTRA = 100
"""Sentinels that T5 adds where nothing is said."""


@dataclass
class Model:
    """What a file says. pieces: text, score, kind.  kind: of the model.  rules: for texts before it."""

    pieces: list[tuple[str, float, int]] = field(default_factory=list)
    kind: int = UNIGRAM
    rules: Sentence = field(default_factory=lambda: Sentence(tidy=True))


def read_model(beside: Mapping[str, Path], path: Path) -> Tokenizer:
    """The tokenizer in a `.model`, with the ids that its class gives; InputError where that is not known."""
    name, sidecars = short(path.name), sidecars_of(beside)
    try:
        model = _model(content(path).data)
        table_growth(model.rules.charsmap)
    except (Refused, ValueError) as error:
        raise damaged(name) from error
    if sidecars.name in OTHER_IDS:
        raise InputError("tokenizer.kind", file=name, kind=sidecars.name)
    if model.kind not in (UNIGRAM, BPE):
        raise InputError("tokenizer.kind", file=name, kind=f"SentencePiece {model.kind}")
    check_size(len(model.pieces), name)
    if path.name == "sentencepiece.bpe.model":
        if sidecars.name not in SHIFTED:
            raise InputError("tokenizer.kind", file=name, kind=sidecars.name)
        _shift(model)
    return _tokenizer(model, _with_extra(model, sidecars), name)


def _tokenizer(model: Model, sidecars: Sidecars, name: str) -> Tokenizer:
    """The library's tokenizer with the file's pieces and the class's habits."""
    said = f"{name} (SentencePiece {'BPE' if model.kind == BPE else 'Unigram'})"
    special = frozenset(at for at, (_, _, kind) in enumerate(model.pieces) if kind in (UNKNOWN, CONTROL))
    own = frozenset(at for at, (_, _, kind) in enumerate(model.pieces) if kind == OWN)
    texts: list[str | None] = [text for text, _, _ in model.pieces]
    vocabulary = completed(texts, sidecars, said=said, special=special, literal=own)
    ids = vocabulary.ids()
    before, after = _around(model, sidecars)
    vocabulary = replace(
        vocabulary,
        before=tuple(ids[token] for token in before if token in ids),
        after=tuple(ids[token] for token in after if token in ids),
    )
    rules = _habits(model.rules, sidecars)
    unknown = next((at for at, (_, _, kind) in enumerate(model.pieces) if kind == UNKNOWN), None)
    if model.kind == BPE:
        ranked = sorted(
            (piece for piece in model.pieces if piece[2] in (NORMAL, OWN)), key=lambda piece: -piece[1]
        )
        known = {text for text, _, kind in model.pieces if kind in (NORMAL, OWN, UNUSED)}
        merges = merges_of([text for text, _, _ in ranked], known, said=said)
        marker = None if unknown is None else model.pieces[unknown][0]
        return sentence_bpe(vocabulary, merges, rules, unknown=marker, said=said)
    lowest = min(score for _, score, _ in model.pieces)
    # What is not to be found in texts is made the least likely, tokens added later as well.
    scores = [score if kind in (NORMAL, OWN) else lowest for _, score, kind in model.pieces]
    scores += [lowest] * (len(vocabulary.texts) - len(scores))
    return unigram(vocabulary, scores, rules, unknown=unknown, said=said)


def _around(model: Model, sidecars: Sidecars) -> tuple[list[str], list[str]]:
    """Names of the tokens that the class puts before and after a text."""
    name = sidecars.name
    bos, eos = sidecars.special("bos", "<s>"), sidecars.special("eos", "</s>")
    if name == "XLMRoberta" or model.pieces[0][0] == "<s>":
        return [bos], [eos]
    if name in ("Albert", "Rembert", "BigBird"):
        return [sidecars.special("cls", "[CLS]")], [sidecars.special("sep", "[SEP]")]
    if name == "XLNet":
        return [], [sidecars.special("sep", "<sep>"), sidecars.special("cls", "<cls>")]
    t5 = name in ("T5", "MT5")
    begins = sidecars.flag("add_bos_token", default=model.kind == BPE)
    ends = sidecars.flag("add_eos_token", default=t5)
    return [bos] if begins and not t5 else [], [eos] if ends else []


def _habits(rules: Sentence, sidecars: Sidecars) -> Sentence:
    """What two classes do to a text before SentencePiece sees it."""
    if sidecars.name not in ("Albert", "XLNet"):
        return rules
    lower = sidecars.flag("do_lower_case", default=sidecars.name == "Albert")
    return replace(rules, lower=lower, plain=not sidecars.flag("keep_accents", default=False))


def _shift(model: Model) -> None:
    """XLM-R's ids: four tokens of fairseq's, the pieces after its own three, and a mask."""
    first = [("<s>", 0.0, CONTROL), ("<pad>", 0.0, CONTROL), ("</s>", 0.0, CONTROL), ("<unk>", 0.0, UNKNOWN)]
    model.pieces = [*first, *model.pieces[3:], ("<mask>", 0.0, CONTROL)]


def _with_extra(model: Model, sidecars: Sidecars) -> Sidecars:
    """T5's sentinels, the first one last, where no file lists them."""
    if sidecars.name != "T5" or sidecars.added:
        return sidecars
    count = sidecars.settings.get("extra_ids", EXTRA)
    if type(count) is not int or not 0 <= count <= 1_000:
        return sidecars
    first = len(model.pieces)
    added = {first + at: (f"<extra_id_{count - 1 - at}>", True) for at in range(count)}
    return replace(sidecars, added=added)


def _model(raw: memoryview) -> Model:
    """Pieces, kind and rules of a file; ValueError where it is none."""
    found = Model()
    for number, value in _fields(raw):
        if number == 1 and isinstance(value, memoryview):
            if len(found.pieces) == MOST_TOKENS:
                raise ValueError
            found.pieces.append(_piece(value))
        elif number == 2 and isinstance(value, memoryview):
            found.kind = next((kind for at, kind in _fields(value) if at == 3 and type(kind) is int), UNIGRAM)
        elif number == 3 and isinstance(value, memoryview):
            found.rules = _rules(value)
    return found


def _piece(raw: memoryview) -> tuple[str, float, int]:
    text, score, kind = "", 0.0, NORMAL
    for number, value in _fields(raw):
        if number == 1 and isinstance(value, memoryview):
            text = str(value, "utf-8")
        elif number == 2 and isinstance(value, float):
            score = value
        elif number == 3 and type(value) is int:
            kind = value
    if not text or score - score != 0:
        raise ValueError
    return text, score, kind


def _rules(raw: memoryview) -> Sentence:
    fields = dict(_fields(raw))
    table = fields.get(2)
    return Sentence(
        charsmap=table.tobytes() if isinstance(table, memoryview) else b"",
        prefix=bool(fields.get(3, 1)),
        tidy=bool(fields.get(4, 1)),
    )


def _fields(raw: memoryview) -> Iterator[tuple[int, int | float | memoryview]]:
    """Number and value of each field of a message; ValueError past its end."""
    at = 0
    while at < len(raw):
        tag, at = _varint(raw, at)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = _varint(raw, at)
            yield number, value
            continue
        length, at = _varint(raw, at) if wire == 2 else ({5: 4, 1: 8}.get(wire, len(raw) + 1), at)
        if at + length > len(raw):
            raise ValueError
        body = raw[at : at + length]
        at += length
        yield number, unpack("<f", body)[0] if wire == 5 else body


def _varint(raw: memoryview, at: int) -> tuple[int, int]:
    """A whole number of seven bits a byte, and the place after it."""
    value = 0
    for place in range(10):
        if at + place >= len(raw):
            break
        byte = raw[at + place]
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value, at + place + 1
    raise ValueError
