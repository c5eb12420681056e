"""Shapes of what stands around a layer's matrices: norms, router, scales; what does not fit is said."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import prod

from ffn_explorer.checkpoints.names import Shape
from ffn_explorer.checkpoints.scheme import LayerScheme, Note


def fitted(layer: LayerScheme, shapes: Mapping[str, Shape]) -> LayerScheme:
    """The layer, listed and not built where a tensor around its matrices does not fit them.

    shapes: of every tensor, by its name in the file.
    """
    for name, good in _checks(layer, shapes):
        if not good and name in shapes:
            shown = (
                ("tensor", name),
                ("shapes", str(list(shapes[name]))),
                ("d_model", layer.d_model),
            )
            return replace(layer, gaps=(*layer.gaps, Note("checkpoint.layer_shapes", shown)))
    return layer


def _checks(layer: LayerScheme, shapes: Mapping[str, Shape]) -> Iterator[tuple[str, bool]]:
    """Name of each tensor that the file may have, and whether it fits."""
    d, f = layer.d_model, layer.d_ff
    for norm, width in ((layer.pre_norm, d), (layer.post_norm, d), (layer.mlp.inner_norm, f)):
        for name in (norm.weight, norm.bias):
            yield name, shapes.get(name) == (width,)
    yield layer.layer_scale, shapes.get(layer.layer_scale) == (d,)
    for name in (layer.residual_tanh, *layer.mlp.params):  # whose first number counts
        yield name, prod(shapes.get(name, ())) > 0
    for _, (a, b) in layer.mlp.adapters:
        one, two = shapes.get(a, ()), shapes.get(b, ())
        yield a, len(one) == 2 and one[1] == d
        yield b, len(two) == 2 and two[0] in (f, 2 * f) and two[1:] == one[:1]
    router = layer.router
    if router is not None:
        turned = router.layout == "in_out"
        yield (
            router.weight,
            shapes.get(router.weight) == ((d, layer.experts) if turned else (layer.experts, d)),
        )
        yield router.bias, shapes.get(router.bias) == (layer.experts,)
        yield router.select_bias, prod(shapes.get(router.select_bias, ())) == layer.experts
        yield router.output_bias, shapes.get(router.output_bias) == (d,)
        yield router.shared_gate, prod(shapes.get(router.shared_gate, ())) == d
