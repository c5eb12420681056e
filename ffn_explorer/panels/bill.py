"""Bill: parameters and FLOPs of the FFN against attention, counting up as the pass reads its matrices."""

from typing import ClassVar

from PySide6.QtWidgets import QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import bill_words, changes, numbers
from ffn_explorer.state.counters import STAGE_OF, Billed, Segment, billed, lines, read_shares
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import Text
from ffn_explorer.widgets.bill_bars import bars_of, counters_of, formula_of, rows_of
from ffn_explorer.widgets.bill_chart import BillChart
from ffn_explorer.widgets.bill_hairlines import hairlines_of
from ffn_explorer.widgets.bill_picture import BillPicture
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.panel import Panel

OF_STAGE: dict[Stage, Segment] = {Stage.GATE: "gate", Stage.UP: "up", Stage.OUT: "down"}


class BillPanel(Panel):
    """Two stacked bars, exact counts, running counters, and the width of equal parameters."""

    name: ClassVar[str] = "bill"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "other", "before", "settings", "source", "file", "compare", "selection", "hover", "point"}
        | {"progress", "current"}
    )
    moves: ClassVar[frozenset[Stage]] = frozenset(STAGE_OF.values())

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build the chart and the button that matches parameters."""
        super().__init__(parent)
        self.chart = BillChart()
        self.match = WordButton(self, flat=True)
        self._header.addWidget(self.match)
        self.set_body(self.chart)
        self.chart.pointed.connect(self._point)
        self.chart.chosen.connect(self.go_to)
        self.chart.stepped.connect(self._step)
        self.match.clicked.connect(lambda: self.request(changes.match_parameters()))

    def render_scene(self, scene: Scene) -> None:
        """Draw bars, counters and words."""
        self.title.set_text(self.say("title"))
        self._show_note(scene)
        self.note.set_about(self.say("convention_about"))
        self.chart.setAccessibleName(self.title.text)
        self.chart.setAccessibleDescription(self.say("keys"))
        self._show_match(scene)
        if scene.run is None:
            self.chart.show_sentence(self.empty(), scene.look)
        else:
            self.chart.show_picture(self._picture(scene, scene.run))

    def _show_note(self, scene: Scene) -> None:
        """The convention; of an opened file first what its attention is taken from."""
        convention, short = self.say("convention"), self.say("convention_short")
        if scene.file is None or scene.run is None or scene.run.scheme is None:
            self.note.set_text(convention, short=short)
            return
        key = "counted" if scene.file.heads_known else "assumed"
        how, brief = self.say(key), self.say(f"{key}_short")
        self.note.set_text(f"{how} · {convention}", short=(f"{how} · {short}", how, brief))

    def table(self) -> list[list[str]] | None:
        """Every matrix with its counts, of A and of B, exact."""
        scene = self.scene
        if scene is None or scene.run is None:
            return None
        head = [self.say(f"table_{name}") for name in ("which", "name", "parameters", "visited", "flops")]
        rows = [head]
        for name, run in ((self.say("a"), scene.run), (self.say("b"), scene.other)):
            if run is None:
                continue
            rows += [[name, n.name, str(n.weights), str(n.visited), str(n.flops)] for n in lines(run)]
            bill = run.bill
            visited = str(sum(line.visited for line in lines(run)))
            rows += [
                [name, self.say("ffn"), str(bill.ffn_total), visited, str(bill.ffn_flops)],
                [
                    name,
                    self.say("projections"),
                    *[str(bill.attention_weights)] * 2,
                    str(bill.projection_flops),
                ],
                [name, self.say("scores"), "0", "0", str(bill.score_flops)],
            ]
        return rows

    # The picture --------------------------------------------------------------------------------------------

    def _picture(self, scene: Scene, run: RunResult) -> BillPicture:
        language, bill = scene.look.language, billed(run)
        progress = self._moved(scene)
        done = dict(progress)
        expert = scene.selection.expert if scene.pointed.expert is None else scene.pointed.expert
        reading = {stage for stage in self.moves if 0.0 < done.get(stage, 0.0) < 1.0}
        return BillPicture(
            look=scene.look,
            bars=bars_of(
                language,
                bill,
                theirs=None if scene.other is None else billed(scene.other),
                before=None if scene.before is None else scene.before.bill,
            ),
            done=read_shares(bill.lines, progress),
            counters=counters_of(language, bill, progress),
            formula=formula_of(language, bill, self._segment(scene)),
            token=self._token(scene, run),
            unit=self._unit(scene, bill),
            lesson=self._said(bill_words.lesson(scene.settings, scene.compare)),
            experts=self._said(bill_words.of_experts(run, expert)),
            hairlines=hairlines_of(scene, run),
            rows=rows_of(language, bill, progress),
            names=(self.say("a"), self.say("b")),
            chosen=scene.selection.stage,
            pointed=scene.pointed.stage,
            under_way=frozenset(reading | ({scene.current} & self.moves)),
        )

    # The words of a choice ----------------------------------------------------------------------------------

    def _segment(self, scene: Scene) -> Segment | None:
        """The matrix pointed at, chosen or being read."""
        found = (scene.pointed.stage, scene.selection.stage, scene.current)
        return next((OF_STAGE[stage] for stage in found if stage in OF_STAGE), None)

    def _token(self, scene: Scene, run: RunResult) -> tuple[str, ...]:
        """What the pointed token, else the chosen one, costs."""
        sentence, pointed = scene.selection.sentence, scene.pointed.token
        tokens = run.tokens[sentence]
        at = scene.selection.token if pointed is None or pointed >= len(tokens) else pointed
        named = shown_token(tokens[at], font(scene.look, "small"))
        return self._said(bill_words.of_token(run, sentence=sentence, token=at, named=named))

    def _unit(self, scene: Scene, run: Billed) -> tuple[str, ...]:
        """What the pointed neuron or dimension holds, else the chosen ones."""
        at = scene.pointed
        neuron, dim = at.neuron, at.dim
        if (neuron, dim) == (None, None):
            neuron, dim = scene.selection.neuron, scene.selection.dim
        return self._said(bill_words.of_unit(run, neuron=neuron, dim=dim))

    def _said(self, wordings: tuple[Text, ...]) -> tuple[str, ...]:
        return tuple(map(self.say, wordings))

    def _show_match(self, scene: Scene) -> None:
        wanted = bill_words.matched(scene.settings, scene.compare)
        self.match.set_look(scene.look)
        self.match.set_word(self.say("match"))
        by_hand, opened = scene.source.memory is not None, scene.source.opened is not None
        done = wanted == scene.settings
        self.match.setEnabled(not done and scene.source.plain)
        tip = "match_hand" if by_hand else "match_file" if opened else "match_done" if done else "match_tip"
        told = self.say(tip, width=numbers.count(wanted.d_ff), now=numbers.count(scene.settings.d_ff))
        self.match.explain(self.say("match_name", width=numbers.count(wanted.d_ff)), told)

    def _point(self, stage: Stage | None) -> None:
        self.request(changes.hover(None) if stage is None else changes.point(stage=stage))

    def _step(self, dx: int, _dy: int) -> None:
        """Left and Right choose among the matrices."""
        scene = self.scene
        if scene is None or scene.run is None:
            return
        there = {line.segment for line in lines(scene.run)}
        stages = [stage for stage, segment in OF_STAGE.items() if segment in there]
        now = scene.selection.stage
        at = stages.index(now) + dx if now in stages else 0
        if dx:
            stage = stages[min(max(0, at), len(stages) - 1)]
            self.go_to(stage, gesture="arrow keys")
