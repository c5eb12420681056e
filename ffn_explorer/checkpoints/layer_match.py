"""One layer of a family's stack found among a checkpoint's names: tensors, shapes and formula."""

from dataclasses import replace

from ffn_explorer.checkpoints.family import Mlp, Norm, RouterRule
from ffn_explorer.checkpoints.layer_notes import notes_of
from ffn_explorer.checkpoints.place import Misfit, Place
from ffn_explorer.checkpoints.role_match import adapters_at, role_at
from ffn_explorer.checkpoints.routing_rule import routing_of
from ffn_explorer.checkpoints.scheme import LayerScheme, MlpScheme, NormRef, Note, RouterScheme
from ffn_explorer.checkpoints.settings_view import WIDTH_KEYS
from ffn_explorer.core.spec import FFNSpec, NormSpec

_INFINITE = float("inf")


def layer_at(place: Place, index: int) -> LayerScheme:
    """The layer; Misfit where tensors are missing or shapes contradict each other or the stream's width."""
    stack = place.stack
    spec_norm, pre, post = _norm(place)
    d_model = _stream_width(place, (pre, post))
    rule = stack.router
    experts = 0
    router: RouterScheme | None = None
    if rule is not None and stack.experts is not None:
        router, experts = _router(place, rule)
    table = stack.ffn or stack.experts
    assert table is not None
    mlp, said = _mlp(place, table, index=index, experts=experts, d_model=d_model)
    d_ff, width = mlp.up.shape
    shared = None
    if stack.shared is not None and place.all_of(stack.shared.up.names[0]):
        shared, _ = _mlp(place, stack.shared, index=index, experts=0, d_model=width)
    gaps, doubts, limits = notes_of(place, mlp, said=said)
    if stack.norm and spec_norm.kind == "none":
        limits += (Note("checkpoint.limit_norm"),)
    routing = None
    if rule is not None and router is not None:
        routing, more = routing_of(rule, place.view, experts=experts)
        doubts += more
    layer = LayerScheme(
        index, stack.name, "moe" if router else "dense", mlp,
        FFNSpec(gated=False, norm=spec_norm, routing=routing), width, d_ff,
        experts=experts, shared=shared, router=router,
        pre_norm=place.owned(pre), post_norm=place.owned(post),
        layer_scale=place.own(place.one(stack.layer_scale)),
        residual_tanh=place.own(place.one(stack.residual_tanh)),
        said=said, doubts=doubts, gaps=gaps, limits=limits,
    )  # fmt: skip
    return replace(layer, spec=_around(place, layer))


def _around(place: Place, layer: LayerScheme) -> FFNSpec:
    """Spec of the whole: the FFN's own where it is dense, with norm, residual and routing around it."""
    stack, view = place.stack, place.view
    scale = view.number(stack.residual_scale) if stack.residual_scale is not None else 1.0
    depth = view.count(f"@{stack.over_sqrt}") if stack.over_sqrt else None
    if scale is not None and stack.over_sqrt:
        scale = scale * depth**-0.5 if depth else None
    skip = view.number(stack.skip_scale) if stack.skip_scale is not None else 1.0
    base = layer.mlp.spec
    mean = bool(stack.router and stack.router.mean_when and view.holds(stack.router.mean_when))
    return replace(
        base,
        norm=layer.spec.norm,
        routing=layer.spec.routing,
        residual=not layer.limits,
        residual_scale=1.0 if scale is None else scale,
        skip_scale=1.0 if skip is None else skip,
        output_scale=(0.5 if mean else 1.0) if layer.router else base.output_scale,
        position_wise=not stack.reads,
        reads=stack.reads,
    )


def _norm(place: Place) -> tuple[NormSpec, NormRef, NormRef]:
    """The first norm of the stack that configuration and tensors allow, and its tensors."""
    nothing = NormRef()
    for norm in place.stack.norm:
        if place.view.holds(norm.when) is not True:
            continue
        pre, post = place.norm(norm.pre), place.norm(norm.post)
        if norm.bare or ((pre.weight or not norm.pre) and (post.weight or not norm.post)):
            return _norm_spec(place, norm), pre, post
    return NormSpec(), nothing, nothing


def _norm_spec(place: Place, norm: Norm) -> NormSpec:
    kind, _, offset = place.view.words(norm.kind).partition("+")
    eps = place.view.eps(norm.eps)
    known = "layer" if kind == "layer" else "rms"
    default = 1e-5 if known == "layer" else 1e-6
    return NormSpec(
        "layer" if kind == "layer" else "rms",
        norm.place,  # type: ignore[arg-type]  # checked by the loader
        default if eps is None else eps,
        1.0 if offset else 0.0,
    )


