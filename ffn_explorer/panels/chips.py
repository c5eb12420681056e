"""ChipsPanel: the tokens of the selected sentence, to choose, reorder and edit."""

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.core.tokens import tokenize
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import DEFAULT_SENTENCE, Cell, View
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import Text
from ffn_explorer.widgets.buttons import IconButton
from ffn_explorer.widgets.chip_faces import row_height
from ffn_explorer.widgets.chip_row import ChipRow
from ffn_explorer.widgets.chip_view import RowPicture
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.hint_label import HintLabel
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.last_shown import LastShown
from ffn_explorer.widgets.must_line import MustLine
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.pass_tables import chips_table
from ffn_explorer.widgets.sizes import px

if TYPE_CHECKING:
    from ffn_explorer.widgets.sentence_editor import SentenceEditor, Verdict


class ChipsPanel(Panel):
    """Chips of one sentence, a switch between sentences of a batch, and the editor."""

    name = "chips"
    reads = frozenset({"chips", "sentences", "selection", "hover", "point", "run", "progress", "views"})
    framed = False

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build switch, row, pencil and hint."""
        super().__init__(parent)
        self._shown = LastShown()
        self._bars: tuple[float, ...] = ()
        self.back = IconButton("up", self, flat=True)
        self.onward = IconButton("down", self, flat=True)
        self.place = ElidedLabel(self)
        self.row = ChipRow(self)
        self.pencil = IconButton("edit", self)
        self.hint = HintLabel(self)
        self.flows = MustLine(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.place.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._arrange()
        self.row.set_tip(self._tip)
        self.row.chosen.connect(lambda token: self.request(changes.select_token(token)))
        self.row.hovered.connect(lambda token: self.request(changes.point(token=token)))
        self.row.moved.connect(self._move)
        self.row.scrolled.connect(self._scroll)
        self.row.edited.connect(self.edit)
        self.row.walked.connect(self._walk)
        self.back.clicked.connect(lambda: self._walk(-1))
        self.onward.clicked.connect(lambda: self._walk(1))
        self.pencil.clicked.connect(self.edit)

    @cached_property
    def editor(self) -> "SentenceEditor":
        """The editor, built when it is first opened."""
        from ffn_explorer.widgets.sentence_editor import SentenceEditor

        made = SentenceEditor(self, judge=self._judge, default=DEFAULT_SENTENCE)
        made.applied.connect(lambda typed: self.request(changes.set_sentences(typed)))
        made.closed.connect(lambda: self.row.setFocus(Qt.FocusReason.OtherFocusReason))
        self._dress(made)
        return made

    def _dress(self, editor: "SentenceEditor") -> None:
        from ffn_explorer.widgets.sentence_editor import EditorWords

        if self.scene is not None:
            words = ("name", "placeholder", "apply", "cancel", "restore", "keys")
            said = {word: self.say(f"editor_{word}") for word in words}
            editor.set_look(self.scene.look, EditorWords(**said))

    def _arrange(self) -> None:
        body = QWidget(self)
        self._line = QHBoxLayout(body)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._switch = QVBoxLayout()
        self._switch.setSpacing(0)
        self._switch.addWidget(self.back)
        self._switch.addWidget(self.onward)
        self._line.addLayout(self._switch)
        self._line.addWidget(self.place)
        self._line.addWidget(self.row)
        self._line.addWidget(self.pencil)
        self._line.addWidget(self.flows)
        self._line.addWidget(self.hint, 1)
        self.set_body(body)

    def table(self) -> list[list[str]] | None:
        """Tokens and their shares of active neurons."""
        return None if self.scene is None else chips_table(self.scene, self.say)

    def restyle(self, scene: Scene) -> None:
        """Fonts, sizes and the words that a language decides."""
        super().restyle(scene)
        look, theme = scene.look, self.theme
        for button in (self.back, self.onward, self.pencil):
            button.set_look(look)
        self.hint.set_look(font(look, "small"), theme.muted)
        self.flows.set_look(font(look, "small", bold=True), theme.ink)
        self.place.set_look(font(look, "small"), theme.muted)
        self.back.explain(self.say("back"), self.say("back_tip"))
        self.onward.explain(self.say("onward"), self.say("onward_tip"))
        self.pencil.explain(self.say("edit"), self.say("edit_tip"))
        self._line.setSpacing(px(look, 6))
        self.setFixedHeight(row_height(look))
        if "editor" in self.__dict__:
            self._dress(self.editor)

    def render_scene(self, scene: Scene) -> None:
        """Draw the chips of the selected sentence."""
        chosen = scene.selection
        self._follow(scene)
        self.row.show_picture(
            RowPicture(
                scene.look,
                scene.chips,
                chosen.token,
                self._first(scene),
                hovered=scene.pointed.token,
                bars=self._bars,
            )
        )
        self.row.setAccessibleName(self.say("row", count=numbers.count(len(scene.chips))))
        self.row.setAccessibleDescription(self._tip(chosen.token))
        self._say_flow(scene)
        batch = len(scene.sentences) > 1
        for widget in (self.back, self.onward, self.place):
            widget.setVisible(batch)
        self.back.setEnabled(chosen.sentence > 0)
        self.onward.setEnabled(chosen.sentence < len(scene.sentences) - 1)
        self.place.set_text(f"{chosen.sentence + 1} / {len(scene.sentences)}")

    def _say_flow(self, scene: Scene) -> None:
        """What flows into the layer of an opened file, which is not what the model itself sends there."""
        run = scene.run
        opened = None if run is None else run.request.source.opened
        self.flows.setVisible(opened is not None)
        self.pencil.setEnabled(opened is None or not opened.x)
        tip = "edit_tip" if opened is None or not opened.x else "rows_tip"
        self.pencil.explain(self.say("edit"), self.say(tip))
        if opened is not None and run is not None:
            from ffn_explorer.state.opened_words import x_wordings  # the first picture needs none of it

            whole, short = map(self.say, x_wordings(opened, run.x_from))
            self.flows.set_text(whole, short=short)

    def _follow(self, scene: Scene) -> None:
        """Find the bars of what is followed, and say what they show, unless all that is still the same."""
        cell = followed_in(scene)
        followed = () if cell is None else (cell.stage, cell.sentence, cell.index)
        if self._shown.differs("followed", scene.look, scene.run, *followed):
            self._bars = () if cell is None or scene.run is None else shares_of(scene.run, cell)
            self.hint.set_text(self._hint(cell))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground on which the row fades out."""
        super().paintEvent(event)
        if self.scene is not None:
            painter = QPainter(self)
            painter.fillRect(self.rect(), QColor(self.theme.background))
            painter.end()

    def edit(self) -> None:
        """Open the editor with the sentences as typed."""
        if self.scene is not None and self.pencil.isEnabled():
            self.editor.open_under(self, "\n".join(self.scene.source.sentences))

    def _hint(self, followed: Cell | None) -> str:
        """What the bars show, else what can be done with the chips."""
        if followed is None:
            return self.say("hint")
        kind = "neuron" if followed.stage in WIDE else "dimension"
        stage = self.say(f"stage.{followed.stage}")
        return self.say(f"bar_{kind}", n=numbers.count(followed.index), stage=stage)

    def _first(self, scene: Scene) -> int | None:
        """Chip scrolled to; View.shown remembers the token chosen then, and another one comes into view."""
        view = scene.view(self.name)
        return view.first if view.shown == scene.selection.token + 1 else None

    def _scroll(self, first: int, token: int) -> None:
        self.request(changes.set_view(self.name, View(first=first, shown=token + 1)))

    def _move(self, start: int, to: int) -> None:
        if self.scene is not None:
            self.request(changes.reorder_token(self.scene.selection.sentence, start, to=to))

    def _walk(self, by: int) -> None:
        if self.scene is None:
            return
        wanted = self.scene.selection.sentence + by
        if 0 <= wanted < len(self.scene.sentences):
            self.request(changes.set_view(self.name, View()))
            self.request(changes.select_sentence(wanted))

    def _tip(self, token: int) -> str:
        if self.scene is None or not 0 <= token < len(self.scene.chips):
            return ""
        chip = self.scene.chips[token]
        text = shown_token(chip.text, font(self.scene.look, "small"), whole=True)
        if chip.active is None:
            return self.say("tip_unknown", text=text, position=token)
        return self.say("tip", text=text, position=token, active=numbers.percent(chip.active))

    def _judge(self, typed: str) -> "Verdict":
        """What the tokenizer makes of a text, one sentence per line."""
        from ffn_explorer.widgets.sentence_editor import Verdict

        if self.scene is None:
            return Verdict("", usable=False)
        lines = tuple(line.strip() for line in typed.splitlines() if line.strip())
        if not lines:
            return Verdict(self.say("empty"), usable=False)
        try:
            found = _cut(self.scene, lines)
        except ExplorerError as error:
            return Verdict(self.say(Text(error.key, tuple(error.values.items()))), usable=False)
        tokens = sum(map(len, found))
        counted = {
            "tokens": self.say("tokens_1" if tokens == 1 else "tokens_n", count=numbers.count(tokens)),
            "sentences": self.say("sentences_1" if len(lines) == 1 else "sentences_n", count=len(lines)),
        }
        return Verdict(self.say("count", **counted), usable=True)


