"""Changes of playback: the only animation state in the program."""

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import timeline
from ffn_explorer.state.app_state import AppState, Playback
from ffn_explorer.state.change import Change, part, silent

SPEEDS = (0.1, 8.0)
"""Slowest and fastest playback, as a multiple of the normal speed."""


def play() -> Change:
    """Play on, from the start when the pass is over; beyond where a scene rests, to the end."""

    def to(state: AppState) -> AppState:
        now = state.playback
        time = 0.0 if now.time >= 1.0 else now.time
        until = 1.0 if time >= now.until else now.until
        return _with(state, part(now, playing=True, time=time, until=until))

    return silent("undo.playback", to)


def pause() -> Change:
    """Stop where it is."""
    return silent("undo.playback", lambda state: _with(state, part(state.playback, playing=False)))


def seek(time: float) -> Change:
    """Go to a time in 0..1 and rest there."""
    wanted = min(1.0, max(0.0, time))

    def to(state: AppState) -> AppState:
        return _with(state, part(state.playback, time=wanted, playing=False, until=1.0))

    return silent("undo.playback", to)


def step_stage(by: int, stages: tuple[Stage, ...]) -> Change:
    """Rest at the end of the next stage (by=+1) or of the one before (by=-1)."""

    def to(state: AppState) -> AppState:
        time = timeline.step(state.playback.time, stages, by=by)
        return _with(state, part(state.playback, time=time, playing=False, until=1.0))

    return silent("undo.playback", to)


def set_speed(speed: float) -> Change:
    """Speed as a multiple of the normal one, kept within 0.1 to 8."""
    wanted = min(SPEEDS[1], max(SPEEDS[0], speed))
    return silent("undo.playback", lambda state: _with(state, part(state.playback, speed=wanted)))


def tick(seconds: float, *, stages: tuple[Stage, ...] = (), stop: float = 1.0) -> Change:
    """Let time pass while playing; at `stop` (the end, or a stage's rest position) playback rests.

    stages: those of the run shown, whose number sets the pass's length; () takes timeline.DURATION_S.
    """
    length = timeline.duration_s(stages) if stages else timeline.DURATION_S

    def to(state: AppState) -> AppState:
        now = state.playback
        if not now.playing:
            return state
        time = now.time + seconds * now.speed / length
        rest = min(stop, now.until)
        if time >= rest:
            return _with(state, part(now, time=max(rest, now.time), playing=False))
        return _with(state, part(now, time=time))

    return silent("undo.playback", to)


def _with(state: AppState, playback: Playback) -> AppState:
    return part(state, playback=playback)
