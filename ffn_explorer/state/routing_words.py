"""What is said of a token, an expert, or both, on the way through the router; wordings from long to short."""

import math

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import RoutingSpec
from ffn_explorer.state import numbers
from ffn_explorer.state.change import part
from ffn_explorer.state.formulas import number
from ffn_explorer.state.routing_table import CLOSE_CALL, NOT_CHOSEN, RoutingTable
from ffn_explorer.state.text import Text, said, text

_BETWEEN = " · "


def of_rule(rule: RoutingSpec, *, biased: bool) -> tuple[Text, ...]:
    """How an opened layer's router chooses and weighs; biased: with a bias that only the choice heeds."""
    top = "top_" if rule.order == "top_first" else ""
    said = [text(f"panel.routing.rule.{top}{rule.score}")]
    if rule.logit_softcap:
        said.insert(0, text("panel.routing.rule.cap", n=numbers.axis(rule.logit_softcap)))
    if biased:
        said.append(text("panel.routing.rule.bias"))
    if rule.groups > 1:
        said.append(text("panel.routing.rule.groups", kept=rule.groups_kept, total=rule.groups))
    if rule.renormalise and rule.renormalise_power == 1.0:
        said.append(text("panel.routing.rule.sum"))
    elif rule.renormalise:
        said.append(text("panel.routing.rule.norm", p=numbers.axis(rule.renormalise_power)))
    if rule.scale != 1.0:
        said.append(text("panel.routing.rule.scale", n=number(rule.scale)))
    if rule.weigh == "input":
        said.append(text("panel.routing.rule.input"))
    return tuple(said)


def of_token(table: RoutingTable, token: int, *, named: str) -> tuple[Text, ...]:
    """The experts of a token in order, with their weights, and the margin."""
    experts = [str(expert) for expert in table.index[token].tolist()]
    weights = [numbers.short(float(weight), digits=2) for weight in table.weight[token]]
    margin = float(table.margin[token])
    few = {"token": named, "choices": _BETWEEN.join(experts)}
    many = few | {"choices": _BETWEEN.join(f"{e} ({w})" for e, w in zip(experts, weights, strict=True))}
    short = (
        text("panel.routing.of_token_short", **few),
        text("panel.routing.of_token_first", expert=experts[0]),
    )
    if math.isnan(margin):
        return (
            text("panel.routing.of_token_last", **many),
            text("panel.routing.of_token_short", **many),
            *short,
        )
    by = {"margin": numbers.short(margin, digits=2)}
    near = abs(margin) < CLOSE_CALL
    limit = numbers.axis(CLOSE_CALL)
    close = (text("panel.routing.of_token_close", **many, **by, limit=limit),) if near else ()
    return (
        *close,
        text("panel.routing.of_token", **many, **by),
        text("panel.routing.of_token", **few, **by),
        *short,
    )


def of_expert(table: RoutingTable, expert: int) -> tuple[Text, ...]:
    """How many tokens an expert took, and how many it had no room for."""
    served, dropped = int(table.served[expert]), int(table.dropped[expert])
    values = {"expert": expert, "total": numbers.count(table.tokens), "served": numbers.count(served)}
    if not dropped:
        return (text("panel.routing.of_expert", **values),)
    full = text("panel.routing.of_expert_full", **values, dropped=numbers.count(dropped))
    return (full, text("panel.routing.of_expert", **values))


def of_cell(table: RoutingTable, token: int, expert: int, *, named: str) -> tuple[Text, ...]:
    """Logit of one expert at one token, and its place and weight among the choices."""
    slot, logit = int(table.slot[token, expert]), float(table.logits[token, expert])
    values = {"token": named, "expert": expert, "logit": numbers.short(logit)}
    short = text("panel.routing.of_cell_short", **values)
    if slot == NOT_CHOSEN:
        return (text("panel.routing.of_cell_not", **values), short)
    lost = bool(table.lost[token, slot])
    more = {"place": slot + 1, "weight": numbers.short(float(table.weight[token, slot]))}
    long = text("panel.routing.of_cell_full" if lost else "panel.routing.of_cell", **values, **more)
    return (long, short)


def dropped(edits: Edits, expert: int) -> Edits:
    """Edits with this expert dropped, and forced no more; or brought back where it was dropped."""
    banned = set(edits.banned) ^ {expert}
    forced = None if edits.forced in banned else edits.forced
    return part(edits, banned=tuple(sorted(banned)), forced=forced)


def forced(edits: Edits, expert: int) -> Edits:
    """Edits with this expert forced, and dropped no more; or free again where it was forced."""
    if edits.forced == expert:
        return part(edits, forced=None)
    return part(edits, banned=tuple(e for e in edits.banned if e != expert), forced=expert)


def refusal(edits: Edits, settings: Settings) -> Text | None:
    """Why these edits cannot be; None where they can."""
    try:
        edits.fitting(settings)
    except InputError as error:
        return said(error)
    return None
