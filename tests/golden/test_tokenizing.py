"""Tokenizers of opened files: ids as tokenizers, transformers, sentencepiece and tiktoken give them."""

from __future__ import annotations

import base64
import io
import json
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers
from tokenizers import Tokenizer as Engine

from ffn_explorer.checkpoints.readers.folder import BESIDE
from ffn_explorer.checkpoints.readers.gguf import open_gguf
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.checkpoints.tokenizing.patterns import CLIP, CUTS, GPT2, GPT4O, KNOWN, LLAMA3, QWEN2, TEKKEN
from ffn_explorer.checkpoints.tokenizing.tokenizer import Tokenizer, open_tokenizer
from ffn_explorer.checkpoints.tokenizing.watched import JOINS, Clock, WatchedSplit
from tests.real.fetch import SMOLLM2, fetched

with warnings.catch_warnings():
    # Its types are made on import with a warning, which as an error would leave them half made.
    warnings.simplefilter("ignore")
    import sentencepiece

CORPUS = [
    "The keys on the table are lost. The capital of France is Paris, and the capitals of others are not.",
    "I'm sure they've seen 1,024 or 65536 tokens; WE'LL see what camelCase and snake_case words do.",
    "Don't widen the hidden width: it's 4 times the model's width, 2048 for 512.",
    "東京は日本の首都です。フランスの首都はパリです。鍵はテーブルの上にあります。",
    "Der Schlüssel liegt auf dem Tisch; où est la clé ? ¿Dónde está la llave?",
    "def forward(x):\n    return act(x @ up) @ down\n\n\nclass FFN:\n\tpass\r\n",
] * 4
TEXTS = [
    *CORPUS[:6],
    "The capital of France is",
    " leading, trailing  and   many    spaces ",
    "emoji 🎉👩‍👩‍👧, \uff46\uff55\uff4c\uff4c \uff57\uff49\uff44\uff54\uff48, ½ Ⅻ ﬁ, Ŝ̈, zero\u200bwidth",
    "한국어, العربية, हिन्दी, Ελληνικά, ไทย",
    "I'LL WE'RE it'S 12345678901 3.14159 -- ... !!!\n\n \n  x\n",
    "a",
    "",
]


def folder_source(folder: Path) -> Source:
    """A folder's tokenizer files, without weights."""
    beside = {name: folder / name for name in BESIDE if (folder / name).is_file()}
    return Source("safetensors", folder, {}, {"beside": beside})


def opened(folder: Path) -> Tokenizer:
    found = open_tokenizer(folder_source(folder))
    assert found is not None
    return found


def gguf(**entries: object) -> Tokenizer:
    header = {f"tokenizer.ggml.{key}": value for key, value in entries.items()}
    found = open_tokenizer(Source("gguf", Path("model.gguf"), {}, header))
    assert found is not None
    return found


def same_ids(ours: Tokenizer, theirs: Callable[[str], list[int]], texts: list[str] = TEXTS) -> None:
    assert {text: list(ours.pieces(text).ids) for text in texts} == {text: theirs(text) for text in texts}


def trained_bytes() -> Engine:
    """Byte-level BPE, the alphabet first, as GPT-2's."""
    engine = Engine(models.BPE())
    engine.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    engine.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=700,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    engine.train_from_iterator(CORPUS, trainer)
    return engine


def trained_words(*, lower: bool = True) -> Engine:
    engine = Engine(models.WordPiece(unk_token="[UNK]"))
    engine.normalizer = normalizers.BertNormalizer(lowercase=lower)
    engine.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    engine.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=300, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False
    )
    engine.train_from_iterator(CORPUS, trainer)
    engine.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return engine


def trained_likely() -> Engine:
    engine = Engine(models.Unigram())
    engine.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    engine.pre_tokenizer = pre_tokenizers.Metaspace()
    engine.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=300, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False
    )
    engine.train_from_iterator(CORPUS, trainer)
    engine.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return engine


def trained_smoll() -> Engine:
    engine = trained_bytes()
    engine.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    return engine


