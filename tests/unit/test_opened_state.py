"""An opened file in the state: taken up, looked through, saved, left; what flows in; what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.experts import StoredExperts
from ffn_explorer.core.moe import MoE
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, Opened, Source
from ffn_explorer.state.compute import compute, tokens_of
from ffn_explorer.state.handmade_changes import check_state
from ffn_explorer.state.hidden_states import look_at
from ffn_explorer.state.open_files import MOST_OPEN, OPEN_FILES
from ffn_explorer.state.opened_changes import leave_opened, select_layer, set_hidden_states, use_opened
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.resolver import resolve
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Results
from ffn_explorer.state.state_json import state_from_json, state_to_json
from ffn_explorer.state.text import say
from tests.tiny_files import WORDS, D, E, F, llama, mixtral

SENTENCE = "The keys are lost ."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return llama(tmp_path / "tiny")


@pytest.fixture
def state(folder: Path) -> AppState:
    typed = replace(AppState(), source=Source(sentences=(SENTENCE,)))
    return use_opened(OPEN_FILES.open(folder), layer=1, neuron=7).to(typed)


def run(state: AppState) -> RunResult:
    found = compute(run_of(state), Results())
    assert isinstance(found, RunResult)
    return found


def refused(state: AppState) -> str:
    with pytest.raises(InputError) as caught:
        run(state)
    return caught.value.key


def test_settings_and_tokens_are_the_files(state: AppState) -> None:
    settings = state.settings
    assert (settings.d_model, settings.d_ff, settings.activation) == (D, F, "swiglu")
    assert (settings.norm, settings.norm_placement, settings.bias) == ("rms", "pre", False)
    assert (settings.layers, settings.layer, settings.heads, settings.kv_heads) == (3, 1, 4, 2)
    assert state.selection.neuron == 7
    assert tokens_of(state.source) == (("The", "keys", "are", "lost", "."),)


def test_token_embeddings_flow_in_and_are_called_so(state: AppState, folder: Path) -> None:
    found = run(state)
    weights = load_file(folder / "model.safetensors")
    ids = [WORDS.index(word) for word in SENTENCE.split()]
    np.testing.assert_array_equal(found.values[Stage.INPUT][0], weights["model.embed_tokens.weight"][ids])
    assert found.x_from == "embeddings"
    results = Results()
    results.put(run_of(state), found)
    scene = resolve(state, results)
    for language, said in (("en", "not this layer's true input"), ("ja", "この層への本来の入力ではない")):
        assert said in say(language, scene.origin)
    assert scene.file is not None
    assert [chip.text for chip in scene.chips] == SENTENCE.split()


def test_the_pass_is_what_the_tensors_give(state: AppState, folder: Path) -> None:
    found = run(state)
    w = {name: torch.from_numpy(value) for name, value in load_file(folder / "model.safetensors").items()}
    head = "model.layers.1."
    x = torch.from_numpy(found.values[Stage.INPUT].copy())
    normed = (
        x
        * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5)
        * w[head + "post_attention_layernorm.weight"]
    )
    gate, up = normed @ w[head + "mlp.gate_proj.weight"].T, normed @ w[head + "mlp.up_proj.weight"].T
    out = (torch.nn.functional.silu(gate) * up) @ w[head + "mlp.down_proj.weight"].T
    np.testing.assert_allclose(found.values[Stage.RESIDUAL], (x + out).numpy(), rtol=1e-5, atol=1e-5)


def test_another_order_of_the_tokens_permutes_the_rows(state: AppState) -> None:
    moved = changes.reorder_token(0, 0, to=3).to(state)
    one, other = run(state).values[Stage.OUT][0], run(moved).values[Stage.OUT][0]
    np.testing.assert_allclose(other[[3, 0, 1, 2, 4]], one, atol=1e-6)


def test_sentences_of_other_lengths_are_padded(state: AppState) -> None:
    two = changes.set_sentences("The keys\nThe keys are lost .").to(state)
    assert two.source.opened == state.source.opened
    found = run(two)
    assert found.lengths == (2, 5)
    alone = run(changes.set_sentences("The keys").to(state))
    np.testing.assert_allclose(found.values[Stage.OUT][0, :2], alone.values[Stage.OUT][0], atol=1e-6)
    assert not found.values[Stage.OUT][0, 2:].any()


def test_without_a_tokenizer_hidden_states_are_seeded_and_called_so(tmp_path: Path) -> None:
    opened = OPEN_FILES.open(llama(tmp_path / "bare", tokenizer=False))
    found = run(use_opened(opened).to(AppState()))
    assert found.x_from == "seeded"
    assert found.tokens == tokens_of(AppState().source)


def test_hidden_states_of_a_file_flow_in(state: AppState, tmp_path: Path) -> None:
    x = np.random.default_rng(3).standard_normal((2, 4, D)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    given = set_hidden_states(str(tmp_path / "x.npy"), x_is="ffn-input").to(state)
    found = run(given)
    np.testing.assert_array_equal(found.values[Stage.INPUT], x)
    assert found.tokens == (("0", "1", "2", "3"),) * 2
    assert Stage.NORM not in found.stages
    assert Stage.NORM in run(set_hidden_states(str(tmp_path / "x.npy")).to(state)).stages
    assert run(set_hidden_states("").to(given)).x_from == "embeddings"
    np.save(tmp_path / "x.npy", x[..., :-1])
    # Tokens were chosen in the array that was there; another one has to be chosen itself.
    assert refused(given) == "checkpoint.x_changed"
    look_at(str(tmp_path / "x.npy"))
    assert refused(given) == "checkpoint.x_width"
    with pytest.raises(InputError) as error:
        set_hidden_states(str(tmp_path / "x.npy")).to(state)
    assert error.value.key == "checkpoint.x_width"
    (tmp_path / "x.npy").unlink()
    assert refused(given) == "cli.error.no_file"


def test_layers_are_stepped_through_and_what_the_file_decides_is_refused(state: AppState) -> None:
    last = changes.set_setting("layer", 2).to(state)
    assert last.settings.layer == 2
    assert run(last).values[Stage.OUT].tolist() != run(state).values[Stage.OUT].tolist()
    with pytest.raises(InputError, match=r"error\.range"):
        select_layer(3).to(state)
    for name, value in (
        ("d_ff", 41),
        ("activation", "geglu"),
        ("norm", "layer"),
        ("heads", 2),
        ("mixer", True),
    ):
        with pytest.raises(InputError, match=r"error\.opened_setting"):
            check_state(changes.set_setting(name, value).to(state))
    check_state(changes.set_setting("dtype", "bfloat16").to(state))


def test_leaving_brings_everything_back(folder: Path) -> None:
    before = changes.set_setting("d_ff", 100).to(AppState())
    opened = use_opened(OPEN_FILES.open(folder)).to(before)
    assert leave_opened().to(select_layer(2).to(opened)) == before
    # From a hand-built memory to a file and back: what was there before both.
    memory = changes.use_memory("xor").to(before)
    assert use_opened(OPEN_FILES.open(folder)).to(memory).source.memory is None
    assert leave_opened().to(use_opened(OPEN_FILES.open(folder)).to(memory)) == before
    assert changes.leave_memory().to(changes.use_memory("xor").to(opened)) == before


def test_a_session_keeps_path_and_hash(state: AppState) -> None:
    data = json.loads(json.dumps(state_to_json(state)))
    assert data["source"]["opened"]["digest"] == OPEN_FILES.get(opened_of(state)).checkpoint.digest
    found, unknown = state_from_json(data)
    assert (found, unknown) == (state, ())


def opened_of(state: AppState) -> Opened:
    assert state.source.opened is not None
    return state.source.opened


def test_another_file_in_its_place_is_noticed(state: AppState, folder: Path) -> None:
    opened = opened_of(state)
    OPEN_FILES.close()
    assert run(state).lengths == (5,)  # opened again by itself
    OPEN_FILES.close()
    llama(folder, layers=2)
    assert refused(state) == "checkpoint.changed"
    OPEN_FILES.close()
    (folder / "model.safetensors").unlink()
    assert refused(state) == "checkpoint.no_weights"
    assert OPEN_FILES.known(opened) is None


def test_only_so_many_files_stay_open(tmp_path: Path) -> None:
    found = [OPEN_FILES.open(llama(tmp_path / str(n), layers=1, seed=n)) for n in range(MOST_OPEN + 2)]
    assert [OPEN_FILES.known(opened) is not None for opened in found] == [False, False, *[True] * MOST_OPEN]
    assert run(use_opened(found[0]).to(AppState())).x_from == "embeddings"


def test_experts_are_read_when_tokens_choose_them(tmp_path: Path) -> None:
    opened = OPEN_FILES.open(mixtral(tmp_path / "moe"))
    state = use_opened(opened).to(replace(AppState(), source=Source(sentences=("The",))))
    assert (state.settings.experts, state.settings.top_k) == (E, 2)
    found = run(state)
    assert found.run is not None
    layer = found.run.layer
    assert isinstance(layer, MoE)
    assert isinstance(layer.experts, StoredExperts)
    assert found.expert_index is not None
    chosen = set(found.expert_index.ravel().tolist())
    assert chosen <= set(layer.experts.held) <= chosen | {0}  # the first tells the shapes
    cut = run(replace(state, edits=Edits(keep=3)))
    assert np.count_nonzero(cut.values[Stage.HIDDEN][0, 0]) == 3


def test_a_layer_is_read_once_while_it_is_used(state: AppState) -> None:
    one = run(state)
    other = run(changes.set_sentences("The table is lost .").to(state))
    assert one.run is not None
    assert other.run is not None
    assert one.run.layer is other.run.layer


def test_settings_that_no_longer_fit_the_file_are_noticed(state: AppState) -> None:
    odd = replace(state, settings=Settings(d_model=D, d_ff=F + 1, heads=1, kv_heads=1, layer=1))
    assert refused(odd) == "checkpoint.changed"
