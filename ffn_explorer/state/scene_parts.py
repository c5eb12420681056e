"""Parts of a Scene that follow from the state and the run on screen alone."""

from typing import TYPE_CHECKING

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import timeline
from ffn_explorer.state.app_state import AppState, Source
from ffn_explorer.state.compute import tokens_of
from ffn_explorer.state.handmade_words import first_tokens
from ffn_explorer.state.requests import RunRequest
from ffn_explorer.state.result import Activity, RunResult
from ffn_explorer.state.scene import Chip
from ffn_explorer.state.stage_info import StageInfo, stage_infos
from ffn_explorer.state.text import Text, text
from ffn_explorer.state.visible import visible

if TYPE_CHECKING:
    from ffn_explorer.state.file_facts import FileFacts
    from ffn_explorer.state.lectures.shown import LessonShown


def chips_of(
    state: AppState, run: RunResult | None, lit: Activity | None, *, sentence: int
) -> tuple[Chip, ...]:
    """Tokens of a sentence with the share of their neurons that are active."""
    if run is None:
        try:
            tokens = first_tokens(state.source, state.appearance.language)
        except InputError:
            return ()
        chosen = tokens[min(sentence, len(tokens) - 1)]
        return tuple(Chip(visible(token), None) for token in chosen)
    shares = [None] * len(run.tokens[sentence]) if lit is None else lit.per_token[sentence].tolist()
    return tuple(Chip(visible(token), share) for token, share in zip(run.tokens[sentence], shares))


def stages_in(state: AppState, run: RunResult | None) -> tuple[StageInfo, ...]:
    """Stages of the run on screen, or of the settings before the first."""
    transposed = state.appearance.transposed
    if run is not None:
        lengths, settings, spec = run.lengths, run.request.settings, run.spec
    else:
        lengths, settings, spec = _lengths(state), state.settings, spec_of(state.settings)
    rows = {"batch": len(lengths), "tokens": max(lengths)}
    return stage_infos(spec, settings, **rows, transposed=transposed, parts=None if run is None else run.has)


def _lengths(state: AppState) -> tuple[int, ...]:
    try:
        return tuple(len(sentence) for sentence in tokens_of(state.source))
    except InputError:
        return (0,)


def progress_of(state: AppState, stages: tuple[Stage, ...]) -> tuple[tuple[Stage, float], ...]:
    """Eased shares; with reduced motion a stage is there as soon as its move begins."""
    shares = timeline.progress(state.playback.time, stages)
    if state.appearance.reduce_motion:
        return tuple((stage, float(share > 0.0)) for stage, share in shares)
    return shares


def sentences_of(source: Source, run: RunResult | None) -> tuple[str, ...]:
    """Sentences that there are; the patterns of a hand-built memory stand as one."""
    if source.opened is not None and source.opened.x:
        return tuple(str(number) for number in range(1 if run is None else len(run.tokens)))
    return source.sentences if source.memory is None else source.sentences[:1]


def run_origin(request: RunRequest, run: RunResult | None) -> Text:
    """Where the numbers of a run come from."""
    source = request.source
    if source.opened is not None:
        from ffn_explorer.state.opened_words import origin_of_file  # the first picture needs none of it

        return origin_of_file(source.opened, request.settings, None if run is None else run.x_from)
    return origin_of(request.settings) if source.memory is None else text("origin.hand")


def file_of(source: Source) -> "FileFacts | None":
    """What is known of the opened file, while it is open."""
    if source.opened is None:
        return None
    from ffn_explorer.state.open_files import OPEN_FILES  # the first picture needs none of it

    held = OPEN_FILES.known(source.opened)
    return None if held is None else held.facts


def lesson_of(state: AppState) -> "LessonShown | None":
    """The beat of a lecture, while one is on."""
    if state.lesson is None:
        return None
    from ffn_explorer.state.lectures.shown import lesson_shown  # the first picture needs none of it

    return lesson_shown(state)


def origin_of(settings: Settings) -> Text:
    """Where the numbers of a run of these settings come from."""
    stack = text(f"origin.{settings.stack}")
    return text("origin.seeded", seed=settings.seed, layer=settings.layer, stack=stack)