def trained_own_pattern() -> Engine:
    """A pattern that nobody publishes, so that it is watched."""
    engine = trained_bytes()
    engine.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"[aeiou]+(?=\w)|^\s*"), "merged_with_previous"),
            pre_tokenizers.Split(Regex(r"\p{Lu}\p{Ll}+|(?=\d{3})"), "merged_with_next"),
            pre_tokenizers.Split(Regex(r"[.,;]+$"), "contiguous", invert=True),
            pre_tokenizers.Split(Regex(r"~|\p{Han}"), "isolated"),
            pre_tokenizers.Split(Regex("[!\u200b]"), "removed"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return engine


@pytest.mark.parametrize(
    "train", [trained_bytes, trained_words, trained_likely, trained_smoll, trained_own_pattern]
)
def test_tokenizer_json_gives_the_ids_of_transformers(train: Callable[[], Engine], tmp_path: Path) -> None:
    from transformers import PreTrainedTokenizerFast

    special = {"unk_token": "[UNK]"} if train is trained_words else {}
    make: Any = PreTrainedTokenizerFast  # its stubs call it untyped
    saved = make(tokenizer_object=train(), model_max_length=4, **special)
    saved.save_pretrained(tmp_path)
    theirs = make.from_pretrained(tmp_path)
    ours = opened(tmp_path)
    assert ours.size == len(theirs)
    same_ids(ours, lambda text: list(theirs.encode(text, add_special_tokens=False)))
    for text in TEXTS:
        assert list(ours.pieces(text, special=True).ids) == theirs.encode(text)


@pytest.fixture(scope="module")
def bytes_engine() -> Engine:
    return trained_bytes()


def ranks_of(engine: Engine) -> list[bytes]:
    """Byte strings by rank, without the special token."""
    letters = {letter: byte for byte, letter in enumerate(byte_letters())}
    words = sorted(engine.get_vocab().items(), key=lambda item: item[1])[1:]
    return [bytes(letters[letter] for letter in word) for word, _ in words]


def byte_letters() -> list[str]:
    """GPT-2's letter of each byte, as the library has them."""
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    found = [byte_level.pre_tokenize_str(chr(byte))[0][0] for byte in range(128)]
    rest = sorted({*pre_tokenizers.ByteLevel.alphabet()} - set(found))
    # Bytes from 128 on, whose letters come from texts that hold them.
    values: dict[int, str] = {}
    for code in (*range(0x80, 0x800), 0x1000, 0x8000, 0x10000, 0x40000, 0x80000, 0x100000):
        raw = chr(code).encode()
        values.update(zip(raw, byte_level.pre_tokenize_str(chr(code))[0][0]))
    for code in range(0x1000, 0x10000, 0x1000):
        if not 0xD800 <= code <= 0xDFFF:
            values.update(zip(chr(code).encode(), byte_level.pre_tokenize_str(chr(code))[0][0]))
    missing = [byte for byte in range(128, 256) if byte not in values]
    unused = [letter for letter in rest if letter not in values.values()]
    return found + [
        values[byte] if byte in values else unused[missing.index(byte)] for byte in range(128, 256)
    ]


@pytest.mark.parametrize("pattern", [GPT2, LLAMA3, QWEN2, GPT4O, TEKKEN])
def test_ranks_give_the_ids_of_tiktoken(pattern: str, bytes_engine: Engine, tmp_path: Path) -> None:
    ranks = ranks_of(bytes_engine)
    theirs = tiktoken.Encoding(
        "test",
        pat_str=pattern,
        mergeable_ranks={raw: rank for rank, raw in enumerate(ranks)},
        special_tokens={"<|x|>": len(ranks)},
    )
    name = {GPT2: "gpt-2", LLAMA3: "dbrx", QWEN2: "qwen2", GPT4O: "gpt-4o", TEKKEN: "tekken"}[pattern]
    letters = byte_letters()
    tokens = ["".join(letters[byte] for byte in raw) for raw in ranks]
    merges = [" ".join(pair) for pair in json.loads(bytes_engine.to_str())["model"]["merges"]]
    ours = gguf(model="gpt2", pre=name, tokens=[*tokens, "<|x|>"], merges=merges,
                token_type=[1] * len(tokens) + [3])  # fmt: skip
    assert ours.guessed == ""
    same_ids(ours, theirs.encode_ordinary)
    for text in TEXTS:
        assert b"".join(map(ours.raw, ours.pieces(text).ids)) == text.encode()
    assert ours.pieces("a<|x|>").ids == tuple(theirs.encode("a<|x|>", allowed_special="all"))
    if pattern == LLAMA3:
        rows = b"".join(base64.b64encode(raw) + b" %d\n" % rank for rank, raw in enumerate(ranks))
        (tmp_path / "tokenizer.model").write_bytes(rows)
        from_ranks = opened(tmp_path)
        assert (from_ranks.size, from_ranks.guessed) == (len(ranks), "tiktoken")
        same_ids(from_ranks, theirs.encode_ordinary)
    if pattern == TEKKEN:
        rows_of = [
            {"rank": rank, "token_bytes": base64.b64encode(raw).decode()} for rank, raw in enumerate(ranks)
        ]
        config = {"pattern": pattern, "default_vocab_size": len(ranks) + 10, "default_num_special_tokens": 10}
        (tmp_path / "tekken.json").write_text(json.dumps({"config": config, "vocab": rows_of}))
        tekken = opened(tmp_path)
        same_ids(tekken, lambda text: [10 + token for token in theirs.encode_ordinary(text)])
        assert tekken.pieces("a", special=True).shown == ("<s>", "a")


def test_known_patterns_cut_the_same_in_both_engines() -> None:
    """What is watched is cut by another engine, so that the two must read patterns alike."""
    clock = Clock()
    clock.start()
    for pattern in sorted(KNOWN - {"\n"}):
        theirs = pre_tokenizers.Split(Regex(pattern), "isolated")
        watched = WatchedSplit(pattern, "Isolated", invert=False, clock=clock)
        ours = pre_tokenizers.PreTokenizer.custom(watched)
        for text in TEXTS:
            assert ours.pre_tokenize_str(text) == theirs.pre_tokenize_str(text), pattern


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("pattern", [r"[ab]", r"a|(?=b)", r"^\w", r"\w$", r"\s+|b", "x"])
def test_parts_that_match_go_where_the_format_says(pattern: str, invert: bool) -> None:
    clock = Clock()
    clock.start()
    for behavior in JOINS:
        name = re.sub("(?<=[a-z])(?=[A-Z])", "_", behavior).lower()
        theirs = pre_tokenizers.Split(Regex(pattern), name, invert=invert)
        ours = pre_tokenizers.PreTokenizer.custom(WatchedSplit(pattern, behavior, invert=invert, clock=clock))
        for text in ("aabbcaxb", "ab\nab  a\n\nb ", "bb", "cc", "a", ""):
            assert ours.pre_tokenize_str(text) == theirs.pre_tokenize_str(text), (behavior, text)


@pytest.fixture(scope="module", params=["bpe", "unigram"])
def sentence_model(request: pytest.FixtureRequest) -> tuple[str, bytes]:
    into = io.BytesIO()
    llama = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}
    settings: dict[str, Any] = llama if request.param == "bpe" else {"user_defined_symbols": ["<sep>"]}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line for text in CORPUS for line in text.splitlines() if line] * 3),
        model_writer=into,
        model_type=request.param,
        vocab_size=560,
        byte_fallback=True,
        minloglevel=2,
        num_threads=1,
        hard_vocab_limit=False,
        **settings,
    )
    return request.param, into.getvalue()


