"""What is doubtful about a layer, what cannot be computed yet, and what its pictures leave out."""

from ffn_explorer.checkpoints.place import Place
from ffn_explorer.checkpoints.scheme import MlpScheme, Note


def notes_of(
    place: Place, mlp: MlpScheme, *, said: str
) -> tuple[tuple[Note, ...], tuple[Note, ...], tuple[Note, ...]]:
    """Gaps, doubts and limits of the layer."""
    stack, rule = place.stack, place.stack.router
    table = stack.ffn or stack.experts
    assert table is not None
    gaps: list[Note] = []
    doubts: list[Note] = []
    if stack.reads and not table.receptance:
        gaps.append(Note("checkpoint.gap_reads", (("reads", stack.reads),)))
    if table.hidden_bias and place.one(table.hidden_bias):
        gaps.append(
            Note("checkpoint.gap_hidden_bias", (("tensor", place.own(place.one(table.hidden_bias))),))
        )
    if any(place.one(name) for name in table.latent):
        gaps.append(Note("checkpoint.gap_latent"))
    if rule and rule.hashed and place.one(rule.hashed):
        gaps.append(Note("checkpoint.gap_hashed", (("tensor", place.own(place.one(rule.hashed))),)))
    gaps += [Note("checkpoint.gap_experts")] if "embedding experts" in stack.limits else []
    if not mlp.spec.function:
        doubts.append(Note("checkpoint.doubt_activation", (("said", said),)))
    if rule and rule.unsure:
        doubts.append(Note("checkpoint.doubt_router", (("said", rule.unsure),)))
    return tuple(gaps), tuple(doubts), _limits(place)


def _limits(place: Place) -> tuple[Note, ...]:
    """What the pictures of the stream leave out."""
    stack = place.stack
    limits = [Note("checkpoint.limit_streams")] if any("streams" in limit for limit in stack.limits) else []
    if stack.skip_tensor and place.one(stack.skip_tensor):
        limits.append(Note("checkpoint.limit_skip", (("tensor", place.own(place.one(stack.skip_tensor))),)))
    if stack.skip_normed == "always" or (stack.skip_normed and place.view.holds(stack.skip_normed)):
        limits.append(Note("checkpoint.limit_skip_normed"))
    scales = [value for value in (stack.residual_scale, stack.skip_scale) if value is not None]
    unknown = [str(value) for value in scales if place.view.number(value) is None]
    limits += [Note("checkpoint.limit_scale", (("key", value.removeprefix("@")),)) for value in unknown]
    return tuple(limits)
