"""What is said about contributions: heads and names of rows, the sum with its numbers, one neuron in full."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ffn_explorer.core.readings import Contributions
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.formulas import after_sum, residual, weighs_input
from ffn_explorer.state.handmade_words import hand_word
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.parts_keys import other_row


@dataclass(frozen=True, slots=True)
class PartsWords:
    """Heads, tips, and names of the rows that close the sum; rest is "" where there is none."""

    neuron: str
    name: Callable[[int], str]
    """Of one neuron: its number, or its name in a memory built by hand."""
    expert: str
    adds: str
    m: str
    pre: str
    adds_tip: str
    m_tip: str
    pre_tip: str
    bar: str
    others: Callable[[int], str]
    bias: str
    rest: str
    rounding: str
    brief: str
    total: str


class Sums(NamedTuple):
    """How the parts come about; x + out = y with its numbers, shorter, and y alone."""

    method: str = ""
    whole: str = ""
    short: str = ""
    brief: str = ""


def words_of(language: str, run: RunResult, reading: Contributions) -> PartsWords:
    """Words of the list."""
    settings = run.request.settings
    dropped = settings.training and settings.dropout > 0
    shared = run.has.shared
    rest = "panel.output.rest_dropout" if dropped else "panel.output.rest_shared"
    rest = "panel.output.rest_both" if dropped and shared else rest
    adds_tip = "panel.output.adds_tip_expert" if _weighed(run) else "panel.output.adds_tip"
    dim = dim_word(language, run, reading.dim)
    return PartsWords(
        neuron=say(language, "panel.output.neuron"),
        name=lambda neuron: neuron_word(language, run, neuron),
        expert=say(language, "panel.output.expert"),
        adds=say(language, "panel.output.adds"),
        m="m",
        pre=say(language, "panel.output.pre"),
        adds_tip=say(language, adds_tip, dim=dim),
        m_tip=say(language, "panel.output.m_tip"),
        pre_tip=say(language, "panel.output.pre_tip"),
        bar=say(language, "panel.output.bar"),
        others=lambda n: say(language, "panel.output.others", n=numbers.count(n)),
        bias=_bias_word(language, run, dim),
        rest=say(language, rest) if dropped or shared else "",
        rounding=say(language, "panel.output.rounding", dtype=settings.dtype),
        brief=say(language, "panel.output.brief"),
        total=say(language, "panel.output.total", dim=dim),
    )


def _weighed(run: RunResult) -> bool:
    """Whether the router's weight stands in every part; where it multiplies the input, m has it already."""
    return run.spec.routing is not None and not weighs_input(run.spec)


def _bias_word(language: str, run: RunResult, dim: str) -> str:
    """The bias's row of the list; of a layer with scales it is what they leave of it."""
    if run.request.settings.is_moe:
        return say(language, "panel.output.bias_experts")
    word = say(language, "panel.output.bias", dim=dim)
    after = after_sum(Stage.OUT, run.spec, run.has)
    return after.replace("Σ", word)


def sums_of(scene: Scene, run: RunResult, reading: Contributions) -> Sums:
    """Method and sum; the sum is told once the pass has made it."""
    language, settings = scene.look.language, run.request.settings
    method = say(language, "panel.output.note_expert" if _weighed(run) else "panel.output.note")
    scales = after_sum(Stage.OUT, run.spec, run.has)
    if scales != "Σ":
        method = f"{scales.removesuffix('Σ')}{method}"
    if settings.training and settings.dropout > 0:
        method += say(language, "panel.output.note_dropout")
    last = Stage.RESIDUAL if Stage.RESIDUAL in run.values else Stage.OUT
    if dict(scene.progress).get(last, 1.0) < 1.0:
        return Sums(method)
    other = other_row(scene, run, reading)
    b = (
        ""
        if other is None
        else say(language, "panel.output.sum_other", out=numbers.short(float(other[reading.dim])))
    )
    if not run.spec.residual:
        alone = say(language, "panel.output.sum_alone", out=numbers.short(reading.out))
        return Sums(method, alone + b, alone, alone)
    normed = run.spec.norm.placement in ("post_only", "sandwich")
    at = (reading.sentence, reading.token, reading.dim)
    added = float(run.values[Stage.POST_NORM][at]) if normed else reading.out
    added *= run.spec.residual_scale
    sign = numbers.MINUS if added < 0.0 else "+"
    shown = f"{numbers.short(reading.x)} {sign} {numbers.short(abs(added))} = {numbers.short(reading.y)}"
    whole = say(language, "panel.output.sum_sandwich" if normed else "panel.output.sum_whole", sum=shown)
    if (run.spec.residual_scale, run.spec.skip_scale) != (1.0, 1.0):
        whole = say(language, "panel.output.sum_of", formula=residual(run.spec), sum=shown)
    return Sums(method, whole + b, shown, f"y = {numbers.short(reading.y)}")


def line_of(language: str, run: RunResult, reading: Contributions, place: int) -> tuple[str, ...]:
    """Everything about the neuron in one row of the list, in wordings, the longest first."""
    if not len(reading.part):
        return (say(language, "panel.output.line_none"),)
    values: dict[str, Any] = {
        "n": neuron_word(language, run, int(reading.neuron[place])),
        "pre": numbers.short(float(reading.pre[place])),
        "act": numbers.short(float(reading.act[place])),
        "m": numbers.short(float(reading.m[place])),
        "part": plus(float(reading.part[place])),
        "rank": numbers.count(place + 1),
        "total": numbers.count(len(reading.part)),
    }
    short = tuple(say(language, f"panel.output.line_{form}", **values) for form in ("short", "least"))
    if reading.expert is None:
        return say(language, "panel.output.line", **values), *short
    return say(language, "panel.output.line_expert", expert=int(reading.expert[place]), **values), *short


def dim_word(language: str, run: RunResult, dim: int) -> str:
    """A dimension: its name in a memory built by hand, else its number."""
    memory = run.request.source.memory
    if memory is None or dim >= len(memory.features):
        return str(dim)
    return hand_word(language, memory.features[dim])


def neuron_word(language: str, run: RunResult, neuron: int) -> str:
    """A neuron, likewise."""
    memory = run.request.source.memory
    if memory is None or neuron >= len(memory.neurons):
        return numbers.count(neuron)
    return hand_word(language, memory.neurons[neuron].name)


def plus(value: float) -> str:
    """Number with its sign: "+0.0312", "−1.50", "0"."""
    return f"+{numbers.short(value)}" if value > 0 else numbers.short(value)
