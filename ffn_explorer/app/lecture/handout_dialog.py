"""HandoutDialog: how the handout of a lecture is to be; what was chosen last is remembered."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QVBoxLayout

from ffn_explorer.app import dialogs
from ffn_explorer.app.controls.editors import ChoiceEdit
from ffn_explorer.app.exporting import HANDOUT
from ffn_explorer.app.handout import SUFFIX
from ffn_explorer.export.handout.paper import PAPERS
from ffn_explorer.export.handout.words import HandoutWish
from ffn_explorer.state.app_state import Appearance, Language, ThemeName
from ffn_explorer.state.lectures.model import Lecture
from ffn_explorer.state.lectures.store import LECTURES
from ffn_explorer.state.lesson import DEPTHS
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

ALL, WITH, WITHOUT = "all", "with", "without"

LETTER = (QLocale.Country.UnitedStates, QLocale.Country.Canada, QLocale.Country.Mexico)
"""Where sheets have another size than elsewhere."""


class HandoutDialog(QDialog):
    """A row for each choice; the button asks for a place, and begins."""

    def __init__(self, window: "Window") -> None:
        """Build it with what was chosen last."""
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._window, self._look = window, window.look
        shown = window.lecture.shown
        self.lecture: Lecture = LECTURES.open("") if shown is None else shown.lecture
        """The lecture that is printed."""
        self.edits: dict[str, ChoiceEdit] = {}
        """By the name of what is chosen."""
        self.setWindowTitle(self._say("handout.dialog"))
        column = QVBoxLayout(self)
        column.setSpacing(px(self._look, 12))
        column.addWidget(self._about())
        column.addLayout(self._rows())
        column.addWidget(self._buttons())

    @property
    def wish(self) -> HandoutWish:
        """What the choices come to."""
        chosen = self.choices
        depth = next((each for each in DEPTHS if each == chosen["depth"]), None)
        look = Appearance(theme=chosen["theme"], language=chosen["language"])
        return HandoutWish(look, depth, notes=chosen["notes"] == WITH, paper=chosen["paper"])

    @property
    def choices(self) -> dict[str, Any]:
        """What is chosen, by name."""
        return {name: edit.currentData() for name, edit in self.edits.items()}

    def accept(self) -> None:
        """Ask for a place, and begin; where that cannot be, the dialog stays and the window says why."""
        name = f"{Path(self.lecture.path).stem or 'ffn-lecture'}-handout{SUFFIX}"
        path = dialogs.ask_save(self._window, self._window.folder / name, suffixes=(SUFFIX,))
        if path is None:
            return
        self._window.exporting.remember_handout(self.choices)
        if self._window.lecture.handout.start(self.lecture, self.wish, path):
            super().accept()

    def _about(self) -> QLabel:
        scenes = len(self.lecture.scenes)
        title = self.lecture.title.say(self._look.language)
        about = QLabel(self._say("handout.about", title=title, scenes=scenes))
        about.setTextFormat(Qt.TextFormat.PlainText)
        about.setFont(font(self._look, "body"))
        about.setWordWrap(True)
        about.setMinimumWidth(px(self._look, 380))
        return about

    def _rows(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(px(self._look, 12))
        grid.setVerticalSpacing(px(self._look, 7))
        grid.setColumnStretch(1, 1)
        kept = self._window.exporting.choices.get(HANDOUT, {})
        for at, (name, choices) in enumerate(self._offered().items()):
            label, edit = QLabel(self._say(f"handout.field.{name}")), ChoiceEdit()
            label.setObjectName("knob-label")
            label.setFont(font(self._look, "small"))
            edit.setFont(font(self._look, "body"))
            edit.setAccessibleName(label.text())
            for part in (label, edit):
                part.setToolTip(self._say(f"handout.field.{name}_tip"))
            label.setBuddy(edit)
            edit.show_choices(list(choices.items()), _first(name, choices, kept, self._look))
            grid.addWidget(label, at, 0)
            grid.addWidget(edit, at, 1)
            self.edits[name] = edit
        return grid

    def _offered(self) -> dict[str, dict[str, str]]:
        """Values with their words, by the name of what is chosen."""
        return {
            "depth": {
                ALL: self._say("handout.depth_all"),
                **{depth: self._say(f"handout.depth_{depth}") for depth in DEPTHS},
            },
            "notes": {each: self._say(f"handout.notes_{each}") for each in (WITH, WITHOUT)},
            "paper": {name: self._say(f"handout.paper_{name}") for name in PAPERS},
            "theme": {name: self._say(f"export.theme.{name}") for name in get_args(ThemeName)},
            "language": {name: self._say(f"export.language.{name}") for name in get_args(Language)},
        }

    def _buttons(self) -> QDialogButtonBox:
        box, role = QDialogButtonBox(), QDialogButtonBox.ButtonRole
        self.ok = box.addButton(self._say("export.accept"), role.AcceptRole)
        self.ok.setDefault(True)
        box.addButton(self._say("open.cancel"), role.RejectRole).setAutoDefault(False)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        return box

    def _say(self, key: str, **values: object) -> str:
        return say(self._look.language, key, **values)


def _first(name: str, choices: Mapping[str, str], kept: Mapping[str, Any], look: Appearance) -> str:
    """The value chosen last, where it is offered, else what most people want; the window's language."""
    letter = QLocale.system().territory() in LETTER
    usual = {"depth": ALL, "notes": WITH, "paper": "letter" if letter else "a4", "theme": "light"}
    value = look.language if name == "language" else kept.get(name)
    return value if isinstance(value, str) and value in choices else usual.get(name, look.language)
