"""`inspect` as people and scripts meet it: layers, one neuron with its tokens, one sentence on a mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from ffn_explorer.__main__ import main

Capture = pytest.CaptureFixture[str]
D, F, V, E = 16, 24, 10, 3
WORDS = [f"word{n}" for n in range(V - 2)]
"""Two fewer than the embedding has rows."""


@pytest.fixture(autouse=True)
def plain_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def saved(
    folder: Path, tensors: dict[str, tuple[int, ...]], config: dict[str, Any]
) -> dict[str, torch.Tensor]:
    """A folder with random weights, its configuration and a tokenizer that is shorter than the vocabulary."""
    draw = torch.Generator().manual_seed(4)
    made = {name: torch.randn(shape, generator=draw) for name, shape in tensors.items()}
    save_file(made, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))
    tokenizer: dict[str, Any] = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None,
        "model": {
            "type": "WordLevel", "vocab": {word: at for at, word in enumerate(WORDS)}, "unk_token": "word0"
        },
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    return made


ENDS = {"model.embed_tokens.weight": (V, D), "model.norm.weight": (D,), "lm_head.weight": (V, D)}


def dense(n: int, *, gate: bool = True) -> dict[str, tuple[int, ...]]:
    head = f"model.layers.{n}."
    names = {f"{head}mlp.{role}_proj.weight": (F, D) for role in (("gate", "up") if gate else ("up",))}
    return {
        **names, f"{head}mlp.down_proj.weight": (D, F), f"{head}post_attention_layernorm.weight": (D,),
    }  # fmt: skip


@pytest.fixture
def llama(tmp_path: Path) -> tuple[str, dict[str, torch.Tensor]]:
    config = {"model_type": "llama", "hidden_size": D, "num_hidden_layers": 3, "hidden_act": "silu"}
    return str(tmp_path), saved(tmp_path, {**dense(0), **dense(1), **dense(2), **ENDS}, config)


@pytest.fixture
def mixtral(tmp_path: Path) -> str:
    names: dict[str, tuple[int, ...]] = {}
    for n in range(2):
        head = f"model.layers.{n}."
        block = f"{head}block_sparse_moe."
        names |= {f"{block}gate.weight": (E, D), f"{head}post_attention_layernorm.weight": (D,)}
        for e in range(E):
            names |= {f"{block}experts.{e}.{role}.weight": (F, D) for role in ("w1", "w3")}
            names[f"{block}experts.{e}.w2.weight"] = (D, F)
    config = {
        "model_type": "mixtral", "hidden_size": D, "num_hidden_layers": 2, "hidden_act": "silu",
        "num_local_experts": E, "num_experts_per_tok": 2,
    }  # fmt: skip
    saved(tmp_path, {**names, **ENDS}, config)
    return str(tmp_path)


def printed(capsys: Capture, *arguments: str) -> str:
    """What stands on standard output; nothing may stand beside it."""
    assert main(["inspect", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def answer(capsys: Capture, *arguments: str) -> Any:
    return json.loads(printed(capsys, "--json", *arguments))


def refusal(capsys: Capture, *arguments: str) -> str:
    """The one sentence about a mistake."""
    assert main(["inspect", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_layers_for_scripts(capsys: Capture, llama: tuple[str, Any]) -> None:
    found = answer(capsys, llama[0])
    assert found["format"] == "safetensors"
    assert [row["index"] for row in found["layers"]] == [0, 1, 2]
    row = found["layers"][1]
    assert {
        key: row[key]
        for key in ("stack", "kind", "d_model", "d_ff", "activation", "gated", "variant", "bias", "dtype")
    } == {
        "stack": "decoder", "kind": "dense", "d_model": D, "d_ff": F, "activation": "silu", "gated": True,
        "variant": "swiglu", "bias": False, "dtype": "float32",
    }  # fmt: skip
    assert (row["experts"], row["scheme"], row["confidence"]) == (0, "llama", 1.0)
    assert "model.layers.1.mlp.down_proj.weight" in row["tensors"]
    assert row["bytes"] == 4 * (3 * D * F + D)
    assert "neuron" not in found
    assert "timing" not in found


def test_equal_layers_stand_in_one_line(capsys: Capture, llama: tuple[str, Any]) -> None:
    lines = printed(capsys, llama[0]).splitlines()
    assert lines[1].split() == [
        "layers",
        "stack",
        "FFN",
        "D",
        "Dff",
        "experts",
        "bias",
        "stored",
        "as",
        "bytes",
    ]
    assert lines[2].startswith("0–2")
    assert "gated (swiglu, silu)" in lines[2]
    assert len(lines) == 3


def test_a_neuron_with_its_tokens(capsys: Capture, llama: tuple[str, dict[str, torch.Tensor]]) -> None:
    path, tensors = llama
    found = answer(capsys, path, "--layer", "1", "--neuron", "7", "--top", "3")["neuron"]
    numbers = {name: tensor.double().numpy() for name, tensor in tensors.items()}
    gate = numbers["model.layers.1.mlp.gate_proj.weight"][7]
    up = numbers["model.layers.1.mlp.up_proj.weight"][7]
    down = numbers["model.layers.1.mlp.down_proj.weight"][:, 7]
    assert found["norms"]["down"] == pytest.approx(np.linalg.norm(down))
    cosine = up @ down / np.linalg.norm(up) / np.linalg.norm(down)
    assert found["cosine"]["up_down"] == pytest.approx(cosine)
    assert found["slices"]["down"] == "model.layers.1.mlp.down_proj.weight[:, 7]"
    written = numbers["lm_head.weight"] @ (down * numbers["model.norm.weight"])
    order = np.argsort(-written)
    assert [row["id"] for row in found["promotes"]] == order[:3].tolist()
    assert [row["id"] for row in found["suppresses"]] == order[::-1][:3].tolist()
    assert found["promotes"][0]["score"] == pytest.approx(written[order[0]])
    plain = np.argsort(-numbers["lm_head.weight"] @ down)
    assert [row["id"] for row in found["plain"]["promotes"]] == plain[:3].tolist()
    norm = numbers["model.layers.1.post_attention_layernorm.weight"]
    read = np.argsort(-numbers["model.embed_tokens.weight"] @ (gate * norm))
    assert [row["id"] for row in found["reads"]] == read[:3].tolist()
    assert found["reads_with"] == "gate"
    assert found["promotes_by"] == {"tensor": "lm_head.weight", "gain": "model.norm.weight"}
    for row in (*found["reads"], *found["promotes"], *found["suppresses"]):
        assert row["text"] == (WORDS[row["id"]] if row["id"] < len(WORDS) else "")


def test_a_neuron_for_people(capsys: Capture, llama: tuple[str, Any]) -> None:
    out = printed(capsys, llama[0], "--layer", "2", "--neuron", "0", "--top", "2")
    assert "Neuron 0 of layer 2 (decoder)" in out
    assert "model.layers.2.mlp.up_proj.weight[0, :]" in out
    assert "lm_head.weight · (model.norm.weight ⊙ down)" in out
    assert "not the embedding" in out
    japanese = printed(capsys, llama[0], "--layer", "2", "--neuron", "0", "--top", "2", "--lang", "ja")
    assert "促進するトークン" in japanese


def test_columns_align_in_both_languages(capsys: Capture, llama: tuple[str, Any]) -> None:
    for language in ("en", "ja"):
        _, head, row = printed(capsys, llama[0], "--lang", language).splitlines()
        assert width(head) == width(row)  # bytes, the last column, stand at the right


def width(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def test_one_layer_with_its_tensors(capsys: Capture, llama: tuple[str, Any]) -> None:
    found = answer(capsys, llama[0], "--layer", "1")
    assert found["layer"]["place"] == 1
    assert found["layer"]["stored"][0] == {
        "name": "model.layers.1.mlp.gate_proj.weight", "shape": [F, D], "dtype": "float32",
        "bytes": 4 * F * D, "file": "model.safetensors",
    }  # fmt: skip
    out = printed(capsys, llama[0], "--layer", "1")
    assert f"[{F}, {D}]" in out


def test_experts(capsys: Capture, mixtral: str) -> None:
    found = answer(capsys, mixtral)
    assert [(row["kind"], row["experts"]) for row in found["layers"]] == [("moe", E)] * 2
    neuron = answer(capsys, mixtral, "--layer", "1", "--expert", "2", "--neuron", "5")["neuron"]
    assert neuron["expert"] == 2
    assert neuron["slices"]["gate"] == "model.layers.1.block_sparse_moe.experts.2.w1.weight[5, :]"
    assert "of expert 2" in printed(capsys, mixtral, "--layer", "1", "--expert", "2", "--neuron", "5")
    assert "--expert" in refusal(capsys, mixtral, "--neuron", "5")
    assert "from 0 to 2" in refusal(capsys, mixtral, "--neuron", "5", "--expert", "3")
    assert "no shared expert" in refusal(capsys, mixtral, "--neuron", "5", "--expert", "shared")


def test_what_is_doubtful_is_said(capsys: Capture, tmp_path: Path) -> None:
    saved(tmp_path, {**dense(0), **dense(1)}, {})
    found = answer(capsys, str(tmp_path))
    assert found["confidence"] < 1
    assert any("llama" in text for text in found["doubts"])
    neuron = answer(capsys, str(tmp_path), "--neuron", "3")["neuron"]
    assert neuron["reads"] is None
    assert neuron["promotes"] is None
    assert len(neuron["notes"]) == 2
    out = printed(capsys, str(tmp_path))
    assert found["doubts"][0] in out


def test_time_and_memory(capsys: Capture, llama: tuple[str, Any]) -> None:
    timing = answer(capsys, llama[0], "--neuron", "0", "--timing")["timing"]
    assert set(timing) == {"import_s", "open_s", "card_s", "tokens_s", "rss_growth_bytes"}
    assert all(value >= 0 for value in timing.values())
    alone = answer(capsys, llama[0], "--timing")["timing"]
    assert alone["card_s"] is None
    assert printed(capsys, llama[0], "--timing").splitlines()[-1].startswith("Seconds: imports")


def test_mistakes_are_one_sentence(capsys: Capture, llama: tuple[str, Any], tmp_path: Path) -> None:
    path = llama[0]
    assert "PATH" in refusal(capsys)
    assert "There is no file" in refusal(capsys, str(tmp_path / "nothing"))
    assert "--layer cannot be 3" in refusal(capsys, path, "--layer", "3")
    assert "--neuron cannot be 24" in refusal(capsys, path, "--neuron", "24")
    assert "--neuron cannot be “x”" in refusal(capsys, path, "--neuron", "x")
    assert "--top" in refusal(capsys, path, "--neuron", "1", "--top", "0")
    assert "choose one of decoder" in refusal(capsys, path, "--stack", "vision")
    assert "leave --expert out" in refusal(capsys, path, "--neuron", "1", "--expert", "0")
    assert "--neuron" in refusal(capsys, path, "--expert", "0")


def test_layers_need_neither_torch_nor_qt(llama: tuple[str, Any]) -> None:
    """Nor does a neuron: its products are numpy's."""
    code = (
        "import sys; from ffn_explorer.__main__ import main; "
        f"main(['inspect', {llama[0]!r}, '--layer', '1', '--neuron', '3', '--json']); "
        "print([n for n in ('torch', 'PySide6', 'transformers') if n in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    json.loads(done.stdout)