def test_model_files_give_the_ids_of_sentencepiece(sentence_model: tuple[str, bytes], tmp_path: Path) -> None:
    kind, raw = sentence_model
    (tmp_path / ("tokenizer.model" if kind == "bpe" else "spiece.model")).write_bytes(raw)
    theirs = sentencepiece.SentencePieceProcessor(model_proto=raw)
    ours = opened(tmp_path)
    assert ours.size == theirs.vocab_size()
    same_ids(ours, theirs.encode)
    first = theirs.encode("The keys", add_bos=kind == "bpe")
    assert list(ours.pieces("The keys", special=True).ids) == first
    word = next(token for token in range(300, ours.size) if len(theirs.id_to_piece(token).strip("▁")) > 2)
    assert word in ours.find(theirs.id_to_piece(word).strip("▁"))


def test_gguf_gives_the_ids_of_sentencepiece(sentence_model: tuple[str, bytes]) -> None:
    kind, raw = sentence_model
    theirs = sentencepiece.SentencePieceProcessor(model_proto=raw)
    count = theirs.vocab_size()

    def type_of(token: int) -> int:
        if theirs.is_unknown(token):
            return 2
        if theirs.is_control(token):
            return 3
        if theirs.is_byte(token):
            return 6
        return 4 if theirs.id_to_piece(token) == "<sep>" else 1

    table: list[int] = []
    if kind == "unigram":
        spec = json.loads(_fast(raw).to_str())["normalizer"]["normalizers"][0]["precompiled_charsmap"]
        table = list(base64.b64decode(spec))
    ours = gguf(
        model="llama" if kind == "bpe" else "t5",
        tokens=[theirs.id_to_piece(token) for token in range(count)],
        scores=[theirs.get_score(token) for token in range(count)],
        token_type=[type_of(token) for token in range(count)],
        unknown_token_id=theirs.unk_id(),
        precompiled_charsmap=table,
    )
    same_ids(ours, theirs.encode)


