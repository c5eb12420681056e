"""Rows of an atlas: their order against numpy's own, filters, and what no filter may do."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.checkpoints.reading.atlas import LayerAtlas
from ffn_explorer.state.atlas_rows import (
    AtlasRows,
    Columns,
    Condition,
    across_of,
    colour_of,
    columns_of,
    conditions_in,
    sorted_by,
    symbol,
    upward_of,
)
from ffn_explorer.state.file_results import Atlas
from ffn_explorer.state.looking import AXES, AtlasAxis, Looking


def made(*, gated: bool = True, count: int = 50) -> Columns:
    """Numbers of some neurons, two of them broken."""
    draw = np.random.default_rng(5)

    def norm() -> np.ndarray:
        return draw.uniform(1, 9, count).astype(np.float32)

    def cosine() -> np.ndarray:
        return draw.uniform(-1, 1, count).astype(np.float32)

    up, down, between = norm(), norm(), cosine()
    up[7] = np.inf
    between[13] = np.nan
    gate = (norm(), cosine(), cosine()) if gated else (None, None, None)
    return columns_of(Atlas(0, None, LayerAtlas(up, down, between, *gate), 0))


def test_a_layer_without_a_gate_has_half_the_numbers() -> None:
    assert tuple(made()) == AXES
    plain = made(gated=False)
    assert tuple(plain) == ("up_norm", "down_norm", "cos_up_down")
    assert across_of(Looking(across="gate_norm"), plain) == "up_norm"
    assert upward_of(Looking(upward="cos_gate_up"), plain) == "down_norm"
    assert colour_of("down_norm", plain) == "cos_up_down"


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("smallest", [False, True])
def test_the_order_is_that_of_the_numbers_and_what_is_not_finite_comes_last(
    axis: AtlasAxis, smallest: bool
) -> None:
    columns = made()
    rows = AtlasRows(columns, axis, smallest)
    assert sorted(rows.order.tolist()) == list(range(50))
    assert rows.finite == 48
    assert set(rows.order[48:].tolist()) == {7, 13}
    values = columns[axis][rows.order[:48]]
    assert (np.diff(values) >= 0 if smallest else np.diff(values) <= 0).all()
    assert [rows.place_of(int(n)) for n in rows.order] == list(range(50))
    assert rows.place_of(50) is rows.place_of(-1) is None


def test_a_filter_leaves_out_what_fails_any_of_its_conditions() -> None:
    columns = made()
    conditions = conditions_in("> 4, cos(up, down) < 0 gate<=8", "down_norm")
    assert conditions == (
        Condition("down_norm", ">", 4.0),
        Condition("cos_up_down", "<", 0.0),
        Condition("gate_norm", "<=", 8.0),
    )
    rows = AtlasRows(columns, "down_norm", smallest=False, conditions=conditions)
    wanted = (columns["down_norm"] > 4) & (columns["cos_up_down"] < 0) & (columns["gate_norm"] <= 8)
    assert set(rows.order.tolist()) == set(np.flatnonzero(wanted).tolist())
    assert rows.kept.tolist() == wanted.tolist()
    left_out = int(np.flatnonzero(~wanted)[0])
    assert rows.place_of(left_out) is None


def test_nothing_passes_a_bound_on_a_number_that_the_layer_has_not() -> None:
    plain = made(gated=False)
    assert len(AtlasRows(plain, "up_norm", False, conditions_in("gate > 0", "up_norm") or ()).order) == 0


@pytest.mark.parametrize(
    ("typed", "axis", "sign", "bound"),
    [
        ("> 6", "up_norm", ">", 6.0),
        ("＜ .5", "up_norm", "<", 0.5),
        ("≥−2e-3", "up_norm", ">=", -0.002),
        ("‖down‖ ≤ 3", "down_norm", "<=", 3.0),
        ("GATE>1", "gate_norm", ">", 1.0),
        ("cos(down, up) > 0.5", "cos_up_down", ">", 0.5),
        ("cos( gate 、up ) < -0.5", "cos_gate_up", "<", -0.5),
    ],
)
def test_bounds_as_people_write_them(typed: str, axis: AtlasAxis, sign: str, bound: float) -> None:
    assert conditions_in(typed, "up_norm") == (Condition(axis, sign, bound),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "typed", ["what?", "down", "down >", "> x", "cos(up, up) > 0", "5", "> 5 down", "a > 5"]
)
def test_what_is_no_bound_is_none(typed: str) -> None:
    assert conditions_in(typed, "up_norm") is None


def test_no_text_is_no_filter() -> None:
    assert conditions_in("", "up_norm") == conditions_in("  ", "up_norm") == ()


@given(st.text(alphabet="cosupgatedwn(),<>=.0123456789-e ‖|、\t", max_size=200))
def test_any_text_is_read_at_once(typed: str) -> None:
    start = time.perf_counter()
    conditions_in(typed, "up_norm")
    assert time.perf_counter() - start < 1.0


def test_orders_and_symbols() -> None:
    columns = made()
    assert sorted_by("-down_norm", columns, "gate_norm") == ("down_norm", True)
    assert sorted_by("nothing", columns, "gate_norm") == ("gate_norm", False)
    assert [symbol(axis) for axis in AXES[:4]] == ["‖up‖", "‖gate‖", "‖down‖", "cos(up, down)"]
    assert colour_of("cos_gate_up", columns) == "cos_gate_up"
    assert colour_of("up_norm", columns) == "cos_gate_down"
