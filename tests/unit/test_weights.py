"""Windows of weight matrices: the strongest of each cell, exact weights, and what is asked for a view."""

import time
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ffn_explorer.core import weights
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.experiment import run
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import AppState, Playback, Point, Selection, View
from ffn_explorer.state.matrix_window import Window, window_seen
from ffn_explorer.state.needs import asked_of
from ffn_explorer.state.parts import matrix as part
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.result import Matrix, RunResult
from tests.snapshots.scenes import computed

PLAIN = Settings(d_model=12, d_ff=40, heads=2, kv_heads=2)
GATED = PLAIN.with_(activation="swiglu")
EXPERTS = GATED.with_(experts=4, top_k=2)


def matrix(rows: int, columns: int, *, seed: int = 0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(rows, columns, generator=generator, dtype=torch.float64).to(dtype)


def strongest_by_hand(window: np.ndarray, steps: tuple[int, int]) -> np.ndarray:
    rows, columns = (range(0, size, step) for size, step in zip(window.shape, steps, strict=True))
    found = np.empty((len(rows), len(columns)))
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            block = window[row : row + steps[0], column : column + steps[1]].ravel()
            found[i, j] = max(block.tolist(), key=lambda v: (abs(v), v))
    return found


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 23),
    st.integers(1, 23),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([torch.float32, torch.float64, torch.bfloat16, torch.float16]),
    st.data(),
)
def test_every_cell_holds_the_strongest_of_its_weights(
    rows: int, columns: int, row_step: int, column_step: int, dtype: torch.dtype, data: st.DataObject
) -> None:
    whole = matrix(rows, columns, seed=rows * 31 + columns, dtype=dtype)
    first_row, first = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1))
    window = ((first_row, rows), (first, columns))
    cells = weights.pooled(whole, *window, steps=(row_step, column_step))
    exact = weights.exact(whole, *window)
    assert exact.dtype == cells.dtype == (np.float64 if dtype is torch.float64 else np.float32)
    assert np.array_equal(exact, whole[first_row:, first:].double().numpy().astype(exact.dtype))
    assert np.array_equal(cells, strongest_by_hand(exact, (row_step, column_step)))


def test_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = matrix(50, 30)
    before = weights.pooled(whole, (3, 50), (1, 30), steps=(4, 2))
    monkeypatch.setattr(weights, "BLOCK_WEIGHTS", 200)
    assert np.array_equal(weights.pooled(whole, (3, 50), (1, 30), steps=(4, 2)), before)
    assert weights.largest_magnitude(whole.clone()) == float(whole.abs().max())


def test_what_is_not_finite_is_marked_and_left_out_of_the_limit() -> None:
    whole = matrix(8, 8)
    whole[1, 1], whole[5, 6], whole[7, 0] = float("nan"), float("inf"), -float("inf")
    cells = weights.pooled(whole, (0, 8), (0, 8), steps=(4, 4))
    assert np.isnan(cells).tolist() == [[True, False], [True, True]]
    finite = whole[whole.isfinite()]
    assert weights.largest_magnitude(whole) == float(finite.abs().max())
    assert weights.largest_magnitude(torch.full((2, 2), float("nan"))) == 0.0


def test_matrices_by_role() -> None:
    layer = run(GATED, [["a", "b"]]).layer
    assert isinstance(weights.matrix_of(layer, "up"), torch.Tensor)
    assert [tuple(weights.matrix_of(layer, role).shape) for role in part.ROLES] == [
        (40, 12),
        (40, 12),
        (12, 40),
    ]
    plain = run(PLAIN, [["a"]]).layer
    with pytest.raises(InputError):
        weights.matrix_of(plain, "gate")


def test_a_large_matrix_is_pooled_in_far_less_than_a_second() -> None:
    whole = torch.empty(11_008, 4_096).normal_(generator=torch.Generator().manual_seed(1))
    begun = time.process_time()
    weights.largest_magnitude(whole)
    cells = weights.pooled(whole, (0, 11_008), (0, 4_096), steps=(32, 4))
    assert time.process_time() - begun < 1.0
    assert cells.shape == (344, 1_024)


def matrix_of(state: AppState) -> Matrix:
    results = computed(state)
    found = results.get(run_of(state))
    assert isinstance(found, RunResult)
    request = part.ask_matrix(asked_of(state, results, found))
    assert request is not None
    made = results.get(request)
    assert isinstance(made, Matrix)
    return made


def role_of(state: AppState) -> str:
    return matrix_of(state).role


