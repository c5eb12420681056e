"""Layer after layer of an opened file: every panel of its layout follows, none keeps what is another's."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot
from safetensors.numpy import save_file

from ffn_explorer.app.window import Window
from ffn_explorer.state.open_files import OPEN_FILES
from ffn_explorer.state.opened_changes import select_layer
from tests.tiny_files import llama
from tests.ui.house import house, scene


def read_of(window: Window, layer: int) -> bool:
    """Whether atlas and tokens of a layer are there."""
    found = scene(window)
    parts = (found.atlas, found.neuron_tokens, found.nearest)
    return all(part is not None and part.layer == layer for part in parts)


def test_each_layer_is_read_when_it_is_stepped_to(qtbot: QtBot, tmp_path: Path) -> None:
    with house(qtbot) as window:
        window.arrangement.use("file")
        window.opener.open_text(str(llama(tmp_path / "tiny", layers=6)))
        qtbot.waitUntil(lambda: scene(window).file is not None, timeout=20_000)
        qtbot.waitUntil(lambda: read_of(window, 0), timeout=20_000)
        for layer in (1, 2, 3, 4, 5, 2):
            window.director.request(select_layer(layer))
            qtbot.waitUntil(partial(read_of, window, layer), timeout=5_000)
    OPEN_FILES.close()


def test_a_file_that_waits_for_a_person_shows_nothing_of_the_one_before(qtbot: QtBot, tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    odd = {
        f"b.{n}.{name}": draw.standard_normal(shape).astype(np.float32)
        for n in range(3)
        for name, shape in (("wide.weight", (40, 16)), ("thin.weight", (16, 40)), ("n.weight", (16,)))
    }
    save_file(odd, tmp_path / "odd.safetensors")
    with house(qtbot) as window:
        window.arrangement.use("file")
        window.opener.open_text(str(llama(tmp_path / "tiny")))
        qtbot.waitUntil(lambda: read_of(window, 0), timeout=20_000)
        window.opener.open_text(str(tmp_path / "odd.safetensors"))
        qtbot.waitUntil(lambda: window.windowTitle().startswith("odd"), timeout=20_000)
        qtbot.waitUntil(lambda: scene(window).run is None, timeout=5_000)
        found = scene(window)
        assert (found.atlas, found.neuron_tokens, found.promoters) == (None, None, None)
        assert "atlas" in dict(found.refusals)
        assert found.file is not None
        assert found.file.confidence < 0.3
    OPEN_FILES.close()
