"""Bill of a whole model, or of one of its layers: every parameter and FLOP, with formulas."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import get_args

from ffn_explorer.core.architecture import NORM_VECTORS, LayerShape, ModelShape
from ffn_explorer.core.attention_rows import Reach, projection_rows, score_rows
from ffn_explorer.core.bill_row import Part, Row, Use, matrix, vector
from ffn_explorer.core.ffn_rows import ffn_rows
from ffn_explorer.core.sums import ZERO, Factor, term

_SUBSCRIPTS = "₁₂₃₄₅₆₇₈₉"

_PARTS: tuple[Part, ...] = get_args(Part)


@dataclass(frozen=True, slots=True)
class ModelBill:
    """Rows of a bill; sums over them by part.

    Bytes are rounded up to whole ones.
    """

    rows: tuple[Row, ...]
    use: Use

    def count(self, *parts: Part) -> int:
        """Parameters there are, of these parts or of all."""
        return sum(row.count.value for row in self._of(parts))

    def active(self, *parts: Part) -> int:
        """Parameters that one token uses."""
        return sum(row.active.value for row in self._of(parts))

    def flops(self, *parts: Part) -> int:
        """FLOPs spent on all new tokens."""
        return sum(row.flops.value for row in self._of(parts))

    def cached(self) -> int:
        """Numbers that stay for later tokens."""
        return sum(row.cached.value for row in self.rows)

    def weights(self, *parts: Part, active: bool = False) -> int:
        """Parameters that are multiplied with tokens: matrices, without biases and norms."""
        rows = [row for row in self._of(parts) if row.is_matrix]
        return sum((row.active if active else row.count).value for row in rows)

    def bytes_of(self, row: Row) -> int:
        """Bytes of a row: its parameters, and what it keeps for later tokens."""
        return -(-row.count.value * self.use.bits // 8) + -(-row.cached.value * self.use.cache_bits // 8)

    def _of(self, parts: tuple[Part, ...]) -> list[Row]:
        return [row for row in self.rows if not parts or row.part in parts]


@lru_cache(maxsize=64)
def model_bill(model: ModelShape, use: Use) -> ModelBill:
    """Bill of all layers, and of what stands around them."""
    return _bill([*_inside(model, model.layers, use), *_around(model, use)], use)


@lru_cache(maxsize=64)
def layer_bill(model: ModelShape, use: Use) -> ModelBill:
    """Bill of one layer of the form that most layers have; while decoding, of those that are at work."""
    working = [layer for layer in model.layers if not _idle(layer, use)]
    one = max(working, key=lambda layer: layer.count, default=model.usual_layer)
    return _bill(_inside(model, (one,), use, one=True), use)


def _bill(rows: list[Row], use: Use) -> ModelBill:
    """One row for each name, part by part."""
    found: dict[str, Row] = {}
    for row in rows:
        found[row.name] = found[row.name].plus(row) if row.name in found else row
    return ModelBill(tuple(sorted(found.values(), key=lambda row: _PARTS.index(row.part))), use)


def _inside(model: ModelShape, layers: tuple[LayerShape, ...], use: Use, *, one: bool = False) -> list[Row]:
    """Rows of layers; those that are alike in a sublayer share its terms.  one: a single layer, without L."""
    d, made = model.d_model, []

    def sublayers(
        alike: Callable[[LayerShape], object], rows_of: Callable[[LayerShape, str], list[Row]]
    ) -> None:
        for layer, copies, tag in _kinds(layers, alike):
            rows = rows_of(layer, tag)
            made.extend(rows if one else [row.times(copies) for row in rows])

    sublayers(lambda n: (n.ffn, n.stack), lambda n, tag: ffn_rows(n.ffn, d, tokens=_tokens(n, use), tag=tag))
    sublayers(
        lambda n: (replace(n.attention, window=0), n.stack),
        lambda n, tag: projection_rows(n.attention, d, _reach(n, use), tag=tag),
    )
    sublayers(
        lambda n: (n.attention, n.stack), lambda n, tag: score_rows(n.attention, _reach(n, use), tag=tag)
    )
    sublayers(lambda n: n.cross, lambda n, tag: _cross(n, d, use, tag=tag))
    sublayers(lambda n: n.norms, lambda n, _: _norms(model, n.norms))
    return made


def _kinds(
    layers: tuple[LayerShape, ...], alike: Callable[[LayerShape], object]
) -> Iterator[tuple[LayerShape, Factor, str]]:
    """Layers that are alike in something: one of them, how many there are, and a tag where others differ."""
    kinds: dict[object, list[LayerShape]] = {}
    for layer in layers:
        kinds.setdefault(alike(layer), []).append(layer)
    for number, found in enumerate(kinds.values()):
        tag = _SUBSCRIPTS[number] if len(kinds) > 1 else ""
        yield found[0], Factor(f"L{tag}", sum(layer.count for layer in found)), tag


def _idle(layer: LayerShape, use: Use) -> bool:
    """An encoder has done its work once its decoder goes on."""
    return layer.stack == "encoder" and use.decoding


def _tokens(layer: LayerShape, use: Use) -> int:
    return 0 if _idle(layer, use) else use.tokens


def _reach(layer: LayerShape, use: Use) -> Reach:
    decoder = layer.stack == "decoder"
    return Reach(use, causal=use.causal and decoder, idle=_idle(layer, use), keeps=decoder)


def _cross(layer: LayerShape, d_model: int, use: Use, *, tag: str) -> list[Row]:
    if layer.cross is None:
        return []
    reach = Reach(use, causal=False, across=True)
    return [*projection_rows(layer.cross, d_model, reach, tag=tag), *score_rows(layer.cross, reach, tag=tag)]


def _norms(model: ModelShape, norms: int) -> list[Row]:
    count = term(norms * NORM_VECTORS[model.norm], Factor("D", model.d_model))
    return [vector("norms", "norms", count)] if count.terms else []


def _around(model: ModelShape, use: Use) -> list[Row]:
    """Embeddings, positions, the last norms, the unembedding, and what else there is."""
    D, V = Factor("D", model.d_model), Factor("V", model.vocab)
    made = _norms(model, model.norms)
    if model.vocab:
        # Looked up, not multiplied with: this costs no FLOPs.
        made.append(vector("embeddings", "embeddings", term(V, D)))
    if model.positions:
        made.append(vector("positions", "embeddings", term(Factor("P", model.positions), D)))
    if model.vocab and model.unembedding:
        stored = ZERO if model.tied else term(V, D)
        head = matrix("unembedding", "embeddings", term(V, D), tokens=use.tokens)
        made.append(replace(head, count=stored, active=stored))
    if model.head_bias:
        made.append(vector("unembedding_bias", "embeddings", term(V)))
    made += [vector(f"extra.{extra.name}", "other", term(extra.count)) for extra in model.extras]
    return made
