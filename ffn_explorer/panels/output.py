"""Output: one dimension of out at one token, neuron by neuron, until it is the sum that the pass has."""

from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ffn_explorer.core.readings import Contributions
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.parts.part import largest
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.dim_strip import DimPicture, DimStrip
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.number_edit import IntEdit
from ffn_explorer.widgets.panel import PADDING_PX, Panel
from ffn_explorer.widgets.parts_keys import (
    chosen_key,
    other_row,
    place_of,
    pointed_key,
    reading_of,
    shown_share,
    token_of,
)
from ffn_explorer.widgets.parts_table import ranking_of, table_of, tail_of
from ffn_explorer.widgets.parts_words import Sums, dim_word, line_of, sums_of, words_of
from ffn_explorer.widgets.reveal import cell_share
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.sum_list import SumList

STRIP_FROM_PX = 300
"""A card at least this high (light theme, scale 1) shows every dimension above the list."""

STRIP_PX = 58
FIELD_PX = 62
"""Least width of a number field: of few digits, Qt itself would cut them."""

SUM_FROM_PX = 600
"""A card at least this wide has room for x + out = y beside its controls."""


class OutputPanel(Panel):
    """Which neurons make out[dim] at a token what it is, and what the residual makes of it."""

    name: ClassVar[str] = "output"
    reads: ClassVar[frozenset[str]] = frozenset(
        {
            "run",
            "other",
            "contributions",
            "lagging",
            "selection",
            "hover",
            "point",
            "slot",
            "progress",
            "views",
        }
    )
    moves: ClassVar[frozenset[Stage]] = frozenset({Stage.OUT, Stage.POST_NORM, Stage.RESIDUAL})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build controls, strip, list and the line under it."""
        super().__init__(parent)
        self.label = QLabel()
        self.dim = IntEdit(0, 0, 1)
        self.largest = WordButton()
        self.modes = ModeTabs(2)
        self.sum = ElidedLabel(align=Qt.AlignmentFlag.AlignRight)
        self.strip = DimStrip()
        self.list = SumList()
        self.line = ElidedLabel()
        self._sums = Sums()
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        self._controls = QHBoxLayout()
        for widget in (self.label, self.dim, self.largest, self.modes):
            self._controls.addWidget(widget)
        self._controls.addWidget(self.sum, 1)
        column.addLayout(self._controls)
        column.addWidget(self.strip)
        column.addWidget(self.list, 1)
        column.addWidget(self.line)
        self.set_body(body)
        self._connect()

    def _connect(self) -> None:
        self.dim.chosen.connect(self._choose_dim)
        self.dim.done.connect(self.list.setFocus)
        self.dim.refused.connect(self.request)
        self.largest.clicked.connect(self._choose_largest)
        self.modes.chosen.connect(lambda mode: self.change_view(mode=mode))
        self.strip.pointed.connect(self._point_dim)
        self.strip.chosen.connect(self._choose_dim)
        self.list.pointed.connect(self._point_neuron)
        self.list.chosen.connect(self._choose_neuron)
        self.list.scrolled.connect(lambda first: self.change_view(scroll=first))
        for canvas in (self.strip, self.list):
            canvas.stepped.connect(self._step)

    def restyle(self, scene: Scene) -> None:
        """Sizes, and the words that a language decides."""
        super().restyle(scene)
        look = scene.look
        self.dim.setFont(font(look, "body"))
        self.dim.setMinimumWidth(px(look, FIELD_PX))
        self.dim.setAccessibleName(self.say("dim"))
        self.label.setFont(font(look, "small"))
        self.label.setText(self.say("strip_short"))
        self.largest.set_look(look)
        self.largest.set_word(self.say("largest"))
        self.largest.explain(self.say("largest"), self.say("largest_tip"))
        self.sum.set_look(font(look, "body", bold=True), self.theme.ink)
        self.line.set_look(font(look, "small"), self.theme.muted)
        self.strip.setFixedHeight(px(look, STRIP_PX))
        self._controls.setSpacing(px(look, 6))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the parts the room that there is."""
        super().resizeEvent(event)
        self._fit()

    def render_scene(self, scene: Scene) -> None:
        """Draw everything."""
        run, reading = scene.run, reading_of(scene)
        for widget in (self.dim, self.largest, self.modes):
            widget.setVisible(reading is not None)
        self._show_modes(scene)
        if run is None or reading is None:
            self.title.set_text(self.say("title_empty"))
            self._show_nothing(scene, self.empty() if run is None else self.say("job.contributions"))
            return
        values = {
            "dim": dim_word(scene.look.language, run, reading.dim),
            "token": token_of(scene, run, reading),
            "position": reading.token,
        }
        self.title.set_text(self.say("title", **values), short=self.say("title_short", **values))
        self._sums = sums_of(scene, run, reading)
        self._fit()
        self._show_dim(scene, run, reading)
        if shown_share(scene) <= 0.0:
            self._show_nothing(scene, self.say("waiting"))
        else:
            self._show_parts(scene, run, reading)
        self.list.setAccessibleName(self.title.text)

    def _show_modes(self, scene: Scene) -> None:
        """Both tabs, in shorter words where the controls would not fit side by side."""
        chosen = "sum" if scene.view(self.name).mode == "sum" else ""
        beside = self.dim.sizeHint().width() + self.largest.sizeHint().width() + 3 * px(scene.look, 6)
        room = self.width() - 2 * PADDING_PX - beside
        for word in ("sum", "sum_short"):
            modes = [
                Mode("", self.say("each"), self.say("each_tip")),
                Mode("sum", self.say(word), self.say("sum_tip")),
            ]
            self.modes.show_modes(modes, chosen=chosen, look=scene.look)
            if sum(button.sizeHint().width() for button in self.modes.buttons) <= room:
                break

    def _show_nothing(self, scene: Scene, sentence: str) -> None:
        self.list.tail = None
        self.list.show_sentence(sentence, scene.look)
        self.list.setAccessibleName(sentence)
        self.line.set_text("")
        if scene.run is None or reading_of(scene) is None:
            self._sums = Sums()
            self._fit()
            self.strip.show_dims(None, scene.look)

    def _show_dim(self, scene: Scene, run: RunResult, reading: Contributions) -> None:
        row = run.values[Stage.OUT][reading.sentence, reading.token]  # [D]
        tip = self.say("dim_tip", last=numbers.count(len(row) - 1))
        if self.dim.maximum() != len(row) - 1:
            self.dim.setRange(0, len(row) - 1)
            self.dim.updateGeometry()
        self.dim.show_value(reading.dim)
        self.dim.setToolTip(tip)
        self.dim.setAccessibleDescription(tip)
        other = other_row(scene, run, reading)
        names = ("strip_compared", "strip") if other is not None else ("strip",)
        self.strip.show_dims(
            DimPicture(
                look=scene.look,
                values=row,
                other=other,
                chosen=reading.dim,
                pointed=scene.pointed.dim,
                filled=cell_share(shown_share(scene)),
                name=tuple(self.say(name) for name in (*names, "strip_short")),
            ),
            scene.look,
        )
        self.strip.setAccessibleName(self.say("strip"))

    def _show_parts(self, scene: Scene, run: RunResult, reading: Contributions) -> None:
        chained = scene.view(self.name).mode == "sum"
        words = words_of(scene.look.language, run, reading)
        ranking = ranking_of(
            reading,
            scene.look,
            words,
            first=scene.view(self.name).scroll,
            width=run.request.settings.d_ff,
            progress=0.0 if chained else shown_share(scene),
            chosen=chosen_key(scene, run, reading),
            hovered=pointed_key(scene, run, reading),
        )
        self.list.show_sum(ranking, tail_of(reading, words, chained=chained, progress=shown_share(scene)))
        self.list.setAccessibleDescription(self.say("keys"))
        keys = (pointed_key(scene, run, reading), chosen_key(scene, run, reading))
        places = (place_of(run, reading, key) for key in keys)
        place = next((at for at in places if at is not None), 0)
        whole, *shorter = line_of(scene.look.language, run, reading, place)
        self.line.set_text(whole, short=tuple(shorter))

    def _fit(self) -> None:
        """Strip and long sum only where there is room; else the sum stands beside the title."""
        if self.scene is None:
            return
        self._show_modes(self.scene)
        self.strip.setVisible(self.height() >= px(self.scene.look, STRIP_FROM_PX))
        wide = self.width() >= px(self.scene.look, SUM_FROM_PX)
        said = self._sums
        self.label.setVisible(wide and not self.dim.isHidden())
        self.sum.set_text(said.whole if wide else "", short=said.short if wide else "")
        self.note.set_text(
            said.method if wide else said.whole, short="" if wide else (said.short, said.brief)
        )

    # What a person does -------------------------------------------------------------------------------------

    def _reading(self) -> tuple[Scene, RunResult, Contributions] | None:
        scene = self.scene
        reading = None if scene is None else reading_of(scene)
        return None if scene is None or scene.run is None or reading is None else (scene, scene.run, reading)

    def _choose_dim(self, dim: int) -> None:
        self.request(changes.choose(dim=dim, stage=Stage.OUT, gesture="panel.output.dim"))

    def _choose_largest(self) -> None:
        if (at := self._reading()) is not None:
            row = at[1].values[Stage.OUT][at[2].sentence, at[2].token]
            self._choose_dim(largest(row))

    def _step(self, dx: int, dy: int) -> None:
        """Left and right go along the dimensions, from the one shown; up and down along the tokens."""
        if (at := self._reading()) is None:
            return
        if dx:
            self._choose_dim(min(max(0, at[2].dim + dx), at[1].request.settings.d_model - 1))
        else:
            self.request(changes.step_selection(0, dy, stage=Stage.OUT))

    def _point_dim(self, dim: int | None) -> None:
        at = self._reading()
        cell = None if dim is None or at is None else Cell(Stage.OUT, at[2].sentence, at[2].token, dim)
        self.request(changes.hover(cell))

    def _point_neuron(self, key: int | None) -> None:
        at = self._reading()
        if key is None or key < 0 or at is None:
            self.request(changes.hover(None))
            return
        _, run, reading = at
        expert, neuron = divmod(key, run.request.settings.d_ff)
        if reading.expert is None:
            self.request(changes.hover(Cell(run.enters_down, reading.sentence, reading.token, neuron)))
        else:
            self.request(changes.point(token=reading.token, neuron=neuron, expert=expert))

    def _choose_neuron(self, key: int) -> None:
        at = self._reading()
        if key < 0 or at is None:
            return
        expert, neuron = divmod(key, at[1].request.settings.d_ff)
        self.request(changes.choose(neuron=neuron, expert=None if at[2].expert is None else expert))

    def table(self) -> list[list[str]] | None:
        """Every neuron's part, strongest first, and what else belongs to the sum."""
        at = self._reading()
        return None if at is None or shown_share(at[0]) < 1.0 else table_of(at[2])
