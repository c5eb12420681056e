"""A saved model, opened by its path, computes what the library's own module computes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from ffn_explorer.checkpoints import open_checkpoint
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.forward_pass import forward

TINY = LlamaConfig(
    vocab_size=32, hidden_size=16, intermediate_size=44, num_hidden_layers=3, num_attention_heads=2,
    num_key_value_heads=2, max_position_embeddings=16,
)  # fmt: skip


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Path, LlamaForCausalLM]:
    torch.manual_seed(0)
    model = LlamaForCausalLM(TINY)
    model.save_pretrained(tmp_path)
    return tmp_path, model


def test_every_layer_computes_what_the_module_does(saved: tuple[Path, LlamaForCausalLM]) -> None:
    path, model = saved
    x = torch.randn(1, 5, 16, generator=torch.Generator().manual_seed(1))
    with torch.no_grad(), open_checkpoint(path) as opened:
        assert [(layer.d_model, layer.d_ff, layer.variant) for layer in opened.layers] == [
            (16, 44, "swiglu")
        ] * 3
        assert opened.scheme.confidence == 1.0
        assert opened.tokenizer is None
        for number, module in enumerate(model.model.layers):
            ffn = opened.ffn(number)
            assert isinstance(ffn, FFN)
            assert ffn.origin.file
            normed = module.post_attention_layernorm(x)
            wanted = module.mlp(normed)
            out = forward(ffn, x).out
            assert (out - wanted).abs().max() <= 1e-5 * max(1.0, float(wanted.abs().max()))


def test_a_layer_that_is_not_there_is_refused(saved: tuple[Path, LlamaForCausalLM]) -> None:
    with open_checkpoint(saved[0]) as opened:
        for layer in (-1, 3):
            with pytest.raises(InputError) as caught:
                opened.ffn(layer)
            assert caught.value.key == "error.range"


def test_files_are_closed_where_there_is_no_ffn(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"weight": torch.zeros(2, 2)}, str(tmp_path / "model.safetensors"))
    with pytest.raises(InputError) as caught:
        open_checkpoint(tmp_path)
    assert caught.value.key == "checkpoint.no_ffn"


def test_the_layer_list_needs_neither_qt_nor_torch(saved: tuple[Path, LlamaForCausalLM]) -> None:
    code = (
        "import sys; from ffn_explorer.checkpoints import open_checkpoint; "
        f"assert len(open_checkpoint({str(saved[0])!r}).layers) == 3; "
        "print([name for name in ('torch', 'PySide6', 'transformers') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
