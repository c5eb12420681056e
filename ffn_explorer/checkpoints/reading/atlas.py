"""All neurons of a layer at once: how long they read and write, and at which angles; streamed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.checkpoints.codec import Floats
from ffn_explorer.checkpoints.reading.banks import Bank
from ffn_explorer.checkpoints.reading.products import BLOCK, Wide, wide
from ffn_explorer.checkpoints.reading.steps import Asked, Steps, Told, never, quiet
from ffn_explorer.checkpoints.reading.vectors import bank_of, part_of
from ffn_explorer.checkpoints.scheme import LayerScheme
from ffn_explorer.checkpoints.tensors import Source, check_room

Narrow = NDArray[np.float32]

HELD = 2**23
"""Numbers held of matrices whose vectors stand apart: 32 MB in float32, and long reads all the same."""


@dataclass(frozen=True, slots=True, eq=False)
class LayerAtlas:
    """Of every neuron `[F]`: norms of its vectors, cosines between them; None without a gate.

    Summed in float64, kept in float32. A cosine is NaN where a vector is 0 or holds no finite numbers.
    """

    up_norm: Narrow
    down_norm: Narrow
    cos_up_down: Narrow
    gate_norm: Narrow | None = None
    cos_gate_down: Narrow | None = None
    cos_gate_up: Narrow | None = None


def layer_atlas(
    source: Source,
    layer: LayerScheme,
    *,
    expert: int | None = None,
    shared: bool = False,
    told: Told = quiet,
    cancelled: Asked = never,
) -> LayerAtlas:
    """Read the layer's matrices once, some neurons at a time.

    Raises Stopped when cancelled, InputError where there is no such expert or the numbers cannot be shown.
    """
    mlp, number = part_of(layer, expert=expert, shared=shared)
    banks = {role: bank_of(source, mlp, role, expert=number) for role in mlp.roles}
    steps = Steps(told, cancelled)
    check_room(len(_pairs(banks)) * mlp.up.shape[0])
    sums = {pair: np.zeros(mlp.up.shape[0]) for pair in _pairs(banks)}
    for first, vectors in _blocks(banks, steps):
        past = first + len(vectors["up"])
        with np.errstate(all="ignore"):
            for (a, b), found in sums.items():
                found[first:past] = np.einsum("nd,nd->n", vectors[a], vectors[b])
    steps.at(1.0)
    return _atlas(sums)


def _pairs(banks: Mapping[str, Bank]) -> list[tuple[str, str]]:
    """Which roles are multiplied with which."""
    roles = list(banks)
    return [(a, b) for at, a in enumerate(roles) for b in roles[at:]]


def _blocks(banks: Mapping[str, Bank], steps: Steps) -> Iterator[tuple[int, dict[str, Wide]]]:
    """First neuron and vectors `[n, D]` of each role, for some neurons after the others.

    Where vectors stand apart, many are read at once, as each of their numbers is a read of its own.
    """
    some = next(iter(banks.values()))
    apart = [role for role, bank in banks.items() if bank.apart]
    for role in apart:
        banks[role].plane.expect()
    small = max(1, BLOCK // max(1, some.width))
    many = max(small, HELD // max(1, some.width * max(1, len(apart))) // small * small)
    for start in range(0, some.count, many):
        stop = min(start + many, some.count)
        held = {}
        for role in apart:
            steps.at(start / some.count)
            held[role] = banks[role].block(start, stop)
        for first in range(start, stop, small):
            past = min(first + small, stop)
            steps.at(first / some.count)
            yield (
                first,
                {role: _some(bank, held.get(role), (start, first, past)) for role, bank in banks.items()},
            )


def _some(bank: Bank, held: Floats | None, place: tuple[int, int, int]) -> Wide:
    start, first, past = place
    return wide(bank.block(first, past) if held is None else held[first - start : past - start])


def _atlas(sums: Mapping[tuple[str, str], Wide]) -> LayerAtlas:
    norms = {role: np.sqrt(own) for (role, other), own in sums.items() if role == other}
    gated = "gate" in norms
    with np.errstate(all="ignore"):

        def cos(a: str, b: str) -> Narrow:
            found: Wide = sums[a, b] / (norms[a] * norms[b])
            return found.astype(np.float32)

        return LayerAtlas(
            up_norm=norms["up"].astype(np.float32),
            down_norm=norms["down"].astype(np.float32),
            cos_up_down=cos("up", "down"),
            gate_norm=norms["gate"].astype(np.float32) if gated else None,
            cos_gate_down=cos("gate", "down") if gated else None,
            cos_gate_up=cos("gate", "up") if gated else None,
        )
