"""What a tokenizer.json asks for, seen through before the library reads it: nothing may run for ever or grow.

The library trusts its files: patterns may take exponential time, replacements may multiply a text, padding
may fill the memory. Whatever is not in the lists here is refused by name.
"""

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ffn_explorer.checkpoints.tokenizing.patterns import KNOWN
from ffn_explorer.checkpoints.tokenizing.pieces import MOST_TOKENS
from ffn_explorer.checkpoints.tokenizing.watched import JOINS, compiled

MOST_STEPS = 64
"""Most normalizers or pre-tokenizers of one file; published ones have up to some ten."""

MOST_GROWTH = 64.0
"""Most that normalizers may lengthen a text; published tables turn one letter into up to 33 bytes."""

MOST_MARK = 64
"""Longest mark, in letters, that a model puts to its tokens."""

MOST_WORD = 512
"""Longest word that WordPiece may look at: time grows with the cube of it; published ones say 100 or 200."""

MOST_AROUND = 64
"""Most tokens that a file puts around a text."""

MODELS = ("BPE", "Unigram", "WordPiece", "WordLevel")
PLAIN_NORMALIZERS = frozenset(
    ["BertNormalizer", "Strip", "StripAccents", "NFC", "NFD", "NFKC", "NFKD", "Lowercase", "Nmt", "ByteLevel"]
)
PLAIN_CUTTERS = frozenset(
    [
        "BertPreTokenizer",
        "ByteLevel",
        "CharDelimiterSplit",
        "Digits",
        "FixedLength",
        "Metaspace",
        "Punctuation",
        "UnicodeScripts",
        "Whitespace",
        "WhitespaceSplit",
    ]
)
"""Steps that do one fixed thing, in time in proportion to the text."""

PATTERN = "pattern"
"""What a file is refused for whose pattern cannot be watched."""

Step = dict[str, object]


@dataclass(frozen=True, slots=True)
class Watched:
    """A cut by a pattern that is not known. place: among the steps.  The others: as in the file."""

    place: int
    pattern: str
    behavior: str
    invert: bool


@dataclass
class Checked:
    """A file seen through.

    rules: the file, changed where it had to be.  changed: whether it was.  watched: cuts to be put in
    place of stand-ins.  normalizers, cutters, decoders: all steps in order.
    """

    rules: dict[str, object]
    changed: bool = False
    watched: list[Watched] = field(default_factory=list)
    normalizers: list[Step] = field(default_factory=list)
    cutters: list[Step] = field(default_factory=list)
    decoders: list[Step] = field(default_factory=list)

    @property
    def model(self) -> Step:
        """The model's own settings."""
        found = self.rules["model"]
        assert isinstance(found, dict)
        return found


class Refused(Exception):
    """What a file asks for that is not done; "" where it is merely damaged."""

    def __init__(self, kind: str = "") -> None:
        super().__init__(kind)
        self.kind = kind


def checked(rules: dict[str, object]) -> Checked:
    """See through a tokenizer.json -> what may be handed to the library; Refused where something may not."""
    found = Checked(dict(rules))
    found.normalizers = _steps(rules.get("normalizer"), "normalizers")
    found.cutters = _steps(rules.get("pre_tokenizer"), "pretokenizers")
    found.decoders = _steps(rules.get("decoder"), "decoders")
    _check_model(found)
    _check_growth(found.normalizers)
    _check_cuts(found)
    _check_around(_steps(rules.get("post_processor"), "processors"))
    if _holds_pattern(rules.get("decoder")):
        _change(found, "decoder", None)
    for key in ("truncation", "padding"):
        if rules.get(key) is not None:
            _change(found, key, None)
    return found


def _change(found: Checked, key: str, value: object) -> None:
    found.rules[key] = value
    found.changed = True


def _steps(value: object, within: str) -> list[Step]:
    """All steps of one kind in order, whatever sequences they stand in."""
    if value is None:
        return []
    if not isinstance(value, dict):
        raise Refused
    if value.get("type") != "Sequence":
        return [value]
    inner = value.get(within)
    if not isinstance(inner, list) or len(inner) > MOST_STEPS:
        raise Refused
    found = [step for part in inner for step in _steps(part, within)]
    if len(found) > MOST_STEPS:
        raise Refused
    return found


