"""Resolver: state and results -> Scene, showing the last good run while a newer one is being computed."""

from typing import Any, NamedTuple

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.records import PositionCheck, Proof
from ffn_explorer.core.roofline_records import Roofline
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import timeline
from ffn_explorer.state.app_state import AppState, Cell, Selection, Source
from ffn_explorer.state.compute import tokens_of
from ffn_explorer.state.handmade_words import first_tokens, spoken
from ffn_explorer.state.needs import (
    ROOFLINE,
    cell_in,
    extra_parts,
    in_sight,
    other_activity_of,
    parts_of,
    selection_in,
    slot_in,
)
from ffn_explorer.state.requests import ActivityRequest, RunRequest, other_run_of, roofline_of, run_of
from ffn_explorer.state.result import Activity, Detail, Measured, RunResult
from ffn_explorer.state.results import Failure, Results
from ffn_explorer.state.scene import Chip, Scene
from ffn_explorer.state.stage_info import StageInfo, stage_infos
from ffn_explorer.state.text import Text, text
from ffn_explorer.state.theta import theta_for
from ffn_explorer.state.visible import visible


class _Lit(NamedTuple):
    """An activity and the request it answers, so that theta and what it lit stay together."""

    request: ActivityRequest
    activity: Activity


class _Parts(NamedTuple):
    """What belongs to the run shown."""

    run: RunResult | None = None
    selection: Selection = Selection()
    hover: Cell | None = None
    theta: float = 0.0
    relative: bool = False
    activity: Activity | None = None
    detail: Detail | None = None
    position: PositionCheck | None = None
    subject: Cell | None = None
    proof: Proof | None = None


