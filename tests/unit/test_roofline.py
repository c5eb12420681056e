"""Roofline: what is measured and of what, told as it goes on, stopped when asked; with a clock of our own."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, pairwise
from types import SimpleNamespace

import psutil
import pytest
import torch
from torch import Tensor

from ffn_explorer.core import machine, roofline
from ffn_explorer.core.budget import ITEM_BYTES
from ffn_explorer.core.cost import ffn_parameters
from ffn_explorer.core.errors import InputError, MemoryRefusal
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.machine import device_name
from ffn_explorer.core.roofline import measure
from ffn_explorer.core.roofline_records import SIZES, Operating, Roof, Roofline, moved_bytes
from ffn_explorer.core.settings import Settings

SMALL = Settings(d_model=16, d_ff=24, heads=1, kv_heads=1, bias=False)
TICK_S = 2.0**-10
"""What everything seems to take: the clock goes on by this whenever it is read."""
SIDE = 32
STREAM = 4 * SIDE * SIDE


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measurement of milliseconds, whose clock makes every number known."""
    ticks = count()
    monkeypatch.setattr(roofline, "perf_counter", lambda: next(ticks) * TICK_S)
    monkeypatch.setattr(roofline, "_SQUARES", (4, 8))
    monkeypatch.setattr(roofline, "_STREAM_BYTES", STREAM)
    monkeypatch.setattr(roofline, "_LEAST_S", 0.0)


class Stopped(Exception):
    """What a person's wish to stop is here."""


def told_in(found: list[float], *, last: int | None = None) -> Callable[[float], None]:
    """Note what is told, and stop at one of the times."""

    def told(share: float) -> None:
        found.append(share)
        if len(found) == last:
            raise Stopped

    return told


def measured(settings: Settings = SMALL) -> Roofline:
    return measure(settings, lambda _share: None)


STEPS = 2 + 4 + len(SIZES)
"""Two squares, four reads, and every size."""


def test_a_point_for_each_size() -> None:
    found = measured()
    assert [point.tokens for point in found.points] == list(SIZES) == [2**power for power in range(12)]
    for point in found.points:
        assert point.flops == 4 * point.tokens * 16 * 24
        assert point.bytes == (2 * 16 * 24 + 2 * point.tokens * 16) * 4
        assert point.seconds == TICK_S
        assert point.rate == point.flops / TICK_S
    assert (found.device, found.dtype, found.activation) == ("cpu", "float32", "relu")
    assert (found.d_model, found.d_ff, found.machine) == (16, 24, device_name("cpu"))


def test_the_roof_is_the_best_of_all_that_was_tried() -> None:
    """Squares, and beside each point its bare products; sums, copies and products with one vector."""
    rates = [2 * 4**3, 2 * 8**3, *(2 * tokens * 16 * 24 for tokens in SIZES)]
    products = [24 * 16 + tokens * (16 + 24) for tokens in SIZES]
    roof = measured().roof
    assert roof.flops_per_s == max(rates) / TICK_S
    assert roof.bytes_per_s == max(STREAM, 2 * STREAM, *(4 * each for each in products)) / TICK_S


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_bytes_are_those_of_the_dtype(dtype: str) -> None:
    found = measured(SMALL.with_(dtype=dtype, activation="swiglu", bias=True))
    weights = ffn_parameters(SMALL.with_(activation="swiglu", bias=True), bias=True)
    assert found.dtype == dtype
    for point in found.points:
        assert point.flops == 6 * point.tokens * 16 * 24
        assert point.bytes == (weights + 2 * point.tokens * 16) * ITEM_BYTES[dtype]


def test_a_mixture_is_measured_as_one_of_its_experts() -> None:
    mixture = SMALL.with_(
        experts=8, top_k=2, shared_experts=1, expert_groups=2, groups_kept=2, layers=3, layer=2,
        dropout=0.5, training=True, norm="rms", mixer=True,
    )  # fmt: skip
    assert measured(mixture) == measured()


def test_every_pass_reads_other_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    passed: list[FFN] = []

    def noted(layer: FFN, x: Tensor) -> object:
        passed.append(layer)
        assert torch.is_inference_mode_enabled()
        return forward(layer, x)

    monkeypatch.setattr(roofline, "forward", noted)
    measured()
    # 3,072 bytes of weights beside a cache of 4,096.
    assert len({id(layer) for layer in passed}) == 2
    assert all(one is not other for one, other in pairwise(passed))
    assert not torch.equal(passed[0].up, passed[1].up)


