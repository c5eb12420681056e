"""Thousands of frames: nothing grows, and no reference is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ffn_explorer.cli.benches.children import ask

pytestmark = pytest.mark.soak

ROOT = Path(__file__).resolve().parents[2]
FRAMES = 3_000
MOST_BYTES = 5_000_000

# The window plays by its own clock; at the end of the pass it begins anew.
PROGRAM = """
import gc, sys
import psutil
from ffn_explorer.cli.benches.real_window import later, pause, start, tell, wait_until_computed
from ffn_explorer.state import changes

def counted():
    gc.collect()
    return psutil.Process().memory_info().rss, sys.getrefcount(None)

def play(director, frames):
    ticks = []
    note = director.clock.ticked.connect(ticks.append)
    while len(ticks) < frames:
        director.request(changes.play())
        pause(50)
    director.clock.ticked.disconnect(note)

def act(window):
    director = window.director
    wait_until_computed(director)
    play(director, 300)
    before = counted()
    play(director, FRAMES)
    after = counted()
    tell({"grown": after[0] - before[0], "before": before[1], "after": after[1]})

start(lambda window: later(lambda: act(window)))
"""


def test_the_playing_window_neither_grows_nor_loses_references(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("FRAMES", str(FRAMES))],
        cwd=ROOT,
        env={**os.environ, "FFN_EXPLORER_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["after"] >= found["before"]
    assert found["grown"] < MOST_BYTES


def test_frames_drawn_one_by_one_neither_grow_nor_lose_references() -> None:
    found = ask("frames_child")
    assert min(found["lost"]) <= 0
    assert found["grown_bytes"] < MOST_BYTES
