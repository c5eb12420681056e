"""First picture: from the start of a process to a painted window, against a bare pyqtgraph window."""

import subprocess
import tempfile
from json import loads
from time import perf_counter

from ffn_explorer.cli.benches.children import command, environment
from ffn_explorer.cli.benches.timing import Measured, milliseconds

ROUNDS = 7


def first_picture() -> Measured:
    """Not sound when torch had been imported before the picture."""
    ours: list[float] = []
    bare: list[float] = []
    without_torch = True
    with tempfile.TemporaryDirectory() as home:
        env = environment(home)
        for number in range(ROUNDS + 1):
            seconds, torch = _start("first_real", env)
            without_torch = without_torch and not torch
            rival, _ = _start("first_bare", env)
            if number:  # the first round only brings the files into the system's cache
                ours.append(seconds)
                bare.append(rival)
    return Measured(milliseconds(ours), milliseconds(bare), sound=without_torch)


def _start(module: str, env: dict[str, str]) -> tuple[float, bool]:
    """Seconds until a child tells that its window is painted, and whether torch was imported by then."""
    start = perf_counter()
    with subprocess.Popen(command(module), env=env, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        line = child.stdout.readline()
        seconds = perf_counter() - start
    if not line:
        raise RuntimeError(f"{module}: the window was never painted")
    return seconds, bool(loads(line)["torch"])
