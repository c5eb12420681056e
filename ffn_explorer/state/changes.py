"""Changes: what a person does to the state, as pure functions with a name for the undo menu.

Settings, sentences, the selection and playback have a file each; all are imported here, so that callers need
one name: `changes.select_token(3)`.
"""

from typing import Any

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import AppState, Cell, Compare, Language, Playback, Point, ThemeName, View
from ffn_explorer.state.change import Change, part, silent
from ffn_explorer.state.costing_changes import (
    drop_measurement,
    load_model,
    measure_roofline,
    reshape,
    set_costing,
)
from ffn_explorer.state.handmade_changes import (
    add_neuron,
    add_pattern,
    flip_entry,
    leave_memory,
    remove_neuron,
    remove_pattern,
    rename_feature,
    rename_neuron,
    rename_pattern,
    set_bias,
    set_entry,
    set_key,
    set_value,
    use_memory,
)
from ffn_explorer.state.selection_changes import (
    choose,
    clear_selection,
    select_cell,
    select_expert,
    select_sentence,
    select_token,
    step_selection,
)
from ffn_explorer.state.sentence_changes import reorder_token, reset_orders, set_sentences, shuffle_orders
from ffn_explorer.state.setting_changes import (
    match_parameters,
    out_of_range,
    preset_2017,
    set_ratio,
    set_setting,
    use_settings,
)
from ffn_explorer.state.timeline_changes import pause, play, seek, set_speed, step_stage, tick

__all__ = [
    "Change",
    "add_neuron",
    "add_pattern",
    "choose",
    "clear_selection",
    "drop_edit",
    "drop_measurement",
    "edit_expert",
    "flip_entry",
    "hover",
    "leave_memory",
    "load_model",
    "load_state",
    "match_parameters",
    "measure_roofline",
    "out_of_range",
    "pause",
    "pin",
    "play",
    "point",
    "preset_2017",
    "remove_neuron",
    "remove_pattern",
    "rename_feature",
    "rename_neuron",
    "rename_pattern",
    "reorder_token",
    "reset_orders",
    "reshape",
    "seek",
    "select_cell",
    "select_expert",
    "select_sentence",
    "select_token",
    "set_bias",
    "set_compare",
    "set_costing",
    "set_edits",
    "set_entry",
    "set_key",
    "set_language",
    "set_ratio",
    "set_scale",
    "set_sentences",
    "set_setting",
    "set_speed",
    "set_theme",
    "set_theta",
    "set_value",
    "set_view",
    "show_panels",
    "shuffle_orders",
    "step_selection",
    "step_stage",
    "swap_compared",
    "tick",
    "toggle_lens",
    "toggle_reduce_motion",
    "toggle_transposed",
    "use_memory",
    "use_settings",
]

SCALES = (1.0, 2.0)
"""Smallest and largest size of type and lines."""


def hover(cell: Cell | None) -> Change:
    """Point at a cell, or at none."""
    return silent("undo.hover", lambda state: part(state, hover=cell, point=None))


def point(
    *,
    stage: Stage | None = None,
    token: int | None = None,
    neuron: int | None = None,
    dim: int | None = None,
    expert: int | None = None,
) -> Change:
    """Point at something that is not one number: a token, neuron, dimension, expert or stage."""
    at = Point(stage, token, neuron, dim, expert)
    return silent("undo.hover", lambda state: part(state, hover=None, point=None if at == Point() else at))


def set_edits(edits: Edits, *, gesture: str = "") -> Change:
    """Keep other memories, or choose among other experts; what does not exist here is left out.

    Raises InputError where too few experts are left.
    """
    return Change("undo.edits", lambda state: part(state, edits=edits.fitting(state.settings)), gesture)


def edit_expert(edits: Edits, expert: int) -> Change:
    """The same for what is done to one expert, which is chosen with it.

    Raises InputError where too few experts are left.
    """

    def to(state: AppState) -> AppState:
        # Unchosen, the next press of the same button would mean whichever expert comes first now.
        return set_edits(edits).to(choose(expert=expert).to(state))

    return Change("undo.edits", to)


def drop_edit(name: str) -> Change:
    """Take one edit back, a field of Edits, and leave the others."""

    def to(state: AppState) -> AppState:
        return part(state, edits=part(state.edits, **{name: getattr(Edits(), name)}))

    return Change("undo.edits", to)


def set_theta(value: float | None, *, relative: bool | None = None, gesture: str = "") -> Change:
    """Threshold of "active": abs(hidden) > value; None takes the default, relative=None keeps the kind."""

    def to(state: AppState) -> AppState:
        kind = state.theta.relative if relative is None else relative
        wanted = None if value is None else abs(value)
        return part(state, theta=part(state.theta, value=wanted, relative=kind))

    return Change("undo.theta", to, gesture)


def pin() -> Change:
    """Keep what is there now as the baseline (B), to compare with what follows."""

    def to(state: AppState) -> AppState:
        return part(state, compare=Compare(state.settings, state.edits, pinned=True))

    return Change("undo.pin", to)


def swap_compared() -> Change:
    """Exchange A and B; nothing where there is no B."""

    def to(state: AppState) -> AppState:
        other = state.compare
        if other is None:
            return state
        here = Compare(state.settings, state.edits)
        return part(state, settings=other.settings, edits=other.edits, compare=here)

    return Change("undo.swap", to)


def show_panels(names: frozenset[str]) -> Change:
    """Say which panels are in sight."""
    return silent("undo.view", lambda state: part(state, shown=names))


def set_compare(settings: Settings | None) -> Change:
    """Run these settings (B) beside the main ones (A); None ends the comparison."""
    other = None if settings is None else Compare(settings)
    return Change("undo.compare" if other else "undo.compare_end", lambda state: part(state, compare=other))


def load_state(new: AppState) -> Change:
    """Take over another state, as from a session file, at rest; looks and views keep their present value."""

    def to(state: AppState) -> AppState:
        playback = Playback(new.playback.time, speed=state.playback.speed)
        kept = {"appearance": state.appearance, "views": state.views, "playback": playback}
        return part(new, **kept, shown=state.shown, asked=state.asked, hover=None, point=None)

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


def toggle_lens() -> Change:
    """Show the cells around the pointer one to one, or not."""
    return silent("undo.look", lambda state: _look(state, lens=not state.appearance.lens))


def set_view(panel: str, view: View) -> Change:
    """One panel's own choices; the default view is not stored."""

    def to(state: AppState) -> AppState:
        views = {**dict(state.views), panel: view}
        return part(state, views=tuple(sorted((k, v) for k, v in views.items() if v != View())))

    return silent("undo.view", to)


def _look(state: AppState, **changes: Any) -> AppState:  # noqa: ANN401 - any field of Appearance
    return part(state, appearance=part(state.appearance, **changes))
