"""Closing the window while something runs: the process ends by itself, in peace and without a word."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.soak

ROOT = Path(__file__).resolve().parents[2]
TIMES = 20
LONGEST_S = 15.0

# Opened as a person opens it; a wide FFN is asked for, and the window closes that many ms later.
PROGRAM = """
import sys
from PySide6.QtCore import QTimer
from ffn_explorer.cli.benches.real_window import start
from ffn_explorer.state import changes

def act(window):
    window.director.request(changes.set_setting("d_ff", 16_384))
    window.director.request(changes.set_setting("d_model", 1_024))
    QTimer.singleShot(int(DELAY), window.close)

start(act)
"""


@pytest.mark.parametrize("number", range(TIMES))
def test_a_running_job_does_not_hold_the_program_open(tmp_path: Path, number: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("DELAY", str(100 * number))],
        cwd=ROOT,
        env={**os.environ, "FFN_EXPLORER_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
