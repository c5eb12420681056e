"""What is said about contributions: heads and names of rows, the sum with its numbers, one neuron in full."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ffn_explorer.core.readings import Contributions
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.parts_keys import other_row


@dataclass(frozen=True, slots=True)
class PartsWords:
    """Heads, tips, and names of the rows that close the sum; rest is "" where there is none."""

    neuron: str
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
    shared = settings.is_moe and settings.shared_experts > 0
    rest = "rest_both" if dropped and shared else "rest_dropout" if dropped else "rest_shared"
    dim = reading.dim
    return PartsWords(
        neuron=_say(language, "neuron"),
        expert=_say(language, "expert"),
        adds=_say(language, "adds"),
        m="m",
        pre=_say(language, "pre"),
        adds_tip=_say(language, "adds_tip_expert" if settings.is_moe else "adds_tip", dim=dim),
        m_tip=_say(language, "m_tip"),
        pre_tip=_say(language, "pre_tip"),
        bar=_say(language, "bar"),
        others=lambda n: _say(language, "others", n=numbers.count(n)),
        bias=_say(language, "bias_experts") if settings.is_moe else _say(language, "bias", dim=dim),
        rest=_say(language, rest) if dropped or shared else "",
        rounding=_say(language, "rounding", dtype=settings.dtype),
        brief=_say(language, "brief"),
        total=_say(language, "total", dim=dim),
    )


def sums_of(scene: Scene, run: RunResult, reading: Contributions) -> Sums:
    """Method and sum; the sum is told once the pass has made it."""
    language, settings = scene.look.language, run.request.settings
    method = _say(language, "note_expert" if settings.is_moe else "note")
    if settings.training and settings.dropout > 0:
        method += _say(language, "note_dropout")
    last = Stage.RESIDUAL if Stage.RESIDUAL in run.values else Stage.OUT
    if dict(scene.progress).get(last, 1.0) < 1.0:
        return Sums(method)
    other = other_row(scene, run, reading)
    b = "" if other is None else _say(language, "sum_other", out=numbers.short(float(other[reading.dim])))
    if not run.spec.residual:
        alone = _say(language, "sum_alone", out=numbers.short(reading.out))
        return Sums(method, alone + b, alone, alone)
    sandwich = run.spec.norm.placement == "sandwich"
    at = (reading.sentence, reading.token, reading.dim)
    added = float(run.values[Stage.POST_NORM][at]) if sandwich else reading.out
    sign = numbers.MINUS if added < 0.0 else "+"
    shown = f"{numbers.short(reading.x)} {sign} {numbers.short(abs(added))} = {numbers.short(reading.y)}"
    whole = _say(language, "sum_sandwich" if sandwich else "sum_whole", sum=shown)
    return Sums(method, whole + b, shown, f"y = {numbers.short(reading.y)}")


def line_of(language: str, reading: Contributions, place: int) -> tuple[str, str]:
    """Everything about the neuron in one row of the list: whole, and short."""
    if not len(reading.part):
        none = _say(language, "line_none")
        return none, none
    values: dict[str, Any] = {
        "n": numbers.count(int(reading.neuron[place])),
        "pre": numbers.short(float(reading.pre[place])),
        "act": numbers.short(float(reading.act[place])),
        "m": numbers.short(float(reading.m[place])),
        "part": plus(float(reading.part[place])),
        "rank": numbers.count(place + 1),
        "total": numbers.count(len(reading.part)),
    }
    short = _say(language, "line_short", **values)
    if reading.expert is None:
        return _say(language, "line", **values), short
    return _say(language, "line_expert", expert=int(reading.expert[place]), **values), short


def plus(value: float) -> str:
    """Number with its sign: "+0.0312", "−1.50", "0"."""
    return f"+{numbers.short(value)}" if value > 0 else numbers.short(value)


def _say(language: str, key: str, **values: Any) -> str:  # noqa: ANN401 - numbers and strings alike
    return say(language, f"panel.output.{key}", **values)
