"""Tokenizers that lie, grow, or never end: one sentence each, in bounded time and memory."""

from __future__ import annotations

import base64
import json
import random
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.checkpoints.tokenizing.engine import BYTES
from ffn_explorer.checkpoints.tokenizing.patterns import CUTS, KNOWN
from ffn_explorer.checkpoints.tokenizing.tokenizer import MOST_LETTERS, Tokenizer, open_tokenizer
from ffn_explorer.core.errors import InputError

SLOW = r"(?:\w|\w\w)+$"
"""Takes exponential time on a long word that something else follows."""

SPACES = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}


def rules(**changed: Any) -> dict[str, Any]:
    """A tokenizer.json of single letters, with changes."""
    vocab = {letter: place for place, letter in enumerate("▁abcdefghijklmnopqrstuvwxyz.")}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": SPACES,
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": {"type": "BPE", "vocab": vocab, "merges": [["a", "b"]][:0], "unk_token": None},
        **changed,
    }


def split(pattern: str, behavior: str = "Isolated") -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}


def of(path: Path, content: object) -> Tokenizer:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    path.write_bytes(raw)
    found = open_tokenizer(Source("torch", path.parent, {}, {"beside": {path.name: path}}))
    assert found is not None
    return found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "tokenizer.json"


def refusal(place: Path, content: object) -> InputError:
    start = time.monotonic()
    with pytest.raises(InputError) as caught:
        of(place, content)
    assert time.monotonic() - start < 5
    return caught.value


def test_the_plain_one_is_read(place: Path) -> None:
    ours = of(place, rules())
    assert ours.said == "tokenizer.json (BPE)"
    assert ours.pieces("a cab").shown == ("a", "·", "c", "a", "b")


def replaces(content: str, **pattern: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


def table(replacement: bytes) -> dict[str, Any]:
    raw = (1024).to_bytes(4, "little") + b"\0" * 1024 + replacement + b"\0"
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(raw).decode()}


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        ({"model": {"type": "Future", "vocab": {}}}, "Future"),
        ({"normalizer": {"type": "Future"}}, "Future"),
        ({"pre_tokenizer": {"type": "Future"}}, "Future"),
    ],
)
def test_what_is_not_known_is_refused_by_name(changed: dict[str, Any], kind: str, place: Path) -> None:
    error = refusal(place, rules(**changed))
    assert (error.key, error.values["kind"]) == ("tokenizer.kind", kind)


@pytest.mark.parametrize(
    "changed",
    [
        {"normalizer": replaces("x", Regex="(a+)+$")},
        {"pre_tokenizer": split("(")},
        {"pre_tokenizer": split("a" * 4_001)},
        {"pre_tokenizer": split(r"\p{N}{1,3}+")},
        {"pre_tokenizer": split(r"(?mi:a.b)")},
        {"pre_tokenizer": split("(" * 2_000 + ")" * 2_000)},
    ],
)
def test_patterns_that_cannot_be_watched_are_refused(changed: dict[str, Any], place: Path) -> None:
    assert refusal(place, rules(**changed)).key == "tokenizer.pattern"


