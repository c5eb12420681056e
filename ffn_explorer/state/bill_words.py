"""What the bill says in sentences: the lesson of equal parameters, and one token, neuron or expert of it."""

from functools import lru_cache

from ffn_explorer.core.cost import matrices_of
from ffn_explorer.core.settings import Settings
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Compare
from ffn_explorer.state.counters import Billed, active_parameters, expert_bill
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.setting_changes import parameter_matched, weights_to_match
from ffn_explorer.state.text import Text, text
from ffn_explorer.state.unit_costs import dim_parameters, neuron_parameters, token_cost


def of_token(run: RunResult, *, sentence: int, token: int, named: str) -> tuple[Text, ...]:
    """FLOPs of the FFN at one token, and of its attention scores."""
    cost = token_cost(run, sentence=sentence, token=token)
    values = {
        "token": named,
        "ffn": numbers.count(cost.ffn),
        "scores": numbers.count(cost.scores),
        "tokens": numbers.count(cost.tokens),
    }
    short = (text("panel.bill.token_short", **values), text("panel.bill.token_least", **values))
    if not cost.dropped:
        return (text("panel.bill.token", **values), text("panel.bill.token_same", **values), *short)
    values |= {"dropped": numbers.count(cost.dropped), "spent": numbers.count(cost.ffn - cost.lost)}
    return (
        text("panel.bill.token_dropped", **values),
        text("panel.bill.token_dropped_short", **values),
        short[1],
    )


def of_unit(bill: Billed, *, neuron: int | None, dim: int | None) -> tuple[Text, ...]:
    """Parameters of a neuron and of a dimension of out; of any one of them while none is asked for."""
    settings, ffn = bill.settings, bill.ffn
    of_neuron = numbers.count(neuron_parameters(settings, ffn))
    of_dim = numbers.count(dim_parameters(settings, ffn))
    parts: list[tuple[Text, Text]] = []
    if neuron is not None:
        named = {"n": numbers.count(neuron), "count": of_neuron}
        long = "panel.bill.neuron_gated" if settings.gated else "panel.bill.neuron_plain"
        parts.append((text(long, **named), text("panel.bill.neuron_short", **named)))
    if dim is not None:
        named = {"n": numbers.count(dim), "count": of_dim}
        parts.append((text("panel.bill.dim", **named), text("panel.bill.dim_short", **named)))
    if not parts:
        values = {"neuron": of_neuron, "dim": of_dim}
        return (text("panel.bill.unit_any", **values), text("panel.bill.unit_any_short", **values))
    if len(parts) == 1:
        return parts[0]
    both = [text("panel.bill.unit_both", one=parts[0][at], other=parts[1][at]) for at in (0, 1)]
    return (*both, parts[0][1])


def of_experts(run: RunResult, expert: int | None) -> tuple[Text, ...]:
    """One expert, else what one token uses of them all; () without experts."""
    settings = run.request.settings
    if not settings.is_moe:
        return ()
    if expert is not None and expert < settings.experts:
        counts = expert_bill(run, expert)._asdict()
        said = {"expert": expert, **{name: numbers.count(n) for name, n in counts.items()}}
        return (text("panel.bill.expert", **said), text("panel.bill.expert_short", **said))
    active = active_parameters(settings, run.ffn)
    values = {
        "k": numbers.count(settings.top_k),
        "total": numbers.count(settings.experts),
        "active": numbers.count(active),
        "share": numbers.percent(active / run.bill.ffn_total),
    }
    return tuple(text(f"panel.bill.experts{form}", **values) for form in ("", "_short", "_least"))


# A choice and the pass leave it as it is, and Settings are checked field by field when they are made.
@lru_cache(maxsize=8)
def matched(settings: Settings, other: Compare | None) -> Settings:
    """Settings at the width of equal parameters."""
    return parameter_matched(settings, other)


@lru_cache(maxsize=8)
def lesson(settings: Settings, other: Compare | None) -> tuple[Text, ...]:
    """The width of equal parameters, and what it comes to."""
    values = {
        "width": numbers.count(matched(settings, other).d_ff),
        "weights": numbers.count(weights_to_match(settings, other)),
        "d": numbers.count(settings.d_model),
    }
    short = text("panel.bill.lesson_short", **values)
    if other is not None:
        return (text("panel.bill.lesson_b", **values), short)
    if settings.is_moe:
        return (text("panel.bill.lesson_experts", **values), short)
    three = matrices_of(settings) == 3
    return (text("panel.bill.lesson_gated" if three else "panel.bill.lesson_plain", **values), short)
