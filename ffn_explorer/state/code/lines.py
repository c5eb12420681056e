"""Lines of the program that computes one FFN sublayer, each with the stage that it belongs to."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ffn_explorer.core.spec import FFNSpec, NormSpec
from ffn_explorer.core.stages import WIDE, Stage
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
    lines.append(CodeLine(f"def ffn(x, {', '.join(arguments(spec, sizes))}):"))
    return (*lines, *body)


def arguments(spec: FFNSpec, sizes: Sizes) -> tuple[str, ...]:
    """Names of the function's arguments after x, in order."""
    names: list[str] = []
    if spec.routing is None:
        names += _weight_names(spec, sizes)
    else:
        names += ["W_router"]
        names += ["b_select"] if spec.routing.score == "sigmoid" else []
        names += ["experts"] + (["shared"] if sizes.shared else [])
    if spec.normalises_input:
        names += _norm_names(spec.norm, "norm")
    if spec.norm.placement in ("post", "post_only", "sandwich"):
        names += _norm_names(spec.norm, "post")
    return tuple(names)


def _weight_names(spec: FFNSpec, sizes: Sizes) -> list[str]:
    roles = ["gate", "up", "down"] if spec.gated else ["up", "down"]
    return [name for role in roles for name in (f"W_{role}", *([f"b_{role}"] if sizes.bias else []))]


def _norm_names(norm: NormSpec, which: str) -> list[str]:
    return [f"w_{which}"] + ([f"b_{which}"] if norm.kind == "layer" else [])


def _expert(spec: FFNSpec, sizes: Sizes, row: Dialect) -> Iterator[CodeLine]:
    """One expert as a function of the rows sent to it."""
    yield CodeLine(f"def expert(n, {', '.join(_weight_names(spec, sizes))}):")
    yield from _dense(spec, sizes, row, read="n", shapes=False)
    yield CodeLine("    return out", Stage.OUT)


def _body(spec: FFNSpec, sizes: Sizes, row: Dialect) -> Iterator[CodeLine]:
    yield CodeLine(f"    # x {sizes.narrow}: B, S, D", Stage.INPUT)
    read = "x"
    if spec.normalises_input:
        yield from _norm(spec.norm, row, sizes, names=("n", "x", "norm"), stage=Stage.NORM)
        read = "n"
    if spec.routing is None:
        yield from _dense(spec, sizes, row, read=read, shapes=True)
    else:
        for text, stage in mixture_lines(spec.routing, sizes, row, read=read):
            yield CodeLine(f"    {text}", stage, sizes.narrow if text.startswith("out = ") else "")
    if sizes.dropout:
        yield CodeLine("    " + row.dropout.format(y="out", x="out", p=sizes.dropout), Stage.OUT)
    yield from _after(spec, sizes, row)


def _dense(spec: FFNSpec, sizes: Sizes, row: Dialect, *, read: str, shapes: bool) -> Iterator[CodeLine]:
    def line(text: str, stage: Stage) -> CodeLine:
        shape = sizes.wide if stage in WIDE else sizes.narrow
        return CodeLine(f"    {text}", stage, shape if shapes else "")

    def linear(role: str, x: str) -> str:
        template = row.linear_bias if sizes.bias else row.linear
        return template.format(x=x, W=f"W_{role}", b=f"b_{role}")

    if spec.gated:
        yield line(f"gate = {linear('gate', read)}", Stage.GATE)
    yield line(f"up = {linear('up', read)}", Stage.UP)
    z = "gate" if spec.gated else "up"
    yield line(f"act = {row.functions[spec.function].format(z=z)}", Stage.ACT)
    name = "act"
    if spec.gated:
        yield line("hidden = act * up", Stage.HIDDEN)
        name = "hidden"
    if spec.keep:
        for text in row.keep:
            shown = text.format(a=name, y="hidden", k=spec.keep)
            yield CodeLine(f"    {shown}", Stage.HIDDEN)
        name = "hidden"
    yield line(f"out = {linear('down', name)}", Stage.OUT)


def _after(spec: FFNSpec, sizes: Sizes, row: Dialect) -> Iterator[CodeLine]:
    """Norms after the FFN and the residual, in the order of the placement."""
    last, branch = "out", "out"
    if spec.norm.placement in ("post_only", "sandwich"):
        yield from _norm(spec.norm, row, sizes, names=("p", "out", "post"), stage=Stage.POST_NORM)
        last = branch = "p"
    if spec.residual:
        yield CodeLine(f"    y = x + {branch}", Stage.RESIDUAL, sizes.narrow)
        last = "y"
    if spec.norm.placement == "post":
        yield from _norm(spec.norm, row, sizes, names=("p", last, "post"), stage=Stage.POST_NORM)
        last = "p"
    stages = {"y": Stage.RESIDUAL, "p": Stage.POST_NORM, "out": Stage.OUT}
    yield CodeLine(f"    return {last}", stages[last])


def _norm(
    norm: NormSpec, row: Dialect, sizes: Sizes, *, names: tuple[str, str, str], stage: Stage
) -> Iterator[CodeLine]:
    """names: what is made, what is read, and which weights."""
    made, read, which = names
    templates = row.layer_norm if norm.kind == "layer" else row.rms_norm
    for at, template in enumerate(templates):
        text = template.format(
            y=made, x=read, n=sizes.d_model, w=f"w_{which}", b=f"b_{which}", eps=f"{norm.eps:g}"
        )
        yield CodeLine(f"    {text}", stage, sizes.narrow if at == len(templates) - 1 else "")
