"""What `doctor` looks at, one small function each."""

import os
import platform
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from ffn_explorer import __version__
from ffn_explorer.core.budget import free_bytes, in_words
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.assets import asset
from ffn_explorer.state.files import kind_of
from ffn_explorer.state.quoting import WIDEST_PLACE, quoted
from ffn_explorer.state.storage import check_folder, folder

Status = Literal["ok", "warn", "bad"]

# Module -> distribution, of everything without which the program does not start.
LIBRARIES = (
    ("torch", "torch"),
    ("numpy", "numpy"),
    ("PySide6.QtWidgets", "PySide6-Essentials"),
    ("pyqtgraph", "pyqtgraph"),
)

LITTLE_MEMORY = 2 * 10**9
"""Free bytes below which large settings will be refused soon."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; name is the last part of its key below `cli.doctor`, hint a whole key or ""."""

    name: str
    value: str
    status: Status
    hint: str = ""


def examine() -> list[Finding]:
    """All findings, in the order in which they are read."""
    return [
        Finding("program", __version__, "ok"),
        _python(),
        *(_library(module, distribution) for module, distribution in LIBRARIES),
        _devices(),
        Finding("cores", f"{os.cpu_count() or 1}", "ok"),
        _memory(),
        _display(),
        _qt_platform(),
        _fonts(),
        _ffmpeg(),
        _settings_folder(),
    ]


def qt_platform() -> str:
    """Name of the platform plugin that Qt will take here."""
    chosen = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0].partition(";")[0]
    if chosen:
        return chosen
    if sys.platform in ("win32", "darwin"):
        return "windows" if sys.platform == "win32" else "cocoa"
    return "wayland" if os.environ.get("WAYLAND_DISPLAY") and not os.environ.get("DISPLAY") else "xcb"


def _python() -> Finding:
    return Finding("python", f"{platform.python_version()} ({platform.system()} {platform.machine()})", "ok")


def _library(module: str, distribution: str) -> Finding:
    name = module.partition(".")[0].lower()
    try:
        import_module(module)
        return Finding(name, version(distribution), "ok")
    except PackageNotFoundError:
        return Finding(name, getattr(sys.modules[module.partition(".")[0]], "__version__", "?"), "ok")
    except (ImportError, OSError) as error:
        # An installed Qt that cannot be loaded lacks a library of the system; anything else is not installed.
        hint = (
            "cli.doctor.hint_qt" if "PySide6" in module and "lib" in str(error) else "cli.doctor.hint_install"
        )
        return Finding(name, _first_line(error), "bad", hint)


def _devices() -> Finding:
    try:
        from ffn_explorer.core.devices import available
    except (ImportError, OSError) as error:
        return Finding("devices", _first_line(error), "bad", "cli.doctor.hint_install")
    return Finding("devices", ", ".join(available()), "ok")


def _memory() -> Finding:
    import psutil

    free, total = free_bytes(), int(psutil.virtual_memory().total)
    value = f"{in_words(free)} / {in_words(total)}"
    return (
        Finding("memory", value, "ok")
        if free > LITTLE_MEMORY
        else Finding("memory", value, "warn", "cli.doctor.hint_memory")
    )


def _display() -> Finding:
    place = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or ""
    if sys.platform in ("win32", "darwin") or place:
        return Finding("display", place or sys.platform, "ok")
    return Finding("display", "—", "warn", "cli.doctor.hint_display")


def _qt_platform() -> Finding:
    name = qt_platform()
    try:
        from PySide6.QtCore import QLibrary, QLibraryInfo
    except (ImportError, OSError) as error:
        return Finding("qt_platform", _first_line(error), "bad", "cli.doctor.hint_qt")
    plugins = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)) / "platforms"
    for file in sorted(plugins.glob(f"*q{name}*")):
        # Loading the plugin by hand tells which library is missing; a Qt application would abort instead.
        library = QLibrary(str(file))
        if library.load():
            return Finding("qt_platform", name, "ok")
        return Finding("qt_platform", f"{name}: {library.errorString()}", "bad", "cli.doctor.hint_qt")
    return Finding("qt_platform", name, "bad", "cli.doctor.hint_qt_platform")


def _fonts() -> Finding:
    try:
        files = sorted(path.name for path in asset("fonts").glob("*.[ot]tf"))
    except FileNotFoundError:
        files = []
    if not files:
        return Finding("fonts", "—", "bad", "cli.doctor.hint_assets")
    return Finding("fonts", ", ".join(files), "ok")


def _ffmpeg() -> Finding:
    from ffn_explorer.export.films.mp4 import ffmpeg

    try:
        return Finding("ffmpeg", quoted(ffmpeg(), WIDEST_PLACE), "ok")
    except InputError:
        return Finding("ffmpeg", "—", "warn", "cli.doctor.hint_ffmpeg")


def _settings_folder() -> Finding:
    try:
        check_folder()
        place = folder().absolute()
        existing = _existing(place)
    except OSError as error:
        value = f"{quoted(str(folder()), WIDEST_PLACE)} ({error.strerror})"
        return Finding("settings", value, "warn", "cli.doctor.hint_settings")
    shown = quoted(str(place), WIDEST_PLACE)
    if kind_of(existing) == "folder" and os.access(existing, os.W_OK):
        return Finding("settings", shown, "ok")
    return Finding("settings", shown, "warn", "cli.doctor.hint_settings")


def _existing(place: Path) -> Path:
    """The first part that exists, which decides whether the rest can be made; OSError where it cannot be."""
    for part in (place, *place.parents):
        try:
            part.stat()
        except FileNotFoundError:
            continue
        return part
    return place


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
