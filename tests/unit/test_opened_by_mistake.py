"""What people open by mistake: one sentence each, in both languages."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from ffn_explorer.state.quoting import harmless
from ffn_explorer.state.text import said, say
from tests.unit.hostile import refused
from tests.unit.safetensors_bytes import write_json
from tests.unit.specimens import ADAPTER, LLAMA, adapter, safetensors, saved


def lstm() -> dict[str, torch.Tensor]:
    return dict(torch.nn.LSTM(4, 3, num_layers=2, bidirectional=True).state_dict())


def no_weights(folder: Path) -> Path:
    """A folder of many notes."""
    for number in range(3_000):
        (folder / f"{number}.txt").touch()
    write_json(folder / "config.json", LLAMA)
    return folder


def with_bytes(name: str, content: bytes) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder / name

    return make


def with_adapter(folder: Path) -> Path:
    (folder / "adapter_model.safetensors").write_bytes(safetensors(adapter()))
    write_json(folder / "adapter_config.json", ADAPTER)
    return folder


def twins(folder: Path) -> Path:
    for number in range(300):
        (folder / f"{number}.safetensors").touch()
    return folder


ONNX = b"\x08\x08\x12\x07pytorch\x1a\x052.6.0:\xff\x01\n\x05graph"
PLACES: dict[str, tuple[Callable[[Path], Path], str]] = {
    "an empty folder": (lambda folder: folder, "no_weights"),
    "3,000 notes": (no_weights, "no_weights"),
    "300 sets": (twins, "several"),
    "text under another name": (with_bytes("model.safetensors", b"These are my weights.\n"), "text"),
    "ONNX": (with_bytes("model.onnx", ONNX), "other"),
    "ONNX under another name": (with_bytes("model.pt", ONNX), "other"),
    "a web page": (with_bytes("model.gguf", b"<!DOCTYPE html><html>"), "web_page"),
    "a pointer": (
        with_bytes("model.safetensors", b"version https://git-lfs.github.com/spec/v1\n"),
        "pointer",
    ),
    "nothing": (lambda folder: folder / "gone", "nothing"),
    "an adapter": (with_adapter, "adapter"),
    "an LSTM": (with_bytes("lstm.pt", saved(lstm())), "no_ffn"),
    "a name with control characters": (with_bytes("a\x1b[2J\nb.pt", b"text"), "text"),
    "code": (with_bytes("model.pt", b"\x80\x02cposix\nsystem\nX\x02\0\0\0ls\x85R."), "torch_plain_pickle"),
}


@pytest.mark.parametrize("case", PLACES)
def test_one_sentence_each(case: str, tmp_path: Path) -> None:
    make, key = PLACES[case]
    error = refused(make(tmp_path))
    assert error.key == f"checkpoint.{key}"
    for language in ("en", "ja"):
        sys.stdout.write(f"{case}: {say(language, harmless(said(error)))}\n")
