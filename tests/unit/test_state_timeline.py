"""The timeline: exact at its ends, never going back, gate and up together, rests where stages end."""

import math
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ffn_explorer.core.spec import FFNSpec, NormSpec
from ffn_explorer.core.stages import Stage, stages_of
from ffn_explorer.state import timeline

SPECS = [
    FFNSpec(gated=gated, residual=residual, norm=norm)
    for gated, residual, norm in product(
        (False, True),
        (False, True),
        (NormSpec(), NormSpec("layer", "pre"), NormSpec("rms", "post"), NormSpec("rms", "sandwich")),
    )
]
stages = st.sampled_from(SPECS).map(stages_of)
times = st.floats(0.0, 1.0)


@given(stages)
def test_starts_with_the_input_alone_and_ends_with_all(order: tuple[Stage, ...]) -> None:
    assert timeline.progress(0.0, order) == tuple((stage, float(stage is Stage.INPUT)) for stage in order)
    assert timeline.progress(1.0, order) == tuple((stage, 1.0) for stage in order)
    assert timeline.current(0.0, order) is Stage.INPUT
    assert timeline.current(1.0, order) is order[-1]


@given(stages, times, times)
def test_never_goes_back(order: tuple[Stage, ...], first: float, second: float) -> None:
    early, late = sorted((first, second))
    for (_, before), (_, after) in zip(timeline.progress(early, order), timeline.progress(late, order)):
        assert 0.0 <= before <= 1.0
        assert before <= after


@given(times)
@example(0.99999997)
def test_easing_never_falls_between_neighbouring_numbers(u: float) -> None:
    assert timeline.smoothstep(u) <= timeline.smoothstep(math.nextafter(u, 2.0))


@given(stages, times)
def test_stages_follow_one_another(order: tuple[Stage, ...], time: float) -> None:
    shares = dict(timeline.progress(time, order))
    for segment, after in zip(timeline.segments(order), timeline.segments(order)[1:]):
        assert len({shares[stage] for stage in segment.stages}) == 1
        if shares[after.stages[0]] > 0.0:
            assert shares[segment.stages[0]] == 1.0
    now = timeline.current(time, order)
    begun = [stage for stage in order if shares[stage] > 0.0]
    assert now in timeline.segments(order)[-1].stages or now in begun or time < 1e-3


@given(stages)
def test_gate_and_up_play_together(order: tuple[Stage, ...]) -> None:
    together = [segment.stages for segment in timeline.segments(order) if Stage.UP in segment.stages]
    assert together == [(Stage.GATE, Stage.UP) if Stage.GATE in order else (Stage.UP,)]
    assert timeline.time_of(Stage.UP, order) == timeline.time_of(together[0][0], order)


@given(stages)
def test_stepping_visits_every_rest_and_returns(order: tuple[Stage, ...]) -> None:
    visited = [0.0]
    while visited[-1] < 1.0:
        visited.append(timeline.step(visited[-1], order))
    assert visited == sorted({timeline.time_of(stage, order) for stage in order})
    for time, wanted in zip(visited[1:], visited):
        assert timeline.step(time, order, by=-1) == wanted
    assert timeline.step(1.0, order) == 1.0
    assert timeline.step(0.0, order, by=-1) == 0.0
    for stage in order:
        shares = dict(timeline.progress(timeline.time_of(stage, order), order))
        assert shares[stage] == 1.0
        assert timeline.current(timeline.time_of(stage, order), order) in {
            s for segment in timeline.segments(order) if stage in segment.stages for s in segment.stages
        }


def test_one_move_takes_less_than_a_second() -> None:
    default = stages_of(FFNSpec(norm=NormSpec("layer", "pre")))
    assert timeline.SEGMENT_S * timeline.MOVE_SHARE < 1.0
    assert timeline.duration_s(default) == pytest.approx(timeline.DURATION_S)