def _fast(raw: bytes) -> Engine:
    from ffn_explorer.checkpoints.tokenizing.model_file import _model

    rules = _model(memoryview(raw)).rules
    engine = Engine(models.Unigram())
    engine.normalizer = normalizers.Sequence([normalizers.Precompiled(rules.charsmap)])
    return engine


@pytest.mark.parametrize("lower", [True, False])
def test_vocab_txt_and_gguf_give_the_ids_of_bert(lower: bool, tmp_path: Path) -> None:
    engine = trained_words(lower=lower)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({} if lower else {"do_lower_case": False}))
    words = [word for word, _ in sorted(engine.get_vocab().items(), key=lambda item: item[1])]
    (tmp_path / "vocab.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    ours = opened(tmp_path)
    same_ids(ours, lambda text: engine.encode(text, add_special_tokens=False).ids)
    assert list(ours.pieces("The keys", special=True).ids) == engine.encode("The keys").ids
    turned = [
        word if word.startswith("[") and word.endswith("]") else word[2:] if word[:2] == "##" else f"▁{word}"
        for word in words
    ]
    inside = gguf(model="bert", tokens=turned, token_type=[3] * 5 + [1] * (len(words) - 5),
                  cls_token_id=2, seperator_token_id=3, unknown_token_id=1)  # fmt: skip
    same_ids(inside, lambda text: engine.encode(text, add_special_tokens=False).ids)
    assert inside.pieces("The keys", special=True) == ours.pieces("The keys", special=True)


def test_vocab_json_gives_the_ids_of_gpt2(tmp_path: Path, bytes_engine: Engine) -> None:
    bytes_engine.model.save(str(tmp_path))
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "GPT2Tokenizer", "eos_token": "<|endoftext|>"})
    )
    ours = opened(tmp_path)
    same_ids(ours, lambda text: bytes_engine.encode(text).ids)
    assert ours.shown(0) == "<|endoftext|>"
    assert 0 in ours.special


def trained_clip() -> Engine:
    engine = Engine(models.BPE(end_of_word_suffix="</w>"))
    engine.normalizer = normalizers.Lowercase()
    engine.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(CLIP), "removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=900,
        special_tokens=["<|startoftext|>", "<|endoftext|>", "<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        end_of_word_suffix="</w>",
        show_progress=False,
    )
    engine.train_from_iterator(CORPUS, trainer)
    return engine


def sentence_bytes(**settings: Any) -> bytes:
    into = io.BytesIO()
    lines = [line for text in CORPUS for line in text.splitlines() if line]
    options = {"vocab_size": 300, "hard_vocab_limit": False, "minloglevel": 2, "num_threads": 1, **settings}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=into, **options)
    return into.getvalue()


CLASSES: list[tuple[str, str, dict[str, Any]]] = [
    ("T5", "spiece.model", {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}),
    (
        "Albert",
        "spiece.model",
        {
            "pad_id": 0,
            "unk_id": 1,
            "bos_id": -1,
            "eos_id": -1,
            "control_symbols": ["[CLS]", "[SEP]", "[MASK]"],
        },
    ),
    ("XLNet", "spiece.model", {"control_symbols": ["<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"]}),
    ("XLMRoberta", "sentencepiece.bpe.model", {}),
    ("GPT2", "vocab.json", {}),
    ("Qwen2", "vocab.json", {}),
    ("Roberta", "vocab.json", {}),
    ("CLIP", "vocab.json", {}),
    ("Bert", "vocab.txt", {}),
    ("DistilBert", "vocab.txt", {"do_lower_case": False}),
]
"""Tokenizer classes without a tokenizer.json: the file that each reads, and options."""


