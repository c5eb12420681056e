"""Memory theatre: choose an input, see which keys it matches, and watch their values being added up."""

from typing import ClassVar

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ffn_explorer.core.handmade_examples import EXAMPLES
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.change import Change
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.token_lengths import order_of
from ffn_explorer.state.view_modes import VIEW_MODES
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.mode_tabs import Mode
from ffn_explorer.widgets.number_grid import NumberGrid
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theatre_acts import flipped, removed, typed
from ffn_explorer.widgets.theatre_bar import TheatreBar
from ffn_explorer.widgets.theatre_cast import Cast, cast_of
from ffn_explorer.widgets.theatre_play import Play, Words
from ffn_explorer.widgets.theatre_said import answers_said, note_said, own_said, stream_said
from ffn_explorer.widgets.theatre_tables import cast_table, grid_of, grid_table
from ffn_explorer.widgets.theatre_time import moment_of
from ffn_explorer.widgets.theatre_view import Spot, TheatreView

HEAD_PX, LINE_PX, MOST_LINES = 116, 25, 12
"""Height of what stands above and below the stage, and of one line of it (light theme, scale 1)."""

MODES = VIEW_MODES["theatre"]


class TheatrePanel(Panel):
    """The stage of any FFN's memories; of one built by hand, also its numbers to change."""

    name: ClassVar[str] = "theatre"
    reads: ClassVar[frozenset[str]] = frozenset(
        {
            "run", "source", "settings", "edits", "memories", "contributions", "detail", "selection", "hover",
            "point", "slot", "progress", "views",
        }
    )  # fmt: skip

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build bar, stage, and the grids beside it and in its place."""
        super().__init__(parent)
        self.bar = TheatreBar()
        self.view = TheatreView(self.say)
        self.grid = NumberGrid()
        self.side = NumberGrid()
        self._known: tuple[tuple[object, ...], Cast | None] = ((), None)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.bar)
        # The stage grows first, then the table under it; what is left stays below both.
        for widget, stretch in ((self.view, 100), (self.side, 1), (self.grid, 100)):
            column.addWidget(widget, stretch)
        column.addStretch(0)
        self.set_body(body)
        self._connect()

    def _connect(self) -> None:
        self.bar.picked.connect(self._pick)
        self.bar.left.connect(self._to_picture)
        self.bar.played.connect(self._play)
        self.bar.tabs.chosen.connect(lambda mode: self.change_view(mode=mode, scroll=0, first=0))
        self.bar.added.connect(self._add)
        self.bar.removed.connect(self._remove)
        self.view.pointed.connect(self._point)
        self.view.chosen.connect(self._choose)
        self.view.stepped.connect(self._step)
        for grid in (self.grid, self.side):
            grid.typed.connect(lambda place, text: self.request(typed(place, text)))
            grid.flipped.connect(lambda place: self._maybe(flipped(place)))
            grid.removed.connect(lambda place: self._maybe(removed(place)))
            grid.picked.connect(lambda row, at, grid=grid: self._picked(grid, row, at))
            grid.scrolled.connect(lambda row, at: self.change_view(scroll=row, first=at))

    def _to_picture(self) -> None:
        # In a grid, a digit would open a cell: with the card it goes on to the window.
        (self.view if self.view.isVisible() else self).setFocus()

    def restyle(self, scene: Scene) -> None:
        """Fonts of the bar."""
        super().restyle(scene)
        self.bar.set_look(scene.look)

    def render_scene(self, scene: Scene) -> None:
        """Draw bar, and the stage or a grid."""
        memory = scene.source.memory
        mode = self._mode(scene)
        self._show_bar(scene, mode)
        self.grid.setVisible(mode != "")
        self.view.setVisible(mode == "")
        if memory is not None:
            view = scene.view(self.name)
            self.grid.show_grid(grid_of(scene, memory, mode, say=self.say, view=view))
            self.side.show_grid(grid_of(scene, memory, "patterns", say=self.say, view=view))
        self._arrange()
        self._show_stage(scene)
        if scene.source.memory is None:
            self.note.set_text(note_said(self.say, scene.run), short=("",))
        else:
            self.note.set_text(self.say("note"), short=(self.say("note_short"), ""))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The truth table stands under the stage where there is room."""
        super().resizeEvent(event)
        self._arrange()

    def table(self) -> list[list[str]] | None:
        """The grid shown, or every memory with what it adds."""
        scene = self.scene
        if scene is None:
            return None
        memory = scene.source.memory
        if memory is not None and self._mode(scene):
            grid = grid_of(scene, memory, self._mode(scene), say=self.say, view=scene.view(self.name))
            return grid_table(grid)
        cast = self._cast(scene)
        return None if cast is None else cast_table(cast, self.say)

    # Picture ------------------------------------------------------------------------------------------------

    def _mode(self, scene: Scene) -> str:
        mode = scene.view(self.name).mode
        return mode if scene.source.memory is not None and mode in MODES else ""

    def _arrange(self) -> None:
        scene = self.scene
        if scene is not None:
            memory, table = scene.source.memory, self.side.whole_height()
            lines = 0 if memory is None else min(MOST_LINES, max(memory.d_model, memory.d_ff))
            room = self.height() >= table + px(scene.look, HEAD_PX + LINE_PX * lines)
            self.side.setMinimumHeight(table)
            self.side.setMaximumHeight(self.side.most_height())
            beside = memory is not None and self._mode(scene) == "" and room
            self.side.setVisible(beside)
            self.view.keep_to(self._cast(scene) if beside else None, scene.look)

    def _show_bar(self, scene: Scene, mode: str) -> None:
        memory, (own, tip) = scene.source.memory, own_said(self.say, scene.source)
        names = [("", own)]
        for name, example in EXAMPLES.items():
            words = self.say(f"handmade.{name}")
            changed = memory is not None and memory.name == name and memory != example
            names.append((name, self.say("changed", name=words) if changed else words))
        self.bar.show_memories(names, "" if memory is None else memory.name)
        self.bar.picker.setAccessibleName(self.say("picker"))
        self.bar.picker.setToolTip(tip)
        self.bar.play.explain(self.say("play"), self.say("play_tip"))
        tabs = ("stage", "keys", "values", "patterns")
        modes = [Mode(m, self.say(w), self.say(f"{w}_tip")) for m, w in zip(MODES, tabs, strict=True)]
        self.bar.show_modes(modes if memory is not None else [], chosen=mode)
        what = "pattern" if mode == "patterns" else "neuron"
        for button, act in ((self.bar.add, "add"), (self.bar.remove, "remove")):
            button.setVisible(mode != "")
            button.set_word(self.say(act))
            button.explain(self.say(f"{act}_{what}"), self.say(f"{act}_{what}"))
        self.bar.place()

    def _show_stage(self, scene: Scene) -> None:
        cast = self._cast(scene)
        self.title.set_text(self.say("title") if cast is None else self._title(scene, cast))
        self.view.setAccessibleName(self.title.text)
        self.view.setAccessibleDescription(self.say("keyboard"))
        if cast is None:
            self.view.show_sentence(self.empty() if scene.run is None else self.say("waiting"), scene.look)
            return
        assert scene.run is not None
        pointed = scene.pointed
        here = pointed.token in (None, cast.token)
        self.view.show_picture(
            Play(
                look=scene.look,
                cast=cast,
                moment=moment_of(scene, hidden=scene.run.enters_down),
                words=self._words(scene, cast),
                neuron=scene.selection.neuron,
                dim=scene.selection.dim,
                pointed_neuron=pointed.neuron if here else None,
                pointed_dim=pointed.dim if here else None,
            )
        )

    def _cast(self, scene: Scene) -> Cast | None:
        """Kept until one of the things it follows from changes, so that a frame only moves it."""
        chosen = scene.selection
        of = (scene.run, scene.memories, scene.contributions, scene.detail, chosen.sentence, chosen.token)
        key = (*of, scene.look.language)
        if self._known[0] != key:
            self._known = (key, cast_of(scene, self.say))
        return self._known[1]

    def _title(self, scene: Scene, cast: Cast) -> str:
        return self.say("title_at", token=self._token(scene, cast), position=cast.token)

    def _token(self, scene: Scene, cast: Cast) -> str:
        assert scene.run is not None
        tokens = scene.run.tokens[scene.selection.sentence]
        return shown_token(tokens[cast.token] if cast.token < len(tokens) else "", font(scene.look, "title"))

    def _words(self, scene: Scene, cast: Cast) -> Words:
        added = dict(scene.progress).get(Stage.RESIDUAL, 0.0) > 0.0
        return Words(
            x=(self.say("x"), "x"),
            memories=(*answers_said(self.say, scene.run, by_hand=cast.by_hand), self.say("memories")),
            stream=stream_said(self.say, scene.run, added=added),
            unit=self.say("no_unit"),
        )

    # Acts ---------------------------------------------------------------------------------------------------

    def _pick(self, name: str) -> None:
        memory = None if self.scene is None else self.scene.source.memory
        if name:
            self.request(changes.use_memory(name))
        elif memory is not None:
            self.request(changes.leave_memory())

    def _play(self) -> None:
        self.request(changes.seek(0.0))
        self.request(changes.play())

    def _add(self) -> None:
        patterns = self.scene is not None and self._mode(self.scene) == "patterns"
        self.request(changes.add_pattern() if patterns else changes.add_neuron())

    def _remove(self) -> None:
        place = self.grid.place
        self._maybe(None if place is None else removed(place))

    def _maybe(self, change: Change | None) -> None:
        if change is not None:
            self.request(change)

    def _picked(self, grid: NumberGrid, _row: int, _column: int) -> None:
        """The cell under the cursor is chosen everywhere: its neuron and dimension, or its pattern."""
        scene, place = self.scene, grid.place
        if scene is None or place is None:
            return
        kind, first, second = place
        if kind in ("entry", "pattern"):
            order = order_of(scene.source, 0)
            self.request(changes.choose(token=order.index(first), gesture="grid"))
        elif kind == "feature":
            self.request(changes.choose(dim=first, gesture="grid"))
        else:
            dim = second if kind in ("key", "value") else None
            self.request(changes.choose(neuron=first, dim=dim, gesture="grid"))

    def _point(self, spot: Spot | None) -> None:
        cell = None if spot is None else self._cell(spot)
        if spot is None or cell is not None:
            self.request(changes.hover(cell))
        else:
            self.request(changes.point(neuron=spot.neuron, dim=spot.dim, expert=spot.expert))

    def _choose(self, spot: Spot) -> None:
        cell = self._cell(spot)
        if cell is not None:
            self.request(changes.select_cell(cell, expert=spot.expert))
        else:
            self.request(changes.choose(neuron=spot.neuron, dim=spot.dim, expert=spot.expert))

    def _cell(self, spot: Spot) -> Cell | None:
        """The number behind a spot; of experts, only those of the first choice are in the pass's stages."""
        scene = self.scene
        cast = None if scene is None else self._cast(scene)
        if scene is None or scene.run is None or cast is None:
            return None
        at = (scene.selection.sentence, cast.token)
        if spot.dim is not None:
            return Cell(Stage.OUT, *at, spot.dim)
        if spot.neuron is None or scene.slot != 0:
            return None
        return Cell(scene.run.enters_down, *at, spot.neuron)

    def _step(self, dx: int, dy: int) -> None:
        """Left and Right change the input, Up and Down go along the memories."""
        scene, plan = self.scene, self.view.plan
        if scene is None or scene.run is None or plan is None:
            return
        if dx:
            last = scene.run.lengths[scene.selection.sentence] - 1
            token = min(max(0, scene.selection.token + dx), last)
            self.request(changes.choose(token=token, gesture="arrow keys"))
            return
        shown = [row.actor.neuron for row in plan.rows if row.actor.neuron is not None]
        now = scene.selection.neuron
        at = shown.index(now) + dy if now in shown else 0
        self.request(changes.choose(neuron=shown[min(max(0, at), len(shown) - 1)], gesture="arrow keys"))
