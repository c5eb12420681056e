"""Atlas as rows: which of a layer's neurons are listed, in which order, and by which number."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.state.looking import AXES, AtlasAxis, Looking

if TYPE_CHECKING:
    from ffn_explorer.state.file_results import Atlas

Ints = NDArray[np.int64]
Numbers = NDArray[np.float32]
Columns = dict[AtlasAxis, Numbers]
"""Numbers of every neuron `[F]`, by what they are."""

Sign = Literal["<", "<=", ">", ">="]

NORMS: dict[str, AtlasAxis] = {"gate": "gate_norm", "up": "up_norm", "down": "down_norm"}

_COSINES: dict[frozenset[str], AtlasAxis] = {
    frozenset({"up", "down"}): "cos_up_down",
    frozenset({"gate", "down"}): "cos_gate_down",
    frozenset({"gate", "up"}): "cos_gate_up",
}
_ROLE = r"(?:gate|up|down)"
_CONDITION = re.compile(
    rf"(?P<name>cos\s*\(\s*{_ROLE}\s*[,、]\s*{_ROLE}\s*\)|‖?\s*{_ROLE}\s*‖?|\|?\|?{_ROLE}\|?\|?)?"
    r"\s*(?P<sign><=|>=|≤|≥|<|>|＜|＞)\s*(?P<number>[-+−]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:e[-+]?\d{1,2})?)",
    re.IGNORECASE,
)
"""One condition; every length is bounded, so that no text takes long."""

_SIGNS: dict[str, Sign] = {"≤": "<=", "≥": ">=", "＜": "<", "＞": ">"}
_BETWEEN = re.compile(r"[\s,;、，]*|\s*and\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Condition:
    """A bound on one number of every neuron."""

    axis: AtlasAxis
    sign: Sign
    bound: float

    def holds(self, values: Numbers) -> NDArray[np.bool_]:
        """Where it holds `[F]`; nowhere for what is not a number."""
        tests = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
        found: NDArray[np.bool_] = tests[self.sign](values, np.float32(self.bound))
        return found


def columns_of(atlas: "Atlas") -> Columns:
    """Numbers of every neuron `[F]` by what they are; without a gate, half as many."""
    found = {axis: getattr(atlas.values, axis) for axis in AXES}
    return {axis: values for axis, values in found.items() if values is not None}


def across_of(looking: Looking, columns: Columns) -> AtlasAxis:
    """What is drawn to the right: the norm of what reads first, unless something else is chosen."""
    if looking.across and looking.across in columns:
        return looking.across
    return "gate_norm" if "gate_norm" in columns else "up_norm"


def upward_of(looking: Looking, columns: Columns) -> AtlasAxis:
    """What is drawn upwards: the norm of what is written, unless something else is chosen."""
    return looking.upward if looking.upward and looking.upward in columns else "down_norm"


def is_cosine(axis: AtlasAxis) -> bool:
    """Whether it is a cosine, between −1 and 1; else a norm, at least 0."""
    return axis.startswith("cos")


def colour_of(sort: AtlasAxis, columns: Columns) -> AtlasAxis:
    """The cosine that colours stand for: the one that is listed first, else that of reading and writing."""
    if is_cosine(sort):
        return sort
    return "cos_gate_down" if "cos_gate_down" in columns else "cos_up_down"


def sorted_by(asked: str, columns: Columns, usual: AtlasAxis) -> tuple[AtlasAxis, bool]:
    """What a list is ordered by, and whether the smallest comes first; "-down_norm" is the smallest first."""
    name = asked.removeprefix("-")
    axis = next((axis for axis in columns if axis == name), None)
    return (usual, False) if axis is None else (axis, asked.startswith("-"))


def conditions_in(typed: str, sort: AtlasAxis) -> tuple[Condition, ...] | None:
    """Conditions such as "> 6", "down > 6" or "cos(up, down) < -0.2"; None where it is something else.

    One without a name is of what the list is ordered by.
    """
    found, past = [], 0
    for match in _CONDITION.finditer(typed):
        if not _BETWEEN.fullmatch(typed[past : match.start()]):
            return None
        past = match.end()
        axis = sort if match["name"] is None else _axis(match["name"])
        if axis is None:
            return None
        sign = _SIGNS.get(match["sign"], match["sign"])
        found.append(Condition(axis, sign, float(match["number"].replace("−", "-"))))  # type: ignore[arg-type]
    return tuple(found) if _BETWEEN.fullmatch(typed[past:]) else None


def _axis(name: str) -> AtlasAxis | None:
    roles = re.findall(_ROLE, name.lower())
    return NORMS[roles[0]] if len(roles) == 1 else _COSINES.get(frozenset(roles))


@dataclass(frozen=True, slots=True, eq=False)
class AtlasRows:
    """Neurons in an order: by one number, those whose numbers are not all finite last.

    smallest: whether the smallest comes first.  conditions: those that fail one are left out; of a number
    that the layer has not, nothing holds.
    """

    columns: Columns
    sort: AtlasAxis
    smallest: bool
    conditions: tuple[Condition, ...] = ()
    order: Ints = field(init=False)
    """Row -> neuron."""
    place: Ints = field(init=False)
    """Neuron -> row, −1 for one that is left out `[F]`."""
    finite: int = field(init=False)
    """Rows before the first neuron with a number that is not finite."""
    broken: NDArray[np.bool_] = field(init=False)
    """Whether a neuron has such a number `[F]`."""
    kept: NDArray[np.bool_] = field(init=False)
    """Whether it is listed `[F]`."""

    def __post_init__(self) -> None:
        """Sort once."""
        count = len(self.columns["up_norm"])
        broken, kept = np.zeros(count, bool), np.ones(count, bool)
        for values in self.columns.values():
            broken |= ~np.isfinite(values)
        for condition in self.conditions:
            bound = self.columns.get(condition.axis)
            kept &= False if bound is None else condition.holds(bound)
        values = self.columns[self.sort]
        order = np.argsort(values if self.smallest else -values, kind="stable")
        order = order[kept[order]]
        order = np.concatenate([order[~broken[order]], order[broken[order]]])
        place = np.full(count, -1, np.int64)
        place[order] = np.arange(len(order))
        made = {
            "order": order,
            "place": place,
            "finite": int((~broken[order]).sum()),
            "broken": broken,
            "kept": kept,
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def place_of(self, neuron: int) -> int | None:
        """Row of a neuron, None where it is left out or there is no such neuron."""
        found = int(self.place[neuron]) if 0 <= neuron < len(self.place) else -1
        return None if found < 0 else found


def symbol(axis: AtlasAxis) -> str:
    """How a number of a neuron is written: "‖up‖", "cos(up, down)"."""
    if is_cosine(axis):
        _, one, other = axis.split("_")
        return f"cos({one}, {other})"
    return f"‖{axis.removesuffix('_norm')}‖"
