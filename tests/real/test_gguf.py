"""SmolLM2-135M in GGUF Q4_1: shapes and numbers as the format's own package reads them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFReader
from gguf.quants import dequantize

from ffn_explorer.checkpoints.readers.gguf import open_gguf
from ffn_explorer.checkpoints.readers.gguf_values import Later
from ffn_explorer.checkpoints.tensors import Source
from tests.real.fetch import SMOLLM2, fetched

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]
LAYERS, D, F, V = 30, 576, 1_536, 49_152


@pytest.fixture
def source() -> Iterator[Source]:
    found = open_gguf(fetched(SMOLLM2))
    yield found
    found.close()


def test_thirty_layers_of_gated_ffns(source: Source) -> None:
    assert source.header["general.architecture"] == "llama"
    assert source.header["llama.block_count"] == LAYERS
    assert source.header["llama.embedding_length"] == D
    assert source.header["llama.feed_forward_length"] == F
    for layer in range(LAYERS):
        shapes = {
            role: source.tensors[f"blk.{layer}.ffn_{role}.weight"].shape for role in ("up", "gate", "down")
        }
        assert shapes == {"up": (F, D), "gate": (F, D), "down": (D, F)}
        assert source.tensors[f"blk.{layer}.ffn_up.weight"].codec.name == "Q4_1"
    assert source.tensors["token_embd.weight"].shape == (V, D)
    assert "output.weight" not in source.tensors


def test_the_tokenizer_is_inside(source: Source) -> None:
    tokens, kinds = source.header["tokenizer.ggml.tokens"], source.header["tokenizer.ggml.token_type"]
    assert isinstance(tokens, Later)
    assert isinstance(kinds, Later)
    words = tokens.strings()
    assert len(words) == len(kinds.numbers()) == V
    assert source.header["tokenizer.ggml.bos_token_id"] == 1
    assert words[1] == "<|im_start|>"
    assert "ĠParis" in words
    reader = GGUFReader(fetched(SMOLLM2))
    assert words == reader.fields["tokenizer.ggml.tokens"].contents()


def test_numbers_are_the_packages(source: Source) -> None:
    reference = {tensor.name: tensor for tensor in GGUFReader(fetched(SMOLLM2)).tensors}
    assert list(source.tensors) == list(reference)
    for name in ("blk.0.ffn_up.weight", "blk.29.ffn_down.weight", "blk.7.ffn_norm.weight"):
        want = dequantize(np.array(reference[name].data), reference[name].tensor_type)
        np.testing.assert_array_equal(source.whole(name), want)
        if want.ndim == 2:
            np.testing.assert_array_equal(source.row(name, 77), want[77])
            np.testing.assert_array_equal(source.column(name, 77), want[:, 77])
    embedding = reference["token_embd.weight"]
    streamed = np.concatenate(list(source.blocks("token_embd.weight", past=20_000)))
    np.testing.assert_array_equal(
        streamed, dequantize(np.array(embedding.data[:20_000]), embedding.tensor_type)
    )


def test_opening_is_quick_and_small() -> None:
    """Far from the limits: 0.1 s and some megabytes, apart from what the imports take."""
    code = (
        "import sys, numpy, psutil, gguf; from pathlib import Path;"
        "from ffn_explorer.checkpoints.readers.gguf import open_gguf;"
        "before = psutil.Process().memory_info().rss;"
        "source = open_gguf(Path(sys.argv[1])); source.row('blk.3.ffn_up.weight', 5);"
        "source.column('blk.3.ffn_down.weight', 5);"
        "print(psutil.Process().memory_info().rss - before)"
    )
    command = [sys.executable, "-c", code, str(fetched(SMOLLM2))]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    assert int(done.stdout) < 30e6


def test_top_tokens_are_streamed(source: Source) -> None:
    start = time.process_time()
    norms = np.concatenate([np.linalg.norm(block, axis=1) for block in source.blocks("token_embd.weight")])
    assert norms.shape == (V,)
    assert np.isfinite(norms).all()
    assert time.process_time() - start < 10
