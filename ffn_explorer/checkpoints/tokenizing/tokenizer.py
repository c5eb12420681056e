"""The tokenizer of an opened file: found beside its weights or inside it, read by the reader it calls for."""

from collections.abc import Callable, Mapping
from pathlib import Path

from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.checkpoints.tokenizing.pieces import MOST_LETTERS, Pieces, Tokenizer

__all__ = ["MOST_LETTERS", "Pieces", "Tokenizer", "open_tokenizer"]

Beside = Mapping[str, Path]


def open_tokenizer(source: Source) -> Tokenizer | None:
    """The file's own tokenizer, None where it has none; nothing is fetched and nothing in it is run.

    Raises InputError, one sentence, where there is one that is damaged or of a kind that is not read.
    """
    if source.format == "gguf":
        from ffn_explorer.checkpoints.tokenizing.gguf_file import read_gguf

        return read_gguf(source)
    beside = source.header.get("beside")
    if not isinstance(beside, Mapping):
        return None
    reader = next((read for names, read in READERS if all(name in beside for name in names)), None)
    return reader(beside) if reader else None


def _json(beside: Beside) -> Tokenizer:
    from ffn_explorer.checkpoints.tokenizing.json_file import read_json

    return read_json(beside["tokenizer.json"])


def _tekken(beside: Beside) -> Tokenizer:
    from ffn_explorer.checkpoints.tokenizing.rank_files import read_tekken

    return read_tekken(beside["tekken.json"])


def _merges(beside: Beside) -> Tokenizer:
    from ffn_explorer.checkpoints.tokenizing.word_files import read_merges

    return read_merges(beside)


def _words(beside: Beside) -> Tokenizer:
    from ffn_explorer.checkpoints.tokenizing.word_files import read_words

    return read_words(beside)


def _ranks(beside: Beside) -> Tokenizer:
    from ffn_explorer.checkpoints.tokenizing.rank_files import read_ranks

    return read_ranks(beside, beside["tiktoken.model"])


def _model(beside: Beside) -> Tokenizer:
    """A `.model` is SentencePiece's, or a list of ranks under the same name, as Llama 3's."""
    from ffn_explorer.checkpoints.tokenizing.model_file import read_model
    from ffn_explorer.checkpoints.tokenizing.rank_files import is_ranks, read_ranks

    names = ("tokenizer.model", "spiece.model", "sentencepiece.bpe.model")
    path = next(beside[name] for name in names if name in beside)
    return read_ranks(beside, path) if is_ranks(path) else read_model(beside, path)


READERS: tuple[tuple[tuple[str, ...], Callable[[Beside], Tokenizer]], ...] = (
    (("tokenizer.json",), _json),
    (("tekken.json",), _tekken),
    (("vocab.json", "merges.txt"), _merges),
    (("vocab.txt",), _words),
    (("tiktoken.model",), _ranks),
    (("tokenizer.model",), _model),
    (("spiece.model",), _model),
    (("sentencepiece.bpe.model",), _model),
)
"""Files that make a tokenizer, the one that says most first."""
