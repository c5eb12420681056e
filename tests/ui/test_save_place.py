"""Where a file is saved: the suffix is added, and nothing that is there goes without a question."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtWidgets import QFileDialog

from ffn_explorer.app.dialogs import ask_save

WINDOW: Any = SimpleNamespace(look=SimpleNamespace(language="en"))


def saved(monkeypatch: pytest.MonkeyPatch, folder: Path, *names: str) -> tuple[Path | None, list[str]]:
    """Place chosen by somebody who types these names, one in each dialog; what each dialog suggested."""
    typed, suggested = iter(names), []

    def ask(_window: object, _title: str, suggestion: str, _filter: str) -> tuple[str, str]:
        suggested.append(Path(suggestion).name)
        name = next(typed)
        return (str(folder / name) if name else "", "")

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    return ask_save(WINDOW, folder / "first.ffnx", suffixes=(".ffnx",)), suggested


@pytest.mark.parametrize(
    ("name", "file"),
    [("talk", "talk.ffnx"), ("part 1.2", "part 1.2.ffnx"), ("talk.ffnx", "talk.ffnx"), ("a.json", "a.json")],
)
def test_a_name_without_suffix_gets_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, file: str
) -> None:
    assert saved(monkeypatch, tmp_path, name) == (tmp_path / file, ["first.ffnx"])


def test_a_file_of_the_whole_name_is_asked_about(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "talk.ffnx").touch()
    place, suggested = saved(monkeypatch, tmp_path, "talk", "talk.ffnx")
    assert (place, suggested) == (tmp_path / "talk.ffnx", ["first.ffnx", "talk.ffnx"])
    assert saved(monkeypatch, tmp_path, "talk", "")[0] is None
