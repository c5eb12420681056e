"""Child of `opened`: the program's window, torch imported, then a GGUF file opened in it."""

import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from ffn_explorer.cli.benches import real_window

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

LAYERS, D, F, VOCABULARY = 30, 576, 1_536, 49_152
"""SmolLM2-135M."""

LETTERS = [chr(n) for n in (*range(33, 127), *range(161, 173), *range(174, 324))]
"""What GPT-2's vocabularies write for the 256 bytes."""


def write(path: Path) -> None:
    """Seeded weights in Q4_1, the embedding in Q8_0, and a vocabulary of single letters and words."""
    from gguf import GGMLQuantizationType as Type
    from gguf import GGUFWriter
    from gguf.quants import quantize

    draw = np.random.default_rng(7)
    into = GGUFWriter(path, "llama")
    into.add_block_count(LAYERS)
    into.add_embedding_length(D)
    into.add_feed_forward_length(F)
    into.add_head_count(9)
    into.add_head_count_kv(3)
    into.add_layer_norm_rms_eps(1e-5)
    into.add_tokenizer_model("gpt2")
    into.add_tokenizer_pre("smollm")
    into.add_token_list([*LETTERS, "th", *(f"word{n}" for n in range(VOCABULARY - len(LETTERS) - 1))])
    into.add_token_merges(["t h"])
    for layer in range(LAYERS):
        for role, shape in (("gate", (F, D)), ("up", (F, D)), ("down", (D, F))):
            packed = quantize(draw.standard_normal(shape, dtype=np.float32), Type.Q4_1)
            into.add_tensor(f"blk.{layer}.ffn_{role}.weight", packed, raw_dtype=Type.Q4_1)
        into.add_tensor(f"blk.{layer}.ffn_norm.weight", np.ones(D, np.float32))
    embedding = quantize(draw.standard_normal((VOCABULARY, D), dtype=np.float32), Type.Q8_0)
    into.add_tensor("token_embd.weight", embedding, raw_dtype=Type.Q8_0)
    into.add_tensor("output_norm.weight", np.ones(D, np.float32))
    into.write_header_to_file()
    into.write_kv_data_to_file()
    into.write_tensors_to_file()
    into.close()


def measure(window: "Window") -> None:
    """Open the file, and tell the seconds until a run of it is on the board and painted."""
    director = window.director
    real_window.wait_until_computed(director)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.gguf"
        write(path)
        began = perf_counter()
        window.opener.open_path(str(path))
        while window.scene is None or window.scene.run is None or window.scene.run.x_from != "embeddings":
            if perf_counter() - began > real_window.PATIENCE_S:
                raise TimeoutError(str(window.scene and window.scene.message))
            real_window.pause(5)
        window.board.repaint()
        real_window.tell({"seconds": perf_counter() - began})


if __name__ == "__main__":
    real_window.start(lambda window: real_window.later(lambda: measure(window)))
