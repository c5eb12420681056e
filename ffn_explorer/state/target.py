"""Target: what of which file is to be opened, and the change that does it once the file is open."""

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.core.stages import Stage, enters_down, stages_of
from ffn_explorer.state.app_state import Appearance, AppState, Compare, Opened, XIs
from ffn_explorer.state.change import Change, part
from ffn_explorer.state.file_endings import holds_session
from ffn_explorer.state.open_files import OPEN_FILES, OpenFile
from ffn_explorer.state.opened_changes import use_opened
from ffn_explorer.state.sessions_in import session_in
from ffn_explorer.state.setting_changes import with_settings
from ffn_explorer.state.token_lengths import token_lengths


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be opened; what is left out keeps its value, or takes the first there is.

    layer: its place in the file's list; with a stack, its number there as the file counts.
    digest: of the file that is meant, "" for whichever lies there.  x, x_is: as in Opened.
    free: settings that a file leaves open.
    correction: how a person reads the file; as_found: not as it was corrected before.
    """

    path: str
    layer: int | None = None
    stack: str = ""
    expert: int | None = None
    neuron: int | None = None
    token: int | None = None
    digest: str = ""
    x: str = ""
    x_is: XIs = "residual"
    sentences: tuple[str, ...] = ()
    theta: float | None = None
    free: tuple[tuple[str, Any], ...] = ()
    correction: Correction | None = None
    as_found: bool = False


def open_target(target: Target, *, known: dict[str, Correction] | None = None) -> Opened:
    """Open the file of a target, read as a person says or said before; InputError where that cannot be.

    known: corrections by the digest of their file; one that fits no more is left aside.
    """
    opened = OPEN_FILES.open(target.path, correction=target.correction)
    before = (known or {}).get(opened.digest)
    if before is not None and target.correction is None and not target.as_found:
        with suppress(InputError):
            opened = OPEN_FILES.open(target.path, correction=before)
    if target.x:
        from ffn_explorer.state.hidden_states import look_at

        look_at(target.x)  # whatever is wrong with it is said now
    return replace(opened, x=target.x, x_is=target.x_is)


def use_target(opened: Opened, target: Target) -> Change:
    """Take up what a target names of a file that is open; InputError where the file has no such thing."""

    def to(state: AppState) -> AppState:
        layers = OPEN_FILES.get(opened).checkpoint.layers
        place = place_of(layers, target.layer, stack=target.stack)
        said = target.sentences
        if said:
            state = part(state, source=replace(state.source, sentences=said, orders=((),) * len(said)))
        made = use_opened(opened, layer=place).to(state)
        made = part(made, settings=made.settings.with_(**dict(target.free)))
        if target.theta is not None:
            made = part(made, theta=part(made.theta, value=target.theta, relative=False))
        return _chosen(made, target)

    return Change("undo.open", to)


def state_now(target: Target, look: Appearance, *, known: dict[str, Correction] | None = None) -> AppState:
    """The state that a target leads to, opened here and now; InputError where that cannot be.

    known: as in `open_target`.
    """
    if holds_session(target.path):
        state = replace(session_in(Path(target.path))[0], appearance=look)
        if state.source.opened is not None:
            OPEN_FILES.get(state.source.opened)
        return restored(state)
    return use_target(open_target(target, known=known), target).to(AppState(appearance=look))


def restored(state: AppState) -> AppState:
    """A state that was saved, with what its opened file, which is open again, says of its layers now.

    InputError where the file has no such layer.
    """
    opened = state.source.opened
    if opened is None:
        return state
    held = OPEN_FILES.get(opened)
    settings = held.settings(state.settings.layer, state.settings)
    made = with_settings(state, settings)
    chosen = made.selection.clamped(token_lengths(made.source), settings.d_model, settings.d_ff)
    compare = None if made.compare is None else _compared(made.compare, held)
    return part(made, edits=made.edits.fitting(settings), selection=chosen, compare=compare)


def place_of(layers: Any, number: int | None, *, stack: str = "") -> int:  # noqa: ANN401 - tuple of LayerScheme
    """Place in a file's list of a layer: a place itself, or with a stack the layer's number in it.

    None is the first.  InputError where there is no such layer.
    """
    if not stack:
        number = number or 0
        if not 0 <= number < len(layers):
            raise InputError("error.range", field="layer", value=number, low=0, high=len(layers) - 1)
        return number
    places = {layer.index: at for at, layer in enumerate(layers) if layer.stack == stack}
    if not places:
        names = ", ".join(dict.fromkeys(layer.stack for layer in layers))
        raise InputError("error.choice", field="stack", value=stack, choices=names)
    number = min(places) if number is None else number
    if number not in places:
        raise InputError("error.range", field="layer", value=number, low=min(places), high=max(places))
    return places[number]


def _chosen(state: AppState, target: Target) -> AppState:
    chosen = state.selection
    if target.token is not None:
        _check("token", target.token, token_lengths(state.source)[0])
        chosen = part(chosen, sentence=0, token=target.token)
    if target.expert is not None:
        _check("expert", target.expert, state.settings.experts if state.settings.is_moe else 0)
        chosen = part(chosen, expert=target.expert)
    if target.neuron is not None:
        _check("neuron", target.neuron, state.settings.d_ff)
        chosen = part(chosen, neuron=target.neuron, stage=_stage(state.settings))
    return part(state, selection=chosen)


def _stage(settings: Settings) -> Stage:
    """The stage in which a neuron's number is multiplied by its value."""
    return enters_down(stages_of(spec_of(settings)))


def _check(name: str, value: int, count: int) -> None:
    if not 0 <= value < count:
        raise InputError("error.range", field=name, value=value, low=0, high=count - 1)


def _compared(compare: Compare, held: OpenFile) -> Compare:
    settings = held.settings(compare.settings.layer, compare.settings)
    return part(compare, settings=settings, edits=compare.edits.fitting(settings))