def test_it_is_told_how_much_is_done() -> None:
    shares: list[float] = []
    measure(SMALL, told_in(shares))
    assert len(shares) == STEPS
    assert shares == sorted(set(shares))
    assert (shares[0], shares[-1]) == (1 / STEPS, 1.0)


@pytest.mark.parametrize("last", [1, 2, 3, 7, STEPS - 1, STEPS])
def test_it_stops_when_asked(last: int) -> None:
    shares: list[float] = []
    with pytest.raises(Stopped):
        measure(SMALL, told_in(shares, last=last))
    assert len(shares) == last
    assert not torch.is_inference_mode_enabled()


def test_what_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    # The roof is that of the larger square, 2 · 8³, until the bare products of two tokens, 2 · 2 · 16 · 24,
    # raise it: enough for two tokens in time, and not for four.
    monkeypatch.setattr(roofline, "POINT_S", 2.5 * 4 * 16 * 24 / (2 * 8**3 / TICK_S))
    assert [point.tokens for point in measured().points] == [1, 2]
    monkeypatch.setattr(roofline, "POINT_S", 0.0)
    monkeypatch.setattr(roofline, "_PRODUCT_S", 0.0)
    shares: list[float] = []
    found = measure(SMALL, told_in(shares))
    assert found.points == ()
    # The smallest square is measured in any case.
    assert found.roof.flops_per_s == 2 * 4**3 / TICK_S
    assert (len(shares), shares[-1]) == (STEPS, 1.0)


def test_memory_is_asked_for_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def seeded(_: Settings) -> FFN:
        raise AssertionError("weights were made")

    monkeypatch.setattr(roofline, "seeded_layer", seeded)
    shares: list[float] = []
    large = SMALL.with_(d_model=4_096, d_ff=11_008)
    # Two matrices, and of 2,048 tokens every stage; twice that must be free.
    needed = 4 * (2 * 4_096 * 11_008 + 2_048 * (3 * 11_008 + 4 * 4_096)) + 3 * STREAM
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=2 * needed - 1))
    with pytest.raises(MemoryRefusal) as caught:
        measure(large, told_in(shares))
    assert caught.value.values == {"needed": "765.5 MB", "free": "1.5 GB"}
    assert shares == []
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=2 * needed))
    with pytest.raises(AssertionError, match="weights were made"):
        measure(large, told_in(shares))


@pytest.mark.parametrize("device", ["xpu:63", "cuda:63"])
def test_a_device_that_is_missing_is_refused(device: str) -> None:
    shares: list[float] = []
    with pytest.raises(InputError) as caught:
        measure(SMALL.with_(device=device), told_in(shares))
    assert (caught.value.key, caught.value.values["device"]) == ("error.device", device)
    assert shares == []


def test_a_roof_bounds_by_memory_and_then_by_arithmetic() -> None:
    roof = Roof(flops_per_s=1e12, bytes_per_s=5e10)
    assert roof.ridge == 20.0
    assert [roof.bound(each) for each in (1.0, 20.0, 1e6)] == [5e10, 1e12, 1e12]
    point = Operating(tokens=4, flops=4_000, bytes=400, seconds=1e-8)
    assert point.intensity == 10.0
    assert point.rate == pytest.approx(4e11)
    line = Roofline("m", "cpu", "float32", 16, 24, "relu", roof, (point,))
    assert line.reached(point) == pytest.approx(0.8)


def test_bytes_that_must_move() -> None:
    """Every matrix once, hidden states in and out once: one token of Llama 2 7B in bfloat16."""
    weights = 3 * 4_096 * 11_008
    assert moved_bytes(tokens=1, d_model=4_096, weights=weights, item=2) == 270_532_608 + 16_384
    assert moved_bytes(tokens=512, d_model=4_096, weights=weights, item=4) == 541_065_216 + 512 * 32_768


def test_a_machine_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert device_name("cpu").endswith(f", {torch.get_num_threads()} threads")
    assert device_name("mps").endswith(" (mps)")
    processor = device_name("mps").removesuffix(" (mps)")
    assert device_name("cpu:0") == device_name("cpu") == f"{processor}, {torch.get_num_threads()} threads"
    monkeypatch.setattr(machine, "_from_proc", str)
    monkeypatch.setattr("platform.processor", str)
    assert device_name("cpu").strip() != ""
