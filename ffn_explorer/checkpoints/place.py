"""One layer of one stack under one prefix, and what a checkpoint has by its names."""

from collections.abc import Mapping
from dataclasses import dataclass

from ffn_explorer.checkpoints.family import Stack
from ffn_explorer.checkpoints.names import Key, Names
from ffn_explorer.checkpoints.packing import Packed
from ffn_explorer.checkpoints.scheme import NormRef
from ffn_explorer.checkpoints.settings_view import View

WEIGHT_ENDS = ("", ".weight", ".gamma", ".scale", ".w", "_weight", ".g")
BIAS_ENDS = (".bias", ".beta", ".b", "_bias")


class Misfit(Exception):
    """Names fit, but tensors are missing or shapes contradict each other."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key, values)
        self.key = key
        self.values = values


@dataclass(frozen=True, slots=True)
class Place:
    """One layer of one stack, under one prefix."""

    names: Names
    packed: Mapping[str, Packed]
    view: View
    stack: Stack
    prefix: str
    key: Key

    def full(self, name: str) -> str:
        """Pattern of a name of this layer; counters still open."""
        return self.prefix + (name[1:] if name.startswith("/") else self.stack.layers + name)

    def all_of(self, name: str) -> Mapping[int, str]:
        """Expert number, or -1, -> unwrapped name of the file; empty where it has none."""
        return self.names.find(self.full(name)).get(self.key, {}) if name else {}

    def one(self, name: str) -> str:
        """Unwrapped name of a single tensor, "" where the file has none."""
        return self.all_of(name).get(-1, "")

    def own(self, name: str) -> str:
        """Name in the file of an unwrapped one."""
        return self.names.own[name] if name else ""

    def shown(self, name: str) -> str:
        """A pattern with this layer's counters filled in; {expert} stays."""
        text = self.full(name)
        for number in self.key:
            start, end = text.find("{"), text.find("}")
            if start < 0 or text[start:end] == "{expert":
                break
            text = f"{text[:start]}{number}{text[end + 1 :]}"
        return text

    def norm(self, stem: str) -> NormRef:
        """Weight and bias of a norm by its name without endings."""
        weight = next((found for end in WEIGHT_ENDS if (found := self.one(stem + end))), "") if stem else ""
        bias = next((found for end in BIAS_ENDS if (found := self.one(stem + end))), "") if stem else ""
        return NormRef(weight, bias)

    def owned(self, norm: NormRef) -> NormRef:
        """A norm's names in the file."""
        return NormRef(self.own(norm.weight), self.own(norm.bias))
