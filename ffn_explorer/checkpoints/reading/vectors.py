"""One neuron of a layer: what it reads with, what it writes, and where in the file each number stands."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ffn_explorer.checkpoints.codec import Floats
from ffn_explorer.checkpoints.reading.banks import Bank, place_of, reading_bank, writing_bank
from ffn_explorer.checkpoints.reading.products import wide
from ffn_explorer.checkpoints.scheme import LayerScheme, MlpScheme, TensorRef
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError

ROLES = ("gate", "up", "down")
"""The vectors of a neuron: two that read, where there is a gate, and one that writes."""


@dataclass(frozen=True, slots=True, eq=False)
class NeuronVectors:
    """Vectors `[D]` of one neuron, in float32 or, where the file is wider, float64.

    gate and up are rows: what the neuron reads with.  down is a column: what it writes.  gate is None without
    a gate, as are biases that the file has not; down's bias belongs to all neurons together.
    expert: of a mixture, None for a dense FFN and for the shared expert.
    norms: length of each vector, by role.  cosines: of "up_down", "gate_down" and "gate_up", NaN where a
    vector is 0.  slices: where each vector, and each bias ("up_bias"), stands, as the file names it.
    stored_as: type of the stored numbers, by role.  All numbers are the file's own; norms and cosines are
    computed from them in float64.
    """

    neuron: int
    expert: int | None
    shared: bool
    up: Floats
    down: Floats
    gate: Floats | None
    up_bias: float | None
    gate_bias: float | None
    norms: Mapping[str, float]
    cosines: Mapping[str, float]
    slices: Mapping[str, str]
    stored_as: Mapping[str, str]


def neuron_vectors(
    source: Source, layer: LayerScheme, neuron: int, *, expert: int | None = None, shared: bool = False
) -> NeuronVectors:
    """Read one neuron's rows and column, and hardly more of the file.

    Raises InputError where there is no such neuron or expert, or the numbers cannot be shown.
    """
    mlp, number = part_of(layer, expert=expert, shared=shared)
    check_neuron(mlp, neuron)
    banks = {role: bank_of(source, mlp, role, expert=number) for role in mlp.roles}
    vectors = {role: bank.vector(neuron) for role, bank in banks.items()}
    slices = {role: bank.text(neuron) for role, bank in banks.items()}
    biases: dict[str, float] = {}
    for role in ("gate", "up"):
        ref = mlp.roles.get(role)
        if ref is not None and ref.biases:
            biases[role], slices[f"{role}_bias"] = _bias(source, ref, neuron, expert=number)
    pairs = (("up", "down"), ("gate", "down"), ("gate", "up"))
    return NeuronVectors(
        neuron=neuron,
        expert=None if number < 0 else number,
        shared=shared,
        up=vectors["up"],
        down=vectors["down"],
        gate=vectors.get("gate"),
        up_bias=biases.get("up"),
        gate_bias=biases.get("gate"),
        norms={role: length(vector) for role, vector in vectors.items()},
        cosines={
            f"{a}_{b}": cosine(vectors[a], vectors[b]) for a, b in pairs if a in vectors and b in vectors
        },
        slices=slices,
        stored_as={role: bank.plane.stored_as for role, bank in banks.items()},
    )


def part_of(layer: LayerScheme, *, expert: int | None, shared: bool) -> tuple[MlpScheme, int]:
    """The FFN that is meant, and the number of the expert, -1 where there is one FFN only.

    Raises InputError where a mixture's expert is not said or not there, or a dense layer is asked for one.
    """
    if shared:
        if layer.shared is None:
            raise InputError("reading.no_shared", layer=layer.index)
        return layer.shared, -1
    if layer.kind == "dense":
        if expert is not None:
            raise InputError("reading.no_experts", layer=layer.index)
        return layer.mlp, -1
    if expert is None:
        raise InputError("reading.which_expert", layer=layer.index, last=layer.experts - 1)
    if not 0 <= expert < layer.experts:
        raise InputError("error.range", field="expert", value=expert, low=0, high=layer.experts - 1)
    return layer.mlp, expert


def check_neuron(mlp: MlpScheme, neuron: int) -> None:
    """InputError where the FFN has no such neuron."""
    d_ff = mlp.up.shape[0]
    if not 0 <= neuron < d_ff:
        raise InputError("error.range", field="neuron", value=neuron, low=0, high=d_ff - 1)


def bank_of(source: Source, mlp: MlpScheme, role: str, *, expert: int) -> Bank:
    """The vectors of all neurons in one role."""
    if role == "down":
        return writing_bank(source, mlp, expert=expert)
    return reading_bank(source, mlp, role, expert=expert)


def length(vector: Floats) -> float:
    """Euclidean norm, in float64."""
    with np.errstate(all="ignore"):
        one = wide(vector)
        return float(np.sqrt(np.einsum("d,d->", one, one)))


def cosine(one: Floats, other: Floats) -> float:
    """Cosine of the angle between two vectors, in float64; NaN where one is 0 or not finite."""
    with np.errstate(all="ignore"):
        size = length(one) * length(other)
        product = float(np.einsum("d,d->", wide(one), wide(other)))
        return float(np.float64(product) / size)


def _bias(source: Source, ref: TensorRef, neuron: int, *, expert: int) -> tuple[float, str]:
    """A neuron's bias, and where it stands."""
    name = ref.biases[expert if ref.expert == "name" else 0]
    stored = source.stored(name)
    start, step = place_of(ref)
    index = start + step * neuron
    lead = ""
    at = index
    if ref.expert == "axis0" and stored.shape:
        each = stored.rows * stored.columns // max(1, stored.shape[0])  # numbers of one expert
        lead, at = f"{expert}, ", index + expert * each
    if not 0 <= at < stored.rows * stored.columns:
        raise InputError(
            "checkpoint.layer_shapes", tensor=name, shapes=str(list(stored.shape)), d_model=ref.shape[1]
        )
    row, column = divmod(at, stored.columns)
    value = source.tile(name, (row, row + 1), (column, column + 1))
    return float(value[0, 0]), f"{name}[{lead}{index}]"
