"""Files that change under the window: what is saved over, moved away or closed meanwhile is not mixed up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from ffn_explorer.app.window import Window
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes
from ffn_explorer.state.open_files import MOST_OPEN, OPEN_FILES
from ffn_explorer.state.opened_changes import look, select_layer
from ffn_explorer.state.results import Failure
from tests.tiny_files import D, llama, mixtral
from tests.ui.house import house, scene

PATIENCE_MS = 20_000


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[Window]:
    with house(qtbot) as made:
        made.arrangement.use("file")
        yield made
    OPEN_FILES.close()


def opened(window: Window, qtbot: QtBot, path: Path) -> None:
    """Open a file, and wait until its layer, atlas and tokens are on screen."""
    window.opener.open_text(str(path))

    def there() -> bool:
        found, state = scene(window), window.director.state.source.opened
        return (
            state is not None and state.path == str(path) and not window.opener.job.under_way
            and found.atlas is not None and not found.stale
        )  # fmt: skip

    qtbot.waitUntil(there, timeout=PATIENCE_MS)


def told(window: Window) -> str:
    """The message on screen."""
    return "" if window.notices.message.isHidden() else window.notices.message.sentence


def flows(window: Window, qtbot: QtBot, path: Path, value: float) -> None:
    """Choose an NPY file, and wait until its numbers are on screen."""
    window.opener.hidden_states(str(path), x_is="ffn-input")

    def there() -> bool:
        run = scene(window).run
        return run is not None and run.x_from == "npy" and float(run.values[Stage.INPUT].flat[0]) == value

    qtbot.waitUntil(there, timeout=PATIENCE_MS)


def test_a_file_saved_over_with_the_same_headers_is_read_anew(
    window: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = llama(tmp_path / "m")
    opened(window, qtbot, folder)
    before = scene(window).atlas
    assert before is not None
    other = llama(tmp_path / "later", seed=5)
    (other / "model.safetensors").replace(folder / "model.safetensors")
    opened(window, qtbot, folder)

    def renewed() -> bool:
        atlas = scene(window).atlas
        return atlas is not None and not np.array_equal(atlas.values.up_norm, before.values.up_norm)

    qtbot.waitUntil(renewed, timeout=PATIENCE_MS)


def test_an_npy_saved_over_is_read_anew(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    opened(window, qtbot, llama(tmp_path / "m"))
    path = tmp_path / "x.npy"
    for value in (2.0, 7.0):
        np.save(path, np.full((3, D), value, np.float32))
        flows(window, qtbot, path, value)
    # Of another shape without having been chosen again, it is refused: tokens were chosen among three.
    np.save(path, np.full((4, D), 1.0, np.float32))
    window.director.request(select_layer(1))
    qtbot.waitUntil(lambda: "another shape" in told(window), timeout=PATIENCE_MS)


def test_an_npy_that_is_gone_is_told_and_nothing_stands_still(
    window: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    opened(window, qtbot, llama(tmp_path / "m"))
    path = tmp_path / "x.npy"
    np.save(path, np.full((3, D), 2.0, np.float32))
    flows(window, qtbot, path, 2.0)
    path.unlink()
    window.director.request(select_layer(1))
    qtbot.waitUntil(lambda: "x.npy" in told(window), timeout=PATIENCE_MS)
    window.director.request(changes.set_theme("dark"))
    qtbot.waitUntil(lambda: scene(window).look.theme == "dark", timeout=PATIENCE_MS)
    np.save(path, np.zeros((3, D + 1), np.float32))
    window.opener.hidden_states(str(path), x_is="ffn-input")
    qtbot.waitUntil(lambda: f"{D + 1} wide" in told(window), timeout=PATIENCE_MS)


def test_undo_leads_back_to_files_that_were_closed_for_others(
    window: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    first = llama(tmp_path / "first")
    opened(window, qtbot, first)
    for number in range(MOST_OPEN + 1):
        opened(window, qtbot, llama(tmp_path / f"m{number}", layers=1))
    for _ in range(MOST_OPEN + 1):
        window.director.session.undo()
    found = window.director.state.source.opened
    assert found is not None
    assert found.path == str(first)
    qtbot.waitUntil(lambda: scene(window).file is not None, timeout=PATIENCE_MS)
    assert len(OPEN_FILES.get(found).facts.layers) == 3


def test_what_was_stopped_is_read_when_it_is_asked_again(
    window: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    opened(window, qtbot, llama(tmp_path / "m"))
    window.director.request(look(token="keys"))
    qtbot.waitUntil(lambda: scene(window).promoters is not None, timeout=PATIENCE_MS)
    results = window.director.results
    request = next(r for r in list(results._entries) if type(r).__name__ == "PromotersRequest")
    from ffn_explorer.state.needs import stopped_text

    results.put(request, Failure(stopped_text(request)))
    window.director.read_again()
    qtbot.waitUntil(lambda: "promoters" in dict(scene(window).refusals), timeout=PATIENCE_MS)
    window.director.request(look(token="keys"))
    qtbot.waitUntil(lambda: scene(window).promoters is not None, timeout=PATIENCE_MS)


def test_a_link_leads_to_the_neuron_of_an_expert(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    from ffn_explorer.state.links import link_of

    opened(window, qtbot, mixtral(tmp_path / "moe"))
    window.director.request(changes.choose(neuron=7, expert=4))
    link = link_of(window.director.state)
    assert link is not None
    assert "expert=4&neuron=7" in link
    window.director.request(changes.choose(neuron=1, expert=2))
    window.opener.open_text(link)
    qtbot.waitUntil(lambda: window.director.state.selection.expert == 4, timeout=PATIENCE_MS)
    assert window.director.state.selection.neuron == 7
