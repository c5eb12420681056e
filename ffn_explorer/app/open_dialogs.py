"""Dialogs that ask what is to be opened, and what the rows of an array are."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
)

from ffn_explorer.app.dialog_sizes import fit
from ffn_explorer.state.app_state import Appearance, XIs
from ffn_explorer.state.file_endings import LECTURE, PICTURES, SUFFIX, WEIGHTS
from ffn_explorer.state.quoting import quoted
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

FILTERS = (
    ("all", (*WEIGHTS, SUFFIX, *PICTURES, LECTURE)),
    ("weights", WEIGHTS),
    ("sessions", (SUFFIX, *PICTURES)),
    ("lectures", (LECTURE,)),
    ("any", ("",)),
)
"""Endings that the list of files may be narrowed to; the cache of the hub names files by their hash alone."""

ROWS: dict[XIs, str] = {"residual": "open.rows_residual", "ffn-input": "open.rows_ffn_input"}
"""What rows may be, with the catalogue keys of their words."""


class TypedDialog(QDialog):
    """One field for a path or a link; Enter opens it."""

    def __init__(self, window: "Window") -> None:
        """Build it empty, in the window's language."""
        super().__init__(window)
        look = window.look
        self.setWindowTitle(say(look.language, "open.typed_title"))
        self.edit = QLineEdit()
        self.edit.setFont(font(look, "body"))
        self.edit.setPlaceholderText(say(look.language, "open.typed_hint"))
        self.edit.setAccessibleName(say(look.language, "open.typed_hint"))
        about = QLabel(say(look.language, "open.typed_about"))
        about.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setSpacing(px(look, 10))
        column.addWidget(self.edit)
        column.addWidget(about)
        self.box = add_buttons(self, column, look, "open.open")
        fit(self, window, wide=px(look, 620), high=self.sizeHint().height())


class RowsDialog(QDialog):
    """Asks whether rows are the residual stream or what the FFN itself receives: a norm is between them."""

    def __init__(self, window: "Window", path: Path) -> None:
        """Build it for a file."""
        super().__init__(window)
        look = window.look
        self.setWindowTitle(say(look.language, "open.rows_title"))
        column = QVBoxLayout(self)
        column.setSpacing(px(look, 10))
        question = QLabel(say(look.language, "open.rows_question", file=quoted(path.name)))
        question.setWordWrap(True)
        question.setTextFormat(Qt.TextFormat.PlainText)
        column.addWidget(question)
        self.choices = {name: QRadioButton(say(look.language, key)) for name, key in ROWS.items()}
        for button in self.choices.values():
            button.setFont(font(look, "body"))
            column.addWidget(button)
        self.choices["residual"].setChecked(True)
        self.choices["residual"].setFocus()
        add_buttons(self, column, look, "open.open")
        fit(self, window, wide=px(look, 520), high=self.sizeHint().height())

    @property
    def chosen(self) -> XIs:
        """What a person says that they are."""
        return next(name for name, button in self.choices.items() if button.isChecked())


def add_buttons(dialog: QDialog, column: QVBoxLayout, look: Appearance, accept: str) -> QDialogButtonBox:
    """Put the button that does it, and the one that does not, under a dialog."""
    box = QDialogButtonBox()
    yes = box.addButton(say(look.language, accept), QDialogButtonBox.ButtonRole.AcceptRole)
    yes.setDefault(True)
    box.addButton(say(look.language, "open.cancel"), QDialogButtonBox.ButtonRole.RejectRole)
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    column.addWidget(box)
    return box


def ask_open(window: "Window", folder: Path) -> Path | None:
    """A session or a file of weights that a person wants opened, or None."""
    language = window.look.language
    filters = [
        f"{say(language, f'open.filter_{name}')} ({' '.join(f'*{end}' for end in ends)})"
        for name, ends in FILTERS
    ]
    title = say(language, "open.title")
    chosen, _ = QFileDialog.getOpenFileName(window, title, str(folder), ";;".join(filters))
    return Path(chosen) if chosen else None


def ask_folder(window: "Window", folder: Path) -> Path | None:
    """A folder of weights that a person wants opened, or None."""
    title = say(window.look.language, "open.folder_title")
    chosen = QFileDialog.getExistingDirectory(window, title, str(folder))
    return Path(chosen) if chosen else None


def ask_text(window: "Window") -> str | None:
    """A path or a link that a person types, or None."""
    dialog = TypedDialog(window)
    typed = dialog.edit.text() if dialog.exec() == QDialog.DialogCode.Accepted else ""
    dialog.deleteLater()
    return typed.strip() or None


def ask_rows(window: "Window", folder: Path) -> Path | None:
    """An NPY file that a person wants opened, or None."""
    language = window.look.language
    filters = f"{say(language, 'open.filter_npy')} (*.npy)"
    chosen, _ = QFileDialog.getOpenFileName(window, say(language, "open.rows_title"), str(folder), filters)
    return Path(chosen) if chosen else None


def ask_what_rows_are(window: "Window", path: Path) -> XIs | None:
    """What the rows of an array are, as a person says, or None where they are not wanted after all."""
    dialog = RowsDialog(window, path)
    chosen = dialog.chosen if dialog.exec() == QDialog.DialogCode.Accepted else None
    dialog.deleteLater()
    return chosen
