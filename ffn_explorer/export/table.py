"""EXPORTERS: file formats by suffix."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from PySide6.QtWidgets import QWidget

from ffn_explorer.core.errors import InputError
from ffn_explorer.export.png import write_png
from ffn_explorer.state.app_state import AppState


class Exporter(Protocol):
    """Writes a widget, as it stands, to a file; the state rides along where the format has room for it."""

    def __call__(self, widget: QWidget, path: Path, *, state: AppState) -> None:
        """Write; InputError where the file cannot be written."""


EXPORTERS: Mapping[str, Exporter] = MappingProxyType({".png": write_png})


def exporter_of(path: Path) -> Exporter:
    """Exporter for a file name; InputError naming the formats where there is none."""
    found = EXPORTERS.get(path.suffix.lower())
    if found is None:
        raise InputError("export.format", suffix=path.suffix or path.name, choices=", ".join(EXPORTERS))
    return found
