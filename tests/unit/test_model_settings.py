"""A public model as settings: every one loads, as large as the memory allows, and says what became of it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import psutil
import pytest

from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.budget import SHARE, bytes_needed
from ffn_explorer.core.cost import bill
from ffn_explorer.core.errors import InputError, MemoryRefusal
from ffn_explorer.core.model_bill import layer_bill
from ffn_explorer.core.settings import LIMITS, Settings
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, Source
from ffn_explorer.state.model_settings import divisor_of, loaded_words, settings_of
from ffn_explorer.state.models import model, models
from ffn_explorer.state.session import Session
from ffn_explorer.state.text import catalogue, say
from ffn_explorer.state.token_lengths import token_lengths

LARGE, SMALL = 24 * 2**30, 200_000_000
"""Free memory in bytes: of a good laptop, and of one that is nearly full."""
NOW = Settings(seed=3, dtype="bfloat16", dropout=0.1, training=True, layer=5)
TOKENS = 8
IDS = [m.id for m in models()]


def with_free(monkeypatch: pytest.MonkeyPatch, free: int) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=free))


def loaded(name: str, source: Source | None = None) -> Settings:
    return settings_of(model(name), NOW, token_lengths(source or Source()))


@pytest.mark.parametrize("free", [LARGE, SMALL])
@pytest.mark.parametrize("name", IDS)
def test_every_public_model_loads(monkeypatch: pytest.MonkeyPatch, name: str, free: int) -> None:
    with_free(monkeypatch, free)
    public = model(name)
    found = settings_of(public, NOW, [TOKENS])
    s, shape, divisor = found, public.shape, divisor_of(public, found)
    attention, ffn = shape.usual_layer.attention, shape.usual_layer.ffn
    assert divisor & (divisor - 1) == 0
    for field, (low, high) in LIMITS.items():
        assert low <= getattr(s, field) <= high
    assert bytes_needed(s, [TOKENS]) * SHARE <= free
    assert (s.d_model, s.d_ff, s.heads) == (
        max(1, shape.d_model // divisor),
        max(1, ffn.d_ff // divisor),
        max(1, attention.heads // divisor),
    )
    # Grouped as in the model, where so few heads can be.
    assert s.heads % s.kv_heads == 0
    grouped = attention.heads // attention.kv_heads
    assert s.heads // s.kv_heads == min(grouped, s.heads)
    assert s.head_dim == attention.head_dim
    assert (s.layers, s.layer) == (shape.depth, 0)
    assert s.experts == min(LIMITS["experts"][1], ffn.experts)
    assert s.top_k == ffn.top_k
    assert (s.activation, s.stack, s.bias) == (public.activation, shape.usual_layer.stack, ffn.bias)
    assert (s.seed, s.dtype, s.dropout, s.training) == (3, "bfloat16", 0.1, True)


@pytest.mark.parametrize("name", IDS)
def test_a_model_is_halved_no_more_than_needed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """With the memory that it needs it comes as it is, or as LIMITS allow; with less by half of that."""
    with_free(monkeypatch, 10**15)
    whole = settings_of(model(name), NOW, [TOKENS])
    shape = model(name).shape
    too_wide = shape.d_model > LIMITS["d_model"][1] or shape.usual_layer.ffn.d_ff > LIMITS["d_ff"][1]
    divisor = divisor_of(model(name), whole)
    assert divisor == (2 if too_wide else 1)
    needed = SHARE * bytes_needed(whole, [TOKENS])
    with_free(monkeypatch, needed)
    assert settings_of(model(name), NOW, [TOKENS]) == whole
    with_free(monkeypatch, needed - 1)
    assert divisor_of(model(name), settings_of(model(name), NOW, [TOKENS])) == 2 * divisor


def test_llama_3_8b_as_it_is_costs_what_its_layer_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    with_free(monkeypatch, LARGE)
    found = settings_of(model("llama-3-8b"), Settings(), [TOKENS])
    one, layer = bill(found, [16_384]), layer_bill(model("llama-3-8b").shape, Use(16_384))
    assert divisor_of(model("llama-3-8b"), found) == 1
    assert one.ffn_weights == layer.weights("ffn") == 176_160_768
    assert one.attention_weights == layer.weights("attention")
    assert one.score_flops == layer.flops("scores")
    assert (found.norm, found.norm_placement) == ("rms", "pre")


def test_experts_beside_are_as_wide_as_in_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    with_free(monkeypatch, LARGE)
    shared = {name: loaded(name) for name in ("deepseek-v3", "qwen1.5-moe-a2.7b")}
    assert [s.shared_experts for s in shared.values()] == [1, 4]
    assert [s.routing for s in shared.values()] == ["sigmoid_bias", "softmax_topk_renorm"]
    for name, s in shared.items():
        ffn = model(name).shape.usual_layer.ffn
        assert s.shared_experts * ffn.d_ff == ffn.shared_width


def test_longer_sentences_leave_less_for_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    with_free(monkeypatch, SMALL)
    short, long = (loaded("opt-6.7b", Source((text,), ((),))) for text in ("a b", "a " * 2_000))
    assert short.d_model > long.d_model


def test_where_nothing_fits_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with_free(monkeypatch, 1_000)
    with pytest.raises(MemoryRefusal) as caught:
        loaded("llama-3-8b")
    assert caught.value.values["free"] == "1.0 kB"
    state = AppState()
    session = Session(state)
    with pytest.raises(MemoryRefusal):
        session.apply(changes.load_model("llama-3-8b"))
    with pytest.raises(InputError):
        session.apply(changes.load_model("nosuch"))
    assert session.state == state


def test_loading_is_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    with_free(monkeypatch, SMALL)
    session = Session(AppState(settings=NOW))
    session.apply(changes.choose(neuron=2_047, dim=511))
    session.apply(changes.load_model("llama-3-8b"))
    found = session.state
    assert found.settings == loaded("llama-3-8b", found.source)
    assert found.settings.d_model == 1_024
    assert (found.selection.neuron, found.selection.dim) == (2_047, 511)
    session.apply(changes.load_model("gpt2-small"))
    session.undo()
    assert session.state == found
    session.undo()
    assert session.state.settings == NOW


@pytest.mark.parametrize(("language", "whole"), [("en", "Llama 3 8B"), ("ja", "Llama 3 8B")])
def test_what_became_of_it_is_said(language: str, whole: str) -> None:
    settings = Settings(d_model=1_024, d_ff=3_584, heads=8, kv_heads=2)
    scaled = say(language, loaded_words(model("llama-3-8b"), settings))
    same = say(language, loaded_words(model("llama-3-8b"), replace(settings, d_model=4_096)))
    for sentence, numbers in ((scaled, ("1,024", "3,584", "4")), (same, ("4,096", "3,584"))):
        assert whole in sentence
        assert all(number in sentence for number in numbers)
    assert scaled != same
    assert {"models.loaded", "models.loaded_scaled"} <= catalogue(language).keys()
