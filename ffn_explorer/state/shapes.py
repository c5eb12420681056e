"""Shapes of equal weights: many narrow layers or few wide ones; an FFN with a gate or without."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.cost import copies_of, router_weights
from ffn_explorer.core.depth_width import at_budget, stack_weights
from ffn_explorer.core.model_bill import model_bill
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.shape_of import model_shape
from ffn_explorer.state.app_state import Compare
from ffn_explorer.state.costing import Costing
from ffn_explorer.state.setting_changes import weights_to_match

DEPTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""Layers for which a width is drawn."""

NEAR = 8
"""A network is near a budget while it is not farther from it than 1/NEAR of it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One network of the budget: its settings, its weights, and what one token costs after T cached ones."""

    settings: Settings
    weights: int
    flops: int
    cached: int


def budget_of(costing: Costing, settings: Settings) -> int:
    """Weights that depth and width are traded at: those held, while the network is near them."""
    own, held = stack_weights(settings), costing.budget
    if not held or abs(own - held) * NEAR <= held:
        return held or own
    # Small networks may be far from it, since D goes by whole heads; those made from it keep it all the same.
    again = at_budget(settings, held, layers=settings.layers, ratio=ratio_of(settings))
    return held if again == settings else own


@lru_cache(maxsize=16)
def shapes_at(settings: Settings, weights: int, *, tokens: int) -> tuple[Shape, ...]:
    """Networks of a budget, from one layer on, and the one there is; D falls as depth grows.

    Left out are depths at which no network comes near the budget: D goes by whole heads.
    """
    others = [n for n in DEPTHS if n != settings.layers]
    made = [
        shape_of(at_budget(settings, weights, layers=n, ratio=ratio_of(settings)), tokens) for n in others
    ]
    near = [shape for shape in made if abs(shape.weights - weights) * NEAR <= weights]
    return tuple(sorted([*near, shape_of(settings, tokens)], key=lambda shape: shape.settings.layers))


def shape_of(settings: Settings, tokens: int) -> Shape:
    """What a network costs while it decodes."""
    bill = model_bill(model_shape(settings.with_(stack="decoder")), Use(tokens=1, cached=tokens))
    return Shape(settings, stack_weights(settings), bill.flops(), bill.cached())


def ratio_of(settings: Settings) -> Fraction:
    """F / D."""
    return Fraction(settings.d_ff, settings.d_model)


def weights_of_one(settings: Settings, compare: Compare | None) -> Fraction:
    """Weights that one FFN should have to match B, or the usual FFN of this D; a mixture shares them out."""
    weights = weights_to_match(settings, compare) - router_weights(settings)
    return Fraction(max(0, weights), copies_of(settings))


def equal_widths(settings: Settings, compare: Compare | None) -> dict[int, Fraction]:
    """Number of matrices -> exact width F at which so many have those weights."""
    weights = weights_of_one(settings, compare)
    return {n: weights / (n * settings.d_model) for n in (2, 3)}
