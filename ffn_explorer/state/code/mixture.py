"""Lines of a Mixture of Experts: the router's choice, and the weighted sum of the chosen experts."""

import math
from collections.abc import Iterator

from ffn_explorer.core.layer_parts import LayerParts
from ffn_explorer.core.spec import RoutingSpec
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.code.dialect import Dialect
from ffn_explorer.state.code.sizes import Sizes

Lines = Iterator[tuple[str, Stage]]


def mixture_lines(rule: RoutingSpec, sizes: Sizes, row: Dialect, *, read: str) -> Lines:
    """Lines from the rows read to out; the router acts with up, the sum belongs to out."""
    for text in _router(rule, sizes.has, row, read=read):
        yield text, Stage.UP
    yield f"out = {row.zeros.format(x='x')}", Stage.OUT
    yield f"for k in range({rule.top_k}):", Stage.OUT
    yield f"    for e in range({rule.experts}):", Stage.OUT
    if rule.capacity is None:
        yield "        rows = index[..., k] == e", Stage.OUT
    else:
        yield "        rows = (index[..., k] == e) & ~full[..., k]", Stage.OUT
    scale, inside = "weight[..., k][rows][:, None]", rule.weigh == "input"
    sent = f"{scale} * {read}[rows]" if inside else f"{read}[rows]"
    yield f"        part = expert({sent}, *experts[e])", Stage.OUT
    yield f"        out[rows] += {'part' if inside else f'{scale} * part'}", Stage.OUT
    if sizes.has.shared_gate:
        yield "open = " + row.sigmoid.format(x=row.linear.format(x=read, W="W_shared_gate")), Stage.OUT
        yield f"out = out + open * {sizes.shared_name}({read}, *shared)", Stage.OUT
    elif sizes.has.shared:
        yield f"out = out + {sizes.shared_name}({read}, *shared)", Stage.OUT


def _router(rule: RoutingSpec, has: LayerParts, row: Dialect, *, read: str) -> Iterator[str]:
    linear = row.linear_bias if has.router_bias else row.linear
    yield f"logits = {linear.format(x=read, W='W_router', b='b_router')}"
    if rule.logit_softcap:
        library, cap = "torch" if row.name == "torch" else "np", repr(rule.logit_softcap)
        yield f"logits = {cap} * {library}.tanh(logits / {cap})"
    if rule.order == "top_first":
        yield from _banned(rule, row, "logits")
        yield from _forced(rule, row)
        yield from (text.format(s=_chosen(rule, "logits"), k=rule.top_k) for text in row.topk)
        yield from _scored(rule, row, row.gather.format(x="logits"), made="weight")
    else:
        yield from _scored(rule, row, "logits", made="score")
        name = "choice" if has.selection_bias else "score"
        if has.selection_bias:
            yield "choice = score + b_select"
        yield from _banned(rule, row, name)
        if rule.groups > 1:
            yield from _groups(rule, row, name if _chosen(rule, name) == name else "choice")
            name = "choice"
        yield from _forced(rule, row)
        yield from (text.format(s=_chosen(rule, name), k=rule.top_k) for text in row.topk)
        yield f"weight = {row.gather.format(x='score')}"
    yield from _weighed(rule, row)
    if rule.capacity is not None:
        yield from _capacity(rule, row)


def _scored(rule: RoutingSpec, row: Dialect, logits: str, *, made: str) -> Iterator[str]:
    """Scores of logits, all of them or those of the chosen experts."""
    if rule.score == "softmax":
        templates = row.softmax if logits == "logits" else tuple(_softmax(row))
        yield from (text.format(x=logits, y=made) for text in templates)
    elif rule.score == "sigmoid":
        yield f"{made} = {row.sigmoid.format(x=logits)}"
    elif row.name == "torch":
        yield f"{made} = F.softplus({logits}).sqrt()"
    else:
        yield f"{made} = np.sqrt(np.logaddexp(0, {logits}))"


