"""`doctor`: what it finds here, and what it says when something is missing."""

import json
import sys
from pathlib import Path

import pytest

from ffn_explorer.__main__ import main
from ffn_explorer.cli import findings
from ffn_explorer.state.text import catalogue

Capture = pytest.CaptureFixture[str]


def test_all_is_well_here(capsys: Capture) -> None:
    assert main(["doctor", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["python"]["value"].startswith(f"{sys.version_info[0]}.{sys.version_info[1]}.")
    assert rows["devices"]["value"].startswith("cpu")
    for name in ("torch", "numpy", "pyside6", "pyqtgraph", "fonts", "qt_platform"):
        assert rows[name]["status"] == "ok"
        assert rows[name]["value"]
    assert all(bool(row["hint"]) == (row["status"] != "ok") for row in rows.values())


def test_every_finding_has_a_name_in_both_languages(capsys: Capture) -> None:
    names = {f"cli.doctor.{row.name}" for row in findings.examine()}
    hints = {key for key in catalogue("en") if key.startswith("cli.doctor.hint_")}
    for language in ("en", "ja"):
        assert names | hints <= set(catalogue(language))
        assert main(["doctor", "--lang", language]) == 0
        assert "✓" in capsys.readouterr().out


def test_a_missing_library_is_told_and_fails(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "LIBRARIES", (("nosuchmodule", "nosuchmodule"),))
    monkeypatch.setitem(catalogue("en"), "cli.doctor.nosuchmodule", "nosuchmodule")
    assert main(["doctor", "--lang", "en"]) == 1
    out = capsys.readouterr().out
    assert "✗ nosuchmodule" in out
    assert "install the program again" in out


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({"QT_QPA_PLATFORM": "offscreen"}, "offscreen"),
        ({"QT_QPA_PLATFORM": "vnc:size=10x10"}, "vnc"),
        ({"QT_QPA_PLATFORM": "", "DISPLAY": ":0"}, "xcb"),
        ({"QT_QPA_PLATFORM": "", "DISPLAY": "", "WAYLAND_DISPLAY": "wayland-0"}, "wayland"),
    ],
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the choice of Linux")
def test_platform_that_qt_will_take(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], name: str
) -> None:
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    assert findings.qt_platform() == name


def test_unknown_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "nosuch")
    found = findings._qt_platform()
    assert (found.status, found.hint) == ("bad", "cli.doctor.hint_qt_platform")


def test_no_fonts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(findings, "asset", lambda name: tmp_path / name)
    assert findings._fonts().status == "bad"


@pytest.mark.parametrize("kind", [ImportError, RuntimeError])
def test_without_ffmpeg_only_mp4_is_missing(monkeypatch: pytest.MonkeyPatch, kind: type[Exception]) -> None:
    def missing() -> str:
        raise kind

    assert findings._ffmpeg().status == "ok"
    monkeypatch.setattr("imageio_ffmpeg.get_ffmpeg_exe", missing)
    found = findings._ffmpeg()
    assert (found.value, found.status, found.hint) == ("—", "warn", "cli.doctor.hint_ffmpeg")


def test_settings_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FFN_EXPLORER_HOME", str(tmp_path / "not" / "yet"))
    found = findings._settings_folder()
    assert (found.value, found.status) == (str(tmp_path / "not" / "yet"), "ok")
    monkeypatch.setattr("os.access", lambda *_: False)
    assert findings._settings_folder().status == "warn"


def test_settings_folder_that_cannot_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    for place, why in (
        ("~nosuchuser/x", "nosuchuser"),
        (str(tmp_path / ("a" * 999)), "name too long"),
        (str(file), "file"),
        (str(file / "below"), "Not a directory"),
    ):
        monkeypatch.setenv("FFN_EXPLORER_HOME", place)
        found = findings._settings_folder()
        assert (found.status, found.hint) == ("warn", "cli.doctor.hint_settings")
        assert why in found.value
