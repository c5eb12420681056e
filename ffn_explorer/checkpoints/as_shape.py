"""Layers of a checkpoint as the sizes that a bill follows from; no number of the file is read."""

from ffn_explorer.checkpoints.scheme import LayerScheme, MlpScheme
from ffn_explorer.core.architecture import FFNShape


def shape_of(layer: LayerScheme) -> FFNShape:
    """The FFN of a layer: biases where the file has them, the shared expert's true width, the router."""
    router, rule = layer.router, layer.spec.routing
    biased = _biased(layer.mlp)
    shared = None if layer.shared is None else layer.shared.up.shape[0]
    return FFNShape(
        d_ff=layer.d_ff,
        gated=layer.gated,
        bias=bool(biased),
        experts=max(1, layer.experts),
        top_k=1 if rule is None else max(1, rule.top_k),
        shared_width=shared or 0,
        shared_gate=router is not None and bool(router.shared_gate),
        router_bias=router is not None and bool(router.bias),
        selection_bias=router is not None and bool(router.select_bias),
        biased=biased,
        shared_biased=None if layer.shared is None else _biased(layer.shared),
        sum_bias=router is not None and bool(router.output_bias),
        receptance=layer.mlp.shift is not None,
    )


def _biased(mlp: MlpScheme) -> tuple[str, ...]:
    return tuple(role for role, ref in mlp.roles.items() if ref.biases)
