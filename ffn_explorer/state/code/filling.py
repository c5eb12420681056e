"""Lines that fill the arguments of a layer's function with the tensors of its file."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.state.code.lines import weight_names
from ffn_explorer.state.code.sizes import Sizes
from ffn_explorer.state.tensor_slices import PARTS

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.scheme import LayerScheme, MlpScheme, TensorRef

Take = tuple[str, str]
"""Name of a tensor, and what is done with it."""


def plain(layer: "LayerScheme") -> bool:
    """Whether names and slices say where each matrix stands."""
    refs = [*layer.mlp.roles.values(), *(layer.shared.roles.values() if layer.shared else ())]
    simple = all(
        not ref.quantised and ref.expert in ("", "name", "axis0") and ref.layout in ("out_in", "in_out")
        for ref in refs
    )
    bare = layer.router is None or not layer.router.output_bias
    return simple and bare and not layer.mlp.adapters


def tensors_in(layer: "LayerScheme", names: tuple[str, ...]) -> tuple[str, ...]:
    """Every tensor that these arguments are filled from."""
    around = _around(layer)
    found = [around[name][0] for name in names if name in around]
    for mlp, there in ((layer.mlp, True), (layer.shared, "shared" in names)):
        if mlp is not None and there:
            found += [one for ref in mlp.roles.values() for one in (*ref.names, *ref.biases)]
            found += [name for name in (mlp.inner_norm.weight, mlp.inner_norm.bias) if name]
    return tuple(dict.fromkeys(found))


def filling(
    layer: "LayerScheme", names: tuple[str, ...], spec: FFNSpec, sizes: Sizes, *, files: Mapping[str, str]
) -> list[str] | None:
    """A line or more for each argument; files: where each tensor lies.  None where no few lines would do."""
    numbers = {path: at for at, path in enumerate(dict.fromkeys(files.values()))}
    at = {name: numbers[path] for name, path in files.items()}
    around, made = {**_around(layer), **_inside(layer.mlp)}, []
    for name in names:
        if name == "experts":
            experts = _experts(layer.mlp, weight_names(spec, sizes), at)
            if experts is None:
                return None
            made += experts
        elif name == "shared" and layer.shared is not None:
            own, biases = _inside(layer.shared), sizes.has.shared_biases
            made += _listed("shared", [own[each] for each in weight_names(spec, sizes, biases)], at)
        else:
            tensor, after = around[name]
            made.append(f"{name} = {_read(tensor, at)}{after}")
    return made


def _around(layer: "LayerScheme") -> dict[str, Take]:
    """Norms around the FFN, LayerScale and router; without a router the matrices are filled like these."""
    found: dict[str, Take] = {} if layer.router is not None else _inside(layer.mlp)
    for which, norm in (("norm", layer.pre_norm), ("post", layer.post_norm)):
        found[f"w_{which}"], found[f"b_{which}"] = (norm.weight, ""), (norm.bias, "")
    found["layer_scale"] = (layer.layer_scale, "")
    if layer.router is not None:
        router = layer.router
        found["W_router"] = (router.weight, ".T" if router.layout == "in_out" else "")
        found["b_router"], found["b_select"] = (router.bias, ""), (router.select_bias, ".reshape(-1)")
        found["W_shared_gate"] = (router.shared_gate, ".reshape(1, -1)")
    return found


def _inside(mlp: "MlpScheme") -> dict[str, Take]:
    """Argument of the function -> tensor of one FFN, and what is taken of it."""
    found = {}
    for role, ref in mlp.roles.items():
        found[f"W_{role}"] = (ref.names[0], _taken(ref))
        if ref.biases:
            found[f"b_{role}"] = (ref.biases[0], _rows(ref))
    found["w_inner"], found["b_inner"] = (mlp.inner_norm.weight, ""), (mlp.inner_norm.bias, "")
    if mlp.shift is not None:
        key, receptance, weight = mlp.shift
        found["mix_key"], found["mix_receptance"] = (key, ".reshape(-1)"), (receptance, ".reshape(-1)")
        found["W_receptance"] = (weight, "")
    return found


def _experts(mlp: "MlpScheme", wanted: list[str], at: Mapping[str, int]) -> list[str] | None:
    """A list of one tuple for each expert, from stacks or from tensors that differ in a number."""
    before: dict[str, str] = {}
    entries = []
    for name in wanted:
        kind, _, role = name.partition("_")
        ref = mlp.roles.get(role)
        if ref is None:
            return None
        every = ref.names if kind == "W" else ref.biases
        taken = _taken(ref) if kind == "W" else _rows(ref)
        if ref.expert == "axis0":
            stack = before.setdefault(every[0], f"stack_{len(before)}")
            entries.append(f"{stack}[e]{taken}")
            continue
        pattern = _numbered(every)
        if pattern is None or len({at[one] for one in every}) > 1:
            return None
        entries.append(f"read(file_{at[every[0]]}, f{pattern!r}){taken}")
    count = max(len(ref.names) for ref in mlp.roles.values())
    number = str(count) if not before else f"len({next(iter(before.values()))})"
    stacks = [f"{stack} = {_read(name, at)}" for name, stack in before.items()]
    inside = (f"        {entry}," for entry in entries)
    return [*stacks, "experts = [", "    (", *inside, "    )", f"    for e in range({number})", "]"]


def _numbered(names: tuple[str, ...]) -> str | None:
    """Names that differ in one number as one with {e} in its place; None where they do not count from 0."""
    for found in re.finditer(r"\d+", names[0]):
        pattern = f"{names[0][: found.start()]}{{e}}{names[0][found.end() :]}"
        if all(pattern.replace("{e}", str(e)) == name for e, name in enumerate(names)):
            return pattern
    return None


def _listed(name: str, takes: list[Take], at: Mapping[str, int]) -> Iterator[str]:
    yield f"{name} = ("
    yield from (f"    {_read(tensor, at)}{after}," for tensor, after in takes)
    yield ")"


def _read(tensor: str, at: Mapping[str, int]) -> str:
    return f"read(file_{at[tensor]}, {tensor!r})"


def _taken(ref: "TensorRef") -> str:
    return (".T" if ref.layout == "in_out" else "") + _rows(ref)


def _rows(ref: "TensorRef") -> str:
    return PARTS[ref.part].format(n=ref.shape[0])