@pytest.mark.parametrize(
    "changed",
    [
        {"normalizer": {"type": "Sequence", "normalizers": [replaces("aaaaa", String="a")] * 3}},
        {"normalizer": {"type": "Sequence", "normalizers": [SPACES] * 65}},
        {"normalizer": {"type": "Prepend", "prepend": "a" * 128}},
        {"normalizer": replaces("a" * 200, Regex=r"\s+")},
        {"normalizer": table(b"a" * 200)},
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "????"}},
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}},
        {"normalizer": []},
        {"pre_tokenizer": split("x", "Sideways")},
        {"model": {"type": "WordPiece", "vocab": {}, "max_input_chars_per_word": 10**9, "unk_token": "a"}},
        {"model": {"type": "BPE", "vocab": {}, "merges": [], "end_of_word_suffix": "x" * 65}},
        {"model": {"type": "BPE", "vocab": {"a": 4_000_000_000}, "merges": []}},
        {"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}},
        {"model": {"type": "BPE", "vocab": {}, "merges": []}},
        {"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "b"]]}},
        {"model": {"type": "Unigram", "vocab": [["a", 0.0]], "unk_id": 7}},
        {"model": None},
        {"post_processor": {"type": "TemplateProcessing", "single": [{}] * 65}},
        {"added_tokens": [{"id": 28, "content": "x"}]},
    ],
)
def test_what_would_grow_or_lies_is_refused(changed: dict[str, Any], place: Path) -> None:
    assert refusal(place, rules(**changed)).key == "tokenizer.damaged"


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"", "checkpoint.empty"),
        (b"{", "checkpoint.json"),
        (b"[]", "checkpoint.json"),
        (b"\xff{}", "checkpoint.json"),
        (b"[" * 200_000 + b"]" * 200_000, "checkpoint.json"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "checkpoint.json"),
        (b"[" + b"[]," * 1_300_000 + b"1]", "checkpoint.json_large"),
        (b'{"padding": null, "padding": {"strategy": {"Fixed": 1000000000}}}', "checkpoint.json"),
    ],
    ids=range(8),
)
def test_json_that_is_none(content: bytes, key: str, place: Path) -> None:
    assert refusal(place, content).key == key


