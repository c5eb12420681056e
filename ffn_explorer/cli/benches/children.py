"""Benches of the window run in processes of their own: each starts fresh, and none leaves anything behind."""

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

PATIENCE_S = 300.0


def ask(module: str, *arguments: str) -> dict[str, Any]:
    """Run one of these modules and return the JSON object it prints; RuntimeError if it fails."""
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            command(module, *arguments),
            env=environment(home),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    if done.returncode != 0:
        raise RuntimeError(f"{module}: {done.stderr.strip().splitlines()[-1:] or done.returncode}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def command(module: str, *arguments: str) -> list[str]:
    """Command line of a child."""
    return [sys.executable, "-m", f"ffn_explorer.cli.benches.{module}", *arguments]


def environment(home: str) -> dict[str, str]:
    """This environment with other preferences, and without a screen where there is none."""
    from ffn_explorer.app.screen import has_screen

    platform = {} if has_screen() else {"QT_QPA_PLATFORM": "offscreen"}
    return {**os.environ, **platform, "FFN_EXPLORER_HOME": home}
