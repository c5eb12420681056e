"""The matrix of one role found among a checkpoint's names: names, shape, biases, how it is packed."""

from dataclasses import replace
from math import prod

from ffn_explorer.checkpoints.family import Mlp, Role
from ffn_explorer.checkpoints.names import Shape
from ffn_explorer.checkpoints.place import Misfit, Place
from ffn_explorer.checkpoints.scheme import TensorRef


def role_at(
    place: Place, role: Role, table: Mlp, *, experts: int, d_model: int | None, writes: bool
) -> TensorRef:
    """Where the role's matrix stands; Misfit where it does not, or has too many axes."""
    name, found = next(((name, f) for name in role.names if (f := place.all_of(name))), ("", {}))
    if not found:
        raise Misfit("checkpoint.layer_incomplete", tensor=place.shown(role.names[0]))
    numbers = sorted(found)
    # Distinct numbers from 0 on: as many as experts and none beyond. The router's size may be a lie.
    if role.expert == "name" and (len(numbers) != experts or numbers[0] != 0 or numbers[-1] != experts - 1):
        missing = next((e for e in range(experts) if e not in found), experts)
        raise Misfit(
            "checkpoint.layer_incomplete", tensor=place.shown(name).replace("{expert}", str(missing))
        )
    plain = [found[n] for n in numbers]
    biases = [place.all_of(role.bias or _bias_name(name)).get(n, "") for n in numbers]
    packed = place.packed.get(place.own(plain[0]))
    layout = packed.layout if packed and packed.layout else role.layout
    groups = place.view.count(f"@{table.groups[writes]}") or 1 if role.layout == "grouped" else 1
    shapes = {place.names.shapes[one] for one in plain}
    ref = TensorRef(
        tuple(map(place.own, plain)), (0, 0), layout, role.part, role.expert,
        tuple(map(place.own, biases)) if all(biases) else (), groups, packed.method if packed else "",
    )  # fmt: skip
    if len(shapes) != 1:
        raise Misfit(
            "checkpoint.layer_shapes", tensor=ref.names[0], shapes=str(sorted(shapes)), d_model=d_model or 0
        )
    shape = logical_shape(shapes.pop(), ref, experts=experts, d_model=d_model, writes=writes)
    if shape is None:
        raw = str(list(place.names.shapes[plain[0]]))
        raise Misfit("checkpoint.layer_shapes", tensor=ref.names[0], shapes=raw, d_model=d_model or 0)
    return replace(ref, shape=shape)


def logical_shape(
    shape: Shape, ref: TensorRef, *, experts: int, d_model: int | None, writes: bool
) -> tuple[int, int] | None:
    """(out, in) of one expert's matrix in a tensor of this shape; None where the axes do not fit."""
    if ref.quantised == "bnb4":
        # The true shape lies in the quantisation's own JSON; the count of numbers and D give it here.
        other = 2 * prod(shape) // d_model if d_model else 0
        shape = (d_model or 0, other) if writes else (other, d_model or 0)
    if ref.expert == "axis0":
        if len(shape) != 3 or shape[0] < experts:
            return None
        shape = shape[1:]
    elif ref.expert == "flat":
        if len(shape) != 2 or not experts or shape[0] % experts:
            return None
        shape = (shape[0] // experts, shape[1])
    if ref.layout == "grouped":
        if len(shape) not in (2, 3) or shape[2:] not in ((), (1,)):
            return None
        shape = (shape[0], shape[1] * ref.groups)
    if len(shape) != 2:
        return None
    out, into = shape[::-1] if ref.layout == "in_out" else shape
    if ref.part and out % 2:
        return None
    return (out // 2 if ref.part else out, into)


def adapters_at(place: Place, table: Mlp) -> tuple[tuple[int, tuple[str, str]], ...]:
    """Number and names of the low-rank pairs that a shared matrix has."""
    if not table.adapter:
        return ()
    a = place.all_of(table.adapter.replace("{half}", "0"))
    b = place.all_of(table.adapter.replace("{half}", "1"))
    return tuple((n, (place.own(a[n]), place.own(b[n]))) for n in sorted(a) if n in b)


def _bias_name(name: str) -> str:
    return name.removesuffix("weight") + "bias" if name.endswith(".weight") else ""
