"""Bill: parameters and FLOPs of the FFN against attention, counting up as the pass reads its matrices."""

from typing import ClassVar

from PySide6.QtWidgets import QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import bill_words, changes, numbers
from ffn_explorer.state.bill_formulas import BillFormulas, bill_formulas, line_formula
from ffn_explorer.state.counters import (
    SEGMENTS,
    STAGE_OF,
    Kind,
    Segment,
    bill_ends,
    lines,
    portion,
    read_share,
    spent,
)
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.setting_changes import parameter_matched
from ffn_explorer.state.text import Text
from ffn_explorer.widgets.bill_chart import BillChart
from ffn_explorer.widgets.bill_hairlines import hairlines_of
from ffn_explorer.widgets.bill_picture import Bar, BillPicture, Piece
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.panel import Panel

OF_STAGE: dict[Stage, Segment] = {Stage.GATE: "gate", Stage.UP: "up", Stage.OUT: "down"}


class BillPanel(Panel):
    """Two stacked bars, exact counts, running counters, and the width of equal parameters."""

    name: ClassVar[str] = "bill"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "other", "before", "settings", "source", "compare", "selection", "hover", "point"}
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
        self.note.set_text(self.say("convention"), short=self.say("convention_short"))
        self.note.set_about(self.say("convention_about"))
        self.chart.setAccessibleName(self.title.text)
        self.chart.setAccessibleDescription(self.say("keys"))
        self._show_match(scene)
        if scene.run is None:
            self.chart.show_sentence(self.say("empty"), scene.look)
        else:
            self.chart.show_picture(self._picture(scene, scene.run))

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
        formulas = bill_formulas(run.request.settings, run.lengths)
        done = dict(scene.progress)
        expert = scene.selection.expert if scene.pointed.expert is None else scene.pointed.expert
        reading = {stage for stage in self.moves if 0.0 < done.get(stage, 0.0) < 1.0}
        return BillPicture(
            look=scene.look,
            bars=(self._parameters(scene, run, formulas), self._flops(scene, run, formulas)),
            counters=self._counters(scene, run),
            formula=self._formula(scene, run, formulas),
            token=self._token(scene, run),
            unit=self._unit(scene, run),
            lesson=self._said(bill_words.lesson(scene.settings, scene.compare)),
            experts=self._said(bill_words.of_experts(run, expert)),
            hairlines=hairlines_of(scene, run),
            rows=self._rows(scene, run),
            names=(self.say("a"), self.say("b")),
            chosen=scene.selection.stage,
            pointed=scene.pointed.stage,
            under_way=frozenset(reading | ({scene.current} & set(self.moves))),
        )

    def _parameters(self, scene: Scene, run: RunResult, formulas: BillFormulas) -> Bar:
        ends: tuple[int, ...] = ()
        if scene.before is not None:
            ends = bill_ends(scene.before, "parameters")
        return Bar(
            head=self._head("parameters", run, scene.other),
            formula=self._both("ffn", formulas.ffn.wordings, "attention", formulas.attention.wordings),
            unit=self.say("parameters"),
            pieces=self._pieces(scene, run, of="parameters"),
            other=() if scene.other is None else self._pieces(scene, scene.other, of="parameters"),
            before=ends,
        )

    def _flops(self, scene: Scene, run: RunResult, formulas: BillFormulas) -> Bar:
        ends: tuple[int, ...] = ()
        if scene.before is not None:
            ends = bill_ends(scene.before, "flops")
        return Bar(
            head=self._head("flops", run, scene.other),
            formula=self._both("ffn", formulas.ffn_flops.wordings, "scores", formulas.scores.wordings),
            unit=self.say("flops"),
            pieces=self._pieces(scene, run, of="flops"),
            other=() if scene.other is None else self._pieces(scene, scene.other, of="flops"),
            before=ends,
        )

    def _pieces(self, scene: Scene, run: RunResult, *, of: Kind) -> tuple[Piece, ...]:
        """Segments of the FFN, then attention."""
        done, made = dict(scene.progress), []
        every = lines(run)
        for segment in SEGMENTS:
            inside = [line for line in every if line.segment == segment]
            value = sum(line.weights if of == "parameters" else line.flops for line in inside)
            if not value:
                continue
            stage = STAGE_OF.get(segment)
            share = read_share(inside, done)
            made.append(self._piece(segment, value, stage=stage, done=share, of=of))
        bill = run.bill
        rest = [("attention", bill.attention_weights)]
        if of == "flops":
            rest = [("projections", bill.projection_flops), ("scores", bill.score_flops)]
        return (*made, *(self._piece(key, value, stage=None, done=1.0, of=of) for key, value in rest))

    def _piece(self, key: str, value: int, *, stage: Stage | None, done: float, of: Kind) -> Piece:
        name, count = self.say(f"panel.bill.piece.{key}"), numbers.count(value)
        words = (
            self.say("named", name=name, n=count),
            self.say("named", name=name, n=numbers.axis(value)),
            name,
        )
        tip = self.say("tip", name=name, n=count, unit=self.say(of))
        return Piece(key, value, stage, done, words, tip)

    # The words ----------------------------------------------------------------------------------------------

    def _head(self, of: Kind, run: RunResult, other: RunResult | None) -> tuple[str, ...]:
        """Exact count of the FFN and its share; with B, both counts and how far they are apart."""
        ours, whole = bill_ends(run, of)
        share = numbers.percent(ours / whole)
        unit = self.say(of)
        if other is None:
            values = {"unit": unit, "n": numbers.count(ours), "total": numbers.count(whole), "share": share}
            return (
                self.say("head", **values),
                self.say("head_short", **values),
                self.say("head_least", **values),
            )
        if of == "parameters":
            # Weights alone: this is the number that parameter matching makes equal.
            a, b = run.bill.ffn_weights, other.bill.ffn_weights
            unit = self.say("weights")
        else:
            a, b = ours, bill_ends(other, of)[0]
        values = {"unit": unit, "a": numbers.count(a), "b": numbers.count(b), "apart": self._apart(a, b)}
        return (self.say("pair", **values), self.say("pair_short", **values))

    def _apart(self, ours: int, theirs: int) -> str:
        """Difference of A from B in percent, never rounded to nothing."""
        if ours == theirs:
            return self.say("equal")
        percent = numbers.short(100.0 * (ours - theirs) / theirs)
        return self.say("percent", n=f"+{percent}" if ours > theirs else percent)

    def _counters(self, scene: Scene, run: RunResult) -> tuple[str, ...]:
        found = spent(run, scene.progress)
        values = {
            "weights": numbers.count(found.weights),
            "flops": numbers.count(found.flops),
            "visited": numbers.count(found.visited),
        }
        plain, short = self.say("counters", **values), self.say("counters_short", **values)
        if run.expert_index is None:
            return (plain, short)
        return (self.say("counters_experts", **values), self.say("counters_visited", **values), short)

    def _formula(self, scene: Scene, run: RunResult, formulas: BillFormulas) -> tuple[str, ...]:
        """The matrix pointed at, chosen or being read, else the whole FFN."""
        found = (scene.pointed.stage, scene.selection.stage, scene.current)
        segment = next((OF_STAGE[stage] for stage in found if stage in OF_STAGE), None)
        settings, every = run.request.settings, lines(run)
        if segment is None or all(line.segment != segment for line in every):
            pairs = zip(formulas.ffn.wordings, formulas.ffn_flops.wordings, strict=True)
            both = [self.say("formula_both", parameters=one, flops=other) for one, other in pairs]
            return (*both[:2], *(self.say("formula", parameters=words) for words in formulas.ffn.wordings))
        flops = numbers.count(sum(line.flops for line in every if line.segment == segment))
        wordings = line_formula(settings, every, segment).wordings
        name = self.say(f"panel.bill.piece.{segment}")
        long = [self.say("matrix", name=name, parameters=words, flops=flops) for words in wordings]
        return (*long, *(self.say("named", name=name, n=words) for words in wordings[1:]))

    def _both(self, first: str, one: tuple[str, ...], second: str, other: tuple[str, ...]) -> tuple[str, ...]:
        """Two formulas side by side, else the first alone."""
        pairs = [(self.say(first), self.say(second), a, b) for a, b in zip(one, other, strict=True)]
        both = [self.say("side_by_side", one=a, first=n, other=b, second=m) for n, m, a, b in pairs]
        return (*both[:2], *(self.say("named", name=self.say(first), n=words) for words in one))

    def _token(self, scene: Scene, run: RunResult) -> tuple[str, ...]:
        """What the pointed token, else the chosen one, costs."""
        sentence, pointed = scene.selection.sentence, scene.pointed.token
        tokens = run.tokens[sentence]
        at = scene.selection.token if pointed is None or pointed >= len(tokens) else pointed
        named = shown_token(tokens[at], font(scene.look, "small"))
        return self._said(bill_words.of_token(run, sentence=sentence, token=at, named=named))

    def _unit(self, scene: Scene, run: RunResult) -> tuple[str, ...]:
        """What the pointed neuron or dimension holds, else the chosen ones."""
        at, settings = scene.pointed, run.request.settings
        neuron, dim = at.neuron, at.dim
        if (neuron, dim) == (None, None):
            neuron, dim = scene.selection.neuron, scene.selection.dim
        return self._said(bill_words.of_unit(settings, neuron=neuron, dim=dim))

    def _said(self, wordings: tuple[Text, ...]) -> tuple[str, ...]:
        return tuple(map(self.say, wordings))

    def _rows(self, scene: Scene, run: RunResult) -> tuple[tuple[str, ...], ...]:
        """Every matrix and bias: its parameters, those read so far, its FLOPs."""
        done = dict(scene.progress)
        head = tuple(self.say(f"table_{key}") for key in ("name", "parameters", "so_far", "flops"))
        counts = [(line, portion(line.weights, done.get(line.stage, 0.0))) for line in lines(run)]
        return (head, *((n.name, *map(numbers.count, (n.weights, read, n.flops))) for n, read in counts))

    def _show_match(self, scene: Scene) -> None:
        wanted = parameter_matched(scene.settings, scene.compare)
        self.match.set_look(scene.look)
        self.match.set_word(self.say("match"))
        by_hand = scene.source.memory is not None
        done = wanted == scene.settings
        self.match.setEnabled(not (done or by_hand))
        tip = "match_hand" if by_hand else "match_done" if done else "match_tip"
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
