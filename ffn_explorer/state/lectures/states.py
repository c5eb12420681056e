"""States of a lecture's scenes: what differs from a fresh start, in the words of session files."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from ffn_explorer.core.handmade_examples import EXAMPLES
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import AppState, View
from ffn_explorer.state.handmade_changes import use_memory
from ffn_explorer.state.layouts import PANEL_GROUPS
from ffn_explorer.state.lectures.bounds import check_bounds
from ffn_explorer.state.lectures.tables import Table, attempt
from ffn_explorer.state.state_json import state_from_json
from ffn_explorer.state.view_modes import VIEW_MODES, mode_fits

SESSION_KEYS = ("source", "settings", "edits", "theta", "selection", "compare", "costing", "looking")
"""Entries that a session file has, too."""

PANEL_NAMES = frozenset(name for group in PANEL_GROUPS.values() for name in group)

MOST_ROWS = 1_000_000_000
"""Rows, columns and pixels that a view may begin at: more than any panel has, and what Qt can count."""

_KINDS: Mapping[str, type] = {
    field.name: type(field.default) for field in fields(View) if field.name != "stage"
}


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values of a table with those of another put over them, table by table."""
    found = dict(base)
    for name, value in over.items():
        old = found.get(name)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        found[name] = merged(old, value) if both and isinstance(old, Mapping) else value
    return found


def state_of(table: Table) -> AppState:
    """The whole state that a table declares; what is wrong is noted, and left as at a fresh start."""
    plain = {name: table.data[name] for name in SESSION_KEYS if name in table.data}
    table.left -= set(plain)
    fresh: tuple[AppState, tuple[str, ...]] = (AppState(), ())
    made, unknown = attempt(table, "", make=lambda: state_from_json(plain), default=fresh)
    for name in unknown:
        table.wrong(name, "unknown")
    memory = table.take("memory", str, "")
    if memory and memory not in EXAMPLES:
        table.wrong("memory", "choice", choices=", ".join(EXAMPLES))
    elif memory:
        # What the table says of the selection counts for the memory's patterns and neurons.
        chosen = made.selection if "selection" in plain else None
        made = attempt(table, "memory", make=lambda: use_memory(memory).to(made), default=made)
        made = replace(made, before_memory=None, selection=made.selection if chosen is None else chosen)
    views = table.inner("views")
    if views is not None:
        made = replace(made, views=tuple((name, _view(views, name)) for name in views.data))
        views.end()
    table.end()
    check_bounds(table, made)
    return made


def _listed(modes: tuple[str, ...]) -> str:
    return ", ".join(f'"{mode}"' for mode in modes)


def _view(views: Table, name: str) -> View:
    inner = views.inner(name)
    if name not in PANEL_NAMES:
        views.wrong(name, "choice", choices=", ".join(sorted(PANEL_NAMES)))
    if inner is None:
        return View()
    given: dict[str, Any] = {}
    stage = inner.take("stage", str, "")
    if stage and stage not in tuple(Stage):
        inner.wrong("stage", "choice", choices=", ".join(Stage))
    elif stage:
        given["stage"] = Stage(stage)
    for field, kind in _KINDS.items():
        if field in inner.data:
            value = inner.take(field, kind, None)
            if kind is int and value is not None and not 0 <= value <= MOST_ROWS:
                inner.wrong(field, "bounds", low=0, high=MOST_ROWS)
            elif field == "mode" and not mode_fits(name, str(value or "")):
                inner.wrong(field, "choice", choices=_listed(VIEW_MODES.get(name, ("",))))
            elif value is not None:
                given[field] = value
    inner.end()
    return View(**given)
