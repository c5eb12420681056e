"""A file of weights on the command line: a layer of it in place of random weights."""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ffn_explorer.cli.readers import flag, theta_of, whole
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.tokens import tokenize
from ffn_explorer.state.app_state import Appearance, AppState

if TYPE_CHECKING:
    from ffn_explorer.state.target import Target

FREE = frozenset(
    "open sentence layer stack theta seed dtype device token neuron lang theme".split()  # noqa: SIM905
)
"""Options that may stand beside a file; the others describe weights that the file has."""

LOOK = frozenset({"open", "lang", "theme"})
"""Options that may stand beside a session, which says everything else itself."""

SettingsFrom = Callable[[dict[str, Any]], Settings]


def opened_state(
    given: dict[str, Any],
    look: Appearance,
    *,
    options: frozenset[str],
    settings_from: SettingsFrom,
) -> AppState:
    """State that looks at a layer of a file; `x` of the options: an NPY file instead of token embeddings.

    Raises InputError, one sentence, for options that the file decides and for whatever is wrong with it.
    """
    from ffn_explorer.state.file_endings import holds_session
    from ffn_explorer.state.remembered import remembered_corrections
    from ffn_explorer.state.target import state_now

    target = target_of(given, options=options, settings_from=settings_from)
    try:
        state = state_now(target, look, known=remembered_corrections())
        # A session knows what a memory built by hand came after; without one there is nothing to go back to.
        return state if holds_session(target.path) else replace(state, before_memory=None)
    except InputError as error:
        raise _as_typed(error) from error


def window_target(given: dict[str, Any], *, options: frozenset[str]) -> "Target":
    """What the window opens once it is there; InputError for what can be told to be wrong before.

    options: names of those given that describe an FFN or a look.
    """
    from ffn_explorer.cli.options import settings_from
    from ffn_explorer.state.file_endings import holds_lecture, holds_session
    from ffn_explorer.state.links import meant_by

    if not holds_session(given["open"]) and not holds_lecture(given["open"]):
        return target_of(given, options=options, settings_from=settings_from)
    wrong = next((name for name in given if name in options - LOOK), None)
    if wrong is not None:
        raise InputError("cli.error.session_option", option=flag(wrong))
    return meant_by(given["open"])


def target_of(given: dict[str, Any], *, options: frozenset[str], settings_from: SettingsFrom) -> "Target":
    """What the options name of a file, a folder or a link; what they say goes before what a link says.

    Raises InputError or SettingError, one sentence each; the file is not looked at.
    """
    from ffn_explorer.state.links import meant_by

    wrong = next((name for name in given if name in options and name not in FREE), None)
    if wrong is not None:
        raise InputError("error.opened_setting", field=flag(wrong))
    typed, x = given["open"], given.get("x") or ""
    if not typed:
        raise InputError("cli.error.empty", option="--open")
    free: dict[str, Any] = {name: given[name] for name in ("seed", "dtype", "device") if name in given}
    base = settings_from(free)
    sentences = tuple(given.get("sentence", ()))
    if sentences:
        tokenize(sentences)  # the same bounds, whatever cuts them
    numbers: dict[str, Any] = {
        name: whole(name, given[name]) for name in ("layer", "neuron", "token") if name in given
    }
    return replace(
        meant_by(typed),
        **numbers,
        **({"stack": given["stack"]} if "stack" in given else {}),
        sentences=sentences,
        theta=theta_of(given["theta"]) if "theta" in given else None,
        free=tuple((name, getattr(base, name)) for name in free),
        x=os.path.abspath(x) if x else "",  # noqa: PTH100 - Path.resolve follows links
        x_is="residual" if given.get("x_is") == "residual" else "ffn-input",
    )


def layer_of(layers: Any, given: dict[str, Any]) -> int:  # noqa: ANN401 - a tuple of LayerScheme
    """Place in the file's list that `--layer` means: a place, or with `--stack` the number of a layer."""
    from ffn_explorer.state.target import place_of

    number = whole("layer", given["layer"]) if "layer" in given else None
    try:
        return place_of(layers, number, stack=given.get("stack", ""))
    except InputError as error:
        raise _as_typed(error) from error


def _as_typed(error: InputError) -> InputError:
    """The same refusal with what options name called as they are typed."""
    field = error.values.get("field")
    typed = flag(field) if field in ("layer", "stack", "neuron", "token") else field
    return error if typed == field else InputError(error.key, **{**error.values, "field": typed})
