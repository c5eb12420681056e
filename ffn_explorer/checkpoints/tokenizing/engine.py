"""Tokenizers out of vocabularies: BPE over bytes, BPE and Unigram as SentencePiece has them, WordPiece."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ffn_explorer.checkpoints.tokenizing.patterns import CLIP, GPT2, Cut
from ffn_explorer.checkpoints.tokenizing.pieces import MOST_TOKENS, Tokenizer, guarded
from ffn_explorer.checkpoints.tokenizing.spelling import BAR, Spelling
from ffn_explorer.core.errors import InputError

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Engine
    from tokenizers.normalizers import Normalizer
    from tokenizers.pre_tokenizers import PreTokenizer
    from tokenizers.processors import TemplateProcessing

MOST_PIECE = 512
"""Longest token that merges are made for; published ones reach some hundred letters."""

MOST_WORK = 2 * 10**8
"""Most letters that are compared to make merges; the largest published vocabularies take a tenth of it."""

TRIED = "a b"
"""A text that every tokenizer must be able to cut: what fails on it is damaged."""

BYTES = Spelling("bytes")
BAR_SPELLING = Spelling("bar")

Merges = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Tokens by id. special, literal: ids as in Tokenizer.  before, after: ids that go around a text."""

    texts: tuple[str | None, ...]
    special: frozenset[int] = frozenset()
    literal: frozenset[int] = frozenset()
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()

    def ids(self) -> dict[str, int]:
        """The first id of each token."""
        found = {text: token for token, text in enumerate(self.texts) if text is not None}
        if len(found) < sum(text is not None for text in self.texts):
            for token in range(len(self.texts) - 1, -1, -1):
                text = self.texts[token]
                if text is not None:
                    found[text] = token
        return found


@dataclass(frozen=True, slots=True)
class Sentence:
    """How SentencePiece prepares a text.

    charsmap: its table of replacements.  prefix: a space is put before.  tidy: runs of spaces become one,
    those around go.  lower, plain: letters become small, lose their accents.
    """

    charsmap: bytes = b""
    prefix: bool = True
    tidy: bool = False
    lower: bool = False
    plain: bool = False


def byte_bpe(vocabulary: Vocabulary, merges: Merges, cut: Cut, *, said: str, guessed: str = "") -> Tokenizer:
    """BPE over the bytes of words, as GPT-2's and its heirs."""
    from tokenizers import Regex, models, pre_tokenizers
    from tokenizers import Tokenizer as Engine

    ids = vocabulary.ids()
    with guarded(damaged(said)):
        engine = Engine(models.BPE(ids, list(merges), ignore_merges=cut.whole))
        steps: list[PreTokenizer] = [
            pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in cut.patterns if pattern != GPT2
        ]
        own = GPT2 in cut.patterns  # the library has this one built in
        steps.append(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=own))
        engine.pre_tokenizer = pre_tokenizers.Sequence(steps)
    return _finished(engine, vocabulary, ids, spelling=BYTES, said=said, guessed=guessed)


