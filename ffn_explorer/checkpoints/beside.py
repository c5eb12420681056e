"""Tensors inside an FFN's own module that the scheme does not use: something there is not explained."""

from collections.abc import Iterable

from ffn_explorer.checkpoints.names import Names
from ffn_explorer.checkpoints.scheme import LayerScheme

COMPANIONS = (
    ".qweight", ".qzeros", ".scales", ".g_idx", ".weight_packed", ".weight_shape", ".weight_zero_point",
    ".weight_scale", ".weight_scale_2", ".weight_scale_inv", ".weight_format", ".input_scale", ".SCB",
    ".absmax",
    ".quant_map", ".nested_absmax", ".nested_quant_map", ".quant_state.bitsandbytes__nf4",
    ".quant_state.bitsandbytes__fp4", ".qscale_weight", ".qscale_act", "_scale_inv", "_blocks", "_scales",
    ".blocks",
    ".weight_g", ".weight_v", ".original0", ".original1", "._extra_state", ".tid2eid",
)  # fmt: skip
"""Endings of tensors that only say how others are packed, or hold no numbers of the FFN."""


def beside(layers: Iterable[LayerScheme], names: Names) -> dict[tuple[str, str], str]:
    """Stack and kind -> a tensor left over in the FFN's module, looked for in the first layer of each."""
    first: dict[tuple[str, str], LayerScheme] = {}
    for layer in layers:
        first.setdefault((layer.stack, layer.kind), layer)
    plain = {own: name for name, own in names.own.items()}
    places = {at: _module(plain.get(layer.mlp.up.names[0], "")) for at, layer in first.items()}
    starts = tuple(place for place in places.values() if place)
    near = [name for name in names.shapes if name.startswith(starts)] if starts else []
    found: dict[tuple[str, str], str] = {}
    for at, layer in first.items():
        used = set(layer.tensors)
        left = (
            names.own[name]
            for name in near
            if places[at] and name.startswith(places[at]) and names.own[name] not in used
        )
        extra = next((own for own in left if not own.endswith(COMPANIONS)), "")
        if extra:
            found[at] = extra
    return found


def _module(name: str) -> str:
    """Start of all names in the FFN's module; "" where its matrices hang on the layer itself."""
    before = (
        name.split(".experts.", maxsplit=1)[0]
        if ".experts." in name
        else name.removesuffix(".weight").rpartition(".")[0]
    )
    return "" if before.rpartition(".")[2].isdecimal() or "." not in before else before + "."
