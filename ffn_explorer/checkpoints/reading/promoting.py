"""Which neurons of one layer, or of all, push a token most: their columns against its unembedding row."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.checkpoints.reading.banks import Bank, writing_bank
from ffn_explorer.checkpoints.reading.gains import Gain
from ffn_explorer.checkpoints.reading.products import Wide, products, wide
from ffn_explorer.checkpoints.reading.ranking import Best, Ranked
from ffn_explorer.checkpoints.reading.steps import Asked, Steps, Told, never, quiet
from ffn_explorer.checkpoints.reading.token_banks import unembedding_bank
from ffn_explorer.checkpoints.scheme import LayerScheme, Scheme
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError

DENSE, SHARED = -1, -2
"""Instead of an expert's number: the FFN of a dense layer, the shared expert of a mixture."""


@dataclass(frozen=True, slots=True, eq=False)
class NeuronsRanked:
    """Neurons `[k]`, best first: layer by its place in the file's list, expert (or DENSE, SHARED), score."""

    layer: NDArray[np.int64]
    expert: NDArray[np.int64]
    neuron: NDArray[np.int64]
    score: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Promoting:
    """Neurons that push the token up most, and down most; gain as in Tokens; seen: share that took part."""

    token: int
    most: NeuronsRanked
    least: NeuronsRanked
    gain: str | None
    seen: float = 1.0


Found = Callable[[Promoting], None]


def unheard(_found: Promoting) -> None:
    """Show nobody what was found so far."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One FFN or expert: its columns, and the running number of its first neuron."""

    layer: int
    expert: int
    first: int
    bank: Bank


def promoting_neurons(
    source: Source,
    scheme: Scheme,
    token: int,
    *,
    layers: Sequence[int],
    gain: Gain | None,
    count: int = 10,
    experts: Sequence[int] | None = None,
    told: Told = quiet,
    found: Found = unheard,
    cancelled: Asked = never,
) -> Promoting:
    """Score s u · v of every neuron, u the token's unembedding row and v the neuron's column; with a gain
    s u · (g ⊙ P v), as in `written_tokens`, whose omissions hold here too.

    layers: places in `scheme.layers`.  experts: of mixtures, None for all of them and the shared one.
    Raises Stopped when cancelled, InputError where there is no such token, layer or expert, and where widths
    differ.
    """
    for layer in layers:
        if not 0 <= layer < len(scheme.layers):
            last = len(scheme.layers) - 1
            raise InputError("error.range", field="layer", value=layer, low=0, high=last)
    parts = list(_parts(source, scheme, layers, experts))
    rows = unembedding_bank(source, scheme.lens, scheme.layers[layers[0]].d_model if layers else 0)
    if not 0 <= token < rows.count:
        raise InputError("error.range", field="token", value=token, low=0, high=rows.count - 1)
    for part in parts:
        if part.bank.width != rows.width:
            raise InputError(
                "reading.width", tensor=rows.plane.name, width=rows.width, d_model=part.bank.width
            )
    row = wide(rows.vector(token))
    with np.errstate(all="ignore"):
        row = (row if gain is None else gain.before(row)) * scheme.lens.logit_scale
    best, steps = Best(count), Steps(told, cancelled)
    named = None if gain is None else gain.tensor
    for share in _scored(parts, row, best):
        if steps.at(share) and share < 1.0:
            found(Promoting(token, _named(best.most(), parts), _named(best.least(), parts), named, share))
    done = Promoting(token, _named(best.most(), parts), _named(best.least(), parts), named)
    found(done)
    return done


def _scored(parts: Sequence[_Part], row: Wide, best: Best) -> Iterator[float]:
    """Share that is done, after every block whose scores are among the best now."""
    whole = sum(part.bank.count * part.bank.width for part in parts)
    before = 0
    for part in parts:
        size = part.bank.count * part.bank.width
        for piece in products(part.bank, row[None]):
            best.add(part.first + piece.first, piece.dots[0])
            yield (before + piece.share * size) / whole
        before += size


def _parts(
    source: Source, scheme: Scheme, layers: Sequence[int], experts: Sequence[int] | None
) -> Iterator[_Part]:
    first = 0
    for at in layers:
        layer = scheme.layers[at]
        for expert in _experts(layer, experts):
            mlp = layer.shared if expert == SHARED else layer.mlp
            assert mlp is not None
            bank = writing_bank(source, mlp, expert=max(-1, expert))
            yield _Part(at, expert, first, bank)
            first += bank.count


def _experts(layer: LayerScheme, experts: Sequence[int] | None) -> Sequence[int]:
    if layer.kind == "dense":
        return (DENSE,)
    if experts is None:
        return (*range(layer.experts), *((SHARED,) if layer.shared is not None else ()))
    for expert in experts:
        if not 0 <= expert < layer.experts:
            raise InputError("error.range", field="expert", value=expert, low=0, high=layer.experts - 1)
    return experts


def _named(ranked: Ranked, parts: Sequence[_Part]) -> NeuronsRanked:
    """Running numbers as layer, expert and neuron."""
    firsts = np.array([part.first for part in parts], np.int64)
    at = np.searchsorted(firsts, ranked.ids, side="right") - 1
    layer = np.array([parts[i].layer for i in at], np.int64)
    expert = np.array([parts[i].expert for i in at], np.int64)
    return NeuronsRanked(layer, expert, ranked.ids - firsts[at] if len(at) else ranked.ids, ranked.scores)
