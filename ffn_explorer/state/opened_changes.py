"""Changes of an opened file: taking it up, its layers, what flows into them, and leaving it."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import AppState, Opened, Selection, Source, XIs
from ffn_explorer.state.before import before_of, left
from ffn_explorer.state.change import Change, part, silent
from ffn_explorer.state.hidden_states import hidden_shape
from ffn_explorer.state.open_files import OPEN_FILES
from ffn_explorer.state.setting_changes import with_settings
from ffn_explorer.state.text import text
from ffn_explorer.state.token_lengths import token_lengths

OWN_VIEWS = frozenset({"layers", "atlas", "reads", "promoters"})
"""Panels whose views belong to one file."""

FREE = frozenset({"dtype", "device", "seed"})
"""Settings that an opened file leaves free; seed is that of hidden states where the file has none."""


def check_opened(source: Source, settings: Settings) -> None:
    """Refuse settings that differ from the opened layer's; InputError with one sentence.

    A file that is not open yet is not asked: its run finds out.
    """
    held = None if source.opened is None else OPEN_FILES.known(source.opened)
    if held is None:
        return
    wanted = held.settings(settings.layer, settings)
    names = (field.name for field in fields(Settings))
    wrong = next((name for name in names if getattr(wanted, name) != getattr(settings, name)), None)
    if wrong is not None:
        raise InputError("error.opened_setting", field=text(f"control.{wrong}"))


def use_opened(opened: Opened, *, layer: int = 0, neuron: int | None = None) -> Change:
    """Take a layer of a file that is open in place of what is there; leaving it brings that back."""

    def to(state: AppState) -> AppState:
        held = OPEN_FILES.get(opened)
        settings = held.settings(layer, state.settings)
        same = state.source.opened is not None and state.source.opened.path == opened.path
        plain = part(
            state,
            edits=Edits(),
            compare=None,
            before_memory=before_of(state) if state.source.plain else state.before_memory,
            selection=replace(state.selection if same else Selection(), expert=None),
        )
        if not same:
            # Filters, zooms and the token looked for belong to the file that they were made for.
            kept = tuple((name, view) for name, view in plain.views if name not in OWN_VIEWS)
            plain = part(plain, views=kept, looking=part(plain.looking, token=""))
        source = Source(state.source.sentences, tuple(() for _ in state.source.sentences), opened=opened)
        made = with_settings(part(plain, source=source), settings)
        if neuron is not None:
            made = part(made, selection=replace(made.selection, neuron=neuron))
        return part(made, selection=_clamped(made))

    return Change("undo.open", to)


def select_layer(layer: int, *, neuron: int | None = None, gesture: str = "") -> Change:
    """Look at another layer of the opened file, and at a neuron of it."""

    def to(state: AppState) -> AppState:
        made = with_layer(state, layer)
        return made if neuron is None else part(made, selection=part(made.selection, neuron=neuron))

    return Change("undo.layer", to, gesture)


def with_layer(state: AppState, layer: int) -> AppState:
    """State at another layer of its opened file; InputError where there is no such layer."""
    if state.source.opened is None:
        return state
    settings = OPEN_FILES.get(state.source.opened).settings(layer, state.settings)
    made = with_settings(state, settings)
    return part(made, edits=made.edits.fitting(settings), selection=_clamped(made))


def set_hidden_states(path: str, *, x_is: XIs = "residual") -> Change:
    """Let the rows of an NPY file flow into the layer, or with "" the embeddings of the sentences' tokens.

    InputError where the layer reads rows of another width.
    """

    def to(state: AppState) -> AppState:
        if state.source.opened is None:
            return state
        width, d_model = hidden_shape(path)[2] if path else 0, state.settings.d_model
        if path and width != d_model:
            raise InputError("checkpoint.x_width", file=Path(path).name, width=width, d_model=d_model)
        opened = part(state.source.opened, x=path, x_is=x_is)
        source = part(state.source, opened=opened, orders=tuple(() for _ in state.source.sentences))
        made = part(state, source=source)
        return part(made, selection=_clamped(made))

    return Change("undo.hidden_states", to)


def leave_opened() -> Change:
    """Back to random weights, with everything as it was before the file."""
    return Change("undo.open_leave", left)


def _clamped(state: AppState) -> Selection:
    settings = state.settings
    return state.selection.clamped(token_lengths(state.source), settings.d_model, settings.d_ff)


def look(**choices: Any) -> Change:  # noqa: ANN401 - any field of Looking
    """Ask another thing of the file: with the norms or without, a token, all layers, other axes.

    The same as before: it is read once more.
    """

    def to(state: AppState) -> AppState:
        made = part(state.looking, **choices)
        same = made == state.looking
        return part(state, looking=part(made, again=made.again + 1) if same else made)

    return silent("undo.looking", to)
