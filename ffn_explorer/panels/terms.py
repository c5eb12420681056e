"""Terms: every product in the sum behind one number, the largest first, with the running sum."""

from typing import ClassVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ffn_explorer.core.readings import Terms
from ffn_explorer.core.stages import Stage, enters_down
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.formulas import after_sum
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.ranked import RankedList
from ffn_explorer.widgets.ranking import Column, Ranking, Row

DIGITS = 4
"""Significant digits of the factors."""


class TermsPanel(Panel):
    """The proof in full: a list of left · right = term, which ends at the number itself."""

    name: ClassVar[str] = "terms"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "terms", "selection", "hover", "point", "progress", "views"}
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build the line of the sum and the list."""
        super().__init__(parent)
        self.sum = ElidedLabel(self)
        self.list = RankedList()
        body = QWidget(self)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.sum)
        column.addWidget(self.list, 1)
        self.set_body(body)
        self.list.chosen.connect(self._choose)
        self.list.pointed.connect(self._point)
        self.list.scrolled.connect(lambda first: self.change_view(scroll=first))

    def restyle(self, scene: Scene) -> None:
        """Fonts and the words that a language decides."""
        super().restyle(scene)
        self.sum.set_look(font(scene.look, "small", mono=True), self.theme.ink)
        self.list.setAccessibleName(self.say("list"))

    def render_scene(self, scene: Scene) -> None:
        """Draw the sum and its terms."""
        terms = terms_shown(scene)
        if terms is None:
            self.title.set_text(self.say("title_empty"))
            self.note.set_text("")
            self.sum.set_text("")
            waits = scene.run is not None and scene.terms is not None
            self.list.show_sentence(self.say("not_yet") if waits else self.empty(), scene.look)
            return
        self.title.set_text(self._title(scene, terms))
        total = numbers.count(len(terms.term))
        self.note.set_text(self.say("note", n=total), short=(self.say("note_short", n=total), ""))
        said = self._then(scene, terms, self._sum(terms))
        self.sum.set_text(said[0], short=said[1:])
        self.list.show_picture(self._ranking(scene, terms))

    def table(self) -> list[list[str]] | None:
        """Index, both factors, the product and the running sum."""
        terms = None if self.scene is None else terms_shown(self.scene)
        if terms is None:
            return None
        columns = (terms.index, terms.left, terms.right, terms.term, terms.running)
        rows = zip(*(column.tolist() for column in columns))
        return [[terms.counts, *terms.names, "term", "running sum"], *(list(map(repr, row)) for row in rows)]

    def _title(self, scene: Scene, terms: Terms) -> str:
        assert scene.run is not None
        token = shown_token(scene.run.tokens[terms.sentence][terms.token], font(scene.look, "title"))
        return self.say("title", name=f"{terms.stage}[{terms.cell}]", token=token, position=terms.token)

    def _sum(self, terms: Terms) -> tuple[str, ...]:
        """The sum in wordings, the longest first; its value is in every one of them."""
        bias = terms.bias or 0.0
        value = float(terms.running[-1]) if len(terms.running) else bias
        shown = {"left": terms.names[0], "right": terms.names[1], "value": numbers.short(value, digits=7)}
        if terms.bias is None:
            return self.say("sum", **shown), self.say("sum_short", **shown)
        shown["bias"] = numbers.short(bias, digits=DIGITS)
        return tuple(self.say(f"sum_bias{form}", **shown) for form in ("", "_short", "_least"))

    def _then(self, scene: Scene, terms: Terms, said: tuple[str, ...]) -> tuple[str, ...]:
        """The sum's wordings, each with what happens to it afterwards: a limit, a scale."""
        run = scene.run
        after = "Σ" if run is None else after_sum(terms.stage, run.spec, run.has)
        value = scene.value(Cell(terms.stage, terms.sentence, terms.token, terms.cell))
        if after == "Σ" or value is None:
            return said
        shown = {"after": after, "value": numbers.short(value, digits=DIGITS)}
        return tuple(self.say("then", sum=words, **shown) for words in said)

    def _ranking(self, scene: Scene, terms: Terms) -> Ranking:
        pointed, chosen = scene.pointed, scene.selection
        heads = (self.say(f"head_{terms.counts}"), *terms.names, self.say("head_running"))
        wide = (
            numbers.count(max(terms.index.tolist(), default=0)),
            *(numbers.short(-0.001234, digits=DIGITS),) * 3,
        )
        return Ranking(
            look=scene.look,
            columns=tuple(Column(head, tip=self.say("tip"), widest=text) for head, text in zip(heads, wide)),
            bar_head=self.say("head_term"),
            total=len(terms.term),
            row=lambda at: row_of(terms, at),
            first=scene.view(self.name).scroll,
            limit=float(abs(terms.term[0])) or 1.0 if len(terms.term) else 1.0,
            signed=True,
            progress=dict(scene.progress).get(terms.stage, 1.0),
            chosen=getattr(chosen, terms.counts),
            hovered=getattr(pointed, terms.counts),
            place=lambda key: place_of(terms, key),
            # One factor alone says less than the scale of the products.
            keeps=1,
        )

    def _choose(self, key: int) -> None:
        terms = None if self.scene is None else terms_shown(self.scene)
        if terms is None or self.scene is None:
            return
        # The number that is summed up stays the chosen one: only what the term belongs to changes.
        kept = self.scene.selection.stage or terms.stage
        self.request(changes.choose(**{terms.counts: key}, stage=kept))  # type: ignore[arg-type] # one of three

    def _point(self, key: int | None) -> None:
        terms = None if self.scene is None else terms_shown(self.scene)
        if terms is None or key is None:
            self.request(changes.hover(None))
        elif terms.counts == "expert":
            self.request(changes.point(expert=key))
        else:
            # The right factor is a number of the pass: it is what the row points at.
            factor = Cell(factor_stage(self.scene, terms), terms.sentence, terms.token, key)
            self.request(changes.hover(factor))


def terms_shown(scene: Scene) -> Terms | None:
    """The terms, where they fit the run and the pass has begun to add them up."""
    terms, run = scene.terms, scene.run
    if terms is None or run is None or terms.stage not in run.values:
        return None
    inside = terms.sentence < len(run.tokens) and terms.token < len(run.tokens[terms.sentence])
    begun = dict(scene.progress).get(terms.stage, 1.0) > 0.0
    return terms if inside and begun else None


def factor_stage(scene: Scene | None, terms: Terms) -> Stage:
    """Stage of the right factors: what up and gate read, or what down reads."""
    there = () if scene is None or scene.run is None else scene.run.stages
    if terms.counts == "dim":
        return Stage.NORM if Stage.NORM in there else Stage.INPUT
    return enters_down(there)


def row_of(terms: Terms, at: int) -> Row:
    """One term as texts and a bar."""
    texts = (
        numbers.count(int(terms.index[at])),
        numbers.short(float(terms.left[at]), digits=DIGITS),
        numbers.short(float(terms.right[at]), digits=DIGITS),
        numbers.short(float(terms.running[at]), digits=DIGITS),
    )
    return Row(int(terms.index[at]), texts, float(terms.term[at]))


def place_of(terms: Terms, key: int) -> int | None:
    """Place of a neuron, dimension or expert in the list."""
    found = (terms.index == key).nonzero()[0]
    return int(found[0]) if len(found) else None