def test_a_file_that_is_too_large_is_not_read(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(InputError) as caught:
        open_tokenizer(Source("torch", place.parent, {}, {"beside": {place.name: place}}))
    assert caught.value.key == "tokenizer.large"


def test_padding_truncation_and_chance_are_not_followed(place: Path) -> None:
    padding = {"strategy": {"Fixed": 10**12}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
               "pad_type_id": 0, "pad_token": "a"}  # fmt: skip
    truncation = {"max_length": 1, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    model = {**rules()["model"], "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]], "dropout": 0.99}
    ours = of(place, rules(padding=padding, truncation=truncation, model=model))
    assert ours.pieces("ab" * 50).ids == (2,) * 50


def test_a_pattern_that_never_ends_is_given_up(place: Path) -> None:
    """Unknown patterns run with a limit of one second in all, the window's thread or not."""
    ours = of(place, rules(pre_tokenizer=split(SLOW)))
    assert ours.pieces("a cab. a cab").shown == ("a", "·", "c", "a", "b", ".", "·", "a", "·", "c", "a", "b")
    start = time.monotonic()
    with pytest.raises(InputError) as caught:
        ours.pieces("a" * 5_000 + ".")
    assert caught.value.key == "tokenizer.slow"
    assert time.monotonic() - start < 3
    assert ours.pieces("a").ids == (1,)


def test_patterns_that_run_as_they_are_are_quick_on_any_text() -> None:
    """20,000 letters of what makes patterns go back and try again."""
    letters = [BYTES.written(bytes([byte]))[0] for byte in range(256)]
    entries: dict[str, object] = {
        "model": "gpt2",
        "tokens": letters,
        "merges": [f"{letters[0]} {letters[1]}"],
    }
    letters.append(letters[0] + letters[1])
    texts = [
        part * (MOST_LETTERS // len(part))
        for part in (" ", "\n", "a", "A", "1", "'", "aB", " \n", "日", "!", "́")
    ]
    texts += [" " * (MOST_LETTERS - 1) + "x", "A" * (MOST_LETTERS - 1) + "1", "a'" * 100]
    for name in {cut: name for name, cut in CUTS.items()}.values():
        header = {f"tokenizer.ggml.{key}": value for key, value in {**entries, "pre": name}.items()}
        ours = open_tokenizer(Source("gguf", Path("m.gguf"), {}, header))
        assert ours is not None
        for text in texts:
            start = time.process_time()
            ours.engine.encode(text)
            assert time.process_time() - start < 1, (name, text[:2])


def test_known_patterns_of_normalizers_and_cuts_are_quick(place: Path) -> None:
    for pattern in KNOWN:
        ours = of(place, rules(pre_tokenizer=split(pattern)))
        start = time.process_time()
        ours.engine.encode(" \n" * (MOST_LETTERS // 2))
        assert time.process_time() - start < 1, pattern


def test_the_longest_text_that_may_grow_stays_small(place: Path) -> None:
    steps = [replaces("aaaa", String="a")] * 3
    ours = of(place, rules(normalizer={"type": "Sequence", "normalizers": steps}))
    process = psutil.Process()
    before = process.memory_info().rss
    start = time.monotonic()
    assert len(ours.pieces("a" * MOST_LETTERS).ids) == 64 * MOST_LETTERS
    assert time.monotonic() - start < 20
    assert process.memory_info().rss - before < 1e9


def damaged_copies(raw: bytes, count: int) -> list[bytes]:
    """Copies with bytes changed, cut out or doubled."""
    chance = random.Random(5)
    found = []
    for _ in range(count):
        copy = bytearray(raw)
        for _ in range(chance.randint(1, 4)):
            copy = copy or bytearray(b"x")
            at = chance.randrange(len(copy))
            match chance.randrange(4):
                case 0:
                    copy[at] = chance.randrange(256)
                case 1:
                    copy[at] = chance.choice(b'0123456789[]{},":.-')
                case 2:
                    del copy[at : at + chance.randint(1, 30)]
                case _:
                    copy[at:at] = copy[at : at + chance.randint(1, 30)]
        found.append(bytes(copy))
    return found


def survives(place: Path, raw: bytes) -> None:
    start = time.monotonic()
    try:
        ours = of(place, raw)
        for special in (False, True):
            ours.pieces("a cab. 日本 <s>", special=special)
        ours.find("cab")
        ours.shown_all(range(ours.size))
    except InputError as error:
        said = error.key.split(".")[0]
    else:
        said = "tokenizer"
    assert said in ("tokenizer", "checkpoint")
    assert time.monotonic() - start < 5


def published() -> dict[str, bytes]:
    """One file of each kind that is read."""
    template = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}}], "pair": [],
                "special_tokens": {"<s>": {"id": "<s>", "ids": [28], "tokens": ["<s>"]}}}  # fmt: skip
    added = {"id": 28, "content": "<s>", "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True}  # fmt: skip
    likely = rules(
        model={
            "type": "Unigram",
            "unk_id": 0,
            "vocab": [[text, -1.0] for text in ("<unk>", "▁", "a", "ca", "b")],
        },
        normalizer=table(b"ab"),
        pre_tokenizer={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    )
    pieces = [("<unk>", 2), ("<s>", 3), ("</s>", 3), ("▁", 1), ("a", 1), ("ca", 1), ("▁ca", 4)]
    rows = [bytes([0x0A, len(text.encode())]) + text.encode() + b"\x15\0\0\x80\xbf" + bytes([0x18, kind])
            for text, kind in pieces]  # fmt: skip
    model = b"".join(bytes([0x0A, len(row)]) + row for row in rows)
    ranks = b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(128))
    vocab = [{"rank": byte, "token_bytes": base64.b64encode(bytes([byte])).decode()} for byte in range(99)]
    tekken = {"config": {"default_vocab_size": 103, "default_num_special_tokens": 4}, "vocab": vocab}
    return {
        "tokenizer.json": json.dumps(rules(post_processor=template, added_tokens=[added])).encode(),
        "likely": json.dumps(likely).encode(),
        "watched": json.dumps(rules(pre_tokenizer=split("[ab]+ ?"))).encode(),
        "spiece.model": model + b"\x12\x02\x18\x01",
        "tokenizer.model": model + b"\x12\x02\x18\x02",
        "ranks": ranks,
        "tekken.json": json.dumps(tekken).encode(),
        "vocab.txt": b"[UNK]\n[CLS]\n[SEP]\na\n##b\nca\n",
    }


NAMES = {"likely": "tokenizer.json", "watched": "tokenizer.json", "ranks": "tokenizer.model"}


@pytest.mark.parametrize("name", sorted(published()))
def test_damaged_copies_end_in_a_sentence_or_a_tokenizer(name: str, tmp_path: Path) -> None:
    raw = published()[name]
    place = tmp_path / NAMES.get(name, name)
    assert of(place, raw).pieces("a ca").ids
    for copy in damaged_copies(raw, 60):
        survives(place, copy)
