"""Changes of the sentences: typing them, and reordering their tokens."""

from dataclasses import replace
from random import Random

from ffn_explorer.core.tokens import split
from ffn_explorer.state.app_state import AppState, Source
from ffn_explorer.state.before import left
from ffn_explorer.state.change import Change, part
from ffn_explorer.state.token_lengths import order_of, token_lengths


def set_sentences(typed: str) -> Change:
    """Typed text as sentences, one per line (several make a batch); lines without a token are left out.

    An order made by dragging stays with its sentence; the selection goes to the nearest token that exists.
    A hand-built memory is left, and the settings from before it come back.
    Raises InputError where no line holds a token.
    """

    def to(state: AppState) -> AppState:
        lines = tuple(line.strip() for line in typed.splitlines() if split(line)) or (typed,)
        if lines == state.source.sentences:
            return state
        # Other sentences are for other weights: a memory built by hand has patterns of its own.
        plain = left(state) if state.source.memory is not None else state
        kept = dict(zip(plain.source.sentences, plain.source.orders, strict=False))
        orders = tuple(kept.get(line, ()) for line in lines)
        source = replace(plain.source, sentences=lines, orders=orders)
        return _with_source(plain, source)

    return Change("undo.sentence", to)


def reorder_token(sentence: int, start: int, *, to: int) -> Change:
    """Move the token at place `start` to place `to`; moves compose, and the selection follows its token."""

    def change(state: AppState) -> AppState:
        source = state.source
        # The chips on screen may be those of a sentence that is no longer there.
        if not 0 <= sentence < len(token_lengths(source)):
            return state
        order = list(order_of(source, sentence))
        place = min(max(0, to), len(order) - 1)
        if not 0 <= start < len(order) or start == place:
            return state
        order.insert(place, order.pop(start))
        orders = [*source.orders, *[()] * (len(source.sentences) - len(source.orders))]
        orders[sentence] = _kept(order)
        moved = part(state, source=replace(source, orders=tuple(orders)))
        chosen = state.selection
        if chosen.sentence != sentence:
            return moved
        return part(moved, selection=part(chosen, token=_moved(chosen.token, start, to=place)))

    return Change("undo.reorder", change)


def shuffle_orders(seed: int) -> Change:
    """Every sentence in another order, drawn from the seed and the present one; the selection follows.

    Two tokens or more never stay as they are; the same state and seed always give the same order.
    """

    def to(state: AppState) -> AppState:
        count = len(token_lengths(state.source))
        return _reordered(state, [_shuffled(order_of(state.source, b), seed) for b in range(count)])

    return Change("undo.reorder", to)


def reset_orders() -> Change:
    """Every sentence in its natural order again; the selection follows its token."""

    def to(state: AppState) -> AppState:
        return _reordered(state, [list(range(length)) for length in token_lengths(state.source)])

    return Change("undo.reorder", to)


def _reordered(state: AppState, orders: list[list[int]]) -> AppState:
    """The sentences in these orders, with the same token chosen as before."""
    chosen = state.selection
    moved = part(state, source=part(state.source, orders=tuple(map(_kept, orders))))
    # A selection may point beyond the sentences; the Scene shows the nearest one there is.
    before = order_of(state.source, chosen.sentence) if chosen.sentence < len(orders) else ()
    if chosen.token >= len(before):
        return moved
    place = orders[chosen.sentence].index(before[chosen.token])
    return part(moved, selection=part(chosen, token=place))


def _shuffled(order: tuple[int, ...], seed: int) -> list[int]:
    """Another order of the same places; a sentence of one token has only one."""
    made = list(order)
    draw = Random(repr((seed, order)))
    while len(made) > 1 and made == list(order):
        draw.shuffle(made)
    return made


def _kept(order: list[int]) -> tuple[int, ...]:
    """An order as the source keeps it: () for the natural one."""
    return () if order == sorted(order) else tuple(order)


def _with_source(state: AppState, source: Source) -> AppState:
    lengths = token_lengths(source)
    chosen = state.selection.clamped(lengths, state.settings.d_model, state.settings.d_ff)
    return part(state, source=source, selection=chosen)


def _moved(token: int, start: int, *, to: int) -> int:
    if token == start:
        return to
    if start < token <= to:
        return token - 1
    if to <= token < start:
        return token + 1
    return token
