"""Changes of a lecture: every beat declares the whole state, so that any of them can be jumped to."""

from dataclasses import replace

from ffn_explorer.state.app_state import AppState, Playback
from ffn_explorer.state.change import Change, part, silent
from ffn_explorer.state.lectures.model import Beat, Lecture, SceneOf
from ffn_explorer.state.lesson import DEPTHS, Depth, Lesson

SERIES = "lecture"
"""Gesture of every step of a lecture: one undo leads back to what was there before it."""


def to_beat(lecture: Lecture, at: int, *, rest: bool = False) -> Change:
    """Go to a beat: its scene's state, and its move from the start, or with `rest` done.

    A question rests before the move, which people are to predict; summaries and quizzes after it.
    """

    def to(state: AppState) -> AppState:
        beat = lecture.beats[at]
        old = state.lesson if state.lesson is not None and state.lesson.path == lecture.path else None
        depth = "idea" if state.lesson is None else state.lesson.depth
        lesson = Lesson(lecture.path, at, depth, () if old is None else old.chosen)
        scene = lecture.scenes[beat.scene]
        moves = beat.moves and not rest
        return _declared(state, scene.state, scene=scene, lesson=lesson, beat=beat, moves=moves)

    return Change("undo.lecture", to, gesture=SERIES, gathers=SERIES)


def to_scene(lecture: Lecture, scene: int) -> Change:
    """Go to the first beat of a scene."""
    return to_beat(lecture, lecture.first_beat(scene))


def at_scene(lecture: Lecture, scene: int, depth: Depth) -> Change:
    """What a scene comes to: its question answered, its move done, its words at a depth."""
    own = [at for at, beat in enumerate(lecture.beats) if beat.scene == scene and beat.moves]
    return Change(
        "undo.lecture", lambda state: set_depth(depth).to(to_beat(lecture, own[-1], rest=True).to(state))
    )


def back_to_scene(lecture: Lecture) -> Change:
    """The scene as it was declared, after a person has played with it; its move done."""

    def to(state: AppState) -> AppState:
        return state if state.lesson is None else to_beat(lecture, state.lesson.beat, rest=True).to(state)

    return Change("undo.lecture_back", to)


def try_experiment(lecture: Lecture, which: int) -> Change:
    """Try a common belief: the state that it declares, with the scene's move."""

    def to(state: AppState) -> AppState:
        if state.lesson is None:
            return state
        beat = lecture.beats[state.lesson.beat]
        scene = lecture.scenes[beat.scene]
        lesson = replace(state.lesson, tried=which)
        tried = scene.experiments[which].state
        return _declared(state, tried, scene=scene, lesson=lesson, beat=beat, moves=True)

    return Change("undo.experiment", to)


def answer(lecture: Lecture, which: int) -> Change:
    """Answer the question of this beat, and go on to what is right."""

    def to(state: AppState) -> AppState:
        lesson = state.lesson
        if lesson is None or lecture.beats[lesson.beat].part not in ("question", "quiz"):
            return state
        kept = tuple(pair for pair in lesson.chosen if pair[0] != lesson.beat)
        chosen = (*kept, (lesson.beat, which))
        return to_beat(lecture, lesson.beat + 1).to(replace(state, lesson=replace(lesson, chosen=chosen)))

    return Change("undo.answer", to)


def resume(lecture: Lecture, lesson: Lesson) -> Change:
    """Take up a lecture at a place, at rest; what is on screen stays, as a person may have strayed there."""

    def to(state: AppState) -> AppState:
        beat = lecture.beats[lesson.beat]
        scene = lecture.scenes[beat.scene]
        playback = Playback(_rest(scene, beat), False, scene.speed, scene.play[1])
        views = _wanted(scene, lesson).views
        return part(state, lesson=lesson, views=views, playback=playback)

    return Change("undo.lecture", to, gesture=SERIES, gathers=SERIES)


def set_depth(depth: Depth) -> Change:
    """Read the scenes' words at another depth."""

    def to(state: AppState) -> AppState:
        return state if state.lesson is None else part(state, lesson=part(state.lesson, depth=depth))

    return silent("undo.depth", to)


def next_depth(state: AppState) -> Change:
    """One depth further, from the deepest to the first."""
    now = "idea" if state.lesson is None else state.lesson.depth
    return set_depth(DEPTHS[(DEPTHS.index(now) + 1) % len(DEPTHS)])


def leave_lecture() -> Change:
    """End the lecture; what is on screen stays, to go on playing with."""

    def to(state: AppState) -> AppState:
        return part(state, lesson=None, playback=_usual(state.playback))

    return Change("undo.lecture", to, gathers=SERIES)


def _usual(playback: Playback) -> Playback:
    """Playback as it is without a lecture, whose scenes have a speed and an end of their own."""
    return part(playback, until=1.0, speed=Playback().speed)


def settled(lecture: Lecture | None) -> Change:
    """What undo passes over, as the scene that it leads to declares it: views, and the move done."""

    def to(state: AppState) -> AppState:
        lesson = state.lesson
        if lecture is None or lesson is None:
            return part(state, playback=_usual(state.playback))
        return resume(lecture, lesson).to(state)

    return silent("undo.lecture", to)


def strayed(state: AppState, lecture: Lecture) -> bool:
    """Whether a person has changed what the scene, or the experiment under way, declares."""
    lesson = state.lesson
    if lesson is None:
        return False
    scene = lecture.scenes[lecture.beats[lesson.beat].scene]
    declared = _wanted(scene, lesson)
    # The words are about one token.
    here, there = state.selection, declared.selection
    elsewhere = (here.sentence, here.token) != (there.sentence, there.token)
    return elsewhere or _decided(state) != _decided(declared)


def _decided(state: AppState) -> tuple[object, ...]:
    return state.source, state.settings, state.edits, state.compare, state.theta, state.costing


def _wanted(scene: SceneOf, lesson: Lesson) -> AppState:
    """What the scene declares, or the experiment under way."""
    return scene.state if lesson.tried is None else scene.experiments[lesson.tried].state


def _rest(scene: SceneOf, beat: Beat) -> float:
    """Time of the pass at which a beat rests."""
    return scene.play[0] if beat.rests else scene.play[1]


def _declared(
    state: AppState, wanted: AppState, *, scene: SceneOf, lesson: Lesson, beat: Beat, moves: bool
) -> AppState:
    """The state of a scene, on this screen: looks and panels in sight stay those of the person."""
    first, last = scene.play
    rest = _rest(scene, beat)
    moves = moves and not state.appearance.reduce_motion
    return replace(
        wanted,
        appearance=state.appearance,
        shown=state.shown,
        playback=Playback(first if moves else rest, moves, scene.speed, last),
        lesson=lesson,
    )
