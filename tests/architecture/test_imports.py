"""What an import may bring along: no torch before the first picture, no Qt below the widgets."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "ffn_explorer"
QT = ("PySide6", "shiboken6", "pyqtgraph")
LIGHT_CORE = ["settings", "spec", "activation_table", "stages", "cost", "errors"]
"""Modules of core that the window reads before torch is there."""


def modules(folder: str) -> list[str]:
    """Return the dotted names of one floor and its modules; empty when it does not exist."""
    path = PACKAGE / folder
    if not path.is_dir():
        return []
    prefix = f"ffn_explorer.{folder}"
    return [prefix, *(info.name for info in pkgutil.walk_packages([str(path)], f"{prefix}."))]


def loaded_with(module: str) -> set[str]:
    """Return the top-level packages that are loaded once a fresh Python has imported a module."""
    code = f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return set(done.stdout.split())


def brought_by(modules: list[str]) -> dict[str, set[str]]:
    """The module of these, imported in turn by one fresh Python, that first loads a package -> packages.

    What one imports, the next would find there: only the first is named, and mended first.
    """
    code = f"""
import importlib, sys
for name in {modules!r}:
    before = set(sys.modules)
    importlib.import_module(name)
    new = {{loaded.split(".")[0] for loaded in set(sys.modules) - before}}
    print(name, *new)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = (line.split() for line in done.stdout.splitlines())
    return {name: set(new) for name, *new in lines}


STATE = modules("state")
LIGHT = [f"ffn_explorer.core.{name}" for name in LIGHT_CORE if (PACKAGE / "core" / f"{name}.py").exists()]


def test_the_package_itself_is_light() -> None:
    assert loaded_with("ffn_explorer").isdisjoint({"torch", "numpy", *QT})


def test_torch_is_not_needed_to_know_the_state() -> None:
    brought = brought_by([*STATE, *LIGHT])
    assert len(brought) == len(STATE) + len(LIGHT)
    heavy = {"torch", "transformers", *QT}
    assert {name: new & heavy for name, new in brought.items() if new & heavy} == {}


@pytest.mark.parametrize("floor", [floor for floor in ("core", "checkpoints", "labs") if modules(floor)])
def test_no_qt_below_the_widgets(floor: str) -> None:
    everything = ", ".join(modules(floor))
    assert loaded_with(everything).isdisjoint(QT)


def test_light_modules_of_core_are_there() -> None:
    assert {"settings", "spec", "activation_table"} <= {name.rsplit(".", 1)[1] for name in LIGHT}


def test_the_check_sees_a_heavy_import() -> None:
    brought = brought_by(["ffn_explorer.core.spec", "ffn_explorer.core.ffn", "ffn_explorer.core.moe"])
    assert [name for name, new in brought.items() if "torch" in new] == ["ffn_explorer.core.ffn"]
    assert "PySide6" in loaded_with("ffn_explorer.widgets.fonts")
