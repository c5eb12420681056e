"""Quantised tensors by the companions beside them: which method, and the shape behind the bytes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ffn_explorer.checkpoints.names import Shape


@dataclass(frozen=True, slots=True)
class Packed:
    """How one weight is packed.

    method: its name.  shape: of the numbers behind it.  parts: the tensors that hold it, by their ending.
    layout: where the packed form differs from the plain one.
    """

    method: str
    shape: Shape
    parts: Mapping[str, str]
    layout: Literal["", "out_in"] = ""


_MARKS = (
    # ending of a companion -> ending of the weight it belongs to
    (".qweight", ".weight"), (".weight_packed", ".weight"),
    (".weight_scale_inv", ".weight"), (".weight_scale", ".weight"), (".weight_scale_2", ".weight"),
    (".SCB", ".weight"), (".weight.absmax", ".weight"), (".qscale_weight", ".weight"),
    ("_scale_inv", ""), ("_blocks", ""), (".blocks", ""),
    (".weight_g", ".weight"), (".parametrizations.weight.original0", ".weight"),
    (".W_q", ".weight"), (".qdata", ".weight"), (".codes", ".weight"), (".weight._data", ".weight"),
)  # fmt: skip

_ENDINGS = tuple(mark for mark, _ in _MARKS)

_REFUSED = {".W_q": "hqq", ".qdata": "torchao", ".codes": "aqlm", ".weight._data": "quanto"}


def packed_weights(tensors: Mapping[str, Shape], quant_method: str) -> dict[str, Packed]:
    """Name of the plain weight -> how the file packs it, of all that its companions give away.

    quant_method: what the configuration says, lower case, "" where it is silent.
    """
    found: dict[str, Packed] = {}
    for name in tensors:
        if not name.endswith(_ENDINGS):
            continue
        for mark, end in _MARKS:
            if name.endswith(mark):
                base = name.removesuffix(mark)
                packed = _packed(base, end, tensors, mark=mark, quant_method=quant_method)
                if packed is not None:
                    found.setdefault(base + end, packed)
                break
    return found


def _packed(
    base: str, end: str, tensors: Mapping[str, Shape], *, mark: str, quant_method: str
) -> Packed | None:
    own = tensors.get(base + end, ())
    if mark in (".weight_scale_inv", "_scale_inv", ".weight_scale", ".qscale_weight", ".SCB"):
        method = "int8" if mark == ".SCB" else "fp8"
        if quant_method == "bitnet":
            method, own = "bitnet", (own[0] * 4, *own[1:]) if own else ()
        if base + ".weight_scale_2" in tensors:
            method, own = "nvfp4", (*own[:-1], own[-1] * 2) if own else ()
        return Packed(method, own, {"": base + end, "scale": base + mark}) if own else None
    if mark in ("_blocks", ".blocks"):
        scales = base + mark.replace("blocks", "scales")
        blocks = tensors[base + mark]
        if scales not in tensors or len(blocks) < 3:
            return None
        shape = (*blocks[:-2], blocks[-2] * blocks[-1] * 2)
        return Packed("mxfp4", shape, {"blocks": base + mark, "scale": scales}, "out_in")
    if mark == ".qweight":
        return _integers(base, tensors, quant_method=quant_method)
    if mark == ".weight_packed":
        rows, columns = (*tensors[base + mark], 0, 0)[:2]
        return Packed("compressed-tensors", (rows, columns * 8), {"": base + mark})
    if mark == ".weight.absmax":
        return Packed("bnb4", own, {"": base + end})
    if mark == ".weight_g" or "original0" in mark:
        other = mark.replace("_g", "_v").replace("original0", "original1")
        shape = tensors.get(base + other, ())
        return Packed("weight_norm", shape, {"g": base + mark, "v": base + other}) if shape else None
    if mark in _REFUSED:
        return Packed(_REFUSED[mark], own or tensors[base + mark], {"": base + mark})
    return None


def _integers(base: str, tensors: Mapping[str, Shape], *, quant_method: str) -> Packed | None:
    """GPTQ packs along the inputs, AWQ along the outputs, under the same names."""
    words, scales = tensors[base + ".qweight"], tensors.get(base + ".scales", ())
    if len(words) != 2 or len(scales) != 2:
        return None
    rows, columns = words
    method = quant_method if quant_method in ("gptq", "awq") else "gptq" if columns == scales[1] else "awq"
    # Four bits in words of 32: the usual case; the shape only has to be right where numbers are shown.
    into, out = (rows * 8, columns) if method == "gptq" else (rows, columns * 8)
    return Packed(method, (out, into), {"": base + ".qweight"})
