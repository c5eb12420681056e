"""Changes: what a person does to the state, as pure functions with a name for the undo menu.

Settings, sentences, the selection and playback have a file each; all are imported here, so that callers need
one name: `changes.select_token(3)`.
"""

from typing import Any

from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState, Cell, Compare, Language, ThemeName, View
from ffn_explorer.state.change import Change, part, silent
from ffn_explorer.state.selection_changes import (
    clear_selection,
    select_cell,
    select_expert,
    select_sentence,
    select_token,
    step_selection,
)
from ffn_explorer.state.sentence_changes import reorder_token, reset_orders, set_sentences
from ffn_explorer.state.setting_changes import preset_2017, set_ratio, set_setting, use_settings
from ffn_explorer.state.timeline_changes import pause, play, seek, set_speed, step_stage, tick

__all__ = [
    "Change",
    "clear_selection",
    "hover",
    "load_state",
    "pause",
    "play",
    "preset_2017",
    "reorder_token",
    "reset_orders",
    "seek",
    "select_cell",
    "select_expert",
    "select_sentence",
    "select_token",
    "set_compare",
    "set_language",
    "set_ratio",
    "set_scale",
    "set_sentences",
    "set_setting",
    "set_speed",
    "set_theme",
    "set_theta",
    "set_view",
    "step_selection",
    "step_stage",
    "tick",
    "toggle_reduce_motion",
    "toggle_transposed",
    "use_settings",
]

SCALES = (1.0, 2.0)
"""Smallest and largest size of type and lines."""


def hover(cell: Cell | None) -> Change:
    """Point at a cell, or at none."""
    return silent("undo.hover", lambda state: part(state, hover=cell))


def set_theta(value: float | None, *, relative: bool | None = None, gesture: str = "") -> Change:
    """Threshold of "active": abs(hidden) > value; None takes the default, relative=None keeps the kind."""

    def to(state: AppState) -> AppState:
        kind = state.theta.relative if relative is None else relative
        wanted = None if value is None else abs(value)
        return part(state, theta=part(state.theta, value=wanted, relative=kind))

    return Change("undo.theta", to, gesture)


def set_compare(settings: Settings | None) -> Change:
    """Run these settings beside the main ones; None ends the comparison."""
    other = None if settings is None else Compare(settings)
    return Change("undo.compare" if other else "undo.compare_end", lambda state: part(state, compare=other))


def load_state(new: AppState) -> Change:
    """Take over another state, as from a session file; looks, views and playback keep their present value."""

    def to(state: AppState) -> AppState:
        return part(new, appearance=state.appearance, views=state.views, playback=state.playback, hover=None)

    return Change("undo.open_session", to)


def set_theme(theme: ThemeName) -> Change:
    """Light, dark or projector."""
    return silent("undo.look", lambda state: _look(state, theme=theme))


def set_language(language: Language) -> Change:
    """Language of every text."""
    return silent("undo.look", lambda state: _look(state, language=language))


def set_scale(scale: float) -> Change:
    """Size of type and lines, kept within 1.0 to 2.0."""
    wanted = min(SCALES[1], max(SCALES[0], scale))
    return silent("undo.look", lambda state: _look(state, scale=wanted))


def toggle_reduce_motion() -> Change:
    """Jump instead of moving, or move again."""
    return silent("undo.look", lambda state: _look(state, reduce_motion=not state.appearance.reduce_motion))


def toggle_transposed() -> Change:
    """Show shapes as [S, B, D] or as [B, S, D]."""
    return silent("undo.look", lambda state: _look(state, transposed=not state.appearance.transposed))


def set_view(panel: str, view: View) -> Change:
    """One panel's own choices; the default view is not stored."""

    def to(state: AppState) -> AppState:
        views = {**dict(state.views), panel: view}
        return part(state, views=tuple(sorted((k, v) for k, v in views.items() if v != View())))

    return silent("undo.view", to)


def _look(state: AppState, **changes: Any) -> AppState:  # noqa: ANN401 - any field of Appearance
    return part(state, appearance=part(state.appearance, **changes))
