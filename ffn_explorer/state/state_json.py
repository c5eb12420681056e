"""State <-> plain JSON values; what is unknown is reported, what is wrong is refused."""

import sys
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any, get_args

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.errors import InputError, SettingError
from ffn_explorer.core.handmade import HandMemory
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import (
    Appearance,
    AppState,
    Before,
    Compare,
    Language,
    Opened,
    Playback,
    Selection,
    Source,
    ThemeName,
    Theta,
)
from ffn_explorer.state.changes import SCALES
from ffn_explorer.state.costing import Costing
from ffn_explorer.state.costing_changes import checked
from ffn_explorer.state.files import Damaged
from ffn_explorer.state.handmade_changes import check_state
from ffn_explorer.state.handmade_json import memory_from_json
from ffn_explorer.state.looking import Looking, looking_from
from ffn_explorer.state.opened_json import opened_from_json
from ffn_explorer.state.text import Text, text
from ffn_explorer.state.token_lengths import token_lengths

Json = dict[str, Any]

_WHY = {
    "error.empty_sentence": "state.why_empty_sentence",
    "error.too_many_tokens": "state.why_tokens",
    "error.too_many_sentences": "state.why_sentences",
}
"""What tokenising refuses, as the part of a sentence that it is here."""

_PART_KEYS = ("settings", "edits", "theta", "selection", "compare")
_STATE_KEYS = ("source", *_PART_KEYS, "costing", "looking", "before_memory")


def state_to_json(state: AppState) -> Json:
    """What a session keeps: sentences, settings, edits, theta, selection, comparison; no looks."""
    before = state.before_memory
    return {
        "source": asdict(state.source),
        **_parts_to_json(state),
        "costing": asdict(state.costing),
        "looking": asdict(state.looking),
        "before_memory": None if before is None else {"orders": before.orders, **_parts_to_json(before)},
    }


def _parts_to_json(of: AppState | Before) -> Json:
    return {
        "settings": of.settings.to_json(),
        "edits": asdict(of.edits),
        "theta": asdict(of.theta),
        "selection": asdict(of.selection),
        "compare": None if of.compare is None else _compare_to_json(of.compare),
    }


def state_from_json(data: Mapping[str, Any]) -> tuple[AppState, tuple[str, ...]]:
    """State of plain values, and the names of unknown entries; missing ones take their default.

    time: of the pass, which pictures hold and session files do not.  Raises Damaged with a reason.
    """
    unknown = [key for key in data if key not in (*_STATE_KEYS, "time", "version", "kind")]
    source = _source(_section(data, "source", _names(Source), unknown=unknown))
    costing = _costing(_section(data, "costing", _names(Costing), unknown=unknown), unknown)
    looking = _looking(_section(data, "looking", _names(Looking), unknown=unknown))
    time = data.get("time", Playback().time)
    _check(_is_number(time) and 0.0 <= time <= 1.0, "time")
    playback = Playback(float(time))
    parts = _parts(data, unknown)
    state = AppState(source=source, costing=costing, looking=looking, playback=playback, **parts)
    # Without a memory there is nothing to come back to.
    if not source.plain and data.get("before_memory") is not None:
        state = replace(state, before_memory=_before(data, source, unknown))
    try:
        check_state(state)
    except InputError as error:
        raise refused("source.memory" if source.opened is None else "source.opened") from error
    return state, tuple(unknown)


def _before(data: Mapping[str, Any], source: Source, unknown: list[str]) -> Before:
    inside: list[str] = []
    kept = _section(data, "before_memory", ("orders", *_PART_KEYS), unknown=unknown)
    before = Before(orders=_orders(kept, len(source.sentences)), **_parts(kept, inside))
    unknown.extend(f"before_memory.{name}" for name in inside)
    return before


def _parts(data: Mapping[str, Any], unknown: list[str]) -> dict[str, Any]:
    """The fields that AppState and Before share."""
    compare = None
    if data.get("compare") is not None:
        known = (*_names(Compare), *_names(Settings))
        compare = _compare(_section(data, "compare", known, unknown=unknown))
    return {
        "settings": _settings(_section(data, "settings", _names(Settings), unknown=unknown)),
        "edits": _edits(_section(data, "edits", _names(Edits), unknown=unknown)),
        "theta": _theta(_section(data, "theta", _names(Theta), unknown=unknown)),
        "selection": _selection(_section(data, "selection", _names(Selection), unknown=unknown)),
        "compare": compare,
    }


def _section(data: Mapping[str, Any], name: str, known: tuple[str, ...], *, unknown: list[str]) -> Json:
    """What is known of a part of a file; names of the rest go to `unknown`."""
    part = data.get(name, {})
    if not isinstance(part, dict):
        raise refused(name)
    unknown.extend(f"{name}.{key}" for key in part if key not in known)
    return {key: part[key] for key in known if key in part}


