"""`ffn-explorer run --open PATH --layer L --x FILE.npy --npz F`: from outside, the module's own output."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from ffn_explorer.__main__ import main
from ffn_explorer.checkpoints.catalog import open_checkpoint
from ffn_explorer.checkpoints.family_files import families
from tests.golden.family_hooks import hooked
from tests.golden.family_makers import build, inputs_for

pytestmark = pytest.mark.filterwarnings("ignore")

CASES = ("gpt2", "llama", "phi3", "bert", "gpt_oss", "mixtral", "deepseek_v3", "t5", "rwkv", "modernbert")


@pytest.mark.parametrize("name", CASES)
def test_every_layer_from_outside(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    family = families()[name]
    model = build(name, name, {})
    with torch.no_grad():
        seen = hooked(model, family, inputs_for(model, name))
    model.save_pretrained(tmp_path / "model")
    with open_checkpoint(tmp_path / "model") as found:
        layers = found.layers
    compared = 0
    for place, layer in enumerate(layers):
        pair = seen.get((layer.stack, layer.index))
        if pair is None:
            continue
        x = pair[0].reshape(-1, *pair[0].shape[-2:]).numpy()
        np.save(tmp_path / "x.npy", x)
        into = str(tmp_path / "out.npz")
        command = ["run", "--open", str(tmp_path / "model"), "--layer", str(place), "--json"]
        assert main([*command, "--x", str(tmp_path / "x.npy"), "--npz", into]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["origin"]["weights"]["kind"] == "loaded"
        assert facts["origin"]["weights"]["tensors"] == list(layer.tensors)
        with np.load(into) as arrays:
            ours, theirs = arrays["out"], pair[1].reshape(x.shape).numpy()
            np.testing.assert_array_equal(arrays["x"], x)
            assert np.abs(ours - theirs).max() <= 1e-5 * max(1.0, np.abs(theirs).max())
        compared += 1
    assert compared == len(seen) > 0
