"""Whether a window can be opened here, asked before Qt starts: Qt itself would abort without a sentence."""

import ctypes
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

from ffn_explorer.core.errors import InputError

ODD_PACKAGES = {"libglib-2.0.so.0": "libglib2.0-0", "libgthread-2.0.so.0": "libglib2.0-0"}
"""Debian packages whose name does not follow from the library's."""


def has_screen() -> bool:
    """Whether a platform was chosen or this session has a screen; other systems always have one."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def check_libraries(*, window: bool) -> None:
    """Raise InputError, naming the Debian packages, where a system library that Qt opens is missing.

    window: whether the X11 window libraries are needed as well.
    """
    qt = _qt_folder()
    if not sys.platform.startswith("linux") or qt is None:
        return
    wanted = [qt / "lib" / "libQt6Gui.so.6"]
    if window and _uses_x11():
        wanted.append(qt / "plugins" / "platforms" / "libqxcb.so")
    missing = sorted({name for file in wanted if file.exists() for name in _missing(file)})
    if missing:
        packages = sorted({package_of(name) for name in missing})
        raise InputError("window.no_libraries", libraries=" ".join(missing), packages=" ".join(packages))


def check_server() -> None:
    """Raise InputError where DISPLAY names an X server that does not answer."""
    if not sys.platform.startswith("linux") or not _uses_x11():
        return
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    failed = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    if failed:
        raise InputError("window.no_server", display=os.environ.get("DISPLAY", ""))


def package_of(soname: str) -> str:
    """Debian's package of a shared library: the name and the number, with a hyphen between two digits."""
    if soname in ODD_PACKAGES:
        return ODD_PACKAGES[soname]
    name, _, number = soname.lower().partition(".so.")
    return f"{name}-{number}" if name[-1:].isdigit() else f"{name}{number}"


def _uses_x11() -> bool:
    chosen = os.environ.get("QT_QPA_PLATFORM", "")
    return chosen.startswith("xcb") or (not chosen and not os.environ.get("WAYLAND_DISPLAY"))


def _qt_folder() -> Path | None:
    found = importlib.util.find_spec("PySide6")
    return None if found is None or found.origin is None else Path(found.origin).parent / "Qt"


def _missing(file: Path) -> list[str]:
    """Libraries that a shared object cannot find; opening it is quicker than asking `ldd` every time."""
    try:
        ctypes.CDLL(str(file))
    except OSError as error:
        first = re.match(r"(\S+): cannot open shared object file", str(error))
        return _not_found(file) or ([first.group(1)] if first else [])
    return []


def _not_found(file: Path) -> list[str]:
    try:
        told = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=False)
    except OSError:
        return []
    return re.findall(r"^\s*(\S+) => not found", told.stdout, re.MULTILINE)
