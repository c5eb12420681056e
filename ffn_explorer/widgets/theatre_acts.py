"""What typing, flipping and removing in the grids of a hand-built memory changes."""

import math

from ffn_explorer.core.errors import InputError
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.change import Change
from ffn_explorer.widgets.number_grid_plan import Place

_OF_NEURON = ("neuron", "key", "bias", "value")
_OF_PATTERN = ("pattern", "entry")


def typed(place: Place, text: str) -> Change:
    """The change that a name or number typed in a cell asks for; a refusal where it is no number."""
    kind, first, second = place
    renames = {
        "feature": changes.rename_feature,
        "neuron": changes.rename_neuron,
        "pattern": changes.rename_pattern,
    }
    if kind in renames:
        return renames[kind](first, text)
    value = number_in(text)
    if value is None:
        return _not_a_number(text)
    if kind == "bias":
        return changes.set_bias(first, value)
    sets = {"key": changes.set_key, "value": changes.set_value, "entry": changes.set_entry}
    return sets[kind](first, second, value=value)


def flipped(place: Place) -> Change | None:
    """Switch a feature of a pattern on or off; other numbers are not flipped."""
    kind, first, second = place
    return changes.flip_entry(first, second) if kind == "entry" else None


def removed(place: Place) -> Change | None:
    """Take away the neuron or pattern that a cell belongs to; features stay."""
    kind, first, _ = place
    if kind in _OF_NEURON:
        return changes.remove_neuron(first)
    return changes.remove_pattern(first) if kind in _OF_PATTERN else None


def number_in(text: str) -> float | None:
    """Finite number from "1", "−0.5" or "2,5"; None for anything else."""
    try:
        value = float(text.strip().replace("−", "-").replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _not_a_number(text: str) -> Change:
    """A change that cannot be made, with its reason."""

    def refuse(_state: AppState) -> AppState:
        raise InputError("error.hand_typed", value=text)

    return Change("undo.memory_number", refuse)
