"""Tokens of sentences in an opened file: as its own tokenizer cuts them, where it has one."""

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.tokens import MAX_SENTENCES, MAX_TOKENS, tokenize
from ffn_explorer.state.app_state import Opened
from ffn_explorer.state.hidden_states import row_names
from ffn_explorer.state.open_files import OPEN_FILES


def opened_tokens(opened: Opened, sentences: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Tokens of each sentence as people see them, or the numbers of the rows of an NPY file.

    A file without a tokenizer, or one that is not open yet, has the program's own.  InputError as there.
    """
    if opened.x:
        return row_names(opened.x)
    held = OPEN_FILES.known(opened)
    if held is None or held.tokenizer is None:
        return tokenize(sentences)
    if len(sentences) > MAX_SENTENCES:
        raise InputError("error.too_many_sentences", count=len(sentences), limit=MAX_SENTENCES)
    found = tuple(held.pieces(sentence).shown for sentence in sentences)
    for number, tokens in enumerate(found, start=1):
        if not tokens:
            raise InputError("error.empty_sentence", number=number)
        if len(tokens) > MAX_TOKENS:
            raise InputError("error.too_many_tokens", count=len(tokens), limit=MAX_TOKENS)
    return found
