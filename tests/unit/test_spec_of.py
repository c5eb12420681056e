"""Settings -> FFNSpec: norms, routing rules, capacity."""

import pytest

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import NormSpec
from ffn_explorer.core.spec_of import expert_spec, spec_of


@pytest.mark.parametrize("placement", ["pre", "post", "sandwich"])
def test_norm(placement: str) -> None:
    found = spec_of(Settings(norm="rms", norm_placement=placement)).norm
    assert (found.kind, found.placement, found.eps) == ("rms", placement, 1e-6)
    assert spec_of(Settings(norm="none", norm_placement=placement)).norm == NormSpec()


def test_expert_is_bare() -> None:
    settings = Settings(activation="swiglu", experts=4)
    assert spec_of(settings).routing is not None
    found = expert_spec(settings)
    assert (found.function, found.gated, found.residual, found.norm) == ("silu", True, False, NormSpec())


@pytest.mark.parametrize(
    ("rule", "order", "score", "renormalise"),
    [
        ("softmax_topk", "score_first", "softmax", False),
        ("softmax_topk_renorm", "score_first", "softmax", True),
        ("topk_softmax", "top_first", "softmax", False),
        ("sigmoid_bias", "score_first", "sigmoid", True),
    ],
)
def test_rules(rule: str, order: str, score: str, renormalise: bool) -> None:
    settings = Settings(experts=8, top_k=2, routing=rule, expert_groups=4, groups_kept=2)
    found = spec_of(settings).routing
    assert found is not None
    assert (found.order, found.score, found.renormalise) == (order, score, renormalise)
    assert (found.groups, found.groups_kept) == ((4, 2) if rule == "sigmoid_bias" else (1, 1))


@pytest.mark.parametrize(
    ("factor", "tokens", "capacity"), [(0.0, 8, None), (1.0, 0, None), (1.25, 8, 5), (1.0, 7, 4)]
)
def test_capacity(factor: float, tokens: int, capacity: int | None) -> None:
    settings = Settings(experts=4, top_k=2, capacity_factor=factor)
    found = spec_of(settings, tokens=tokens).routing
    assert found is not None
    assert found.capacity == capacity
