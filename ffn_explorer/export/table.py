"""EXPORTERS: formats of pictures by suffix."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from PySide6.QtWidgets import QWidget

from ffn_explorer.core.errors import InputError
from ffn_explorer.export import pdf, png, svg
from ffn_explorer.export.films.table import MOVING
from ffn_explorer.export.notes import notes_of
from ffn_explorer.export.written import write_bytes
from ffn_explorer.state.app_state import AppState

Encoding = Callable[[], bytes]
"""Makes the content of the file of a picture that has been painted; on any thread."""


class Exporter(Protocol):
    """Paints a widget, as it stands, on the GUI thread; what is left to do may be done on any thread."""

    def __call__(self, widget: QWidget, *, notes: Mapping[str, str], pixels: float) -> Encoding:
        """Paint; pixels: device pixels per logical pixel, for formats that have pixels.

        notes: stand in the file, where the format has room for them.  InputError on an impossible size.
        """


EXPORTERS: Mapping[str, Exporter] = MappingProxyType(
    {".png": png.exported, ".svg": svg.exported, ".pdf": pdf.exported}
)

PIXELLED = frozenset({".png", *MOVING})
"""Formats whose pictures have pixels; the others stay sharp at any size."""


def exporter_of(path: Path) -> Exporter:
    """Exporter for a file name; InputError naming the formats where there is none."""
    found = EXPORTERS.get(path.suffix.lower())
    if found is None:
        raise InputError("export.format", suffix=path.suffix or path.name, choices=", ".join(EXPORTERS))
    return found


def export(widget: QWidget, path: Path, *, state: AppState, pixels: float = 1.0) -> None:
    """Write a widget as it stands, with the state it was made from; InputError as an Exporter."""
    write_bytes(exporter_of(path)(widget, notes=notes_of(state), pixels=pixels)(), path)
