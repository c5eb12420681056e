"""Changes of a memory built by hand: choosing one, every number and name in it, its neurons and patterns."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.handmade import HandMemory, HandNeuron, HandPattern, misfit, settings_of
from ffn_explorer.core.handmade_examples import EXAMPLES
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState, Compare, Selection, Source
from ffn_explorer.state.before import before_of, left
from ffn_explorer.state.change import Change, part
from ffn_explorer.state.text import text
from ffn_explorer.state.token_lengths import token_lengths

Act = Callable[[HandMemory], HandMemory]
Item = TypeVar("Item")


def check(source: Source, settings: Settings) -> None:
    """Refuse settings that the source's hand-built memory or file cannot follow; InputError, one sentence."""
    if source.opened is not None:
        from ffn_explorer.state.opened_changes import check_opened  # the first picture needs none of it

        check_opened(source, settings)
    wrong = None if source.memory is None else misfit(source.memory, settings)
    if wrong == "activation":
        raise InputError("error.hand_gate")
    if wrong is not None:
        raise InputError("error.hand_setting", field=text(f"control.{wrong}"))


def check_state(state: AppState) -> None:
    """Refuse a state whose settings, of A or of B, do not fit its hand-built memory or its opened file."""
    check(state.source, state.settings)
    if state.compare is not None:
        check(state.source, state.compare.settings)


def use_memory(name: str) -> Change:
    """Take an example of EXAMPLES in place of sentences and their FFN; these come back on leaving."""
    memory = EXAMPLES[name]

    def to(state: AppState) -> AppState:
        # From one memory to another: what was there before the first is what comes back.
        before = before_of(state) if state.source.plain else state.before_memory
        chosen = Selection(token=_fired(memory))
        plain = part(state, edits=Edits(), compare=None, selection=chosen, before_memory=before)
        return _with_memory(plain, memory)

    return Change("undo.memory", to)


def leave_memory() -> Change:
    """Back to the sentences and their FFN, with everything as it was before the memory."""
    return Change("undo.memory_leave", left)


def set_key(neuron: int, dim: int, *, value: float, gesture: str = "") -> Change:
    """Set how strongly a neuron reads a feature."""
    return _number(
        lambda m: _on_neuron(m, neuron, lambda n: replace(n, key=_put(n.key, dim, value))), gesture
    )


def set_bias(neuron: int, value: float, *, gesture: str = "") -> Change:
    """Set the bias of a neuron: how much it waits for (negative) or fires by itself."""
    return _number(lambda m: _on_neuron(m, neuron, lambda n: replace(n, bias=value)), gesture)


def set_value(neuron: int, dim: int, *, value: float, gesture: str = "") -> Change:
    """Set how strongly a neuron writes a feature."""
    return _number(
        lambda m: _on_neuron(m, neuron, lambda n: replace(n, value=_put(n.value, dim, value))), gesture
    )


def set_entry(pattern: int, dim: int, *, value: float, gesture: str = "") -> Change:
    """Set a feature of an input pattern."""
    return _number(lambda m: _on_pattern(m, pattern, lambda p: replace(p, x=_put(p.x, dim, value))), gesture)


def flip_entry(pattern: int, dim: int) -> Change:
    """Switch a feature of an input pattern: on where it is 0, else off."""

    def flipped(was: HandPattern) -> HandPattern:
        inside = 0 <= dim < len(was.x)
        return replace(was, x=_put(was.x, dim, float(was.x[dim] == 0.0))) if inside else was

    return _number(lambda m: _on_pattern(m, pattern, flipped), "")


def rename_feature(dim: int, name: str) -> Change:
    """Give a feature another name."""
    return Change(
        "undo.memory_name", _edit(lambda m: replace(m, features=_put(m.features, dim, name.strip())))
    )


def rename_neuron(neuron: int, name: str) -> Change:
    """Give a neuron another name."""
    act = _edit(lambda m: _on_neuron(m, neuron, lambda n: replace(n, name=name.strip())))
    return Change("undo.memory_name", act)


