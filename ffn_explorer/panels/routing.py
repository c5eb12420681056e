"""Routing: which experts each token visits, how heavily, by what margin, and how full the experts become."""

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from ffn_explorer.core.cost import matrices_of
from ffn_explorer.core.edits import Edits
from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.routing_table import RoutingTable, routing_table
from ffn_explorer.state.routing_words import dropped, forced, of_cell, of_expert, of_rule, of_token, refusal
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.button_row import ButtonRow
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.offer import Offer
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.reveal import ribbon_share
from ffn_explorer.widgets.routing_map import At, RoutingMap
from ffn_explorer.widgets.routing_picture import Mode, RoutingPicture, RoutingWords
from ffn_explorer.widgets.sizes import px

LOW_PX = 280
"""Height of a card below which its buttons take one line."""

INSIDE = WIDE | {Stage.OUT}
"""Stages that happen inside the experts."""

OFFERED_EXPERTS = 8
"""Experts that the button of the empty panel sets; two of them per token follow."""


class RoutingPanel(Panel):
    """Tokens x experts of the chosen sentence, with buttons to drop an expert or force it on every token."""

    name: ClassVar[str] = "routing"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "other", "source", "settings", "edits", "selection", "hover", "point", "progress", "views"}
    )
    moves: ClassVar[frozenset[Stage]] = frozenset({Stage.UP, Stage.GATE})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build the map with its buttons, and what stands there without experts."""
        super().__init__(parent)
        self.map = RoutingMap()
        self.mode, self.drop, self.force, self.restore = (WordButton() for _ in range(4))
        self.buttons = ButtonRow((self.drop, self.force, self.restore, self.mode))
        self.offered = Offer()
        self._with_map = QWidget()
        column = QVBoxLayout(self._with_map)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.map, 1)
        column.addWidget(self.buttons)
        self.body = QStackedWidget()
        self.body.addWidget(self._with_map)
        self.body.addWidget(self.offered)
        self.set_body(self.body)
        self._table: tuple[RunResult, int, RoutingTable | None] | None = None
        self._connect()

    def _connect(self) -> None:
        self.map.pointed.connect(self._point)
        self.map.chosen.connect(self._choose)
        self.map.stepped.connect(self._step)
        self.map.zoomed.connect(lambda first, shown: self.change_view(first=first, shown=shown))
        acts: dict[str, Callable[[], None]] = {
            "drop": lambda: self._act(dropped),
            "force": lambda: self._act(forced),
            "restore": self._restore,
            "mode": self._turn,
        }
        self.map.asked.connect(lambda act: acts[act]())
        for button, act in ((self.drop, "drop"), (self.force, "force"), (self.restore, "restore")):
            button.clicked.connect(lambda _checked=False, act=act: acts[act]())
        self.mode.clicked.connect(self._turn)
        self.offered.taken.connect(lambda: self.request(changes.set_setting("experts", OFFERED_EXPERTS)))

    def render_scene(self, scene: Scene) -> None:
        """Draw the map, or say how to get experts."""
        table = self._table_of(scene)
        self.title.set_text(self.say("title"))
        self.map.setAccessibleName(self.title.text)
        self.map.setAccessibleDescription(self.say("keys"))
        wants_experts = scene.run is not None and table is None
        self.body.setCurrentWidget(self.offered if wants_experts else self._with_map)
        self.buttons.setVisible(table is not None)
        self.note.set_text("")
        if wants_experts:
            self._offer(scene)
        elif scene.run is None or table is None:
            self.map.show_sentence(self.empty(), scene.look)
        else:
            self._write_note(scene.run)
            self._show_buttons(scene, table)
            self.map.show_picture(self._picture(scene, scene.run, table))

    def _offer(self, scene: Scene) -> None:
        settings = scene.settings if scene.run is None else scene.run.request.settings
        d, f = numbers.count(settings.d_model), numbers.count(settings.d_ff)
        said = self.say("no_experts", n=matrices_of(settings), d=d, f=f)
        # The layer of a file is what it is.
        act = "" if scene.source.opened is not None else self.say("offer")
        self.offered.show_offer(scene.look, said, act=act, tip=self.say("offer_tip"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the map its room: a low card shows one line of buttons, the keys do the rest."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self.scene is not None:
            self.buttons.set_most(1 if self.height() < px(self.scene.look, LOW_PX) else 0)

    def table(self) -> list[list[str]] | None:
        """Every token's choices, weights, margin and logits."""
        scene = self.scene
        found = None if scene is None else self._table_of(scene)
        if scene is None or scene.run is None or found is None:
            return None
        slots = range(found.index.shape[1])
        head = [self.say("token"), self.say("position")]
        for slot in slots:
            head += [self.say(f"table_{what}", n=slot + 1) for what in ("expert", "weight", "room")]
        head += [self.say("table_margin"), *(self.say("table_logit", n=e) for e in range(found.experts))]
        rows = [head]
        for token, text in enumerate(scene.run.tokens[scene.selection.sentence]):
            row = [text, str(token)]
            for slot in slots:
                lost = self.say("table_full" if found.lost[token, slot] else "table_served")
                row += [str(found.index[token, slot]), repr(float(found.weight[token, slot])), lost]
            row += [repr(float(found.margin[token])), *map(repr, map(float, found.logits[token]))]
            rows.append(row)
        return rows

    def _table_of(self, scene: Scene) -> RoutingTable | None:
        """Table of the chosen sentence; kept while run and sentence stay."""
        run, sentence = scene.run, scene.selection.sentence
        if run is None:
            self._table = None
            return None
        if self._table is None or self._table[0] is not run or self._table[1] != sentence:
            self._table = (run, sentence, routing_table(run, sentence))
        return self._table[2]

    # What is shown ------------------------------------------------------------------------------------------

    def _write_note(self, run: RunResult) -> None:
        settings = run.request.settings
        sizes = {"k": numbers.count(settings.top_k), "total": numbers.count(settings.experts)}
        rule = self.say(f"choice.routing.{settings.routing}")
        if run.request.source.opened is not None and run.spec.routing is not None:
            found = of_rule(run.spec.routing, biased=run.has.selection_bias)
            rule = " · ".join(map(self.say, found))
        short = self.say("note_short", **sizes)
        self.note.set_text(self.say("note", rule=rule, **sizes), short=short)

    def _picture(self, scene: Scene, run: RunResult, table: RoutingTable) -> RoutingPicture:
        view, chosen, pointed = scene.view(self.name), scene.selection, scene.pointed
        shown = min(table.experts, view.shown or table.experts)
        small = font(scene.look, "small")
        edits = scene.edits
        share = ribbon_share(max(p for stage, p in scene.progress if stage in self.moves))
        return RoutingPicture(
            look=scene.look,
            table=table,
            other=self._other_load(scene),
            mode=mode_of(scene),
            rows=tuple(shown_token(token, small, whole=True) for token in run.tokens[chosen.sentence]),
            share=share,
            token=chosen.token,
            expert=_inside(chosen.expert, table.experts),
            pointed_token=_inside(pointed.token, table.tokens),
            pointed_expert=_inside(pointed.expert, table.experts),
            stage=next((stage for stage in (pointed.stage, chosen.stage) if stage in INSIDE), None),
            banned=frozenset(expert for expert in edits.banned if expert < table.experts),
            forced=_inside(edits.forced, table.experts),
            first=min(max(0, view.first), table.experts - shown),
            shown=shown,
            words=self._words(scene, run, table, share=share),
        )

    @staticmethod
    def _other_load(scene: Scene) -> NDArray[np.int64] | None:
        """Tokens that each expert of B took."""
        table = None if scene.other is None else routing_table(scene.other, scene.selection.sentence)
        return None if table is None else table.served

    def _words(self, scene: Scene, run: RunResult, table: RoutingTable, *, share: float) -> RoutingWords:
        weights = mode_of(scene) == "weights"
        return RoutingWords(
            readout=self._readout(scene, run, table) if share >= 1.0 else ("",),
            rows=self.say("token"),
            columns=self.say("expert"),
            load=(self.say("load"), self.say("load_short")),
            margin=(self.say("margin"), self.say("margin_short")),
            capacity="" if table.capacity is None else self.say("capacity", n=numbers.count(table.capacity)),
            close=self.say("close"),
            scale=self.say("scale_weights" if weights else "scale_logits"),
            waiting=self.say("waiting"),
            ours=self.say("ours"),
            theirs=self.say("theirs"),
        )

    def _readout(self, scene: Scene, run: RunResult, table: RoutingTable) -> tuple[str, ...]:
        """The pointed cell, expert or token, else the chosen token, in wordings from long to short."""
        pointed, chosen = scene.pointed, scene.selection
        token, expert = _inside(pointed.token, table.tokens), _inside(pointed.expert, table.experts)
        at = chosen.token if token is None else token
        named = shown_token(run.tokens[chosen.sentence][at], font(scene.look, "small"))
        if expert is None:
            found = of_token(table, at, named=named)
        else:
            found = of_expert(table, expert) if token is None else of_cell(table, at, expert, named=named)
        return tuple(self.say(wording) for wording in found)

    # What a person can do -----------------------------------------------------------------------------------

    def _show_buttons(self, scene: Scene, table: RoutingTable) -> None:
        expert, edits, most = self._target(scene, table), scene.edits, table.experts - 1
        faces = (
            (self.drop, ("drop", "bring_back"), expert in edits.banned, dropped(edits, expert)),
            (self.force, ("force", "release"), expert == edits.forced, forced(edits, expert)),
        )
        for button, both, on, wanted in faces:
            key = both[on]
            button.set_word(self.say(key, n=expert), among=[self.say(word, n=most) for word in both])
            refused = refusal(wanted, scene.settings)
            tip = self.say(f"{key}_tip", n=expert)
            button.explain(tip, tip if refused is None else self.say(refused))
            button.setEnabled(refused is None)
        self.restore.set_word(self.say("restore"))
        self.restore.explain(self.say("restore_tip"), self.say("restore_tip"))
        self.restore.setEnabled(bool(edits.banned) or edits.forced is not None)
        other: Mode = "logits" if mode_of(scene) == "weights" else "weights"
        self.mode.set_word(
            self.say(f"show_{other}"), among=[self.say(f"show_{m}") for m in ("weights", "logits")]
        )
        self.mode.explain(self.say(f"show_{other}_tip"), self.say(f"show_{other}_tip"))
        self.buttons.set_look(scene.look)
        self._fit()

    def _target(self, scene: Scene, table: RoutingTable) -> int:
        """The chosen expert, else the first choice of the chosen token."""
        chosen = _inside(scene.selection.expert, table.experts)
        return int(table.index[scene.selection.token, 0]) if chosen is None else chosen

    def _act(self, edited: Callable[[Edits, int], Edits]) -> None:
        """Drop or force the expert that the buttons name, unless that cannot be; its button says why."""
        scene = self.scene
        table = None if scene is None else self._table_of(scene)
        if scene is not None and table is not None:
            expert = self._target(scene, table)
            wanted = edited(scene.edits, expert)
            if refusal(wanted, scene.settings) is None:
                self.request(changes.edit_expert(wanted, expert))

    def _restore(self) -> None:
        if self.scene is not None and (self.scene.edits.banned or self.scene.edits.forced is not None):
            self.request(changes.set_edits(replace(self.scene.edits, banned=(), forced=None)))

    def _turn(self) -> None:
        if self.scene is not None:
            self.change_view(mode="logits" if mode_of(self.scene) == "weights" else "")

    def _point(self, at: At) -> None:
        token, expert = at
        self.request(changes.hover(None) if at == (None, None) else changes.point(token=token, expert=expert))

    def _choose(self, at: At) -> None:
        self.request(changes.choose(token=at[0], expert=at[1]))

    def _step(self, dx: int, dy: int) -> None:
        scene = self.scene
        table = None if scene is None else self._table_of(scene)
        if scene is None or table is None:
            return
        chosen = scene.selection
        token = min(max(0, chosen.token + dy), table.tokens - 1)
        now = _inside(chosen.expert, table.experts)
        start = self._target(scene, table) if now is None else now + dx
        expert = min(max(0, start), table.experts - 1) if dx else now
        self.request(changes.choose(token=token, expert=expert, gesture="arrow keys"))


def mode_of(scene: Scene) -> Mode:
    """What the cells show."""
    return "logits" if scene.view(RoutingPanel.name).mode == "logits" else "weights"


def _inside(index: int | None, count: int) -> int | None:
    return index if index is not None and 0 <= index < count else None
