"""Tokenizers of opened files: how tokens are shown, what people find by typing, what is refused."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest

from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.checkpoints.tokenizing.engine import BYTES
from ffn_explorer.checkpoints.tokenizing.spelling import Spelling, shown, typed
from ffn_explorer.checkpoints.tokenizing.tokenizer import MOST_LETTERS, Tokenizer, open_tokenizer
from ffn_explorer.core.errors import InputError


def written(text: str) -> str:
    """A token as GPT-2 writes it."""
    return BYTES.written(text.encode())[0]


WORDS = [" Paris", "Paris", "\n", "\t", "日", " of", "·", " ", "�"]


def byte_gguf(**entries: object) -> Tokenizer:
    """Every byte, some words without the merges that make them, and a special token."""
    single = [BYTES.written(bytes([byte]))[0] for byte in range(256)]
    words = [written(word) for word in WORDS if written(word) not in single]
    header = {
        "model": "gpt2",
        "pre": "llama-bpe",  # words that are tokens stay whole
        "tokens": [*single, *words, "<|end of text|>", "  "],
        "token_type": [1] * (256 + len(words)) + [3, 4],
        "merges": [f"{single[ord('i')]} {single[ord('n')]}"],
        "bos_token_id": 256 + len(words),
        **entries,
    }
    header["tokens"] = [*header["tokens"], "in"]  # type: ignore[misc]
    header["token_type"] = [*header["token_type"], 1]  # type: ignore[misc]
    return of_gguf(header)


def of_gguf(entries: dict[str, object]) -> Tokenizer:
    header = {f"tokenizer.ggml.{key}": value for key, value in entries.items()}
    found = open_tokenizer(Source("gguf", Path("model.gguf"), {}, header))
    assert found is not None
    return found


def of_folder(folder: Path) -> Tokenizer | None:
    beside = {path.name: path for path in folder.iterdir()}
    return open_tokenizer(Source("torch", folder, {}, {"beside": beside}))


def refusal(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        of_folder(folder)
    return caught.value.key


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        (b" capital", "·capital"),
        (b"  \n\t", "··↵→"),
        (b" of the", "·of·the"),
        ("東京".encode(), "東京"),
        (b"\xe6\x9d", "<0xE6><0x9D>"),
        (b" \xf0\x9f", "·<0xF0><0x9F>"),
        ("é".encode() + b"\xe2", "é<0xE2>"),
        (b"\x00\r\x7f", "<0x00><0x0D><0x7F>"),
        ("\u200b\ufffd".encode(), "<U+200B><U+FFFD>"),
        ("🎉".encode(), "🎉"),
        (b"", ""),
    ],
)
def test_bytes_are_shown_without_the_replacement_character(raw: bytes, seen: str) -> None:
    assert shown(raw) == seen


def test_a_very_long_token_is_shown_by_its_beginning() -> None:
    assert shown(b" " * 400) == "·" * 400
    assert shown(b" " * 401) == "·" * 399 + "…"


@pytest.mark.parametrize(
    ("spelling", "token", "raw", "seen"),
    [
        (BYTES, "Ġcapital", b" capital", "·capital"),
        (BYTES, "æĿ", b"\xe6\x9d", "<0xE6><0x9D>"),
        (BYTES, "日本", "日本".encode(), "日本"),  # no letters of the alphabet: text as it is
        (Spelling("bytes", end="</w>"), "paris</w>", b"paris ", "paris·"),
        (Spelling("bar"), "▁Paris", b" Paris", "·Paris"),
        (Spelling("bar"), "<0xE2>", b"\xe2", "<0xE2>"),
        (Spelling("pieces", later="##"), "##ing", b"ing", "##ing"),
        (Spelling("plain"), "a b", b"a b", "a·b"),
    ],
)
def test_spellings(spelling: Spelling, token: str, raw: bytes, seen: str) -> None:
    assert spelling.raw(token) == raw
    assert spelling.shown(token) == seen


def test_what_a_typed_token_may_mean() -> None:
    assert typed("Paris") == (b"Paris", b" Paris")
    assert typed(" Paris") == (b" Paris",)
    assert typed("·Paris") == ("·Paris".encode(), b" Paris")
    assert typed("↵") == ("↵".encode(), b"\n", b" \n")
    assert b"\xe2\x96" in typed("<0xE2><0x96>")


def test_tokens_of_bytes() -> None:
    ours = byte_gguf()
    text = "Paris in\n日\n本 Paris"
    found = ours.pieces(text)
    assert found.shown == (
        *("Paris", "·", "in", "↵", "日", "↵"),
        *("<0xE6>", "<0x9C>", "<0xAC>"),
        "·Paris",
    )
    assert b"".join(map(ours.raw, found.ids)) == text.encode()
    assert ours.shown_all(found.ids) == found.shown
    assert ours.said == "model.gguf (gpt2 BPE, llama-bpe)"
    special = ours.find("<|end of text|>")
    assert [ours.shown(token) for token in special] == ["<|end of text|>"]
    assert ours.pieces("Paris", special=True).ids == (*special, *ours.pieces("Paris").ids)
    assert ours.pieces("Paris<|end of text|>").ids == (*ours.pieces("Paris").ids, *special)


def test_finding_single_tokens() -> None:
    ours = byte_gguf()

    def find(text: str) -> list[str]:
        return [ours.shown(token) for token in ours.find(text)]

    assert find("Paris") == ["Paris", "·Paris"]
    assert find("·Paris") == find(" Paris") == ["·Paris"]
    assert find("·") == ["·", "·"]
    assert [ours.raw(token) for token in ours.find("·")] == ["·".encode(), b" "]
    assert find("↵") == find("\n") == ["↵"]
    assert find("<0xE2>") == ["<0xE2>"]
    assert find("�") == ["<U+FFFD>"]
    assert find("of") == ["·of"]
    assert find("paris") == find("") == find("Par") == find("x" * 2_000) == find("\ud800") == []


def test_words_that_are_made_small_are_found(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\nparis\n##is\npar\n", encoding="utf-8")
    ours = of_folder(tmp_path)
    assert ours is not None
    assert [ours.shown(token) for token in ours.find("Paris")] == ["paris"]
    assert [ours.shown(token) for token in ours.find("is")] == ["##is"]
    assert ours.pieces("Paris paris", special=True).shown == ("[CLS]", "paris", "paris", "[SEP]")


def test_ids_past_the_vocabulary_are_refused() -> None:
    ours = byte_gguf()
    for token in (-1, ours.size):
        with pytest.raises(InputError) as caught:
            ours.shown(token)
        assert caught.value.key == "tokenizer.no_token"
        with pytest.raises(InputError):
            ours.raw(token)


@pytest.mark.parametrize(
    ("text", "key"), [("x" * (MOST_LETTERS + 1), "tokenizer.text_long"), ("\ud83c", "tokenizer.text_odd")]
)
def test_texts_that_are_refused(text: str, key: str) -> None:
    with pytest.raises(InputError) as caught:
        byte_gguf().pieces(text)
    assert caught.value.key == key


def test_a_rule_that_is_not_known_is_said() -> None:
    assert byte_gguf(pre="of-tomorrow").guessed == "of-tomorrow"
    assert byte_gguf(pre="").guessed == "default"
    assert byte_gguf().guessed == ""


def test_files_without_a_tokenizer(tmp_path: Path) -> None:
    assert of_folder(tmp_path) is None
    assert open_tokenizer(Source("safetensors", tmp_path, {})) is None
    for model in ("none", ""):
        header = {"tokenizer.ggml.model": model}
        assert open_tokenizer(Source("gguf", Path("m.gguf"), {}, header)) is None


@pytest.mark.parametrize(
    ("entries", "key"),
    [
        ({"model": "rwkv"}, "tokenizer.kind_inside"),
        ({"model": 3}, "checkpoint.metadata_kind"),
        ({"model": "gpt2"}, "tokenizer.damaged"),
        ({"model": "gpt2", "tokens": ["a"]}, "tokenizer.damaged"),
        ({"model": "gpt2", "tokens": ["a", 3]}, "checkpoint.metadata_kind"),
        ({"model": "gpt2", "tokens": ["a"], "merges": ["a b"]}, "tokenizer.damaged"),
        ({"model": "gpt2", "tokens": ["a"], "merges": ["a"], "token_type": [1, 1]}, "tokenizer.damaged"),
        ({"model": "llama", "tokens": ["a"]}, "tokenizer.damaged"),
        ({"model": "llama", "tokens": ["a"], "scores": [0.0, 1.0]}, "tokenizer.damaged"),
        (
            {"model": "llama", "tokens": ["a"], "scores": [0.0], "add_bos_token": 1},
            "checkpoint.metadata_kind",
        ),
        ({"model": "t5", "tokens": ["a"], "scores": [0.0], "precompiled_charsmap": [1]}, "tokenizer.damaged"),
        ({"model": "t5", "tokens": ["a" * 513] * 1_000}, "tokenizer.damaged"),
        ({"model": "llama", "tokens": ["a" * 512] * 1_000, "scores": [0.0] * 1_000}, "tokenizer.damaged"),
    ],
)
def test_gguf_tokenizers_that_are_refused(entries: dict[str, object], key: str) -> None:
    with pytest.raises(InputError) as caught:
        of_gguf(entries)
    assert caught.value.key == key


@pytest.mark.parametrize(
    ("files", "key"),
    [
        ({"vocab.txt": b"\xff\xfe"}, "tokenizer.damaged"),
        ({"vocab.txt": b""}, "checkpoint.empty"),
        ({"vocab.txt": b"a", "tokenizer_config.json": b'{"tokenizer_class": "Esm"}'}, "tokenizer.kind"),
        ({"vocab.json": b'{"a": 4000000000}', "merges.txt": b""}, "tokenizer.damaged"),
        ({"vocab.json": b'{"a": 0, "b": 0}', "merges.txt": b" "}, "tokenizer.damaged"),
        ({"vocab.json": b'{"a": -1}', "merges.txt": b" "}, "tokenizer.damaged"),
        ({"vocab.json": b'{"a": 0}', "merges.txt": b"a b"}, "tokenizer.damaged"),
        ({"vocab.json": b'{"a</w>": 0}', "merges.txt": b"\n"}, "tokenizer.kind"),
        ({"vocab.txt": b"a", "added_tokens.json": b'{"x": 99999999}'}, "tokenizer.damaged"),
        ({"vocab.txt": b"a", "added_tokens.json": b'{"x": -1}'}, "tokenizer.damaged"),
        ({"vocab.txt": b"a", "tokenizer_config.json": b"["}, "checkpoint.json"),
        ({"tokenizer.model": b"YQ== 0\nYg== 2\n"}, "tokenizer.damaged"),
        ({"tokenizer.model": b"YQ== 0\n*** 1\n"}, "tokenizer.damaged"),
        ({"tokenizer.model": b"\x0a\xff\xff\xff\xff\x0f"}, "tokenizer.damaged"),
        ({"tokenizer.model": b"no model at all"}, "tokenizer.damaged"),
        ({"sentencepiece.bpe.model": b"\x0a\x06\x0a\x01a\x15\0\0\0\0"}, "tokenizer.damaged"),
        ({"tekken.json": b'{"config": {}, "vocab": [{"rank": 1}]}'}, "tokenizer.damaged"),
        ({"tekken.json": b"[]"}, "checkpoint.json"),
    ],
)
def test_files_that_are_refused(files: dict[str, bytes], key: str, tmp_path: Path) -> None:
    for name, raw in files.items():
        (tmp_path / name).write_bytes(raw)
    assert refusal(tmp_path) == key


def test_classes_with_ids_of_their_own_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "spiece.model").write_bytes(b"\x0a\x08\x0a\x01a\x15\0\0\0\0")
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "PegasusTokenizerFast"}')
    with pytest.raises(InputError) as caught:
        of_folder(tmp_path)
    assert caught.value.key == "tokenizer.kind"
    assert caught.value.values["kind"] == "Pegasus"


def test_xlm_r_has_four_tokens_of_its_own_before_the_files(tmp_path: Path) -> None:
    def field(number: int, body: bytes) -> bytes:
        return bytes([number << 3 | 2, len(body)]) + body

    pieces = [("<unk>", 2), ("<s>", 3), ("</s>", 3), ("▁", 1), ("a", 1)]
    raw = b"".join(
        field(1, field(1, text.encode()) + b"\x15\0\0\x80\xbf" + bytes([0x18, kind])) for text, kind in pieces
    )
    (tmp_path / "sentencepiece.bpe.model").write_bytes(raw)
    ours = of_folder(tmp_path)
    assert ours is not None
    assert ours.texts == ("<s>", "<pad>", "</s>", "<unk>", "▁", "a", "<mask>")
    assert ours.pieces("a", special=True).ids == (0, 4, 5, 2)
    assert ours.pieces("b").shown == ("·", "<unk>")


def test_tokens_added_later_have_the_ids_that_the_files_give(tmp_path: Path) -> None:
    letters = {BYTES.written(bytes([byte]))[0]: byte for byte in range(256)}
    (tmp_path / "vocab.json").write_text(json.dumps(letters))
    (tmp_path / "merges.txt").write_text("#version: 0.2\n")
    (tmp_path / "added_tokens.json").write_text('{"<tool>": 258}')
    added = {"260": {"content": "<think>", "special": False}}
    settings = {"tokenizer_class": "Qwen2Tokenizer", "added_tokens_decoder": added}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    ours = of_folder(tmp_path)
    assert ours is not None
    assert (ours.size, ours.guessed) == (261, "")
    assert ours.pieces("a<think><tool>").ids == (ord("a"), 260, 258)
    assert (ours.special, ours.shown(257), ours.raw(257)) == (frozenset({258}), "#257", b"")


def test_llama_3s_ranks_come_with_the_special_tokens_of_every_release(tmp_path: Path) -> None:
    """128,000 ranks in a list of this form are Llama 3's."""
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [b"%05d" % number for number in range(128_000 - 256)]
    rows = (base64.b64encode(raw) + b" %d\n" % rank for rank, raw in enumerate(tokens))
    (tmp_path / "tokenizer.model").write_bytes(b"".join(rows))
    ours = of_folder(tmp_path)
    assert ours is not None
    assert (ours.size, ours.guessed) == (128_256, "")
    assert ours.pieces("ab", special=True).ids == (128_000, 97, 98)
    assert ours.shown(128_009) == "<|eot_id|>"
    assert ours.shown(128_003) == "#128003"


def test_the_libraries_are_imported_when_a_tokenizer_is_opened() -> None:
    code = (
        "import sys; import ffn_explorer.checkpoints.tokenizing.tokenizer as t;"
        "import ffn_explorer.checkpoints.tokenizing.gguf_file, ffn_explorer.checkpoints.tokenizing.json_file;"
        "assert not {'tokenizers', 'regex', 'torch', 'gguf'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).resolve().parents[2])