@pytest.mark.parametrize(("name", "file", "options"), CLASSES, ids=[name for name, _, _ in CLASSES])
def test_classes_give_the_ids_of_transformers(
    name: str, file: str, options: dict[str, Any], tmp_path: Path
) -> None:
    import transformers

    settings = {"tokenizer_class": f"{name}Tokenizer"}
    if file == "vocab.json":
        (trained_clip() if name in ("CLIP", "Roberta") else trained_bytes()).model.save(str(tmp_path))
    elif file == "vocab.txt":
        words = sorted(trained_words().get_vocab().items(), key=lambda item: item[1])
        (tmp_path / file).write_text("\n".join(word for word, _ in words), encoding="utf-8")
        settings |= options
    else:
        (tmp_path / file).write_bytes(sentence_bytes(**options))
    if name == "Roberta":  # its bytes, without CLIP's mark at the end of words
        ids = json.loads((tmp_path / file).read_text(encoding="utf-8"))
        kept = [token for token in ids if not token.endswith("</w>")]
        (tmp_path / file).write_text(json.dumps({token: at for at, token in enumerate(kept)}))
        (tmp_path / "merges.txt").write_text("#version: 0.2\n")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    theirs = getattr(transformers, f"{name}Tokenizer").from_pretrained(tmp_path)
    ours = opened(tmp_path)
    assert ours.size == len(theirs)
    for special in (False, True):
        want = {text: theirs.encode(text, add_special_tokens=special) for text in TEXTS}
        assert {text: list(ours.pieces(text, special=special).ids) for text in TEXTS} == want


@pytest.fixture(scope="module")
def smollm2() -> Iterator[tuple[Source, Tokenizer]]:
    source = open_gguf(fetched(SMOLLM2))
    found = open_tokenizer(source)
    assert found is not None
    yield source, found
    source.close()


@pytest.mark.real
def test_smollm2_cuts_as_its_own_tokenizer_does(smollm2: tuple[Source, Tokenizer]) -> None:
    """The ids are the places of these tokens in the file's own list, which tests/real reads twice."""
    source, ours = smollm2
    listed: Any = source.header["tokenizer.ggml.tokens"]
    tokens = listed.strings()
    found = ours.pieces("The capital of France is")
    assert found.shown == ("The", "·capital", "·of", "·France", "·is")
    assert [tokens[token] for token in found.ids] == ["The", "Ġcapital", "Ġof", "ĠFrance", "Ġis"]
    assert ours.size == len(tokens)
    assert ours.find("Paris") == (tokens.index("Paris"), tokens.index("ĠParis"))
    assert ours.find("·Paris") == ours.find(" Paris") == (tokens.index("ĠParis"),)
    assert ours.pieces("<|im_start|>user\n12").shown == ("<|im_start|>", "user", "↵", "1", "2")


@pytest.mark.real
def test_smollm2_gives_every_text_back(smollm2: tuple[Source, Tokenizer]) -> None:
    _, ours = smollm2
    for text in TEXTS:
        found = ours.pieces(text)
        assert b"".join(map(ours.raw, found.ids)) == text.encode()
        assert "�" not in "".join(found.shown)


@pytest.mark.real
def test_smollm2_merges_as_tiktoken_does(smollm2: tuple[Source, Tokenizer]) -> None:
    """Ranks follow the merges, so that tiktoken's byte pairs are an independent way to the same ids."""
    source, ours = smollm2
    merges: Any = source.header["tokenizer.ggml.merges"]
    letters = {letter: byte for byte, letter in enumerate(byte_letters())}
    made = ["".join(merge.split(" ")) for merge in merges.strings()]
    by_rank = [bytes([byte]) for byte in range(256)] + [
        bytes(letters[letter] for letter in word) for word in made
    ]
    theirs = tiktoken.Encoding(
        "smollm2",
        # Digits alone, before the rest is cut.
        pat_str=r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?![^\s\p{N}])|\s+",
        mergeable_ranks={raw: rank for rank, raw in enumerate(by_rank)},
        special_tokens={},
    )
    for text in TEXTS:
        want = [theirs.decode_single_token_bytes(token) for token in theirs.encode_ordinary(text)]
        assert [ours.raw(token) for token in ours.pieces(text).ids] == want


def test_every_named_rule_is_known() -> None:
    patterns = {pattern for cut in CUTS.values() for pattern in cut.patterns}
    assert patterns <= KNOWN
