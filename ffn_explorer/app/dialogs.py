"""Dialogs: choosing a token, the list of keys, about, and where files lie."""

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ffn_explorer import __version__
from ffn_explorer.app.dialog_sizes import fit
from ffn_explorer.app.key_names import native
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.files import kind_of
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import drawable
from ffn_explorer.widgets.sizes import px

if TYPE_CHECKING:
    from ffn_explorer.app.actions import Action
    from ffn_explorer.app.window import Window


PANEL_KEYS = (
    ("1 … 9", "focus"),
    ("← → ↑ ↓", "arrows"),
    ("Tab", "tab"),
    ("F2", "edit_sentence"),
    ("Ctrl+Return", "apply"),
    ("Ctrl+← Ctrl+→", "move"),
    ("+ − 0", "zoom"),
)
"""Keys that a single panel or editor understands, and the last part of what is said of them."""


class TokenDialog(QDialog):
    """Type part of a token or its position; the list narrows as you type, Enter takes the marked one."""

    def __init__(self, parent: QWidget, scene: Scene) -> None:
        """Build it over the tokens of the sentence shown."""
        super().__init__(parent)
        language = scene.look.language
        self.setWindowTitle(say(language, "dialog.goto_title"))
        self.edit = QLineEdit()
        self.edit.setPlaceholderText(say(language, "dialog.goto_hint"))
        self.edit.setAccessibleName(say(language, "dialog.goto_hint"))
        self.list = QListWidget()
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._rows = [f"{i}  {drawable(chip.text, font(scene.look))}" for i, chip in enumerate(scene.chips)]
        column = QVBoxLayout(self)
        column.addWidget(self.edit)
        column.addWidget(self.list)
        self.edit.textChanged.connect(self._narrow)
        self.edit.returnPressed.connect(self._take)
        self.list.itemClicked.connect(self.accept)
        self._narrow("")
        self.list.setCurrentRow(scene.selection.token)
        self.resize(px(scene.look, 280), px(scene.look, 320))

    @property
    def token(self) -> int | None:
        """Position of the marked token."""
        row = self.list.currentRow()
        return None if row < 0 else int(self.list.item(row).data(Qt.ItemDataRole.UserRole))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and down move the mark while the typing goes on."""
        step = {int(Qt.Key.Key_Up): -1, int(Qt.Key.Key_Down): 1}.get(event.key())
        if step is None or not self.list.count():
            super().keyPressEvent(event)
            return
        self.list.setCurrentRow((self.list.currentRow() + step) % self.list.count())

    def _narrow(self, typed: str) -> None:
        wanted = typed.strip().casefold()
        self.list.clear()
        for token, row in enumerate(self._rows):
            if wanted in row.casefold():
                item = QListWidgetItem(row, self.list)
                item.setData(Qt.ItemDataRole.UserRole, token)
        self.list.setCurrentRow(0)

    def _take(self) -> None:
        if self.token is not None:
            self.accept()


class KeyList(QDialog):
    """Every action with its keys, group by group."""

    def __init__(self, parent: "Window", actions: "Sequence[Action]") -> None:
        """Build the list in the window's language."""
        from ffn_explorer.app.actions import GROUPS

        super().__init__(parent)
        look = parent.look
        self.setWindowTitle(say(look.language, "keys.title"))
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setHorizontalSpacing(px(look, 24))
        for group in GROUPS:
            self._heading(grid, look, f"keys.{group}")
            for action in (a for a in actions if a.group == group and a.keys):
                keys = "   ".join(map(native, action.keys))
                self._row(grid, look, keys, says=say(look.language, action.key))
        self._heading(grid, look, "keys.inside")
        for keys, key in PANEL_KEYS:
            self._row(grid, look, keys, says=say(look.language, f"keys.{key}"))
        area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        column = QVBoxLayout(self)
        column.addWidget(area)
        _add_close(self, column, look)
        fit(self, parent, wide=px(look, 560), high=px(look, 620))

    def _heading(self, grid: QGridLayout, look: Appearance, key: str) -> None:
        label = QLabel(say(look.language, key))
        label.setObjectName("heading")
        label.setFont(font(look, bold=True))
        label.setContentsMargins(0, px(look, 8) if grid.rowCount() > 1 else 0, 0, 0)
        grid.addWidget(label, grid.rowCount(), 0, 1, 2)

    def _row(self, grid: QGridLayout, look: Appearance, keys: str, *, says: str) -> None:
        row = grid.rowCount()
        shown = QLabel(keys)
        shown.setFont(font(look, mono=True))
        grid.addWidget(shown, row, 0, Qt.AlignmentFlag.AlignTop)
        meaning = QLabel(says)
        meaning.setWordWrap(True)
        grid.addWidget(meaning, row, 1)
        grid.setColumnStretch(1, 1)


class About(QDialog):
    """What this is, its version, and whose work it stands on."""

    def __init__(self, parent: "Window") -> None:
        """Build it in the window's language."""
        super().__init__(parent)
        look = parent.look
        self.setWindowTitle(say(look.language, "action.about"))
        body = QLabel(
            say(
                look.language,
                "dialog.about",
                version=__version__,
                python=platform.python_version(),
                qt=qVersion(),
            )
        )
        body.setWordWrap(True)
        body.setMinimumWidth(px(look, 380))
        body.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        title = QLabel("FFN Explorer")
        title.setObjectName("heading")
        title.setFont(font(look, "title", bold=True))
        column = QVBoxLayout(self)
        column.addWidget(title)
        column.addWidget(body)
        _add_close(self, column, look)


def ask_token(window: QWidget, scene: Scene) -> int | None:
    """Position of the token that a person chooses, or None."""
    dialog = TokenDialog(window, scene)
    return dialog.token if dialog.exec() == QDialog.DialogCode.Accepted else None


def ask_save(window: "Window", suggestion: Path, *, suffixes: tuple[str, ...]) -> Path | None:
    """Place for a new file, with the first suffix where a person typed none; None if not wanted."""
    language = window.look.language
    title = say(language, "dialog.save_title")
    while True:
        chosen, _ = QFileDialog.getSaveFileName(window, title, str(suggestion), _filter(language, suffixes))
        if not chosen:
            return None
        path = _with_suffix(Path(chosen), suffixes)
        # The dialog asked about what was typed; a file of the whole name would be lost without a word.
        if path == Path(chosen) or kind_of(path) == "nothing":
            return path
        suggestion = path


def _with_suffix(path: Path, suffixes: tuple[str, ...]) -> Path:
    """The path, with the first suffix where it has none; the ".2" of "part 1.2" is none."""
    known = path.suffix.lower() in suffixes or path.suffix[1:].isalpha()
    return path if known else path.with_name(path.name + suffixes[0])


def _filter(language: str, suffixes: tuple[str, ...]) -> str:
    return ";;".join(f"{say(language, f'dialog.file{suffix}')} (*{suffix})" for suffix in suffixes)


def _add_close(dialog: QDialog, column: QVBoxLayout, look: Appearance) -> None:
    box = QDialogButtonBox()
    button = box.addButton(say(look.language, "window.close_message"), QDialogButtonBox.ButtonRole.RejectRole)
    button.setDefault(True)
    box.rejected.connect(dialog.reject)
    column.addWidget(box)
