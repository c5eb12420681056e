"""Model: the bill of a whole network or of one layer: every parameter, FLOP and byte, with its formula."""

from collections.abc import Iterator
from typing import ClassVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ffn_explorer.core.bill_row import Row
from ffn_explorer.core.budget import in_words
from ffn_explorer.core.model_bill import ModelBill
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.costing import MOST_TOKENS
from ffn_explorer.state.costs import (
    Kind,
    Subject,
    beside_of,
    bill_of,
    ffn_share,
    formula_of,
    group_of,
    pieces,
    subject_of,
    use_of,
    value_of,
)
from ffn_explorer.state.model_settings import load
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.cost_bars import CostBar, CostBars, CostPicture, CostPiece, colour_of
from ffn_explorer.widgets.cost_controls import CostControls
from ffn_explorer.widgets.cost_table import CostRow, cost_ranking
from ffn_explorer.widgets.cost_words import meant, row_name, words_of
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.ranked import RankedList
from ffn_explorer.widgets.sizes import px

LIST_PX = 84
"""The list shows at least a few rows; the bars grow thin before that."""

KINDS: tuple[Kind, ...] = ("parameters", "flops", "bytes")


class ModelPanel(Panel):
    """Three stacked bars, a row for every kind of matrix and vector, and the formulas of the chosen row."""

    name: ClassVar[str] = "model"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"settings", "source", "compare", "costing", "chips", "views"}
    )

    least_px: ClassVar[int] = 500

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build controls, bars, list and the lines of formulas."""
        super().__init__(parent)
        self.controls = CostControls(MOST_TOKENS)
        self.bars = CostBars()
        self.list = RankedList()
        self.lines = tuple(ElidedLabel() for _ in KINDS)
        body = QWidget(self)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        column.addWidget(self.controls)
        column.addWidget(self.bars)
        column.addWidget(self.list, 1)
        for line in self.lines:
            column.addWidget(line)
        self.set_body(body)
        self.controls.chosen.connect(self._choose)
        self.controls.done.connect(self.list.setFocus)
        self.controls.refused.connect(self.request)
        self.controls.load.connect(self._load)
        self.bars.chosen.connect(self._choose_group)
        self.list.chosen.connect(self._choose_row)
        self.list.scrolled.connect(lambda first: self.change_view(scroll=first))

    def restyle(self, scene: Scene) -> None:
        """Fonts, colours and the words that a language decides."""
        super().restyle(scene)
        for line in self.lines:
            line.set_look(font(scene.look, "small"), self.theme.muted)
        self.list.setMinimumHeight(px(scene.look, LIST_PX))
        self.bars.setAccessibleName(self.say("bars"))
        self.list.setAccessibleName(self.say("rows"))
        self.list.setAccessibleDescription(self.say("keys"))

    def render_scene(self, scene: Scene) -> None:
        """Draw controls, bars, rows and formulas."""
        mine, theirs = subject_of(scene.costing, scene.settings), self._beside(scene)
        use = use_of(scene.costing, len(scene.chips))
        bill = bill_of(mine, scene.costing, use)
        other = None if theirs is None else bill_of(theirs, scene.costing, use)
        name = self.say(mine.name)
        short = self.say("title_short") if mine.public is None else name
        self.title.set_text(self.say(f"title_{scene.costing.scope}", name=name), short=short)
        self.note.set_text(self._note(mine, bill), short=(self._share(bill), self._share(bill, "_short")))
        self.note.set_about(self._about(mine))
        self.controls.show_words(words_of(scene, mine), scene.look)
        chosen = self._chosen(scene, bill)
        bars = tuple(self._bar(bill, other, kind, names=(name, theirs)) for kind in KINDS)
        group = "" if chosen is None else group_of(bill.rows[chosen])
        self.bars.show_picture(CostPicture(scene.look, bars, group))
        self._show_rows(scene, bill, other, chosen)
        self._show_formulas(bill, chosen)

    def table(self) -> list[list[str]] | None:
        """Every row with exact numbers and formulas, of both bills."""
        scene = self.scene
        if scene is None:
            return None
        use = use_of(scene.costing, len(scene.chips))
        head = [
            self.say(f"table_{key}") for key in ("which", "name", "parameters", "active", "flops", "bytes")
        ]
        rows = [[*head, self.say("table_formula")]]
        for subject in (subject_of(scene.costing, scene.settings), self._beside(scene)):
            if subject is not None:
                bill = bill_of(subject, scene.costing, use)
                rows += [
                    [
                        self.say(subject.name), row_name(scene.look.language, row), str(row.count.value),
                        str(row.active.value), str(row.flops.value), str(bill.bytes_of(row)),
                        formula_of(row).equation,
                    ]
                    for row in bill.rows
                ]  # fmt: skip
        return rows

    def _beside(self, scene: Scene) -> Subject | None:
        return beside_of(scene.costing, scene.settings, scene.compare)

    # Words --------------------------------------------------------------------------------------------------

    def _share(self, bill: ModelBill, form: str = "") -> str:
        whole, active = ffn_share(bill), ffn_share(bill, active=True)
        key = "share" if whole == active else "share_active"
        return self.say(f"{key}{form}", share=numbers.percent(whole), active=numbers.percent(active))

    def _note(self, mine: Subject, bill: ModelBill) -> str:
        if mine.public is None:
            return self._share(bill)
        published = self.say("published", count=mine.public.published)
        return self.say("joiner").join((published, self._share(bill)))

    def _about(self, mine: Subject) -> str:
        """Where sizes and the published number come from, and why that differs."""
        public = mine.public
        if public is None:
            return self.say("about_own")
        parts = {"source": public.source, "published": public.published, "of": public.published_source}
        return self.say("sizes_about", **parts, why=self.say(public.reason))

    # Pictures -----------------------------------------------------------------------------------------------

    def _bar(
        self, bill: ModelBill, other: ModelBill | None, kind: Kind, *, names: tuple[str, Subject | None]
    ) -> CostBar:
        total = self._amount(kind, sum(piece.value for piece in pieces(bill, kind)))
        if other is None or names[1] is None:
            active = bill.active()
            key = "head_active" if kind == "parameters" and active != bill.count() else "head"
            said = {"unit": self.say(kind), "total": total, "active": numbers.count(active)}
            heads: tuple[str, ...] = (self.say(key, **said), self.say("head", **said))
        else:
            theirs = self._amount(kind, sum(piece.value for piece in pieces(other, kind)))
            said = {"unit": self.say(kind), "a": total, "b": theirs}
            named = {"name": names[0], "other": self.say(names[1].name)}
            heads = (self.say("pair", **said, **named), self.say("pair_short", **said))
        return CostBar(
            heads,
            self.say(f"axis_{kind}"),
            tuple(self._pieces(bill, kind)),
            () if other is None else tuple(self._pieces(other, kind)),
        )

    def _pieces(self, bill: ModelBill, kind: Kind) -> Iterator[CostPiece]:
        for piece in pieces(bill, kind):
            name, amount = self.say(f"group_{piece.group}"), self._amount(kind, piece.value)
            words = (self.say("named", name=name, n=self._short(kind, piece.value)), name)
            yield CostPiece(piece.group, piece.value, words, self.say("tip", name=name, n=amount))

    def _amount(self, kind: Kind, value: int) -> str:
        return in_words(value) if kind == "bytes" else numbers.count(value)

    def _short(self, kind: Kind, value: int) -> str:
        return in_words(value) if kind == "bytes" else numbers.axis(value)

    def _show_rows(self, scene: Scene, bill: ModelBill, other: ModelBill | None, chosen: int | None) -> None:
        whole = max(1, bill.flops())
        theirs = {} if other is None else {row.name: row for row in other.rows}
        most = max(1, other.flops()) if other is not None else 1
        rows = []
        for row in bill.rows:
            words = tuple(self._short(kind, value_of(bill, row, kind)) for kind in KINDS)
            beside = None
            if other is not None:
                found = theirs.get(row.name)
                beside = 0.0 if found is None else found.flops.value / most
            name = row_name(scene.look.language, row)
            colour = colour_of(group_of(row), self.theme).name()
            rows.append(CostRow(name, words, row.flops.value / whole, colour, beside))
        heads = [(self.say(f"column_{key}"), self.say(f"column_{key}_tip")) for key in ("name", *KINDS)]
        self.list.show_picture(
            cost_ranking(
                rows,
                scene.look,
                heads,
                bar_head=self.say("column_share"),
                first=scene.view(self.name).scroll,
                chosen=chosen,
            )
        )

    def _show_formulas(self, bill: ModelBill, chosen: int | None) -> None:
        """Formulas of the chosen row; what they are for while none is chosen."""
        lines = [self.say("choose"), "", ""]
        if chosen is not None:
            row = bill.rows[chosen]
            lines = [self.say(f"formula_{kind}", formula=self._formula(bill, row, kind)) for kind in KINDS]
        for label, words in zip(self.lines, lines, strict=True):
            label.set_text(words)
            label.setVisible(bool(words))

    def _formula(self, bill: ModelBill, row: Row, kind: Kind) -> str:
        if kind != "bytes":
            return (row.count if kind == "parameters" else row.flops).equation
        if not row.count.terms and not row.cached.terms:
            return "0"
        numbers_kept, bits = row.count.value, bill.use.bits
        if row.cached.terms:
            numbers_kept, bits = row.cached.value, bill.use.cache_bits
        total = numbers.count(bill.bytes_of(row))
        return (
            f"{formula_of(row).symbols} · {bits} / 8 = {numbers.count(numbers_kept)} · {bits} / 8 = {total}"
        )

    # Acts ---------------------------------------------------------------------------------------------------

    def _chosen(self, scene: Scene, bill: ModelBill) -> int | None:
        wanted = scene.view(self.name).sort
        return next((at for at, row in enumerate(bill.rows) if row.name == wanted), None)

    def _bill(self) -> ModelBill | None:
        scene = self.scene
        if scene is None:
            return None
        subject = subject_of(scene.costing, scene.settings)
        return bill_of(subject, scene.costing, use_of(scene.costing, len(scene.chips)))

    def _choose_row(self, place: int) -> None:
        bill = self._bill()
        if bill is not None:
            self.change_view(sort=bill.rows[place].name)

    def _choose_group(self, group: str) -> None:
        """The first row of a piece; the next one with every further click."""
        bill = self._bill()
        if self.scene is None or bill is None:
            return
        inside = [row.name for row in bill.rows if group_of(row) == group]
        now = self.scene.view(self.name).sort
        if inside:
            after = inside.index(now) + 1 if now in inside else 0
            self.change_view(sort=inside[after % len(inside)])

    def _choose(self, field: str, value: object) -> None:
        self.request(changes.set_costing(**{field: meant(field, value)}))

    def _load(self) -> None:
        """Take the model's sizes as settings, and say what became of them."""
        scene = self.scene
        if scene is None or not scene.costing.model:
            return
        change, words = load(scene.costing.model, scene.settings, scene.source)
        self.request(change)
        if words is not None:
            self.told.emit(words)