def _cut(scene: Scene, lines: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Lines as the tokenizer of an opened file cuts them, else as the program's own."""
    opened = scene.source.opened
    if opened is None:
        return tokenize(lines)
    from ffn_explorer.state.opened_tokens import opened_tokens  # the first picture needs none of it

    return opened_tokens(opened, lines)


def pointed_cell(scene: Scene) -> Cell | None:
    """The pointed neuron, in the widest stage that shows what it gives, or the pointed dimension, in out."""
    point, chosen = scene.point, scene.selection
    if point is None or scene.run is None or (point.neuron is None and point.dim is None):
        return None
    stage = scene.run.enters_down if point.neuron is not None else Stage.OUT
    index = point.dim if point.neuron is None else point.neuron
    return None if index is None else Cell(stage, chosen.sentence, chosen.token, index)


def followed_in(scene: Scene) -> Cell | None:
    """The neuron or dimension that is pointed at, else chosen; none before the pass has reached its stage."""
    run, cell = scene.run, scene.hover or pointed_cell(scene) or scene.selection.cell()
    if run is None or cell is None or cell.stage not in run.values:
        return None
    reached = dict(scene.progress).get(cell.stage, 1.0) >= 1.0
    if not reached or cell.index >= run.values[cell.stage].shape[2]:
        return None
    return replace(cell, sentence=scene.selection.sentence)


def shares_of(run: RunResult, cell: Cell) -> tuple[float, ...]:
    """The value of a cell's neuron or dimension at every token of its sentence, over the largest."""
    column = run.values[cell.stage][cell.sentence, : run.lengths[cell.sentence], cell.index]  # [S]
    column = column.astype(np.float64)
    largest = float(abs(column).max(initial=0.0))
    if math.isfinite(largest):
        return tuple((column / (largest or 1.0)).tolist())
    largest = float(abs(column[np.isfinite(column)]).max(initial=0.0)) or 1.0
    return tuple(np.nan_to_num(column / largest, nan=0.0, posinf=1.0, neginf=-1.0).tolist())
