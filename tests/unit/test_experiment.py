"""One run: dtypes, devices, dropout, given hidden states, refusals."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core import devices, experiment
from ffn_explorer.core.errors import InputError, MemoryRefusal
from ffn_explorer.core.experiment import run
from ffn_explorer.core.seeding import DTYPES
from ffn_explorer.core.settings import CHOICES, Settings

SMALL = Settings(d_model=16, d_ff=24, heads=2, kv_heads=1)
TOKENS = (("a", "b", "c"), ("b",))


@pytest.mark.parametrize("dtype", list(DTYPES))
@pytest.mark.parametrize("extra", [{}, {"mixer": True}, {"experts": 4, "top_k": 2, "shared_experts": 1}])
def test_every_dtype_runs(dtype: str, extra: dict[str, object]) -> None:
    found = run(SMALL.with_(dtype=dtype, activation="swiglu", **extra), TOKENS)
    assert found.trace.residual.dtype == DTYPES[dtype]
    assert found.trace.hidden.shape == (2, 3, 24)
    assert bool(found.trace.residual.isfinite().all())
    assert not found.trace.residual[1, 1:].any()
    assert found.lengths == (3, 1)


@given(
    st.builds(
        Settings,
        d_model=st.integers(1, 12),
        d_ff=st.integers(1, 12),
        activation=st.sampled_from(CHOICES["activation"]),
        bias=st.booleans(),
        residual=st.booleans(),
        norm=st.sampled_from(CHOICES["norm"]),
        norm_placement=st.sampled_from(CHOICES["norm_placement"]),
        stack=st.sampled_from(CHOICES["stack"]),
        heads=st.just(2),
        kv_heads=st.sampled_from([1, 2]),
        mixer=st.booleans(),
        experts=st.sampled_from([1, 4]),
        top_k=st.integers(1, 2),
        routing=st.sampled_from(CHOICES["routing"]),
        shared_experts=st.integers(0, 2),
        capacity_factor=st.sampled_from([0.0, 0.5, 1.25]),
        expert_groups=st.sampled_from([1, 2]),
        dropout=st.sampled_from([0.0, 0.3]),
        training=st.booleans(),
        dtype=st.sampled_from(CHOICES["dtype"]),
    )
)
def test_every_combination_runs(settings: Settings) -> None:
    found = run(settings, TOKENS)
    assert found.trace.result.shape == (2, 3, settings.d_model)
    assert bool(found.trace.result.isfinite().all())


def test_runs_repeat_exactly() -> None:
    settings = SMALL.with_(dropout=0.5, training=True)
    assert torch.equal(run(settings, TOKENS).trace.residual, run(settings, TOKENS).trace.residual)


def test_dropout_only_in_training() -> None:
    calm = run(SMALL.with_(dropout=0.5), TOKENS).trace.out
    assert torch.equal(calm, run(SMALL, TOKENS).trace.out)
    dropped = run(SMALL.with_(dropout=0.5, training=True), TOKENS).trace.out[0]
    kept = dropped != 0
    assert 0 < int(kept.sum()) < kept.numel()
    torch.testing.assert_close(dropped[kept], 2 * calm[0][kept])


def test_given_hidden_states() -> None:
    x = torch.arange(32, dtype=torch.float64).reshape(1, 2, 16)
    stream = run(SMALL, (("0", "1"),), x=x)
    assert stream.origin.kind == "loaded"
    assert torch.equal(stream.x, x.float())
    assert stream.trace.spec.residual
    direct = run(SMALL, (("0", "1"),), x=x, x_is="ffn-input")
    assert torch.equal(direct.trace.residual, direct.trace.out)
    assert torch.equal(direct.trace.normed, x.float())


@pytest.mark.parametrize("shape", [(1, 2, 15), (2, 2, 16), (1, 3, 16), (2, 16)])
def test_given_hidden_states_must_fit(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError) as caught:
        run(SMALL, (("0", "1"),), x=torch.zeros(shape))
    assert caught.value.key == "error.shape"


def test_mixer_needs_the_stream() -> None:
    with pytest.raises(InputError) as caught:
        run(SMALL.with_(mixer=True), (("a",),), x=torch.zeros(1, 1, 16), x_is="ffn-input")
    assert caught.value.key == "error.mixer_residual"


def test_absent_device_is_named_with_those_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "available", lambda: ("cpu", "cuda:0"))
    devices.check_device(SMALL.with_(device="cuda:0"))
    devices.check_device(SMALL.with_(device="cuda"))
    for device in ("cuda:1", "mps", "mps:0", "xpu"):
        with pytest.raises(InputError) as caught:
            run(SMALL.with_(device=device), TOKENS)
        assert caught.value.key == "error.device"
        assert caught.value.values == {"device": device, "available": "cpu, cuda:0"}


def test_mps_has_no_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "available", lambda: ("cpu", "mps"))
    devices.check_device(SMALL.with_(device="mps"))
    with pytest.raises(InputError) as caught:
        devices.check_device(SMALL.with_(device="mps", dtype="float64"))
    assert caught.value.key == "error.device_dtype"


def test_memory_of_the_device_may_still_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(experiment, "seeded_layer", full)
    with pytest.raises(MemoryRefusal):
        run(SMALL, TOKENS)


def test_non_finite_input_passes_through() -> None:
    x = torch.zeros(1, 2, 16)
    x[0, 0, 0], x[0, 1, 0] = math.nan, math.inf
    found = run(SMALL, (("0", "1"),), x=x)
    assert bool(found.trace.residual[0, 0].isnan().any())