def rename_pattern(pattern: int, name: str) -> Change:
    """Give an input pattern another name."""
    act = _edit(lambda m: _on_pattern(m, pattern, lambda p: replace(p, name=name.strip())))
    return Change("undo.memory_name", act)


def add_neuron() -> Change:
    """Add a neuron that reads and writes nothing yet, after the others."""

    def added(memory: HandMemory) -> HandMemory:
        nothing = (0.0,) * memory.d_model
        fresh = HandNeuron(f"m{memory.d_ff}", nothing, 0.0, nothing)
        return replace(memory, neurons=(*memory.neurons, fresh))

    return Change("undo.memory_add", _edit(added))


def add_pattern() -> Change:
    """Add an input pattern with every feature off, after the others."""

    def added(memory: HandMemory) -> HandMemory:
        fresh = HandPattern(f"x{len(memory.patterns)}", (0.0,) * memory.d_model)
        return replace(memory, patterns=(*memory.patterns, fresh))

    return Change("undo.memory_add", _edit(added))


def remove_neuron(neuron: int) -> Change:
    """Take a neuron away; InputError for the last one."""
    return Change("undo.memory_remove", _edit(lambda m: replace(m, neurons=_without(m.neurons, neuron))))


def remove_pattern(pattern: int) -> Change:
    """Take an input pattern away; InputError for the last one."""
    return Change("undo.memory_remove", _edit(lambda m: replace(m, patterns=_without(m.patterns, pattern))))


def _number(act: Act, gesture: str) -> Change:
    return Change("undo.memory_number", _edit(act), gesture)


def _edit(act: Act) -> Callable[[AppState], AppState]:
    """An act on the memory as one on the state; nothing where the source has none."""

    def to(state: AppState) -> AppState:
        memory = state.source.memory
        return state if memory is None else _with_memory(state, act(memory))

    return to


def _with_memory(state: AppState, memory: HandMemory) -> AppState:
    """State with another memory, and with settings, B and a selection that fit it."""
    kept = memory.patterns if state.source.memory is None else state.source.memory.patterns
    same = state.source.memory is not None and len(kept) == len(memory.patterns)
    orders = state.source.orders if same else tuple(() for _ in state.source.sentences)
    source = part(state.source, memory=memory, opened=None, orders=orders)
    settings = settings_of(memory, state.settings)
    return part(
        state,
        source=source,
        settings=settings,
        edits=state.edits.fitting(settings),
        compare=None if state.compare is None else _fitting(state.compare, memory),
        selection=state.selection.clamped(token_lengths(source), memory.d_model, memory.d_ff),
    )


def _fitting(compare: Compare, memory: HandMemory) -> Compare:
    settings = settings_of(memory, compare.settings)
    return part(compare, settings=settings, edits=compare.edits.fitting(settings))


def _fired(memory: HandMemory) -> int:
    """The pattern at which most keys match, the first of several: there is most to see."""
    matches = [sum(_reads(n, p) > 0.0 for n in memory.neurons) for p in memory.patterns]
    return matches.index(max(matches))


def _reads(neuron: HandNeuron, pattern: HandPattern) -> float:
    return sum(k * x for k, x in zip(neuron.key, pattern.x, strict=True)) + neuron.bias


def _on_neuron(memory: HandMemory, at: int, act: Callable[[HandNeuron], HandNeuron]) -> HandMemory:
    if not 0 <= at < len(memory.neurons):
        return memory
    return replace(memory, neurons=_put(memory.neurons, at, act(memory.neurons[at])))


def _on_pattern(memory: HandMemory, at: int, act: Callable[[HandPattern], HandPattern]) -> HandMemory:
    if not 0 <= at < len(memory.patterns):
        return memory
    return replace(memory, patterns=_put(memory.patterns, at, act(memory.patterns[at])))


def _put(items: tuple[Item, ...], at: int, item: Item) -> tuple[Item, ...]:
    """The items with another one at a place; as they are where there is no such place."""
    return (*items[:at], item, *items[at + 1 :]) if 0 <= at < len(items) else items


def _without(items: tuple[Item, ...], at: int) -> tuple[Item, ...]:
    return (*items[:at], *items[at + 1 :]) if 0 <= at < len(items) else items
