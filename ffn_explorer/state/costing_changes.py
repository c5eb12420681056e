"""Changes of what the cost panels count; undo passes over them."""

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, get_args

from ffn_explorer.core.errors import InputError
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.change import Change, part, silent
from ffn_explorer.state.costing import (
    BITS,
    MOST_TOKENS,
    MOST_WEIGHTS,
    Costing,
    Phase,
    Scope,
    measurement_of,
)
from ffn_explorer.state.setting_changes import with_settings
from ffn_explorer.state.text import Text
from ffn_explorer.state.token_lengths import token_lengths

if TYPE_CHECKING:
    from ffn_explorer.state.models import PublicModel


def set_costing(**chosen: Any) -> Change:  # noqa: ANN401 - any field of Costing
    """Count something else; fields that are not named stay.

    The change raises InputError on a model that is not known, or a length out of range.
    """

    def to(state: AppState) -> AppState:
        return part(state, costing=checked(part(state.costing, **chosen)))

    return silent("undo.view", to)


def checked(costing: Costing) -> Costing:
    """The same, once it is seen to be possible; InputError otherwise."""
    named = {"model": costing.model} | ({} if costing.beside is None else {"beside": costing.beside})
    for field, name in named.items():
        if type(name) is not str:
            raise InputError("error.type", field=field, value=repr(name), kind="str")
        if name:
            model_named(name)
    tokens = costing.tokens
    if type(tokens) is not int or not 0 <= tokens <= MOST_TOKENS:
        raise InputError("error.range", field="tokens", value=tokens, low=0, high=MOST_TOKENS)
    if type(costing.budget) is not int or not 0 <= costing.budget <= MOST_WEIGHTS:
        raise InputError("error.range", field="budget", value=costing.budget, low=0, high=MOST_WEIGHTS)
    choices: tuple[tuple[str, object, tuple[object, ...]], ...] = (
        ("bits", costing.bits, BITS),
        ("cache_bits", costing.cache_bits, BITS),
        ("scope", costing.scope, get_args(Scope)),
        ("phase", costing.phase, get_args(Phase)),
        ("causal", costing.causal, (True, False)),
    )
    for field, value, known in choices:
        if not any(value is each or (type(value) is type(each) and value == each) for each in known):
            raise InputError("error.choice", field=field, value=value, choices=", ".join(map(str, known)))
    return costing


def reshape(*, layers: int | None = None, ratio: Fraction | None = None, gesture: str = "") -> Change:
    """Another depth, or another F / D, at the same weights: D follows; the budget is held from then on."""

    def to(state: AppState) -> AppState:
        # The first picture needs none of this.
        from ffn_explorer.core.depth_width import at_budget
        from ffn_explorer.state.shapes import budget_of, ratio_of

        settings = state.settings
        weights = budget_of(state.costing, settings)
        wanted = at_budget(
            settings,
            weights,
            layers=settings.layers if layers is None else layers,
            ratio=ratio_of(settings) if ratio is None else ratio,
        )
        return with_settings(part(state, costing=part(state.costing, budget=weights)), wanted)

    return Change("undo.reshape", to, gesture)


def load_model(name: str) -> Change:
    """Settings of a public model, scaled down to what the machine holds; memories and edits are left.

    Raises InputError on a model that is not known, MemoryRefusal where not even the smallest fits.
    """

    def to(state: AppState) -> AppState:
        from ffn_explorer.state.model_settings import settings_of

        found = settings_of(model_named(name), state.settings, token_lengths(state.source))
        return with_settings(state, found)

    def says(state: AppState) -> Text:
        from ffn_explorer.state.model_settings import loaded_words

        return loaded_words(model_named(name), state.settings)

    return Change("undo.load_model", to, says=says)


def measure_roofline() -> Change:
    """Ask for a measurement of this machine with the FFN of the settings, even where there is one."""

    def to(state: AppState) -> AppState:
        before = state.asked
        serial = 1 if before is None else before.serial + 1
        return part(state, asked=replace(measurement_of(state.settings), serial=serial))

    return silent("undo.view", to)


def drop_measurement() -> Change:
    """Ask for no measurement any more; what was measured stays."""
    return silent("undo.view", lambda state: part(state, asked=None))


def model_named(name: str) -> "PublicModel":
    """A public model; InputError where none has that name."""
    from ffn_explorer.state.models import model  # the first picture needs none of them

    return model(name)
