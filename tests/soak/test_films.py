"""Films as people make them: 60 frames at 1280 x 720 of every layout's window, in every format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from ffn_explorer.app.animating import animate, camera, computed_for, of_pass
from ffn_explorer.app.still import Subject, prepare_application, whole_application
from ffn_explorer.export.films.table import MOVING
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.layouts import LAYOUTS, panels_of
from tests.films import decoded, rgb, ssim

pytestmark = pytest.mark.soak

FRAMES = 60
EXACT = (".apng", ".webp")
LEAST = 0.98


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sixty_frames_are_those_of_the_window(qtbot: QtBot, tmp_path: Path, layout: str) -> None:
    subject = Subject(layout=layout, size=(1_280, 720))
    state = changes.show_panels(frozenset(panels_of(LAYOUTS[layout]))).to(AppState())
    states = of_pass(state, frames=FRAMES)
    prepare_application(state.appearance)
    with camera(state, computed_for(states), subject, wear=whole_application, pixels=1.0) as shoot:
        wanted = [rgb(shoot(one)) for one in states]
    for suffix in MOVING:
        path = tmp_path / f"film{suffix}"
        animate(states, path, subject)
        found = decoded(path)
        assert len(found.frames) == FRAMES
        assert found.times[-1] == pytest.approx(2.0, abs=0.001)
        for seen, frame in zip(found.frames, wanted):
            assert np.array_equal(seen, frame) if suffix in EXACT else ssim(seen, frame) >= LEAST