class Resolver:
    """Makes Scenes; parts that did not change stay the same objects."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._run: RunResult | None = None
        self._other: RunResult | None = None
        self._lit: _Lit | None = None
        self._roofline: Roofline | None = None
        self._readings: dict[str, tuple[object, Any]] = {}
        self._chips: tuple[tuple[object, ...], tuple[Chip, ...]] = ((), ())

    @property
    def shown(self) -> RunResult | None:
        """The run of the last Scene."""
        return self._run

    def resolve(
        self,
        state: AppState,
        *,
        busy: Text | None = None,
        message: Text | None = None,
        before: RunResult | None = None,
    ) -> Scene:
        """Scene of a state; a failed run leaves the last good one on screen, with its message."""
        refused = self._look(state)
        shown = self._shown(state)
        stages = _stages(state, shown.run)
        names = tuple(info.stage for info in stages)
        return Scene(
            look=state.appearance,
            source=state.source,
            settings=state.settings,
            run=shown.run,
            stages=stages,
            chips=self._tokens(state, shown),
            sentences=_sentences(state.source if shown.run is None else shown.run.request.source),
            selection=shown.selection,
            hover=shown.hover,
            point=state.point if shown.run is not None else None,
            slot=0 if shown.run is None else slot_in(shown.run, shown.selection),
            theta=shown.theta,
            theta_relative=shown.relative,
            activity=shown.activity,
            detail=shown.detail,
            position=shown.position,
            subject=shown.subject,
            proof=shown.proof,
            other=self._compared(state),
            other_activity=self._other_activity(state),
            before=before,
            playback=state.playback,
            progress=_progress(state, names),
            current=timeline.current(state.playback.time, names),
            origin=_origin(run_of(state) if shown.run is None else shown.run.request),
            busy=busy,
            message=message or refused,
            views=state.views,
            edits=state.edits,
            compare=state.compare,
            costing=state.costing,
            **self._machine(state),
            **self._extra(state, shown.run),
        )

    def _look(self, state: AppState) -> Text | None:
        """Take the run that the state asks for, once it is there; why it never will be, where that is so."""
        found = self._results.get(run_of(state))
        if isinstance(found, RunResult):
            self._run = spoken(found, state.appearance.language)
        return found.message if isinstance(found, Failure) else None

    def _extra(self, state: AppState, run: RunResult | None) -> dict[str, Any]:
        """Rows of PARTS; until a new one is there the last one stays, lest every click empties a card."""
        if run is None:
            return {}
        asked = extra_parts(state, self._results, run)
        shape = tuple((stage, values.shape) for stage, values in run.values.items())
        made: dict[str, Any] = {}
        for field, request in asked.items():
            found = self._results.get(request)
            if found is not None:
                self._readings[field] = (shape, None if isinstance(found, Failure) else found)
            kept_shape, kept = self._readings.get(field, (None, None))
            made[field] = kept if kept_shape == shape else None
        late = frozenset(field for field, request in asked.items() if self._results.get(request) is None)
        return {**made, "lagging": late}

    def _machine(self, state: AppState) -> dict[str, Any]:
        """What is known of this machine; while a new measurement is under way, the last one stays."""
        if not in_sight(state, ROOFLINE):
            return {}
        request = roofline_of(state)
        found = self._results.get(request)
        if isinstance(found, Measured):
            self._roofline = found.roofline
        return {
            "roofline": self._roofline,
            "measuring": found is None and request.measurement.serial > 0,
            "roofline_refused": found.message if isinstance(found, Failure) else None,
        }

    def _shown(self, state: AppState) -> _Parts:
        """Parts that belong to the newest run there is; none at all before the first."""
        run = self._run
        if run is None:
            theta = theta_for(state, state.settings)
            return _Parts(selection=state.selection, theta=theta, relative=state.theta.relative)
        asked = parts_of(state, run)
        activity = self._results.get(asked.activity)
        if isinstance(activity, Activity):
            self._lit = _Lit(asked.activity, activity)
        lit = self._lit if self._lit and self._lit.request.run == run.request else None
        detail = self._results.get(asked.detail)
        position = self._results.get(asked.position)
        proof = self._results.get(asked.proof)
        return _Parts(
            run=run,
            selection=selection_in(run, state.selection),
            hover=cell_in(run, state.hover),
            theta=lit.request.theta if lit else asked.activity.theta,
            relative=lit.request.relative if lit else asked.activity.relative,
            activity=lit.activity if lit else None,
            detail=detail if isinstance(detail, Detail) else None,
            position=position if isinstance(position, PositionCheck) else None,
            subject=asked.proof.cell,
            proof=proof if isinstance(proof, Proof) else None,
        )

    def _compared(self, state: AppState) -> RunResult | None:
        """Run of the compare settings, or the one before it on the same sentences."""
        wanted = other_run_of(state)
        if wanted is None:
            self._other = None
            return None
        found = self._results.get(wanted)
        if isinstance(found, RunResult):
            self._other = spoken(found, state.appearance.language)
        source = None if self._run is None else self._run.request.source
        return self._other if self._other and self._other.request.source == source else None

    def _other_activity(self, state: AppState) -> Activity | None:
        """Activity of the run compared with, once it is there."""
        if self._other is None or state.compare is None:
            return None
        found = self._results.get(other_activity_of(state, self._other.request))
        return found if isinstance(found, Activity) else None

    def _tokens(self, state: AppState, shown: _Parts) -> tuple[Chip, ...]:
        """Chips of the selected sentence; before the first run, straight from the tokenizer."""
        chosen = shown.selection.sentence
        # Results compare by identity, so this asks whether they are the very same.
        key = (shown.run or state.source, shown.activity, chosen)
        if self._chips[0] != key:
            made = _chips(state, shown, chosen)
            self._chips = (key, made if made != self._chips[1] else self._chips[1])
        return self._chips[1]


def resolve(
    state: AppState, results: Results, *, busy: Text | None = None, message: Text | None = None
) -> Scene:
    """Scene of a state from the results at hand; a window keeps a `Resolver`, and so the last good run."""
    return Resolver(results).resolve(state, busy=busy, message=message)


def _chips(state: AppState, shown: _Parts, sentence: int) -> tuple[Chip, ...]:
    if shown.run is None:
        try:
            tokens = first_tokens(state.source, state.appearance.language)
        except InputError:
            return ()
        chosen = tokens[min(sentence, len(tokens) - 1)]
        return tuple(Chip(visible(token), None) for token in chosen)
    lit = shown.activity
    shares = [None] * len(shown.run.tokens[sentence]) if lit is None else lit.per_token[sentence].tolist()
    return tuple(Chip(visible(token), share) for token, share in zip(shown.run.tokens[sentence], shares))


def _stages(state: AppState, run: RunResult | None) -> tuple[StageInfo, ...]:
    transposed = state.appearance.transposed
    if run is not None:
        lengths, settings, spec = run.lengths, run.request.settings, run.spec
    else:
        lengths, settings, spec = _lengths(state), state.settings, spec_of(state.settings)
    return _infos(spec, settings, lengths, transposed)


def _infos(
    spec: FFNSpec, settings: Settings, lengths: tuple[int, ...], transposed: bool
) -> tuple[StageInfo, ...]:
    return stage_infos(spec, settings, batch=len(lengths), tokens=max(lengths), transposed=transposed)


def _lengths(state: AppState) -> tuple[int, ...]:
    try:
        return tuple(len(sentence) for sentence in tokens_of(state.source))
    except InputError:
        return (0,)


def _progress(state: AppState, stages: tuple[Stage, ...]) -> tuple[tuple[Stage, float], ...]:
    """Eased shares; with reduced motion a stage is there as soon as its move begins."""
    shares = timeline.progress(state.playback.time, stages)
    if state.appearance.reduce_motion:
        return tuple((stage, float(share > 0.0)) for stage, share in shares)
    return shares


def _sentences(source: Source) -> tuple[str, ...]:
    """Sentences that there are; the patterns of a hand-built memory stand as one."""
    return source.sentences if source.memory is None else source.sentences[:1]


def _origin(request: RunRequest) -> Text:
    return origin_of(request.settings) if request.source.memory is None else text("origin.hand")


def origin_of(settings: Settings) -> Text:
    """Where the numbers of a run of these settings come from."""
    stack = text(f"origin.{settings.stack}")
    return text("origin.seeded", seed=settings.seed, layer=settings.layer, stack=stack)
