"""Which part of which tensor of a file a matrix is, in NumPy's words: "…gate_up_proj[2].T[0::2]"."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from ffn_explorer.checkpoints.scheme import LayerScheme, TensorRef
from ffn_explorer.core.stages import Stage

PARTS = {"": "", "half0": "[:{n}]", "half1": "[{n}:]", "even": "[0::2]", "odd": "[1::2]"}
"""Rows of a matrix that gate and up share; n: how many rows each has."""


def matrix_slice(ref: TensorRef, expert: int | None) -> str:
    """The matrix `[out, in]` of a role, of one expert where there are several."""
    which = 0 if expert is None else expert
    name = ref.names[which if ref.expert == "name" else 0]
    turned = ".T" if ref.layout == "in_out" else ""
    if ref.expert == "axis0":
        name = f"{name}[{which}]"
    elif ref.expert == "flat":
        rows = ref.shape[1] if ref.layout == "in_out" else ref.shape[0]
        name = f"{name}[{which * rows}:{(which + 1) * rows}]"
    return f"{name}{turned}{_rows(ref)}"


def bias_slice(ref: TensorRef, expert: int | None) -> str:
    """The bias of a role; "" where it has none."""
    if not ref.biases:
        return ""
    which = 0 if expert is None else expert
    name = ref.biases[which if ref.expert == "name" else 0]
    return f"{name}{f'[{which}]' if ref.expert == 'axis0' else ''}{_rows(ref)}"


def slices_of(layer: LayerScheme, stage: Stage, expert: int | None) -> Iterator[str]:
    """Every tensor that a number of a stage is computed from, "" among them where one is not there."""
    roles, router = layer.mlp.roles, layer.router
    if stage in (Stage.UP, Stage.GATE) and str(stage) in roles:
        yield from (matrix_slice(roles[str(stage)], expert), bias_slice(roles[str(stage)], expert))
        yield from (name for _, pair in layer.mlp.adapters for name in pair)
    elif stage is Stage.ACT:
        yield from layer.mlp.params
    elif stage is Stage.HIDDEN:
        yield from (layer.mlp.inner_norm.weight, layer.mlp.inner_norm.bias)
    elif stage is Stage.OUT and router is None:
        down = roles["down"]
        yield from (matrix_slice(down, expert), bias_slice(down, expert), layer.layer_scale)
    elif stage is Stage.OUT and router is not None:
        yield from (router.weight, router.bias, router.select_bias, router.shared_gate, layer.layer_scale)
    elif stage in (Stage.NORM, Stage.POST_NORM):
        norm = layer.pre_norm if stage is Stage.NORM else layer.post_norm
        yield from (norm.weight, norm.bias)


def _rows(ref: TensorRef) -> str:
    return PARTS[ref.part].format(n=ref.shape[0])


def brief(slices: Sequence[str]) -> str:
    """The same slices in fewer letters: "…mlp.{gate,up}_proj.weight[5, :], …down_proj.weight[:, 5]".

    Names with the same brackets share what they have in common, and a later one leaves out the first's head.
    """
    groups: dict[str, list[str]] = {}
    for text in slices:
        name, bracket, rest = text.partition("[")
        groups.setdefault(bracket + rest, []).append(name)
    told: list[str] = []
    head = ""
    for rest, names in groups.items():
        said = _folded(names)
        kept = said.removeprefix(head) if head else said
        told.append(("…" if kept != said else "") + kept + rest)
        head = head or names[0][: names[0].rfind(".", 0, names[0].rfind(".")) + 1]
    return ", ".join(told)


def _folded(names: Sequence[str]) -> str:
    """Names with what they differ in between braces: "blk.3.ffn_{gate,up}.weight"."""
    if len(names) == 1:
        return names[0]
    first = _common(names)
    rest = [name[len(first) :] for name in names]
    last = _common([name[::-1] for name in rest])[::-1]
    middle = ",".join(name[: len(name) - len(last)] for name in rest)
    return f"{first}{{{middle}}}{last}"


def _common(names: Sequence[str]) -> str:
    """Letters that all names begin with."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in same)