def _weighed(rule: RoutingSpec, row: Dialect) -> Iterator[str]:
    """Weights that sum to 1, where the rule has it so, and its scale."""
    keep = "keepdim" if row.name == "torch" else "keepdims"
    total = f"weight.sum(-1, {keep}=True)"
    if rule.renormalise and rule.renormalise_power != 1.0:
        p = repr(rule.renormalise_power)
        total = f"(weight ** {p}).sum(-1, {keep}=True) ** (1 / {p})"
    if rule.renormalise and (rule.renormalise_eps > TINY or rule.renormalise_min > 0):
        yield f"total = {total} + {rule.renormalise_eps!r}"
        least = repr(rule.renormalise_min)
        total = f"total.clamp(min={least})" if row.name == "torch" else f"np.maximum(total, {least})"
    if rule.renormalise:
        yield f"weight = weight / {f'({total})' if '**' in total else total}"
    if rule.scale != 1.0:
        yield f"weight = {rule.scale!r} * weight"


TINY = 1e-20
"""What stands only against a division by 0 is left out (DeepSeek-V3)."""


def _softmax(row: Dialect) -> Iterator[str]:
    """Softmax of something that is itself an expression: it gets a name first where it is used twice."""
    if row.name == "torch":
        yield from row.softmax
    else:
        yield "best = {x}"
        yield from (text.replace("{x}", "best") for text in row.softmax)


def _chosen(rule: RoutingSpec, name: str) -> str:
    return "choice" if rule.banned or rule.forced is not None else name


def _banned(rule: RoutingSpec, row: Dialect, name: str) -> Iterator[str]:
    """Experts taken away never win."""
    if not rule.banned and rule.forced is None:
        return
    yield f"choice = {name}.{'clone' if row.name == 'torch' else 'copy'}()"
    if rule.banned:
        yield f"choice[..., {list(rule.banned)}] = -{_inf(row)}"


def _forced(rule: RoutingSpec, row: Dialect) -> Iterator[str]:
    """A forced expert always wins, whatever its group."""
    if rule.forced is not None:
        yield f"choice[..., {rule.forced}] = {_inf(row)}"


def _inf(row: Dialect) -> str:
    return "torch.inf" if row.name == "torch" else "np.inf"


def _groups(rule: RoutingSpec, row: Dialect, name: str) -> Iterator[str]:
    """Only experts of the best groups may be chosen (DeepSeek-V3: a group's score is its two best)."""
    per_group = rule.experts // rule.groups
    best = 1 if rule.group_score == "max" else min(2, per_group)
    fill = repr(rule.group_fill) if math.isfinite(rule.group_fill) else f"-{_inf(row)}"
    # What is taken away counts as nothing in its group.
    none = ".nan_to_num(neginf=0.0)" if rule.banned and row.name == "torch" else ""
    yield f"groups = {name}.reshape(*{name}.shape[:-1], {rule.groups}, {per_group})"
    if row.name == "torch":
        yield f"worth = groups.topk({best}, dim=-1).values{none}.sum(-1)"
        yield f"kept = worth.topk({rule.groups_kept}, dim=-1).indices"
        yield "shut = torch.ones_like(worth, dtype=torch.bool).scatter(-1, kept, False)"
        yield f"choice = groups.masked_fill(shut[..., None], {fill}).reshape({name}.shape)"
    else:
        sorted_groups = "np.nan_to_num(groups, neginf=0.0)" if rule.banned else "groups"
        yield f"worth = np.sort({sorted_groups}, axis=-1)[..., -{best}:].sum(-1)"
        yield f"kept = np.argsort(-worth, axis=-1, kind='stable')[..., :{rule.groups_kept}]"
        yield f"shut = ~(np.arange({rule.groups}) == kept[..., None]).any(-2)"
        yield f"choice = np.where(shut[..., None], {fill}, groups).reshape({name}.shape)"


def _capacity(rule: RoutingSpec, row: Dialect) -> Iterator[str]:
    """A place in each expert's queue, per sentence; whoever comes too late is left out (Switch)."""
    if row.name == "torch":
        yield f"visit = F.one_hot(index, {rule.experts}).flatten(1, 2)"
        yield "place = visit.cumsum(1).reshape(*index.shape, -1)"
        yield f"full = place.gather(-1, index[..., None])[..., 0] > {rule.capacity}"
    else:
        yield f"visit = np.eye({rule.experts}, dtype=int)[index].reshape(len(index), -1, {rule.experts})"
        yield "place = visit.cumsum(1).reshape(*index.shape, -1)"
        yield f"full = np.take_along_axis(place, index[..., None], -1)[..., 0] > {rule.capacity}"