def _check_model(found: Checked) -> None:
    """See that the model is of a kind that is known, chooses nothing at random and works on short words."""
    model = found.rules.get("model")
    if not isinstance(model, dict):
        raise Refused
    kind = model.get("type", "BPE" if "merges" in model else None)
    if kind not in MODELS:
        raise Refused(str(kind))
    for key in ("continuing_subword_prefix", "end_of_word_suffix", "unk_token"):
        mark = model.get(key)
        if isinstance(mark, str) and len(mark) > MOST_MARK:
            raise Refused
    if any(_count(model.get(key)) > MOST_TOKENS for key in ("vocab", "merges")):
        raise Refused
    longest = model.get("max_input_chars_per_word", 0)
    if type(longest) is not int or longest > MOST_WORD:
        raise Refused
    chance = {key: None for key in ("dropout", "alpha", "nbest_size") if model.get(key) is not None}
    if chance:
        _change(found, "model", {**model, **chance})


def _count(value: object) -> int:
    return len(value) if isinstance(value, dict | list) else 0


def _check_growth(steps: list[Step]) -> None:
    """See that the normalizers together lengthen no text by much."""
    growth = 1.0
    for step in steps:
        kind = step.get("type")
        if kind in PLAIN_NORMALIZERS:
            continue
        grows = GROWTHS.get(kind) if isinstance(kind, str) else None
        if grows is None:
            raise Refused(str(kind))
        growth *= max(1.0, grows(step))
    if growth > MOST_GROWTH:
        raise Refused


def _grows_by_prefix(step: Step) -> float:
    return 1.0 + len(_text(step, "prepend"))


def _grows_by_replacing(step: Step) -> float:
    """Letters for each letter, where every one of a text is replaced."""
    content, pattern = _text(step, "content"), step.get("pattern")
    if not isinstance(pattern, dict):
        raise Refused
    regex = pattern.get("Regex")
    if regex is not None:
        if regex not in KNOWN:
            raise Refused(PATTERN)
        return float(len(content))
    literal = _text(pattern, "String")
    return len(content) / len(literal) if literal else 1.0 + len(content)


def _grows_by_table(step: Step) -> float:
    """Bytes of the longest replacement in SentencePiece's table: length, trie, texts that end in zeros."""
    try:
        table = base64.b64decode(_text(step, "precompiled_charsmap"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refused from error
    return table_growth(table)


def table_growth(table: bytes) -> float:
    """Bytes of the longest replacement in a table; Refused where it is none."""
    if not table:
        return 1.0
    trie = int.from_bytes(table[:4], "little")
    if len(table) < 4 or trie % 4 or 4 + trie >= len(table):
        raise Refused
    longest = max(map(len, table[4 + trie :].split(b"\0")))
    if longest > MOST_GROWTH:
        raise Refused
    return float(longest)


GROWTHS: Mapping[str, Callable[[Step], float]] = MappingProxyType(
    {"Prepend": _grows_by_prefix, "Replace": _grows_by_replacing, "Precompiled": _grows_by_table}
)
"""Letters that a text may have for each that it had, by the kind of the step."""


def _check_cuts(found: Checked) -> None:
    """See that every cut is of a known kind; those by unknown patterns get a stand-in, to be watched."""
    steps: list[Step] = []
    for place, step in enumerate(found.cutters):
        kind = step.get("type")
        if kind in PLAIN_CUTTERS:
            steps.append(step)
            continue
        pattern = step.get("pattern")
        if kind != "Split" or not isinstance(pattern, dict):
            raise Refused(str(kind))
        regex = pattern.get("Regex")
        if regex is None or regex in KNOWN:
            steps.append(step)
            continue
        behavior, invert = step.get("behavior"), step.get("invert", False)
        if not isinstance(regex, str) or behavior not in JOINS or type(invert) is not bool:
            raise Refused
        _check_pattern(regex)
        found.watched.append(Watched(place, regex, str(behavior), invert))
        steps.append(
            {"type": "Split", "pattern": {"String": "\ue000"}, "behavior": "Isolated", "invert": False}
        )
    if found.watched:
        _change(found, "pre_tokenizer", {"type": "Sequence", "pretokenizers": steps})


def _check_pattern(regex: str) -> None:
    try:
        compiled(regex)
    except ValueError as error:
        raise Refused(PATTERN) from error


def _check_around(steps: list[Step]) -> None:
    """See that what is put around a text is short."""
    for step in steps:
        single = step.get("single")
        special = step.get("special_tokens")
        if isinstance(single, list) and len(single) > MOST_AROUND:
            raise Refused
        for one in special.values() if isinstance(special, dict) else ():
            ids = one.get("ids") if isinstance(one, dict) else None
            if isinstance(ids, list) and len(ids) > MOST_AROUND:
                raise Refused


def _holds_pattern(value: object) -> bool:
    """Whether a pattern that is not known stands anywhere in a part of the file."""
    return any("Regex" in step and step["Regex"] not in KNOWN for step in _objects(value))


def _objects(value: object) -> Iterator[Step]:
    """Every object within a value."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _text(step: Step, key: str) -> str:
    value = step.get(key)
    if not isinstance(value, str):
        raise Refused
    return value