def _stream_width(place: Place, norms: tuple[NormRef, ...]) -> int | None:
    """D, by a norm of the layer or by the configuration; None where neither tells."""
    for norm in norms:
        shape = place.names.shapes.get(norm.weight, ())
        if len(shape) == 1 and shape[0] > 1:
            return shape[0]
    for key in WIDTH_KEYS:
        width = place.view.count(f"@{key}")
        if width:
            return width
    return None


def _mlp(place: Place, table: Mlp, *, index: int, experts: int, d_model: int | None) -> tuple[MlpScheme, str]:
    refs = {
        name: role_at(place, role, table, experts=experts, d_model=d_model, writes=name == "down")
        for name, role in (("gate", table.gate), ("up", table.up), ("down", table.down))
        if role is not None
    }
    up, down, gate = refs["up"], refs["down"], refs.get("gate")
    f, d = up.shape
    good = down.shape == (d, f) and (gate is None or gate.shape == (f, d)) and d_model in (None, d)
    if not good or min(f, d) < 1:
        shapes = {name: str(list(ref.shape)) for name, ref in refs.items()}
        raise Misfit("checkpoint.layer_shapes", tensor=up.names[0], shapes=str(shapes), d_model=d_model or d)
    function, said = place.view.function(table.act)
    inner = place.norm(table.inner_norm.name) if table.inner_norm else NormRef()
    spec = _formula(place, table, function, index=index, gated=gate is not None)
    if inner.weight and table.inner_norm:
        spec = replace(
            spec, inner_norm=_norm_spec(place, Norm(table.inner_norm.kind, "pre", eps=table.inner_norm.eps))
        )
    params = tuple(place.own(place.one(name)) for name in table.params)
    return MlpScheme(
        up, down, spec, gate, place.owned(inner), tuple(filter(None, params)), adapters_at(place, table),
        _shift(place, table),
    ), said  # fmt: skip


def _shift(place: Place, table: Mlp) -> tuple[str, str, str] | None:
    """Tensors that mix in the token before; Misfit where some are missing."""
    if not table.receptance:
        return None
    names = (*table.mix, table.receptance)
    found = tuple(place.own(place.one(name)) for name in names)
    if "" in found:
        raise Misfit("checkpoint.layer_incomplete", tensor=place.shown(names[found.index("")]))
    key, receptance, weight = found
    return key, receptance, weight


def _formula(place: Place, table: Mlp, function: str, *, index: int, gated: bool) -> FFNSpec:
    number = place.view.number
    gate_max, up_max, act_max = number(table.gate_max), number(table.up_max), number(table.act_max)
    alpha = number(table.alpha)
    gate_scale, out_scale = number(table.gate_multiplier), number(table.output_multiplier)
    share = place.view.get(table.sparsity) if table.sparsity else None
    if isinstance(share, list | tuple):
        share = share[index] if index < len(share) else 0.0
    return FFNSpec(
        function,
        (("alpha", alpha),) if alpha is not None else (),
        gated=gated,
        residual=False,
        gate_limit=(-_INFINITE, gate_max) if gate_max else None,
        up_limit=(-up_max, up_max) if up_max else None,
        act_limit=(-_INFINITE, act_max) if act_max else None,
        up_offset=table.up_offset,
        gate_sparsity=float(share) if isinstance(share, int | float) and 0 < share < 1 else 0.0,
        gate_multiplier=1.0 if gate_scale is None else gate_scale,
        output_scale=1.0 if out_scale is None else out_scale,
    )


def _router(place: Place, rule: RouterRule) -> tuple[RouterScheme, int]:
    """The router's tensors and E; Misfit where it is missing."""
    weight = next((found for name in rule.weight if (found := place.one(name))), "")
    if not weight:
        raise Misfit("checkpoint.layer_incomplete", tensor=place.shown(rule.weight[0]))
    shape = place.names.shapes[weight]
    if len(shape) != 2:
        raise Misfit("checkpoint.layer_shapes", tensor=place.own(weight), shapes=str(list(shape)), d_model=0)
    select = next((found for name in rule.select_bias if (found := place.one(name))), "")
    names = (weight, place.one(rule.bias), select, place.one(rule.output_bias), place.one(rule.shared_gate))
    own = tuple(map(place.own, names))
    experts = shape[1] if rule.layout == "in_out" else shape[0]
    return RouterScheme(own[0], rule.layout, own[1], own[2], own[3], own[4]), experts