def pinned(**view: object) -> tuple[tuple[str, View], ...]:
    return (("weights", View(**view)),)  # type: ignore[arg-type] # checked by View


def test_it_follows_the_pass_and_at_rest_the_chosen_stage() -> None:
    at = {time: role_of(AppState(settings=GATED, playback=Playback(time))) for time in (0.0, 0.3, 0.8, 1.0)}
    assert at == {0.0: "up", 0.3: "up", 0.8: "down", 1.0: "down"}
    chosen = AppState(settings=GATED, selection=Selection(token=1, neuron=3, stage=Stage.GATE))
    assert role_of(chosen) == "gate"
    assert role_of(replace(chosen, playback=Playback(0.3))) == "gate"  # gate and up are read together
    assert role_of(replace(chosen, playback=Playback(0.8))) == "down"
    assert role_of(replace(chosen, views=pinned(mode="up"))) == "up"
    assert role_of(AppState(settings=PLAIN, views=pinned(mode="gate"))) == "down"  # there is none


def test_the_weights_are_those_of_the_run() -> None:
    state = AppState(settings=GATED, views=pinned(mode="down"))
    made = matrix_of(state)
    found = computed(state).get(run_of(state))
    assert isinstance(found, RunResult)
    assert found.run is not None
    down = weights.matrix_of(found.run.layer, "down").numpy()
    assert made.shape == down.shape == (12, 40)
    assert (made.rows, made.columns, made.row_step, made.column_step) == ((0, 12), (0, 40), 1, 1)
    assert made.exact is not None
    assert np.array_equal(made.exact, down)
    assert made.limit >= np.abs(down).max() > made.limit / 1.1
    assert np.abs(made.value.astype(float) - 128 - down / made.limit * 127).max() <= 0.5 + 1e-6


def test_of_experts_it_is_the_one_that_is_looked_at() -> None:
    state = AppState(settings=EXPERTS, selection=Selection(token=1), views=pinned(mode="up"))
    found = computed(state).get(run_of(state))
    assert isinstance(found, RunResult)
    assert found.expert_index is not None
    first, second = found.expert_index[0, 1].tolist()
    assert matrix_of(state).expert == first
    assert matrix_of(replace(state, selection=Selection(token=1, expert=second))).expert == second


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 20_000), st.data())
def test_a_window_holds_what_is_seen_in_few_cells(total: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, total - 1))
    past = data.draw(st.integers(first + 1, total))
    for most in (part.MOST_ROWS, part.MOST_COLUMNS):
        low, high, step = part._snapped((first, past), total, most)
        assert 0 <= low <= first < past <= high <= total
        assert -(-(high - low) // step) <= most
        assert low % step == 0
        assert step & (step - 1) == 0
        if past - first <= most // 2:
            assert step == 1


def test_the_view_counts_neurons_and_dimensions_in_every_matrix() -> None:
    view = View(first=2, shown=5, first_row=10, rows=20)
    assert window_seen(view, "up", (40, 12)) == Window((10, 30), (2, 7))
    assert window_seen(view, "down", (12, 40)) == Window((2, 7), (10, 30))
    assert window_seen(View(), "down", (12, 40)) == Window((0, 12), (0, 40))
    far = View(first=100, shown=5, first_row=-3, rows=99)
    assert window_seen(far, "gate", (40, 12)) == Window((0, 40), (7, 12))


def test_the_weights_at_the_pointer_are_exact() -> None:
    big = Settings(d_model=640, d_ff=1_280, heads=2, kv_heads=2)
    state = AppState(settings=big, point=Point(Stage.OUT, None, 700, 33), views=pinned(mode="down"))
    results = computed(state)
    found = results.get(run_of(state))
    assert isinstance(found, RunResult)
    assert found.run is not None
    request = part.ask_spot(asked_of(state, results, found))
    assert request is not None
    made = results.get(request)
    assert isinstance(made, Matrix)
    (first_row, past_row), (first, past) = made.rows, made.columns
    assert first_row <= 33 - part.REACH < 33 + part.REACH < past_row
    assert first <= 700 - part.REACH < 700 + part.REACH < past
    assert made.exact is not None
    down = weights.matrix_of(found.run.layer, "down").numpy()
    assert made.exact[33 - first_row, 700 - first] == down[33, 700]
    for point in (None, Point(neuron=3), Point(neuron=1_280, dim=2)):
        asked = asked_of(replace(state, point=point), results, found)
        assert part.ask_spot(asked) is None
