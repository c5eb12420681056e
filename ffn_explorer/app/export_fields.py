"""FIELDS: what of an export a person can choose, one field for each Option."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, get_args

from PySide6.QtGui import QStandardItemModel

from ffn_explorer.app.controls.editors import ChoiceEdit
from ffn_explorer.app.export_field import ChoiceField, ExportField
from ffn_explorer.app.export_sizes import PixelsField, SizeField
from ffn_explorer.app.export_times import FramesField, RateField, SpanField
from ffn_explorer.app.exports import export_of
from ffn_explorer.state.app_state import Language, ThemeName
from ffn_explorer.state.code.dialect import DIALECTS

if TYPE_CHECKING:
    from ffn_explorer.app.exports import Option, Wish
    from ffn_explorer.app.window import Window


class PanelField(ChoiceField):
    """One of the panels that are in sight; for numbers, one that shows some."""

    name = "panel"

    def offer(self, wish: "Wish") -> None:
        """Show the panels that are on the board now, with their names."""
        board = self.window.board
        shown = board.in_sight()
        names = [name for name in board.panels if name in shown]
        usable = [name for name in names if wish.kind != "numbers" or board.panels[name].table()]
        chosen = wish.panel if wish.panel in usable else next(iter(usable), "")
        self.edit.show_choices([(name, self.say(f"panel_name.{name}")) for name in names], chosen)
        model = self.edit.model()
        assert isinstance(model, QStandardItemModel)
        for row, name in enumerate(names):
            model.item(row).setEnabled(name in usable)
            model.item(row).setToolTip("" if name in usable else self.say("export.panel_empty"))

    def put(self, wish: "Wish") -> "Wish":
        """The wish with this panel, "" where none can be taken."""
        return replace(wish, panel=self.edit.currentData() or "")


class SuffixField(ChoiceField):
    """The format of the file, by its suffix; "dialog.file.<suffix>" is its name."""

    name = "suffix"

    def offer(self, wish: "Wish") -> None:
        """Show the formats of a kind."""
        rows = [(suffix, self.say(f"dialog.file{suffix}")) for suffix in export_of(wish.kind).suffixes]
        self.edit.show_choices(rows, wish.suffix)


class LookField(ExportField):
    """Theme and language of a picture, which need not be those of the window."""

    def __init__(self, window: "Window") -> None:
        """Build it for a window."""
        super().__init__(window)
        self.theme, self.language = ChoiceEdit(), ChoiceEdit()
        self.add("theme", self.theme)
        self.add("language", self.language)
        self.follow(self.theme, self.language)

    def offer(self, wish: "Wish") -> None:
        """Show the look."""
        themes = [(name, self.say(f"export.theme.{name}")) for name in get_args(ThemeName)]
        languages = [(name, self.say(f"export.language.{name}")) for name in get_args(Language)]
        self.theme.show_choices(themes, wish.look.theme)
        self.language.show_choices(languages, wish.look.language)

    def put(self, wish: "Wish") -> "Wish":
        """The wish with this look; the size of the type stays the window's."""
        theme, language = self.theme.currentData(), self.language.currentData()
        return replace(wish, look=replace(wish.look, theme=theme, language=language))


class LibraryField(ChoiceField):
    """The library that a program computes with."""

    name = "library"

    def offer(self, wish: "Wish") -> None:
        """Show the libraries."""
        self.edit.show_choices([(name, row.label) for name, row in DIALECTS.items()], wish.library)


FIELDS: "Mapping[Option, Callable[[Window], ExportField]]" = MappingProxyType(
    {
        "panel": PanelField,
        "suffix": SuffixField,
        "span": SpanField,
        "frames": FramesField,
        "rate": RateField,
        "size": SizeField,
        "pixels": PixelsField,
        "look": LookField,
        "library": LibraryField,
    }
)
