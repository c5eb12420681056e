"""Lines of a Mixture of Experts: the router's choice, and the weighted sum of the chosen experts."""

from collections.abc import Iterator

from ffn_explorer.core.spec import RoutingSpec
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.code.dialect import Dialect
from ffn_explorer.state.code.sizes import Sizes

Lines = Iterator[tuple[str, Stage]]


def mixture_lines(rule: RoutingSpec, sizes: Sizes, row: Dialect, *, read: str) -> Lines:
    """Lines from the rows read to out; the router acts with up, the sum belongs to out."""
    for text in _router(rule, row, read):
        yield text, Stage.UP
    yield f"out = {row.zeros.format(x='x')}", Stage.OUT
    yield f"for k in range({rule.top_k}):", Stage.OUT
    yield f"    for e in range({rule.experts}):", Stage.OUT
    if rule.capacity is None:
        yield "        rows = index[..., k] == e", Stage.OUT
    else:
        yield "        rows = (index[..., k] == e) & ~full[..., k]", Stage.OUT
    yield f"        part = expert({read}[rows], *experts[e])", Stage.OUT
    yield "        out[rows] += weight[..., k][rows][:, None] * part", Stage.OUT
    if sizes.shared:
        yield f"out = out + expert({read}, *shared)", Stage.OUT


def _router(rule: RoutingSpec, row: Dialect, read: str) -> Iterator[str]:
    yield f"logits = {row.linear.format(x=read, W='W_router')}"
    if rule.order == "top_first":
        yield from _banned(rule, row, "logits")
        yield from _forced(rule, row)
        yield from (text.format(s=_chosen(rule, "logits"), k=rule.top_k) for text in row.topk)
        yield from (text.format(x=row.gather.format(x="logits"), y="weight") for text in _softmax(row))
    else:
        if rule.score == "sigmoid":
            yield f"score = {row.sigmoid.format(x='logits')}"
            yield "choice = score + b_select"
        else:
            yield from (text.format(x="logits", y="score") for text in row.softmax)
        name = "choice" if rule.score == "sigmoid" else "score"
        yield from _banned(rule, row, name)
        yield from _groups(rule, row)
        yield from _forced(rule, row)
        yield from (text.format(s=_chosen(rule, name), k=rule.top_k) for text in row.topk)
        yield f"weight = {row.gather.format(x='score')}"
    if rule.renormalise:
        sums = "weight.sum(-1, keepdim=True)" if row.name == "torch" else "weight.sum(-1, keepdims=True)"
        yield f"weight = weight / {sums}"
    if rule.capacity is not None:
        yield from _capacity(rule, row)


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


def _groups(rule: RoutingSpec, row: Dialect) -> Iterator[str]:
    """Only experts of the best groups may be chosen (DeepSeek-V3: a group's score is its two best)."""
    if rule.groups == 1:
        return
    per_group = rule.experts // rule.groups
    best = min(2, per_group)
    # What is taken away counts as nothing in its group.
    none = ".nan_to_num(neginf=0.0)" if rule.banned and row.name == "torch" else ""
    yield f"groups = choice.reshape(*choice.shape[:-1], {rule.groups}, {per_group})"
    if row.name == "torch":
        yield f"worth = groups.topk({best}, dim=-1).values{none}.sum(-1)"
        yield f"kept = worth.topk({rule.groups_kept}, dim=-1).indices"
        yield "shut = torch.ones_like(worth, dtype=torch.bool).scatter(-1, kept, False)"
        yield "choice = groups.masked_fill(shut[..., None], -torch.inf).reshape(choice.shape)"
    else:
        sorted_groups = "np.nan_to_num(groups, neginf=0.0)" if rule.banned else "groups"
        yield f"worth = np.sort({sorted_groups}, axis=-1)[..., -{best}:].sum(-1)"
        yield f"kept = np.argsort(-worth, axis=-1, kind='stable')[..., :{rule.groups_kept}]"
        yield f"shut = ~(np.arange({rule.groups}) == kept[..., None]).any(-2)"
        yield "choice = np.where(shut[..., None], -np.inf, groups).reshape(choice.shape)"


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
