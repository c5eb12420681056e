"""Tensors as the pickle of a PyTorch file asks for them: sizes, steps and parts checked.

Each function takes what torch's function of that kind takes, and is Refused where torch could be hurt.
"""

from dataclasses import replace
from math import prod

from ffn_explorer.checkpoints.readers.torch_plan import (
    MOST_NUMBERS,
    PACKED,
    SIZES,
    Name,
    Other,
    Planned,
    Refused,
    laid_out,
    natural,
    naturals,
)

LAYOUTS = frozenset(f"torch.sparse_{kind}" for kind in ("coo", "csr", "csc", "bsr", "bsc"))
"""Ways to keep a tensor that is mostly zeros."""

TYPES = frozenset(f"torch.{name}" for name in SIZES)
"""Types of numbers, as a file names them."""

BY_CHANNEL = ("torch.per_channel_affine", "torch.per_channel_affine_float_qparams")
"""Schemes that quantise along an axis."""

MOST_LETTERS = 64
"""Letters of an attribute's name that a tensor may carry."""


def plain(storage: object, offset: object, shape: object, strides: object) -> Planned:
    """A tensor over a storage."""
    return laid_out(storage, offset, shape, strides)


def plain_v2(
    storage: object,
    offset: object,
    shape: object,
    strides: object,
    grad: object,
    hooks: object,
    meta: object = None,
) -> Planned:
    """A tensor with the marks of later versions."""
    _check_rest(grad, hooks)
    return _marked(laid_out(storage, offset, shape, strides), meta)


def plain_v3(
    storage: object,
    offset: object,
    shape: object,
    strides: object,
    grad: object,
    hooks: object,
    dtype: object,
    meta: object = None,
) -> Planned:
    """A tensor over bytes, which names its own type."""
    _check_rest(grad, hooks)
    return _marked(laid_out(storage, offset, shape, strides, dtype=_dtype(dtype)), meta)


def _marked(found: Planned, meta: object) -> Planned:
    """A tensor with the marks of its metadata: conjugated or negated when read."""
    if meta is None:
        return found
    if not isinstance(meta, dict) or not all(
        key in ("conj", "neg") and type(value) is bool for key, value in meta.items()
    ):
        raise Refused
    return replace(found, kind="negated") if any(meta.values()) else found


def quantized(
    storage: object, offset: object, shape: object, strides: object, how: object, grad: object, hooks: object
) -> Planned:
    """A quantised tensor; how: scheme, scales, zero points and, by channel, the axis."""
    _check_rest(grad, hooks)
    found = laid_out(storage, offset, shape, strides)
    # torch first makes room for all of it, so that steps of 0 would make a large one of a short storage.
    if (
        not found.dtype.startswith("q")
        or found.storage is None
        or found.numel > found.storage.numbers * PACKED.get(found.dtype, 1)
    ):
        raise Refused
    match how:
        case (Name("torch.per_tensor_affine"), float() | int(), int()):
            pass
        case (Name(scheme), scales, zeros, axis) if scheme in BY_CHANNEL:
            length = found.shape[natural(axis)] if natural(axis) < len(found.shape) else -1
            if not _is_list_of(scales, length) or not _is_list_of(zeros, length):
                raise Refused
        case _:
            raise Refused
    return replace(found, kind="quantized")


def _is_list_of(value: object, length: int) -> bool:
    if isinstance(value, Planned):
        return value.shape == (length,) and not value.kind and value.storage is not None
    return isinstance(value, list) and len(value) == length and all(type(v) in (int, float) for v in value)


def sparse(layout: object, data: object) -> Planned:
    """A tensor that is mostly zeros; data: tensors of places and values, and the shape."""
    if not isinstance(layout, Other) or layout.kind not in LAYOUTS or not isinstance(data, tuple):
        raise Refused
    parts = 3 if layout.kind == "torch.sparse_coo" and len(data) in (3, 4) else 4
    tensors, (shape, *rest) = data[: parts - 1], data[parts - 1 :] or (None,)
    good = all(isinstance(part, Planned) and not part.kind and part.storage for part in tensors)
    if not good or len(rest) > (parts == 3) or not all(type(item) in (bool, type(None)) for item in rest):
        raise Refused
    return Planned(_bounded(shape), (), tensors[-1].dtype, None, 0, "sparse")


def meta(dtype: object, shape: object, strides: object, grad: object) -> Planned:
    """A tensor without numbers."""
    _check_rest(grad, None)
    steps = naturals(strides)
    found = Planned(_bounded(shape), steps, _dtype(dtype), None, 0, "meta")
    # torch counts the bytes that would be needed, though it takes none.
    if len(steps) != len(found.shape) or sum(n * s for n, s in zip(found.shape, steps)) >= MOST_NUMBERS:
        raise Refused
    return found


def _bounded(shape: object) -> tuple[int, ...]:
    sizes = naturals(shape)
    if prod(max(1, size) for size in sizes) >= MOST_NUMBERS:
        raise Refused
    return sizes


def parameter(data: object, grad: object, hooks: object, state: object = None) -> Planned:
    """A parameter: a tensor, with attributes of its own."""
    _check_rest(grad, hooks)
    if not isinstance(data, Planned):
        raise Refused
    check_state(state)
    return data


def check_state(state: object) -> None:
    """See that attributes set on a tensor are the file's own, and replace none of a tensor's."""
    parts = state if isinstance(state, tuple) and len(state) == 2 else (state,)
    if not all(part is None or isinstance(part, dict) for part in parts):
        raise Refused
    names = [name for part in parts if isinstance(part, dict) for name in part]
    if not names:
        return
    from torch.nn import Parameter

    for name in names:
        if not isinstance(name, str) or not name.isidentifier() or len(name) > MOST_LETTERS:
            raise Refused
        if name.startswith("__") or hasattr(Parameter, name):
            raise Refused


def _check_rest(grad: object, hooks: object) -> None:
    if type(grad) is not bool or not (hooks is None or (isinstance(hooks, dict) and not hooks)):
        raise Refused


def _dtype(value: object) -> str:
    if not isinstance(value, Name) or value.path not in TYPES:
        raise Refused
    return value.path.removeprefix("torch.")
