"""Every panel by itself, as `render --panel` draws it: nothing cut, nothing over another, nothing empty.

Three themes, two languages, a whole 1280x720 picture, and the same with everything twice as large; as in a
window, a panel has the height that it says it needs at least.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state.app_state import Appearance, AppState, Compare, Selection
from ffn_explorer.state.costing import Costing
from ffn_explorer.state.requests import roofline_of
from ffn_explorer.state.resolver import Resolver
from ffn_explorer.state.result import Measured
from ffn_explorer.state.results import Results
from ffn_explorer.widgets.sizes import px
from tests.snapshots import files
from tests.snapshots.pictures import Stand
from tests.snapshots.scenes import computed, roofline
from tests.snapshots.test_words import LEAST_PX, LOOKS, case_id, watch_drawn_texts
from tests.snapshots.words import cramped, nameless, overlapping, small

SIZE = (1_280, 720)
SCALES = (1.0, 2.0)
LEAST_DRAWN = 0.01
"""Share of a panel's pixels that differ from its ground, where there is something to see."""

SETTINGS = Settings(d_model=64, d_ff=128, activation="swiglu", norm="rms", experts=8, top_k=2)
STATE = AppState(
    settings=SETTINGS,
    compare=Compare(SETTINGS.with_(activation="geglu"), pinned=True),
    selection=Selection(token=5, neuron=17, dim=9, stage=Stage.HIDDEN),
    costing=Costing(beside="mixtral-8x22b", tokens=8_192),
)
"""Gate, experts, a comparison and a second bill: no panel has an excuse to be empty."""


@cache
def state_for(name: str) -> AppState:
    """Return the state of a panel: with a file open where it draws one."""
    return files.STATES["file"]() if name in files.FILES else STATE


@cache
def results(state: AppState) -> Results:
    """Return what every panel needs, computed once, on a measured machine."""
    made = computed(state)
    made.put(roofline_of(state), Measured(roofline()))
    return made


@pytest.mark.parametrize("look", LOOKS, ids=case_id)
@pytest.mark.parametrize("name", PANELS)
def test_a_panel_alone_is_whole(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, name: str, look: Appearance
) -> None:
    cut = watch_drawn_texts(monkeypatch)
    found: dict[str, list[str]] = {}
    for scale in SCALES:
        state = state_for(name)
        scene = Resolver(results(state)).resolve(replace(state, appearance=replace(look, scale=scale)))
        stand = Stand(name, SIZE)
        # A panel that says how much height it needs is given it.
        least = px(scene.look, stand.board.panels[name].least_px)
        stand.board.setFixedSize(SIZE[0], max(SIZE[1], least))
        try:
            picture = stand.show(scene)
            wrong = {
                "over or outside": list(overlapping(stand.board)),
                "cut": [*cramped(stand.board), *cut],
                "without a name": list(nameless(stand.board)),
                "too small": list(small(stand.board, LEAST_PX[look.theme])),
                "empty": [] if drawn(picture) >= LEAST_DRAWN else [f"{drawn(picture):.4f}"],
            }
        finally:
            stand.close()
        cut.clear()
        found |= {f"{what} at {scale:g}": lines for what, lines in wrong.items() if lines}
    assert found == {}


def drawn(picture: np.ndarray) -> float:
    """Share of pixels that are not the most frequent colour."""
    flat = picture.reshape(-1, 3).astype(np.int64) @ np.array([65_536, 256, 1])
    return 1.0 - float(np.unique(flat, return_counts=True)[1].max()) / len(flat)


def test_an_empty_picture_is_seen() -> None:
    picture = np.full((10, 10, 3), 255, np.uint8)
    assert drawn(picture) == 0.0
    picture[0, 0] = 0
    assert drawn(picture) == pytest.approx(0.01)
