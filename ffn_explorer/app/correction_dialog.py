"""CorrectionDialog: a person says which tensors an FFN is made of, how they lie, and what is around."""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QScrollArea, QVBoxLayout, QWidget

from ffn_explorer.app.correction_fields import CorrectionFields
from ffn_explorer.app.dialog_sizes import fit, widest
from ffn_explorer.app.lone_job import LoneJob
from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.checkpoints.scheme import LayerScheme, Note, Scheme
from ffn_explorer.state.app_state import Opened
from ffn_explorer.state.name_patterns import check_names, patterns_of
from ffn_explorer.state.numbers import count
from ffn_explorer.state.open_files import OPEN_FILES, OpenFile
from ffn_explorer.state.quoting import harmless, quoted
from ffn_explorer.state.target import Target
from ffn_explorer.state.text import Text, say, text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theme import theme_of

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

PAUSE_MS = 200
"""What follows is worked out once a person pauses this long."""
MOST_NOTES = 6
"""Sentences on what the file leaves open that are shown."""


class CorrectionDialog(QDialog):
    """Shows how a stack of the opened file is read now; what follows from another reading stands under it."""

    def __init__(self, window: "Window") -> None:
        """Build it for the file that is open, at the stack that is looked at."""
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._window = window
        opened = window.director.state.source.opened
        assert opened is not None
        self._opened: Opened = opened
        self._held: OpenFile = OPEN_FILES.get(opened)
        self._layers = len(self._held.facts.layers)
        self._job, self._lists = LoneJob(self), LoneJob(self)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.work_out)
        language = window.look.language
        self.setWindowTitle(say(language, "correct.title", file=quoted(self._held.facts.name)))
        self.notes = self._label(small=True)
        self.fields = CorrectionFields(self._held.checkpoint.scheme, window.look)
        self.outcome = self._label()
        self.box = QDialogButtonBox()
        self._build()
        self.fields.changed.connect(self._wait)
        self._lists.start(lambda: patterns_of(self._held.checkpoint), lambda found: self.fields.offer(*found))
        self._job.failed.connect(lambda why, _details: self._show(why, good=False))
        layer = self._held.facts.layers[window.director.state.settings.layer]
        self.fields.show_stack(layer.stack)
        self._fit()

    def work_out(self) -> None:
        """Find out, on another thread, what the reading chosen comes to."""
        held, by = self._held, self.fields.correction()
        self._pause.stop()
        self._job.start(lambda: _worked_out(held, by), lambda found: self._take(*found))

    def accept(self) -> None:
        """Open the file as it is read here, and remember that."""
        self._open(self.fields.correction())
        super().accept()

    def done(self, result: int) -> None:
        """Close, and drop what is still being worked out."""
        self._pause.stop()
        self._job.close()
        self._lists.close()
        super().done(result)

    def _build(self) -> None:
        look = self._window.look
        self._inside = QWidget()
        inner = QVBoxLayout(self._inside)
        inner.setContentsMargins(0, 0, px(look, 6), 0)
        inner.setSpacing(px(look, 12))
        head = QLabel(say(look.language, "correct.about"))
        head.setWordWrap(True)
        for widget in (head, self.notes, self.fields):
            inner.addWidget(widget)
        inner.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(self._inside)
        column = QVBoxLayout(self)
        column.setSpacing(px(look, 12))
        column.addWidget(area, 1)
        column.addWidget(self.outcome)
        column.addWidget(self.box)
        self._add_buttons()

    def _add_buttons(self) -> None:
        role, language = QDialogButtonBox.ButtonRole, self._window.look.language
        self.ok = self.box.addButton(say(language, "correct.ok"), role.AcceptRole)
        self.found = self.box.addButton(say(language, "correct.as_found"), role.ResetRole)
        cancel = self.box.addButton(say(language, "open.cancel"), role.RejectRole)
        for button in (self.found, cancel):
            button.setAutoDefault(False)
        self.ok.setDefault(True)
        self.ok.setEnabled(False)
        self.found.setEnabled(self._opened.correction is not None)
        self.found.setToolTip(say(language, "correct.as_found_tip"))
        self.box.accepted.connect(self.accept)
        self.box.rejected.connect(self.reject)
        self.found.clicked.connect(self._reset)

    def _fit(self) -> None:
        """As large as everything in it, and no larger than the window."""
        look, window = self._window.look, self._window
        width = widest(window, px(look, 680))
        margins = self.contentsMargins()
        column, inner = self.layout(), self._inside.layout()
        assert column is not None
        assert inner is not None
        inside = inner.totalHeightForWidth(width - 4 * px(look, 12))
        rest = self.outcome.sizeHint().height() + self.box.sizeHint().height() + 6 * px(look, 12)
        wanted = inside + rest + margins.top() + margins.bottom()
        fit(self, window, wide=width, high=wanted)

    def _label(self, *, small: bool = False) -> QLabel:
        label = QLabel()
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setFont(font(self._window.look, "small" if small else "body"))
        return label

    def _wait(self) -> None:
        """Another reading was chosen: what is said of the one before no longer holds."""
        self.ok.setEnabled(False)
        self._show(text("correct.working"), good=True)
        notes = notes_of(self._held.checkpoint.scheme, self.fields.stack)
        lines = [f"• {self._say(note)}" for note in notes[:MOST_NOTES]]
        more = len(notes) - MOST_NOTES
        lines += [say(self._window.look.language, "correct.more", n=count(more))] if more > 0 else []
        self.notes.setText("\n".join(lines))
        self.notes.setVisible(bool(lines))
        self._pause.start()

    def _take(self, words: Text, layers: int) -> None:
        self._layers = layers
        self._show(words, good=True)
        self.ok.setEnabled(True)

    def _show(self, words: Text, *, good: bool) -> None:
        theme = theme_of(self._window.look)
        # A style sheet of its own: the application's would otherwise decide the colour.
        self.outcome.setStyleSheet(f"color: {theme.ink if good else theme.error}")
        self.outcome.setText(say(self._window.look.language, harmless(words)))

    def _say(self, note: Note) -> str:
        return say(self._window.look.language, harmless(Text(note.key, note.values)))

    def _reset(self) -> None:
        self._open(None)
        super().accept()

    def _open(self, by: Correction | None) -> None:
        place = min(self._window.director.state.settings.layer, self._layers - 1)
        target = Target(self._opened.path, place, x=self._opened.x, x_is=self._opened.x_is)
        self._window.opener.open(replace(target, correction=by, as_found=by is None))


