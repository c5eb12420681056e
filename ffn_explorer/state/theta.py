"""Theta in force: the chosen threshold of "active", or the default of the activation."""

from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState, Compare, Theta


def theta_in(settings: Settings, theta: Theta) -> float:
    """Theta in force for these settings: the chosen one, or the activation's default."""
    return settings.activation_row.default_theta if theta.value is None else theta.value


def theta_for(state: AppState, settings: Settings) -> float:
    """The same for a run of a state; of two that are compared the larger default, fit for both."""
    return default_theta(settings, state.compare) if state.theta.value is None else state.theta.value


def default_theta(settings: Settings, compare: Compare | None) -> float:
    """Default theta of A, which is also B's while comparing: 0 would count every smooth value as active."""
    other = 0.0 if compare is None else compare.settings.activation_row.default_theta
    return max(settings.activation_row.default_theta, other)
