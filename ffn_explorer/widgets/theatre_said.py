"""What the theatre says of an FFN: how a memory answers, what the stream takes up, and the sum itself."""

from collections.abc import Callable
from pathlib import Path

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Source
from ffn_explorer.state.formulas import memories_sum, memory_value, residual
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.visible import visible

Say = Callable[..., str]


def answers_said(say: Say, run: RunResult | None, *, by_hand: bool) -> tuple[str, str]:
    """Over the memories, and shorter; of an opened file with everything that its spec adds."""
    gated = run is not None and Stage.GATE in run.values
    key = "answers_gated" if gated else "answers_hand" if by_hand else "answers"
    short = say(f"{key}_short")
    if run is None or run.request.source.opened is None:
        return say(key), short
    return say("answers_file", z="z = gate" if gated else "z = up", m=memory_value(run.spec)), short


def stream_said(say: Say, run: RunResult | None, *, added: bool) -> tuple[str, str]:
    """Over the stream, and shorter; added: whether the residual has been reached."""
    if run is None or run.request.source.opened is None:
        key = "stream_y" if added else "stream_out"
        return say(key), say(f"{key}_short")
    if added:
        return say("stream_y_file", sum=residual(run.spec)), residual(run.spec)
    return say("stream_out_file", sum=memories_sum(run.spec, run.has)), say("stream_out_short")


def note_said(say: Say, run: RunResult | None) -> str:
    """The whole FFN as a sum of memories."""
    if run is None or run.request.source.opened is None:
        return say("note_ranked")
    return say("note_file", sum=memories_sum(run.spec, run.has))


def own_said(say: Say, source: Source) -> tuple[str, str]:
    """What the picker calls the FFN that is not built by hand, and its tip."""
    if source.opened is None:
        return say("random"), say("picker_tip")
    return say("random_file", file=visible(Path(source.opened.path).name)), say("picker_tip_file")
