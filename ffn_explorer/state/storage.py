"""Storage: preferences between launches, and session files (.ffnx); versioned, and never fatal at start."""

import errno
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from platformdirs import user_config_path

from ffn_explorer.core.errors import InputError
from ffn_explorer.state.app_state import Appearance, AppState
from ffn_explorer.state.files import (
    LIMIT_BYTES,
    VERSION,
    Damaged,
    aside,
    read_json,
    reason_of,
    version_of,
    write_json,
)
from ffn_explorer.state.numbers import count
from ffn_explorer.state.quoting import listed
from ffn_explorer.state.state_json import Json, look_from_json, refused, state_from_json, state_to_json
from ffn_explorer.state.text import Text, text

HOME = "FFN_EXPLORER_HOME"
"""Environment variable naming another folder for the preferences."""

KIND = "ffn-explorer-session"

MIGRATIONS: Mapping[int, Callable[[Json], Json]] = {}
"""Version -> what turns its content into the next version's; empty while version 1 is the only one."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """What is remembered between launches; layout holds plain JSON values, last the state at the end."""

    appearance: Appearance = field(default_factory=Appearance)
    layout: Mapping[str, Any] = field(default_factory=dict)
    last: AppState | None = None


def folder() -> Path:
    """Where the preferences live: FFN_EXPLORER_HOME, or the system's place for settings."""
    chosen = os.environ.get(HOME)
    if not chosen:
        return user_config_path("ffn-explorer", appauthor=False)
    try:
        return Path(chosen).expanduser()
    except RuntimeError:  # the home of an unknown user, which `check_folder` refuses
        return Path(chosen)


def check_folder() -> None:
    """OSError where the folder names the home of somebody unknown: no folder called "~" is ever made."""
    if folder().parts[:1] and folder().parts[0].startswith("~"):
        raise OSError(errno.ENOENT, f"{os.strerror(errno.ENOENT)}: {folder().parts[0]}")


def preferences_path() -> Path:
    """File of the preferences."""
    return folder() / "preferences.json"


def load_preferences() -> tuple[Preferences, Text | None]:
    """Preferences and a note; a damaged file is set aside and the defaults taken: a start never fails."""
    path = preferences_path()
    try:
        check_folder()
        data = read_json(path)
        newer = version_of(data) > VERSION
        preferences, unknown = _preferences(migrated(data))
    except FileNotFoundError:
        return Preferences(), None
    except Damaged:
        return Preferences(), _set_aside(path)
    except (OSError, ValueError) as error:
        return Preferences(), text("state.prefs_stuck", reason=reason_of(error))
    if newer:
        return preferences, _kept(path, "newer")
    if "last" in unknown:
        return preferences, _kept(path, "damaged")
    return preferences, text("state.prefs_unknown", keys=listed(unknown)) if unknown else None


def save_preferences(preferences: Preferences) -> Text | None:
    """Write the preferences; a note where that cannot be."""
    data = {
        "version": VERSION,
        "appearance": asdict(preferences.appearance),
        "layout": dict(preferences.layout),
        "last": None if preferences.last is None else state_to_json(preferences.last),
    }
    try:
        check_folder()
        folder().mkdir(parents=True, exist_ok=True)
        write_json(preferences_path(), data)
    except (OSError, ValueError) as error:
        return text("state.prefs_unwritable", folder=str(folder()), reason=reason_of(error))
    return None


def save_session(path: Path, state: AppState) -> None:
    """Write a session file; InputError where that cannot be."""
    try:
        write_json(path, session_to_json(state))
    except (OSError, ValueError) as error:
        raise InputError("state.session_unwritable", file=path.name, reason=reason_of(error)) from error


def session_to_json(state: AppState) -> Json:
    """What a session file holds."""
    return {"version": VERSION, "kind": KIND, **state_to_json(state)}


def load_session(path: Path) -> AppState:
    """State in a session file, with default looks; InputError with a sentence where it is none."""
    return read_session(path)[0]


def read_session(path: Path) -> tuple[AppState, Text | None]:
    """State in a session file, and a note on entries left out; InputError as in `load_session`."""
    try:
        if path.stat().st_size > LIMIT_BYTES:
            limit = f"{count(LIMIT_BYTES)} B"
            raise InputError("state.session_too_large", file=path.name, limit=limit)
        data = read_json(path)
        if data.get("kind") != KIND:
            raise Damaged(text("state.why_kind"))
        return session_of(data, path.name)
    except Damaged as error:
        raise InputError("state.session_damaged", file=path.name, reason=error.why) from error
    except (OSError, ValueError) as error:
        raise InputError("state.session_missing", file=path.name, reason=reason_of(error)) from error


def session_of(data: Json, file: str) -> tuple[AppState, Text | None]:
    """The same of the content of a file of this name; InputError for a newer version, Damaged otherwise."""
    version = version_of(data)
    if version > VERSION:
        raise InputError("state.session_newer", file=file, version=version, known=VERSION)
    state, unknown = state_from_json(migrated(data))
    note = text("state.session_unknown", file=file, keys=listed(list(unknown))) if unknown else None
    return state, note


def migrated(data: Json, steps: Mapping[int, Callable[[Json], Json]] = MIGRATIONS) -> Json:
    """Content brought to the present version, one version at a time."""
    for version in range(version_of(data), VERSION):
        data = {**steps[version](data), "version": version + 1}
    return data


def _preferences(data: Json) -> tuple[Preferences, list[str]]:
    known = ("version", "appearance", "layout", "last")
    unknown = [key for key in data if key not in known]
    look, odd = look_from_json(data.get("appearance", {}))
    layout = data.get("layout", {})
    if not isinstance(layout, dict):
        raise refused("layout")
    last, more = _last(data.get("last"))
    return Preferences(look, layout, last), [*unknown, *odd, *more]


def _last(data: object) -> tuple[AppState | None, list[str]]:
    """State of the last session; one that cannot be is left out, without losing the rest."""
    if not isinstance(data, dict):
        return None, [] if data is None else ["last"]
    try:
        state, unknown = state_from_json(data)
    except Damaged:
        return None, ["last"]
    return state, [f"last.{key}" for key in unknown]


def _set_aside(path: Path) -> Text:
    """Rename a damaged file, and say so."""
    try:
        return text("state.prefs_damaged", file=aside(path, "damaged").name)
    except OSError as error:
        return text("state.prefs_stuck", reason=reason_of(error))


def _kept(path: Path, ending: Literal["newer", "damaged"]) -> Text:
    """Copy a file before it is written over without what could not be taken from it, and say so."""
    try:
        file = aside(path, ending, keep=True).name
    except OSError as error:
        return text("state.prefs_not_kept", reason=reason_of(error))
    return text("state.prefs_newer", file=file) if ending == "newer" else text("state.prefs_last", file=file)
