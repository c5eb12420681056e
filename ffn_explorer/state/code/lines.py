"""Lines of the program that computes one FFN sublayer, each with the stage that it belongs to."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ffn_explorer.core.layer_parts import NormParts
from ffn_explorer.core.spec import FFNSpec, NormSpec
from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state.code.bending import act_lines, gate_lines, limit_lines
from ffn_explorer.state.code.dialect import DIALECTS, Dialect, DialectName
from ffn_explorer.state.code.mixture import mixture_lines
from ffn_explorer.state.code.sizes import Sizes


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One line as it is copied; stage: lit with it; shape: of what it makes, "" where that says nothing."""

    text: str
    stage: Stage | None = None
    shape: str = ""


@lru_cache(maxsize=64)
def code_lines(spec: FFNSpec, sizes: Sizes, dialect: DialectName) -> tuple[CodeLine, ...]:
    """Imports and one function `ffn(x, ...) -> y` that computes what this spec says, for x `[B, S, D]`.

    Weights are in nn.Linear's layout (out, in): W_up, W_gate `[F, D]`, W_down `[D, F]`.
    """
    row = DIALECTS[dialect]
    body = list(_body(spec, sizes, row))
    extra = row.erf.split("\n") if spec.function == "gelu" else []
    lines = [CodeLine(text) for text in (*row.imports, *extra, "", "")]
    if spec.routing is not None:
        lines += [*_expert(spec, sizes, row), CodeLine(""), CodeLine("")]
        if sizes.shared_name != "expert":
            beside = replace(sizes, has=replace(sizes.has, biases=sizes.has.shared_biases))
            lines += [*_expert(spec, beside, row, name=sizes.shared_name), CodeLine(""), CodeLine("")]
    lines.append(CodeLine(f"def ffn(x, {', '.join(arguments(spec, sizes))}):"))
    return (*lines, *body)


def arguments(spec: FFNSpec, sizes: Sizes) -> tuple[str, ...]:
    """Names of the function's arguments after x, in order."""
    has, names = sizes.has, []
    if spec.routing is None:
        names += weight_names(spec, sizes)
    else:
        names += ["W_router"] + (["b_router"] if has.router_bias else [])
        names += ["b_select"] if has.selection_bias else []
        names += ["experts"] + (["shared"] if has.shared else [])
        names += ["W_shared_gate"] if has.shared_gate else []
    names += ["layer_scale"] if has.layer_scale else []
    if spec.normalises_input:
        names += _norm_names(has.pre, "norm")
    if spec.norm.placement in ("post", "post_only", "sandwich"):
        names += _norm_names(has.post, "post")
    return tuple(names)


def weight_names(spec: FFNSpec, sizes: Sizes, own: frozenset[str] | None = None) -> list[str]:
    """Names of one FFN's arguments, in order; own: matrices with a bias, where not those of the layer."""
    roles = ["gate", "up", "down"] if spec.gated else ["up", "down"]
    biases = sizes.has.biases if own is None else own
    names = [name for role in roles for name in (f"W_{role}", *([f"b_{role}"] if role in biases else []))]
    names += _norm_names(sizes.has.inner, "inner") if spec.inner_norm is not None else []
    return names + (["mix_key", "mix_receptance", "W_receptance"] if sizes.has.shift else [])


def _norm_names(has: NormParts, which: str) -> list[str]:
    return [f"w_{which}"] * has.weight + [f"b_{which}"] * has.bias


def _expert(spec: FFNSpec, sizes: Sizes, row: Dialect, *, name: str = "expert") -> Iterator[CodeLine]:
    """One expert as a function of the rows sent to it."""
    yield CodeLine(f"def {name}(n, {', '.join(weight_names(spec, sizes))}):")
    yield from _dense(spec, sizes, row, read="n", shapes=False)
    yield CodeLine("    return out", Stage.OUT)


def _body(spec: FFNSpec, sizes: Sizes, row: Dialect) -> Iterator[CodeLine]:
    yield CodeLine(f"    # x {sizes.narrow}: B, S, D", Stage.INPUT)
    read = "x"
    if spec.normalises_input:
        yield from _norm(spec.norm, sizes.has.pre, row, sizes, names=("n", "x", "norm"), stage=Stage.NORM)
        read = "n"
    if spec.routing is None:
        yield from _dense(spec, sizes, row, read=read, shapes=True)
    else:
        for text, stage in mixture_lines(spec.routing, sizes, row, read=read):
            yield CodeLine(f"    {text}", stage, sizes.narrow if text.startswith("out = ") else "")
    if spec.output_scale != 1.0:
        yield CodeLine(f"    out = {spec.output_scale!r} * out", Stage.OUT)
    if sizes.has.layer_scale:
        yield CodeLine("    out = layer_scale * out", Stage.OUT)
    if sizes.dropout:
        yield CodeLine("    " + row.dropout.format(y="out", x="out", p=sizes.dropout), Stage.OUT)
    yield from _after(spec, sizes, row)


