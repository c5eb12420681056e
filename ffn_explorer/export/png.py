"""PNG pictures of any widget, with the settings written inside, so that a picture can be made again."""

import json
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QSize
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import QWidget

from ffn_explorer import __version__
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.files import reason_of, whole
from ffn_explorer.state.state_json import state_to_json

SIDE_PX = (16, 16_384)
"""Smallest and largest side of a picture."""


def write_png(widget: QWidget, path: Path, *, state: AppState) -> None:
    """Write a widget as it stands; the file appears whole or not at all.

    Text chunks: Software, Settings (JSON, see `Settings.to_json`), Sentences (JSON; none beside a hand-built
    memory or rows of an NPY file, which do not read them), File (JSON, of an opened file: its name, the layer
    by stack and number, the digest of its headers, the NPY file that flows in), Session (JSON, what a session
    file holds), Time (0..1 of the pass).
    Raises InputError where the file cannot be written.
    """
    write_image(widget.grab().toImage(), path, notes=notes_of(state))


def notes_of(state: AppState) -> dict[str, str]:
    """What a picture of this state was made from, for its text chunks."""
    sentences = json.dumps(state.source.sentences, ensure_ascii=False)
    return {
        "Software": f"FFN Explorer {__version__}",
        "Settings": json.dumps(state.settings.to_json()),
        **({"Sentences": sentences} if _reads_sentences(state) else {}),
        **_file_of(state),
        # Edits, a hand-built memory and the comparison are in the picture too.
        "Session": json.dumps(state_to_json(state)),
        "Time": f"{state.playback.time:g}",
    }


def _reads_sentences(state: AppState) -> bool:
    opened = state.source.opened
    return state.source.memory is None and (opened is None or not opened.x)


def _file_of(state: AppState) -> dict[str, str]:
    """The opened file by its name, and its layer by stack and number where it is open."""
    opened = state.source.opened
    if opened is None:
        return {}
    from ffn_explorer.state.open_files import OPEN_FILES

    held, place = OPEN_FILES.known(opened), state.settings.layer
    layer = None if held is None else held.checkpoint.layers[place]
    named = {} if layer is None else {"stack": layer.stack, "index": layer.index}
    rows = {"x": Path(opened.x).name, "x_is": opened.x_is} if opened.x else {}
    found = {"name": Path(opened.path).name, "layer": place, **named, "digest": opened.digest, **rows}
    return {"File": json.dumps(found, ensure_ascii=False)}


def write_image(image: QImage, path: Path, *, notes: Mapping[str, str]) -> None:
    """Write an image with text chunks; InputError, with the system's reason, where that fails."""
    # Encoded in memory: writing, libpng would print a line of its own where the disk is full.
    data = QBuffer()
    data.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(data, b"png")
    for key, value in notes.items():
        writer.setText(key, value)
    if not writer.write(image):
        raise InputError("export.write", path=str(path), why=writer.errorString())
    try:
        with whole(path) as file:
            file.write(data.data().data())
    except (OSError, ValueError) as error:
        raise InputError("export.write", path=str(path), why=reason_of(error)) from error


def check_size(size: QSize) -> None:
    """Raise InputError on a picture with a side outside SIDE_PX."""
    low, high = SIDE_PX
    if not (low <= size.width() <= high and low <= size.height() <= high):
        raise InputError("export.size", width=size.width(), height=size.height(), low=low, high=high)


def lay_out(widget: QWidget, size: QSize) -> None:
    """Give a widget that is on no screen its final size, with everything inside in its place."""
    widget.setFixedSize(size)
    widget.show()
    # Layouts answer posted requests; sent here, they leave nothing for a later event loop to move.
    QCoreApplication.sendPostedEvents()
    widget.grab()
