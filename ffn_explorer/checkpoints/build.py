"""A layer of a checkpoint as core's FFN or MoE, its tensors read and laid out as nn.Linear has them."""

from dataclasses import dataclass, replace
from math import prod

import torch
from torch import Tensor

from ffn_explorer.checkpoints.matrices import Reader
from ffn_explorer.checkpoints.scheme import LayerScheme, MlpScheme, NormRef
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core import budget
from ffn_explorer.core.errors import InputError, MemoryRefusal
from ffn_explorer.core.experts import StoredExperts
from ffn_explorer.core.ffn import FFN, NormWeights, Origin
from ffn_explorer.core.moe import MoE, Router
from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.core.token_shift import TokenShift


def build_layer(layer: LayerScheme, source: Source, *, dtype: torch.dtype = torch.float32) -> FFN | MoE:
    """The layer with its tensors, in `dtype`.

    Experts are read when they are looked at, so that some of the following may be raised only then.
    Raises InputError where the activation or the router's rule is unknown, where core cannot compute it yet,
    and where the file's numbers cannot be shown; MemoryRefusal where it needs over half of the free memory.
    """
    check_buildable(layer)
    needed, free = weight_bytes(layer, dtype), budget.free_bytes()
    if needed * budget.SHARE > free:
        raise MemoryRefusal("checkpoint.memory", needed=budget.in_words(needed), free=budget.in_words(free))
    reader = Reader(source, dtype)
    origin = Origin("loaded", file=source.path.name, tensors=layer.tensors)
    around = _Around.of(layer, reader)
    spec = around.spec
    if layer.router is None:
        bare = _ffn(layer.mlp, reader, expert=-1, residual=spec.residual)
        return replace(
            bare, spec=replace(spec, function_params=bare.spec.function_params),
            pre_norm=around.pre, post_norm=around.post, layer_scale=around.layer_scale, origin=origin,
        )  # fmt: skip
    return _moe(layer, reader, around, origin)


def weight_bytes(layer: LayerScheme, dtype: torch.dtype) -> int:
    """Bytes of the layer's matrices: of one expert where there are several, and of the shared one."""
    count = sum(prod(ref.shape) for ref in layer.mlp.roles.values())
    if layer.shared is not None:
        count += sum(prod(ref.shape) for ref in layer.shared.roles.values())
    return count * dtype.itemsize


def check_buildable(layer: LayerScheme) -> None:
    """InputError with the sentence of what stands in the way, if anything does."""
    for note in layer.gaps:
        raise InputError(note.key, **dict(note.values))
    for mlp in (layer.mlp, layer.shared):
        if mlp is not None and not mlp.spec.function:
            raise InputError("checkpoint.activation", layer=layer.index, said=layer.said or "?")
    routing = layer.spec.routing
    if routing is not None and routing.top_k < 1:
        raise InputError("checkpoint.top_k", layer=layer.index)


@dataclass(frozen=True, slots=True, eq=False)
class _Around:
    """What stands around the FFN: spec with every number, norms, LayerScale."""

    spec: FFNSpec
    pre: NormWeights
    post: NormWeights
    layer_scale: Tensor | None

    @classmethod
    def of(cls, layer: LayerScheme, reader: Reader) -> "_Around":
        """Read from the file."""
        spec = layer.spec
        if layer.residual_tanh:
            gate = reader.vector(layer.residual_tanh).flatten()
            spec = replace(spec, residual_scale=float(torch.tanh(gate.double())[0]))
        scale = reader.vector(layer.layer_scale) if layer.layer_scale else None
        return cls(spec, _norm(layer.pre_norm, reader), _norm(layer.post_norm, reader), scale)


def _ffn(mlp: MlpScheme, reader: Reader, *, expert: int, residual: bool = False) -> FFN:
    """One FFN, or one expert of many, without norms around it."""
    up, up_bias = reader.matrix(mlp.up, expert=expert), reader.bias(mlp.up, expert=expert)
    down, down_bias = reader.matrix(mlp.down, expert=expert), reader.bias(mlp.down, expert=expert)
    gate = gate_bias = None
    if mlp.gate is not None:
        gate, gate_bias = reader.matrix(mlp.gate, expert=expert), reader.bias(mlp.gate, expert=expert)
    for _, (a, b) in mlp.adapters[:1]:
        change = reader.vector(b) @ reader.vector(a)  # [2F, r] @ [r, D]
        gate = gate + change[: len(up)] if gate is not None else None
        up = up + change[len(change) - len(up) :]
    spec = replace(mlp.spec, residual=residual, function_params=_params(mlp, reader))
    inner = _norm(mlp.inner_norm, reader)
    shift = None if mlp.shift is None else _shift(mlp.shift, reader)
    return FFN(spec, up, down, gate, up_bias, gate_bias, down_bias, inner_norm=inner, shift=shift)


def _shift(names: tuple[str, str, str], reader: Reader) -> TokenShift:
    """Mixes `[D]` and receptance `[D, D]`."""
    key, receptance, weight = map(reader.vector, names)
    return TokenShift(key.flatten(), receptance.flatten(), weight)


def _params(mlp: MlpScheme, reader: Reader) -> tuple[tuple[str, float], ...]:
    """Parameters of the function: the configuration's, or xIELU's learned ones (Huang & Schlag 2024)."""
    if mlp.spec.function != "xielu" or len(mlp.params) < 2:
        return mlp.spec.function_params
    stored = [float(reader.vector(name).double().flatten()[0]) for name in mlp.params]
    alpha_p, alpha_n, beta, eps = (*stored, *(0.5, -1e-6)[len(stored) - 2 :])[:4]
    positive, negative = (
        float(torch.nn.functional.softplus(torch.tensor(a).double())) for a in (alpha_p, alpha_n)
    )
    return (("alpha_p", positive), ("alpha_n", beta + negative), ("beta", beta), ("eps", eps))


def _moe(layer: LayerScheme, reader: Reader, around: _Around, origin: Origin) -> MoE:
    assert layer.router is not None
    rule = layer.router
    after = reader.optional(rule.output_bias)

    def expert(number: int) -> FFN:
        made = _ffn(layer.mlp, reader, expert=number)
        if after is None:
            return made
        # The chosen weights sum to 1 here (top-k first, then softmax): a bias after the sum is one inside
        # every expert.
        return replace(made, down_bias=after if made.down_bias is None else made.down_bias + after)

    weight = reader.vector(rule.weight)
    return MoE(
        around.spec,
        Router(
            weight.T.contiguous() if rule.layout == "in_out" else weight,
            reader.optional(rule.bias),
            _flat(reader.optional(rule.select_bias)),
        ),
        StoredExperts(layer.experts, expert),
        shared=None if layer.shared is None else _ffn(layer.shared, reader, expert=-1),
        shared_gate=_row(reader.optional(rule.shared_gate)),
        pre_norm=around.pre,
        post_norm=around.post,
        layer_scale=around.layer_scale,
        origin=origin,
    )


def _norm(ref: NormRef, reader: Reader) -> NormWeights:
    return NormWeights(reader.optional(ref.weight), reader.optional(ref.bias))


def _flat(t: Tensor | None) -> Tensor | None:
    return None if t is None else t.flatten()


def _row(t: Tensor | None) -> Tensor | None:
    return None if t is None else t.reshape(1, -1)
