"""Resolver: state and results -> Scene, showing the last good run while a newer one is being computed."""

from typing import Any, NamedTuple

from ffn_explorer.core.records import PositionCheck, Proof
from ffn_explorer.core.roofline_records import Roofline
from ffn_explorer.state import timeline
from ffn_explorer.state.app_state import AppState, Cell, Opened, Selection
from ffn_explorer.state.handmade_words import spoken
from ffn_explorer.state.needs import (
    ROOFLINE,
    cell_in,
    extra_parts,
    file_parts,
    in_sight,
    other_activity_of,
    parts_of,
    selection_in,
    slot_in,
)
from ffn_explorer.state.requests import ActivityRequest, other_run_of, roofline_of, run_of
from ffn_explorer.state.result import Activity, Detail, Measured, RunResult
from ffn_explorer.state.results import Failure, Results
from ffn_explorer.state.scene import Chip, Scene
from ffn_explorer.state.scene_parts import (
    chips_of,
    file_of,
    lesson_of,
    progress_of,
    run_origin,
    sentences_of,
    stages_in,
)
from ffn_explorer.state.text import Text
from ffn_explorer.state.theta import theta_for

FILE_FIELDS = ("neuron_tokens", "atlas", "promoters")
"""Rows of FILE_PARTS whose panels say why they are empty."""

CHOSEN = ("views", "edits", "compare", "costing", "looking")
"""Parts of the state that a Scene has as they are."""


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
        stages = stages_in(state, shown.run)
        names = tuple(info.stage for info in stages)
        return Scene(
            look=state.appearance,
            source=state.source,
            settings=state.settings,
            run=shown.run,
            stages=stages,
            chips=self._tokens(state, shown),
            sentences=sentences_of(
                state.source if shown.run is None else shown.run.request.source, shown.run
            ),
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
            progress=progress_of(state, names),
            current=timeline.current(state.playback.time, names),
            origin=run_origin(run_of(state) if shown.run is None else shown.run.request, shown.run),
            file=file_of(state.source),
            busy=busy,
            message=message or refused,
            no_run=refused if shown.run is None else None,
            **{name: getattr(state, name) for name in CHOSEN},
            lesson=lesson_of(state),
            **self._machine(state),
            **self._extra(state, shown.run),
            **self._read(state, shown.run),
        )

    def _look(self, state: AppState) -> Text | None:
        """Take the run that the state asks for, once it is there; why it never will be, where that is so."""
        found = self._results.get(run_of(state))
        if isinstance(found, RunResult):
            self._run = spoken(found, state.appearance.language)
        elif isinstance(found, Failure) and self._run is not None and _of_other_file(self._run, state):
            # Numbers of one file must not stand under another's name.
            self._run = None
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

    def _read(self, state: AppState, run: RunResult | None) -> dict[str, Any]:
        """Rows of FILE_PARTS: what is there, what is found so far, or why there is nothing."""
        if state.source.opened is None:
            return {}
        if run is None or _of_other_file(run, state):
            why = self._results.get(run_of(state))
            failed = why.message if isinstance(why, Failure) else None
            return {"refusals": tuple((field, failed) for field in FILE_FIELDS if failed is not None)}
        made: dict[str, Any] = {}
        refusals: list[tuple[str, Text]] = []
        for field, request in file_parts(state, self._results, run).items():
            found = self._results.get(request)
            if isinstance(found, Failure):
                refusals.append((field, found.message))
            else:
                made[field] = self._results.sketched(request) if found is None else found
        return {**made, "refusals": tuple(refusals)}

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
            made = chips_of(state, shown.run, shown.activity, sentence=chosen)
            self._chips = (key, made if made != self._chips[1] else self._chips[1])
        return self._chips[1]


def _of_other_file(run: RunResult, state: AppState) -> bool:
    """Whether a run belongs to random weights or another file while a file is open."""
    opened, shown = state.source.opened, run.request.source.opened
    if opened is None:
        return False
    return shown is None or _reading(shown) != _reading(opened)


def _reading(opened: Opened) -> tuple[object, ...]:
    return opened.path, opened.digest, opened.correction


def resolve(
    state: AppState, results: Results, *, busy: Text | None = None, message: Text | None = None
) -> Scene:
    """Scene of a state from the results at hand; a window keeps a `Resolver`, and so the last good run."""
    return Resolver(results).resolve(state, busy=busy, message=message)