def notes_of(scheme: Scheme, stack: str) -> list[Note]:
    """What a file leaves open about itself and about a stack: one note of each kind."""
    layers = [layer for layer in scheme.layers if layer.stack == stack]
    found = [*scheme.doubts, *(note for layer in layers for note in (*layer.gaps, *layer.doubts))]
    return list({note.key: note for note in reversed(found)}.values())[::-1]


def _worked_out(held: OpenFile, by: Correction) -> tuple[Text, int]:
    """What a reading comes to, in words, and how many layers the file then has.

    InputError as in `read_as`, and for a name that no layer has.
    """
    check_names(held.checkpoint, by)
    layers = held.checkpoint.read_as(by).layers
    mine = [layer for layer in layers if layer.stack == (by.stack or "layers")]
    return outcome_words(mine), len(layers)


def outcome_words(layers: list[LayerScheme]) -> Text:
    """Number, widths and kind of some layers, and what still stands in the way of computing them."""
    gap = next((note for layer in layers for note in layer.gaps), None)
    words = text(
        "correct.follows",
        layers=count(len(layers)),
        d_model=_span({layer.d_model for layer in layers}),
        d_ff=_span({layer.d_ff for layer in layers}),
        kind=text("correct.gated" if layers[0].gated else "correct.plain"),
    )
    return words if gap is None else text("correct.but", what=words, gap=Text(gap.key, gap.values))


def _span(values: set[int]) -> str:
    low, high = min(values), max(values)
    return count(low) if low == high else f"{count(low)}–{count(high)}"
