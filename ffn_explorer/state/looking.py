"""Looking: what the panels of an opened file ask of it, beyond its layer and neuron."""

from dataclasses import dataclass, fields
from typing import Literal

By = Literal["gate", "up", "down"]
AtlasAxis = Literal["up_norm", "gate_norm", "down_norm", "cos_up_down", "cos_gate_down", "cos_gate_up"]

MOST_LETTERS = 200
"""Longest text that is taken for a token."""


@dataclass(frozen=True, slots=True)
class Looking:
    """Choices that the panels of an opened file share; kept with the session, never part of undo.

    normed: whether tokens are read with the final norm's gain, and the layer's norm for what a neuron reads.
    token: text of the token whose neurons are looked for, "" for none.  all_layers: over the whole file.
    by: whose nearest neurons are listed.  across, upward: what the atlas draws to the right and upwards; ""
    is the usual one.  again: grows where the same is asked once more, after a person stopped it.
    """

    normed: bool = True
    token: str = ""
    all_layers: bool = False
    by: By = "down"
    across: AtlasAxis | Literal[""] = ""
    upward: AtlasAxis | Literal[""] = ""
    again: int = 0


AXES: tuple[AtlasAxis, ...] = (
    "up_norm", "gate_norm", "down_norm", "cos_up_down", "cos_gate_down", "cos_gate_up"
)  # fmt: skip


def looking_from(data: dict[str, object]) -> Looking:
    """Choices of plain values; ValueError naming the first that cannot be."""
    choices: dict[str, tuple[object, ...]] = {
        "normed": (True, False),
        "all_layers": (True, False),
        "by": ("gate", "up", "down"),
        "across": ("", *AXES),
        "upward": ("", *AXES),
    }
    for field in fields(Looking):
        value = data.get(field.name, field.default)
        if type(value) is not type(field.default) or value not in choices.get(field.name, (value,)):
            raise ValueError(field.name)
    if len(str(data.get("token", ""))) > MOST_LETTERS:
        raise ValueError("token")
    return Looking(**{field.name: data[field.name] for field in fields(Looking) if field.name in data})  # type: ignore[arg-type]
