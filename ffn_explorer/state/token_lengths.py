"""How many tokens each typed sentence has, asked of core's tokenizer."""

from functools import lru_cache

from ffn_explorer.core.tokens import tokenize
from ffn_explorer.state.app_state import Source


@lru_cache(maxsize=32)
def token_lengths(source: Source) -> tuple[int, ...]:
    """Tokens per sentence; InputError where a sentence has none."""
    return tuple(len(tokens) for tokens in tokenize(source.sentences))


def order_of(source: Source, sentence: int) -> tuple[int, ...]:
    """order[i] = natural position of the token now at place i; the natural order where none was made."""
    count = token_lengths(source)[sentence]
    order = source.orders[sentence] if sentence < len(source.orders) else ()
    return order if sorted(order) == list(range(count)) else tuple(range(count))
