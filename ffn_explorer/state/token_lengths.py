"""Number and order of the tokens of each typed sentence, as core's tokenizer cuts them."""

from functools import lru_cache

from ffn_explorer.core.tokens import tokenize
from ffn_explorer.state.app_state import Source


def natural_tokens(source: Source) -> tuple[tuple[str, ...], ...]:
    """Tokens of each sentence as typed, or a hand-built memory's pattern names; InputError on none.

    Sentences of an opened file are cut by its own tokenizer.
    """
    if source.memory is not None:
        return (tuple(pattern.name for pattern in source.memory.patterns),)
    if source.opened is not None:
        from ffn_explorer.state.opened_tokens import opened_tokens  # the first picture needs none of it

        return opened_tokens(source.opened, source.sentences)
    return _cut(source.sentences)


@lru_cache(maxsize=32)
def _cut(sentences: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tokenize(sentences)


def token_lengths(source: Source) -> tuple[int, ...]:
    """Tokens per sentence; InputError where a sentence has none."""
    return tuple(len(tokens) for tokens in natural_tokens(source))


def order_of(source: Source, sentence: int) -> tuple[int, ...]:
    """order[i] = natural position of the token now at place i; the natural order where none was made."""
    return _order(source, sentence, token_lengths(source)[sentence])


def ordered(source: Source, sentence: int, tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Tokens of one sentence in the order in which they stand now."""
    return tuple(tokens[i] for i in _order(source, sentence, len(tokens)))


def _order(source: Source, sentence: int, count: int) -> tuple[int, ...]:
    order = source.orders[sentence] if sentence < len(source.orders) else ()
    return order if sorted(order) == list(range(count)) else tuple(range(count))