def _dense(spec: FFNSpec, sizes: Sizes, row: Dialect, *, read: str, shapes: bool) -> Iterator[CodeLine]:
    def line(text: str, stage: Stage) -> CodeLine:
        shape = sizes.wide if stage in WIDE else sizes.narrow
        return CodeLine(f"    {text}", stage, shape if shapes else "")

    def linear(role: str, x: str) -> str:
        template = row.linear_bias if role in sizes.has.biases else row.linear
        return template.format(x=x, W=f"W_{role}", b=f"b_{role}")

    weighed = ""
    if sizes.has.shift:
        axis = 0 if sizes.transposed else 1
        yield line(f"before = {row.before[axis].format(x=read)}", Stage.UP)
        yield line(f"mixed = mix_key * {read} + (1 - mix_key) * before", Stage.UP)
        weighed = f"mix_receptance * {read} + (1 - mix_receptance) * before"
        read = "mixed"
    if spec.gated:
        yield line(f"gate = {linear('gate', read)}", Stage.GATE)
        yield from (line(text, Stage.GATE) for text in gate_lines(spec, row))
    yield line(f"up = {linear('up', read)}", Stage.UP)
    yield from (line(text, Stage.UP) for text in limit_lines("up", spec.up_limit, row))
    yield from (line(text, Stage.ACT) for text in act_lines(spec, row))
    yield from _hidden(spec, sizes, row, shapes=shapes)
    name = "hidden" if spec.changes_hidden else "act"
    yield line(f"out = {linear('down', name)}", Stage.OUT)
    if sizes.has.shift:
        opened = row.sigmoid.format(x=row.linear.format(x=f"({weighed})", W="W_receptance"))
        yield line(f"out = {opened} * out", Stage.OUT)


def _hidden(spec: FFNSpec, sizes: Sizes, row: Dialect, *, shapes: bool) -> Iterator[CodeLine]:
    """The product, what it is multiplied with, the norm inside and the cut; nothing where there is none."""
    name, shape = "act", sizes.wide if shapes else ""
    if spec.gated:
        factor = f"(up + {spec.up_offset!r})" if spec.up_offset else "up"
        yield CodeLine(f"    hidden = act * {factor}", Stage.HIDDEN, shape)
        name = "hidden"
    if spec.hidden_multiplier != 1.0:
        yield CodeLine(f"    hidden = {spec.hidden_multiplier!r} * {name}", Stage.HIDDEN, shape)
        name = "hidden"
    if spec.inner_norm is not None:
        names = ("hidden", name, "inner")
        made = _norm(spec.inner_norm, sizes.has.inner, row, sizes, names=names, stage=Stage.HIDDEN)
        yield from (line if shapes else replace(line, shape="") for line in made)
        name = "hidden"
    if spec.keep:
        for text in row.keep:
            shown = text.format(a=name, y="hidden", k=spec.keep)
            yield CodeLine(f"    {shown}", Stage.HIDDEN)


def _after(spec: FFNSpec, sizes: Sizes, row: Dialect) -> Iterator[CodeLine]:
    """Norms after the FFN and the residual, in the order of the placement."""
    last, branch, has = "out", "out", sizes.has.post
    if spec.norm.placement in ("post_only", "sandwich"):
        yield from _norm(spec.norm, has, row, sizes, names=("p", "out", "post"), stage=Stage.POST_NORM)
        last = branch = "p"
    if spec.residual:
        skip, added = _times(spec.skip_scale, "x"), _times(spec.residual_scale, branch)
        yield CodeLine(f"    y = {skip} + {added}", Stage.RESIDUAL, sizes.narrow)
        last = "y"
    if spec.norm.placement == "post":
        yield from _norm(spec.norm, has, row, sizes, names=("p", last, "post"), stage=Stage.POST_NORM)
        last = "p"
    stages = {"y": Stage.RESIDUAL, "p": Stage.POST_NORM, "out": Stage.OUT}
    yield CodeLine(f"    return {last}", stages[last])


def _times(scale: float, name: str) -> str:
    return name if scale == 1.0 else f"{scale!r} * {name}"


def _norm(
    norm: NormSpec, has: NormParts, row: Dialect, sizes: Sizes, *, names: tuple[str, str, str], stage: Stage
) -> Iterator[CodeLine]:
    """names: what is made, what is read, and which weights."""
    made, read, which = names
    width = sizes.d_ff if which == "inner" else sizes.d_model
    shape = sizes.wide if which == "inner" else sizes.narrow
    templates = row.layer_norm if norm.kind == "layer" else row.rms_norm
    weight = f"w_{which}" if not norm.weight_offset else f"({norm.weight_offset:g} + w_{which})"
    values = {"w": weight if has.weight else "None", "b": f"b_{which}" if has.bias else "None"}
    for at, template in enumerate(templates):
        text = template.format(y=made, x=read, n=width, eps=f"{norm.eps:g}", **values)
        if row.name == "numpy":
            text = text.replace(" * None", "").replace(" + None", "")
        yield CodeLine(f"    {text}", stage, shape if at == len(templates) - 1 else "")
    if norm.kind == "rms" and has.bias:
        yield CodeLine(f"    {made} = {made} + b_{which}", stage, shape)