def clip_bpe(vocabulary: Vocabulary, merges: Merges, *, unknown: str | None, said: str) -> Tokenizer:
    """CLIP's: bytes of lower-case words whose last part bears a mark."""
    from tokenizers import Regex, models, normalizers, pre_tokenizers
    from tokenizers import Tokenizer as Engine

    ids = vocabulary.ids()
    with guarded(damaged(said)):
        model = models.BPE(ids, list(merges), end_of_word_suffix="</w>", unk_token=unknown)
        engine = Engine(model)
        engine.normalizer = normalizers.Sequence(
            [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
        )
        engine.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(CLIP), "removed", invert=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
    return _finished(engine, vocabulary, ids, spelling=Spelling("bytes", end="</w>"), said=said)


def sentence_bpe(
    vocabulary: Vocabulary, merges: Merges, rules: Sentence, *, unknown: str | None, said: str
) -> Tokenizer:
    """BPE as SentencePiece has it, over whole texts; bytes for letters that have no token."""
    from tokenizers import Tokenizer as Engine
    from tokenizers import models

    ids = vocabulary.ids()
    with guarded(damaged(said)):
        model = models.BPE(ids, list(merges), unk_token=unknown, fuse_unk=True, byte_fallback="<0x00>" in ids)
        engine = Engine(model)
        engine.normalizer = _prepared(rules)
    return _finished(engine, vocabulary, ids, spelling=BAR_SPELLING, said=said)


def unigram(
    vocabulary: Vocabulary, scores: Sequence[float], rules: Sentence, *, unknown: int | None, said: str
) -> Tokenizer:
    """The most likely pieces, as SentencePiece's Unigram finds them."""
    from tokenizers import Tokenizer as Engine
    from tokenizers import models

    ids = vocabulary.ids()
    pieces = [(text or "", score) for text, score in zip(vocabulary.texts, scores)]
    with guarded(damaged(said)):
        model = models.Unigram(pieces, unk_id=unknown, byte_fallback="<0x00>" in ids)
        engine = Engine(model)
        engine.normalizer = _prepared(rules)
    return _finished(engine, vocabulary, ids, spelling=BAR_SPELLING, said=said)


def word_piece(
    vocabulary: Vocabulary,
    *,
    said: str,
    unknown: str = "[UNK]",
    lower: bool = True,
    chinese: bool = True,
    plain: bool | None = None,
) -> Tokenizer:
    """The longest pieces of words first, as BERT's; plain: letters lose their accents (None: where lower)."""
    from tokenizers import Tokenizer as Engine
    from tokenizers import models, normalizers, pre_tokenizers

    ids = vocabulary.ids()
    with guarded(damaged(said)):
        engine = Engine(models.WordPiece(ids, unk_token=unknown))
        engine.normalizer = normalizers.BertNormalizer(
            clean_text=True, handle_chinese_chars=chinese, strip_accents=plain, lowercase=lower
        )
        engine.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return _finished(engine, vocabulary, ids, spelling=Spelling("pieces", later="##"), said=said)


def merges_of(ranked: Iterable[str], known: Container[str], *, said: str) -> list[tuple[str, str]]:
    """Every pair of tokens that makes another one, by the rank of what it makes.

    Merging by these finds what SentencePiece's scores and tiktoken's ranks find.  Source: the converters of
    Hugging Face's transformers, which do the same.
    """
    pieces = [piece for piece in ranked if 1 < len(piece) <= MOST_PIECE]
    if sum(len(piece) ** 2 for piece in pieces) > MOST_WORK:
        raise damaged(said)
    return [
        (piece[:at], piece[at:])
        for piece in pieces
        for at in range(1, len(piece))
        if piece[:at] in known and piece[at:] in known
    ]


def damaged(what: str) -> InputError:
    """The sentence for a tokenizer that is there and cannot be one."""
    return InputError("tokenizer.damaged", what=what)


def check_size(count: int, said: str) -> None:
    """See that a vocabulary is one."""
    if not 0 < count <= MOST_TOKENS:
        raise damaged(said)


def _prepared(rules: Sentence) -> "Normalizer":
    """What is done to a text before SentencePiece's model sees it."""
    from tokenizers import Regex, normalizers

    steps: list[Normalizer] = []
    if rules.charsmap:
        steps.append(normalizers.Precompiled(rules.charsmap))
    if rules.plain:
        steps += [normalizers.NFKD(), normalizers.StripAccents()]
    if rules.lower:
        steps.append(normalizers.Lowercase())
    if rules.tidy:
        steps += [normalizers.Strip(), normalizers.Replace(Regex(r" {2,}"), " ")]
    if rules.prefix:
        steps.append(normalizers.Prepend(BAR))
    return normalizers.Sequence([*steps, normalizers.Replace(" ", BAR)])


def _finished(
    engine: "Engine",
    vocabulary: Vocabulary,
    ids: Mapping[str, int],
    *,
    spelling: Spelling,
    said: str,
    guessed: str = "",
) -> Tokenizer:
    """Special and literal tokens told to the engine, and what it puts around a text."""
    from tokenizers import AddedToken

    texts = vocabulary.texts
    with guarded(damaged(said)):
        for which, special in ((vocabulary.special, True), (vocabulary.literal - vocabulary.special, False)):
            added = [
                AddedToken(text, special=special, normalized=False)
                for text, token in ((texts[token], token) for token in sorted(which))
                if text and ids[text] == token
            ]
            engine.add_special_tokens(added) if special else engine.add_tokens(added)
        if vocabulary.before or vocabulary.after:
            engine.post_processor = _around(vocabulary)
        engine.encode(TRIED)
    return Tokenizer(
        size=len(texts),
        said=said,
        engine=engine,
        texts=texts,
        ids=ids,
        spelling=spelling,
        special=vocabulary.special,
        literal=vocabulary.literal | vocabulary.special,
        guessed=guessed,
    )


def _around(vocabulary: Vocabulary) -> "TemplateProcessing":
    """What puts tokens around a text, under names of our own: theirs may mean something in a template."""
    from tokenizers.processors import TemplateProcessing

    before = [f"before{place}" for place in range(len(vocabulary.before))]
    after = [f"after{place}" for place in range(len(vocabulary.after))]
    ids = zip((*before, *after), (*vocabulary.before, *vocabulary.after))
    return TemplateProcessing(single=[*before, "$A", *after], special_tokens=list(ids))
