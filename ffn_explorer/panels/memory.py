"""Memory: the FFN as a key-value memory, every neuron at the chosen token ranked by what it writes."""

from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from ffn_explorer.core.readings import Memories
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.drawn_text import fitting
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.matrix_known import names_of
from ffn_explorer.widgets.memory_rows import SORTS, MemoryRows, Sort
from ffn_explorer.widgets.memory_tokens import heads_of, tokens_in
from ffn_explorer.widgets.memory_words import dropped, kept_of, point_at, reading_of
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.number_edit import IntEdit
from ffn_explorer.widgets.panel import PADDING_PX, Panel
from ffn_explorer.widgets.ranked import Column
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.worded_list import WordedList, WordedRanking

NONE = -1
"""What the field holds while no neuron is chosen; it shows a dash."""

WIDEST = "−0.00×10⁻⁰"
"""As wide as a number may be, so that columns stay while the list scrolls."""

TALL_PX = 300
"""From this height on there is room to say how to read the list."""

SPACING_PX = 6

LOW_PX = 230
"""Below this height the rows need the room of the line that says where the numbers come from."""


class MemoryPanel(Panel):
    """Ranking of all memories at one token, with the ones that the pass keeps."""

    name: ClassVar[str] = "memory"
    reads: ClassVar[frozenset[str]] = frozenset(
        {
            "run",
            "memories",
            "selection",
            "hover",
            "point",
            "origin",
            "progress",
            "views",
            "file",
            "memory_tokens",
            "refusals",
        }
    )
    moves: ClassVar[frozenset[Stage]] = frozenset({Stage.ACT, Stage.HIDDEN})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build the controls over an empty list."""
        super().__init__(parent)
        self.sorts = ModeTabs(len(SORTS))
        self.label = QLabel()
        self.field = IntEdit(NONE, 0, 1)
        self.list = WordedList()
        self.source = ElidedLabel()
        self.reading = ElidedLabel()
        self.set_body(self._body())
        self._sources: tuple[str, ...] = ("",)
        self._known: tuple[tuple[object, ...], MemoryRows] | None = None
        self.sorts.chosen.connect(
            lambda sort: self.change_view(sort="" if sort == SORTS[0] else sort, scroll=0)
        )
        self.field.chosen.connect(self._jump)
        self.field.entered.connect(lambda: self._show_row(self.field.value()))
        self.field.done.connect(self.list.setFocus)
        self.field.refused.connect(self.request)
        self.list.pointed.connect(self._point)
        self.list.chosen.connect(self._choose)
        self.list.scrolled.connect(lambda first: self.change_view(scroll=first))
        self.list.stepped.connect(lambda dx, _dy: self.request(changes.step_selection(0, dx)))

    def restyle(self, scene: Scene) -> None:
        """Fonts, colours and the words that a language decides."""
        super().restyle(scene)
        small = font(scene.look, "small")
        for label in (self.source, self.reading):
            label.set_look(small, self.theme.muted)
        self.label.setFont(small)
        self.label.setText(self.say("neuron"))
        self.field.setFont(font(scene.look, "body"))
        self.field.setSpecialValueText(self.say("nothing"))
        self.field.setAccessibleName(self.say("field"))
        self.field.setToolTip(self.say("field_tip"))
        self.list.setAccessibleDescription(self.say("keys"))
        self.reading.set_text(self.say("one_reading"), short=self.say("one_reading_short"))

    def render_scene(self, scene: Scene) -> None:
        """Draw controls, list and words."""
        sort = sort_of(scene)
        modes = [Mode(name, self.say(f"by_{name}"), self.say(f"by_{name}_tip")) for name in SORTS]
        self.sorts.show_modes(modes, chosen=sort, look=scene.look)
        run, found = scene.run, reading_of(scene)
        lacking = self._lacking(scene, run, found)
        self.title.set_text(self._title(scene, run, found))
        self.list.setAccessibleName(self.title.text)
        self._show_field(scene, found)
        if run is None or found is None or lacking:
            self.note.set_text("")
            self._sources = ("",)
            self._make_room()
            self.list.show_sentence(lacking, scene.look)
            return
        rows = self._rows(scene, run, found)
        ranked = self.say(f"note_{sort}" if rows.other is None else "paired")
        kept = self._kept(run)
        self.note.set_text(" · ".join(filter(None, (kept, ranked))), short=(kept or ranked, ""))
        self._sources = self._origins(scene, run, rows)
        self._make_room()
        self.list.show_picture(self._ranking(scene, run, rows))

    def table(self) -> list[list[str]] | None:
        """Every memory, the strongest first."""
        found = None if self.scene is None else reading_of(self.scene)
        if found is None:
            return None
        columns = (found.neuron, found.m, found.norm, found.strength)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        head = ["rank", "neuron", "m", "norm of v", "|m| * norm of v"]
        listed = [[str(i), *map(repr, row)] for i, row in enumerate(rows, 1)]
        scene = self.scene
        words = None if scene is None or scene.run is None else tokens_in(scene, scene.run, found)
        if words is None or not words.promotes:
            return [head, *listed]
        # The strongest alone have words.
        both = [[" ".join(column) for column in words.of(int(n))] or ["", ""] for n in columns[0]]
        return [[*head, "promotes", "suppresses"], *(a + b for a, b in zip(listed, both, strict=True))]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """How to read it is said where there is room."""
        super().resizeEvent(event)
        self._make_room()

    def _body(self) -> QWidget:
        body, controls = QWidget(self), QHBoxLayout()
        controls.setSpacing(SPACING_PX)
        controls.addWidget(self.sorts)
        controls.addStretch(1)
        controls.addWidget(self.label)
        controls.addWidget(self.field)
        self.label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.label.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(controls)
        column.addWidget(self.list, 1)
        column.addWidget(self.source)
        column.addWidget(self.reading)
        return body

    def _make_room(self) -> None:
        if self.scene is not None:
            self.reading.setVisible(self.height() >= px(self.scene.look, TALL_PX))
            self.source.setVisible(self.height() >= px(self.scene.look, LOW_PX))
            line = self.width() - 2 * PADDING_PX
            self.source.set_text(fitting(self._sources, self.source.font(), line))
            self.source.setAccessibleDescription(self._sources[0])
            controls = (self.sorts, self.label, self.field)
            room = line - len(controls) * SPACING_PX
            self.label.setVisible(sum(each.sizeHint().width() for each in controls) <= room)

    def _title(self, scene: Scene, run: RunResult | None, found: Memories | None) -> str:
        if run is None or found is None:
            return self.say("title_empty")
        token = shown_token(run.tokens[found.sentence][found.token], font(scene.look, "title", bold=True))
        if found.expert is None:
            return self.say("title", token=token)
        return self.say("title_expert", token=token, expert=found.expert)

    def _lacking(self, scene: Scene, run: RunResult | None, found: Memories | None) -> str:
        """Why there is nothing to rank, or nothing to say."""
        if run is None:
            return self.empty()
        if dict(scene.progress).get(run.enters_down, 1.0) <= 0.0:
            return self.say("waiting")
        if found is None:
            return self.say("job.memories")
        if dropped(run, found):
            token = shown_token(run.tokens[found.sentence][found.token], font(scene.look, "body"))
            return self.say("dropped", expert=found.expert, token=token)
        return ""

    def _origins(self, scene: Scene, run: RunResult, rows: MemoryRows) -> tuple[str, ...]:
        """Where the chosen neuron stands and where the numbers come from, the longest wording first."""
        found, origin, chosen = rows.memories, self.say(scene.origin), scene.selection.neuron
        where = {"stage": run.enters_down.value, "b": found.sentence, "s": found.token}
        what = self.say("source_expert" if found.expert is not None else "source", **where)
        what += self.say("before_cut") if run.spec.keep else ""
        row = None if chosen is None or not rows.written else rows.place_of(chosen)
        if row is None or chosen is None:
            return f"{what} · {origin}", origin
        # Of these two, the chosen neuron is what a person has just asked about.
        rank, total = numbers.count(int(rows.order[row]) + 1), numbers.count(len(rows.order))
        place = self.say("place", neuron=rows.name_of(chosen), rank=rank, total=total)
        return f"{place} · {what} · {origin}", f"{place} · {origin}", place

    def _kept(self, run: RunResult) -> str:
        total = run.values[run.enters_down].shape[2]
        kept = kept_of(run)
        if kept == total:
            return ""
        return self.say("kept", k=numbers.count(kept), total=numbers.count(total))

    def _rows(self, scene: Scene, run: RunResult, found: Memories) -> MemoryRows:
        """The rows; kept until one of the things they follow from changes."""
        sort, kept = sort_of(scene), kept_of(run)
        written = dict(scene.progress).get(run.enters_down, 1.0) >= 1.0
        # Readings compare by identity: this asks whether it is the very same.
        names = names_of(run, "neuron", scene.look.language)
        key = (found, sort, kept, written, names)
        if self._known is None or self._known[0] != key:
            self._known = (key, MemoryRows(found, sort, kept, written, names))
        return self._known[1]

    def _ranking(self, scene: Scene, run: RunResult, rows: MemoryRows) -> WordedRanking:
        names = ("head_m", "head_strength", "head_norm")
        heads = ((self.say(name), self.say(f"{name}_tip")) for name in names)
        first = Column(self.say("neuron"), "left", self.say("neuron_tip"))
        words = tokens_in(scene, run, rows.memories)
        return WordedRanking(
            look=scene.look,
            columns=(first, *(Column(head, tip=tip, widest=WIDEST) for head, tip in heads)),
            bar_head=self.say("bars"),
            total=len(rows.order),
            row=rows.row,
            first=scene.view(self.name).scroll,
            limit=rows.limit,
            progress=dict(scene.progress).get(run.enters_down, 1.0),
            chosen=scene.selection.neuron,
            hovered=scene.pointed.neuron,
            place=rows.place_of,
            heads=() if words is None else heads_of(words, scene.look.language),
            words=(lambda _: ()) if words is None or not rows.written else words.of,
        )

    def _show_field(self, scene: Scene, found: Memories | None) -> None:
        total = 0 if found is None else len(found.neuron)
        self.field.setEnabled(total > 0)
        self.field.setRange(NONE, max(0, total - 1))
        self.field.updateGeometry()
        chosen = scene.selection.neuron
        self.field.show_value(NONE if chosen is None or chosen >= total else chosen)

    def _point(self, neuron: int | None) -> None:
        scene = self.scene
        found = None if scene is None else reading_of(scene)
        if scene is None or scene.run is None or found is None or neuron is None:
            self.request(changes.hover(None))
        else:
            self.request(point_at(scene.run, found, neuron))

    def _choose(self, neuron: int) -> None:
        if self.scene is not None and self.scene.run is not None:
            gesture = "arrow keys" if self.list.walking else ""
            self.request(changes.choose(neuron=neuron, stage=self.scene.run.enters_down, gesture=gesture))

    def _jump(self, neuron: int) -> None:
        if neuron != NONE:
            self._choose(neuron)
            self._show_row(neuron)
        elif self.scene is not None:
            self._show_field(self.scene, reading_of(self.scene))

    def _show_row(self, neuron: int) -> None:
        """Bring a neuron's row to the middle, unless it is in sight."""
        rows, laid = None if self._known is None else self._known[1], self.list.laid
        place = None if rows is None else rows.place_of(neuron)
        if laid is not None and place is not None and not 0 <= place - laid.first < laid.in_sight:
            self.change_view(scroll=max(0, place - laid.in_sight // 2))


def sort_of(scene: Scene) -> Sort:
    """What the rows are ordered by."""
    asked = scene.view(MemoryPanel.name).sort
    return next((sort for sort in SORTS if sort == asked), SORTS[0])