def look_from_json(data: object) -> tuple[Appearance, tuple[str, ...]]:
    """Appearance of plain values, and the names of unknown entries; Damaged with a reason."""
    if not isinstance(data, dict):
        raise refused("appearance")
    known = {key: value for key, value in data.items() if key in _names(Appearance)}
    for name, choices in (("theme", get_args(ThemeName)), ("language", get_args(Language))):
        _check(known.get(name, choices[0]) in choices, name)
    for name in ("reduce_motion", "transposed", "lens"):
        _check(isinstance(known.get(name, False), bool), name)
    scale = known.get("scale", SCALES[0])
    _check(_is_number(scale) and SCALES[0] <= scale <= SCALES[1], "scale")
    if "scale" in known:
        known["scale"] = float(scale)
    return Appearance(**known), tuple(f"appearance.{key}" for key in data if key not in known)


def _settings(data: Json) -> Settings:
    try:
        return Settings.from_json(data)
    except SettingError as error:
        raise refused(f"settings.{error.values['field']}") from error


def _compare_to_json(compare: Compare) -> Json:
    return {
        "settings": compare.settings.to_json(),
        "edits": asdict(compare.edits),
        "pinned": compare.pinned,
    }


def _compare(data: Json) -> Compare:
    """The comparison; files of the first releases hold its settings alone."""
    settings = data.get("settings", {key: value for key, value in data.items() if key in _names(Settings)})
    _check(isinstance(settings, dict), "compare.settings")
    _check(isinstance(data.get("pinned", False), bool), "compare.pinned")
    return Compare(_settings(settings), _edits(data.get("edits", {})), bool(data.get("pinned", False)))


def _costing(data: Json, unknown: list[str]) -> Costing:
    """What the cost panels count; a model that this version does not know gives way to the settings."""
    try:
        return checked(Costing(**data))
    except InputError as error:
        if error.key != "models.unknown":
            raise refused("costing") from error
        unknown.extend(f"costing.{name}" for name in ("model", "beside") if data.get(name))
        return _costing(
            {key: value for key, value in data.items() if key not in ("model", "beside")}, unknown
        )
    except TypeError as error:
        raise refused("costing") from error


def _edits(data: object) -> Edits:
    if not isinstance(data, dict) or not set(data) <= set(_names(Edits)):
        raise refused("edits")
    banned, forced = data.get("banned", []), data.get("forced")
    _check(_is_index(data.get("keep", 0)), "edits.keep")
    _check(isinstance(banned, list) and all(map(_is_index, banned)), "edits.banned")
    _check(forced is None or _is_index(forced), "edits.forced")
    return Edits(data.get("keep", 0), tuple(banned), forced)


def _source(data: Json) -> Source:
    sentences = data.get("sentences", list(Source().sentences))
    strings = isinstance(sentences, list) and all(isinstance(item, str) for item in sentences)
    _check(strings and bool(sentences), "source.sentences")
    typed = Source(tuple(sentences), _orders(data, len(sentences)))
    source = replace(typed, memory=_memory(data.get("memory")), opened=_opened(data.get("opened")))
    _check(source.memory is None or source.opened is None, "source.opened")
    try:
        token_lengths(typed)
    except InputError as error:
        raise Damaged(Text(_WHY[error.key], tuple(error.values.items()))) from error
    return source


def _orders(data: Json, count: int) -> tuple[tuple[int, ...], ...]:
    """One order for each sentence."""
    orders = data.get("orders", [[] for _ in range(count)])
    lists = isinstance(orders, list) and all(isinstance(order, list) for order in orders)
    _check(lists and all(_is_index(i) for order in orders for i in order), "source.orders")
    _check(len(orders) == count, "source.orders")
    return tuple(tuple(order) for order in orders)


def _memory(data: object) -> HandMemory | None:
    """A hand-built memory of plain values; whatever it cannot be is refused."""
    if data is None:
        return None
    try:
        return memory_from_json(data)
    except (InputError, TypeError, ValueError, KeyError) as error:
        raise refused("source.memory") from error


def _looking(data: Json) -> Looking:
    """What the panels of an opened file ask of it."""
    try:
        return looking_from(data)
    except ValueError as error:
        raise refused(f"looking.{error}") from error


def _opened(data: object) -> Opened | None:
    """A file of weights by its place and headers; whether it is still there, opening it finds out."""
    if data is None:
        return None
    try:
        return opened_from_json(data)
    except ValueError as error:
        raise refused("source.opened") from error


def _theta(data: Json) -> Theta:
    value = data.get("value")
    _check(value is None or (_is_number(value) and value >= 0), "theta.value")
    _check(isinstance(data.get("relative", False), bool), "theta.relative")
    # A whole number of any size may stand in a file; arithmetic on arrays wants a float.
    return Theta(**{**data, "value": None if value is None else float(value)})


def _selection(data: Json) -> Selection:
    for name, value in data.items():
        if name == "stage":
            _check(value is None or value in tuple(Stage), "selection.stage")
        else:
            optional = name in ("neuron", "dim", "expert")
            _check(_is_index(value) or (optional and value is None), f"selection.{name}")
    stage = data.get("stage")
    return Selection(**{**data, "stage": None if stage is None else Stage(stage)})


def refused(name: str) -> Damaged:
    """What is raised for an entry whose value cannot be."""
    return Damaged(text("state.why_entry", name=name))


def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _check(good: bool, name: str) -> None:
    if not good:
        raise refused(name)


def _is_index(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max
