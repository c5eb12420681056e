"""ExportDialog: a person says what is taken out of the window as a file, and how."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ffn_explorer.app.dialog_sizes import fit, widest
from ffn_explorer.app.export_field import ExportField
from ffn_explorer.app.export_fields import FIELDS
from ffn_explorer.app.exporting import first_wish
from ffn_explorer.app.exports import EXPORTS, Export, Wish, export_of
from ffn_explorer.core.errors import ExplorerError, InputError
from ffn_explorer.state.change import Change
from ffn_explorer.state.text import Text, said, say, text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.scroll_area import clear_area
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

LEAST_PX = 100
"""Height of the choices from which they scroll: at twice the size not all have room on a small screen."""


class ExportDialog(QDialog):
    """Kinds of files at the left; at the right the choices of one kind, and what will come of them."""

    def __init__(self, window: "Window", panel: str, *, kind: str) -> None:
        """Build it with what was chosen last; kind: "" for the last one.  panel: the one in use."""
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._window = window
        self._look = window.look
        self.setWindowTitle(self._say("export.title"))
        self.wish: Wish = first_wish(window, panel, kind=kind)
        """What would be exported now."""
        self._halted = False
        self.kinds = QListWidget()
        self.about, self.outcome = (self._label() for _ in range(2))
        self.box, self._sheet = QDialogButtonBox(), QWidget()
        self.area = clear_area(self._sheet)
        self.fields: dict[str, ExportField] = {name: make(window) for name, make in FIELDS.items()}
        """By option; those of other kinds are hidden."""
        self._build()
        self.kinds.setCurrentRow(EXPORTS.index(self.export))
        self.kinds.currentRowChanged.connect(self._choose_kind)
        for field in self.fields.values():
            field.changed.connect(self._take)
            field.refused.connect(self._refuse)
        self._show()
        self._fit()
        self.kinds.setFocus()

    @property
    def export(self) -> Export:
        """The row of the kind that is chosen."""
        return export_of(self.wish.kind)

    def accept(self) -> None:
        """Ask for a place, and begin; where that cannot be, the dialog stays and says why."""
        from ffn_explorer.app import dialogs

        if not self._halted:
            # What is still being typed counts now, or is refused now.
            self.ok.setFocus()
        if self._halted or not self.ok.isEnabled():
            return
        if self._window.exporting.job.under_way:
            self._tell(text("export.under_way"), good=False)
            self.ok.setEnabled(True)
            return
        row = self.export
        first = (self.wish.suffix, *(suffix for suffix in row.suffixes if suffix != self.wish.suffix))
        path = dialogs.ask_save(self._window, self._window.folder / self._name(), suffixes=first)
        if path is None:
            return
        try:
            wish = replace(self.wish, suffix=suffix_for(path, row))
        except InputError as error:
            # Another name may be given at once.
            self._tell(said(error), good=False)
            self.ok.setEnabled(True)
            return
        if self._window.exporting.start(wish, path):
            super().accept()

    def _name(self) -> str:
        stem = self.export.stem or self.wish.panel
        return f"{stem}{self.wish.suffix}"

    def _build(self) -> None:
        look = self._look
        columns = QHBoxLayout()
        columns.setSpacing(px(look, 16))
        columns.addWidget(self._kinds())
        columns.addWidget(self._choices(), 1)
        column = QVBoxLayout(self)
        column.setSpacing(px(look, 12))
        column.addLayout(columns, 1)
        column.addWidget(self.box)
        role = QDialogButtonBox.ButtonRole
        self.ok = self.box.addButton(self._say("export.accept"), role.AcceptRole)
        self.ok.setDefault(True)
        cancel = self.box.addButton(self._say("open.cancel"), role.RejectRole)
        cancel.setAutoDefault(False)
        self.box.accepted.connect(self.accept)
        self.box.rejected.connect(self.reject)

    def _kinds(self) -> QListWidget:
        kinds = self.kinds
        kinds.setFont(font(self._look, "body"))
        kinds.setAccessibleName(self._say("export.what"))
        kinds.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for row in EXPORTS:
            item = QListWidgetItem(self._say(f"export.kind.{row.kind}"), kinds)
            item.setToolTip(self._say(f"export.about.{row.kind}"))
        kinds.setFixedWidth(kinds.sizeHintForColumn(0) + px(self._look, 24))
        return kinds

    def _choices(self) -> QWidget:
        look = self._look
        right, grid = QWidget(), QGridLayout()
        grid.setHorizontalSpacing(px(look, 12))
        grid.setVerticalSpacing(px(look, 7))
        grid.setColumnStretch(1, 1)
        for field in self.fields.values():
            field.setParent(self)
            for part in field.parts:
                at = grid.rowCount()
                grid.addWidget(part.label, at, 0)
                grid.addWidget(part.holder, at, 1)
        # The editors stay where they are when another kind has other labels.
        labels = [part.label for field in self.fields.values() for part in field.parts]
        grid.setColumnMinimumWidth(0, max(label.sizeHint().width() for label in labels))
        inside = QVBoxLayout(self._sheet)
        inside.addWidget(self.about)
        inside.addLayout(grid)
        inside.addStretch(1)
        column = self._right = QVBoxLayout(right)
        column.addWidget(self.area, 1)
        column.addWidget(self.outcome)
        for layout in (inside, column):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(px(look, 12))
        return right

    def _label(self) -> QLabel:
        label = QLabel()
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setFont(font(self._look, "body"))
        return label

    def _fit(self) -> None:
        """As large as the kind with the most to choose, so that nothing moves when another is chosen."""
        look, window, chosen = self._look, self._window, self.wish
        width = widest(window, px(look, 720))
        layout, inside = self.layout(), self._sheet.layout()
        assert layout is not None
        assert inside is not None
        tallest = 0

        def give(least: QSize) -> None:
            """Room for the choices; what is around them is measured anew."""
            self.area.setMinimumSize(least)
            _measure_anew(self._right, layout)

        for row in EXPORTS:
            # The first format of a picture has a field more than the others: its pixels.
            self.wish = replace(first_wish(window, chosen.panel, kind=row.kind), suffix=row.suffixes[0])
            self._show()
            _measure_anew(inside)
            least = inside.totalMinimumSize()
            give(least)
            room = width - (layout.totalMinimumSize().width() - least.width())
            give(least.expandedTo(QSize(0, inside.totalHeightForWidth(room))))
            tallest = max(tallest, layout.totalHeightForWidth(width), layout.totalSizeHint().height())
        self.wish = chosen
        self._show()
        give(QSize(0, px(look, LEAST_PX)))
        fit(self, window, wide=width, high=tallest)

    def _choose_kind(self, row: int) -> None:
        if row >= 0:
            self.wish = first_wish(self._window, self.wish.panel, kind=EXPORTS[row].kind, now=self.wish)
            self._show()

    def _take(self) -> None:
        """A person has chosen something else."""
        for name in self.export.options:
            self.wish = self.fields[name].put(self.wish)
        self._show()

    def _show(self) -> None:
        """Show the fields of the kind chosen, and what will come of them."""
        export = self.export
        self.about.setText(self._say(f"export.about.{export.kind}"))
        for name, field in self.fields.items():
            used = name in export.options
            if used:
                field.offer(self.wish)
                self.wish = field.put(self.wish)
            on = used and field.fits(self.wish)
            for part in field.parts:
                part.label.setVisible(on)
                part.holder.setVisible(on)
        try:
            self._tell(export.says(self._window, self.wish), good=True)
        except ExplorerError as error:
            self._tell(said(error), good=False)

    def _refuse(self, change: Change) -> None:
        """A number that cannot be was typed; the one before it is there again."""
        try:
            change.to(self._window.director.state)
        except ExplorerError as error:
            ready = self.ok.isEnabled()
            self._tell(said(error), good=False)
            self.ok.setEnabled(ready)
            # Enter in a field both ends the typing and begins the export, which must not follow on a refusal.
            self._halted = True
            QTimer.singleShot(0, self, self._go_on)

    def _go_on(self) -> None:
        self._halted = False

    def _tell(self, words: Text, *, good: bool) -> None:
        theme = theme_of(self._look)
        # A style sheet of its own: the application's would otherwise decide the colour.
        self.outcome.setStyleSheet(f"color: {theme.ink if good else theme.error}")
        self.outcome.setText(say(self._look.language, words))
        self.ok.setEnabled(good)

    def _say(self, key: str) -> str:
        return say(self._look.language, key)


def _measure_anew(*layouts: QLayout) -> None:
    """Forget the sizes of what has changed while the dialog was not shown, the inner before the outer."""
    for layout in layouts:
        layout.invalidate()
        layout.activate()


def suffix_for(path: Path, export: Export) -> str:
    """Suffix of a file as the table writes it; InputError where a kind has no such format."""
    suffix = path.suffix.lower()
    if suffix not in export.suffixes:
        raise InputError("export.format", suffix=path.suffix or path.name, choices=", ".join(export.suffixes))
    return suffix
