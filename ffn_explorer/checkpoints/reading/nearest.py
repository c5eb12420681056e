"""Neurons whose vectors point most nearly as one neuron's, and those that point most against it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ffn_explorer.checkpoints.reading.products import products, wide
from ffn_explorer.checkpoints.reading.ranking import Best, Ranked
from ffn_explorer.checkpoints.reading.steps import Asked, Steps, Told, never, quiet
from ffn_explorer.checkpoints.reading.vectors import bank_of, check_neuron, length, part_of
from ffn_explorer.checkpoints.scheme import LayerScheme
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError

Role = Literal["gate", "up", "down"]


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """Other neurons of the same FFN or expert; scores are cosines.

    most: largest cosine first.  least: smallest, that is most opposite, first.  NaN last: vectors that are 0
    or hold no finite numbers have no direction.
    """

    neuron: int
    by: Role
    most: Ranked
    least: Ranked


def nearest(
    source: Source,
    layer: LayerScheme,
    neuron: int,
    *,
    by: Role,
    count: int = 10,
    expert: int | None = None,
    shared: bool = False,
    told: Told = quiet,
    cancelled: Asked = never,
) -> Nearest:
    """Neurons of the layer by the cosine between their vector of one role and this one's, in float64.

    Raises Stopped when cancelled, InputError where there is no such neuron, expert or gate.
    """
    mlp, number = part_of(layer, expert=expert, shared=shared)
    check_neuron(mlp, neuron)
    if by not in mlp.roles:
        raise InputError("reading.no_gate", layer=layer.index)
    bank = bank_of(source, mlp, by, expert=number)
    own = bank.vector(neuron)
    size, steps, best = length(own), Steps(told, cancelled), Best(count)
    for part in products(bank, wide(own)[None], squares=True):
        steps.at(part.share)
        assert part.squares is not None or not part.dots.size
        if part.squares is None:
            continue
        with np.errstate(all="ignore"):
            cosines = part.dots[0] / (np.sqrt(part.squares) * size)
        _add(best, part.first, cosines, neuron)
    return Nearest(neuron, by, best.most(), best.least())


def _add(best: Best, first: int, cosines: np.ndarray, neuron: int) -> None:
    """All but the neuron itself."""
    at = neuron - first
    if 0 <= at < len(cosines):
        best.add(first, cosines[:at])
        best.add(neuron + 1, cosines[at + 1 :])
    else:
        best.add(first, cosines)
