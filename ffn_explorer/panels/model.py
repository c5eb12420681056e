"""Model: the bill of a whole network or of one layer: every parameter, FLOP and byte, with its formula."""

from typing import ClassVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ffn_explorer.core.budget import in_words
from ffn_explorer.core.model_bill import ModelBill
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.cost_lines import Amounts, CostLine, lines_of
from ffn_explorer.state.costing import MOST_TOKENS
from ffn_explorer.state.costs import (
    Kind,
    Piece,
    Subject,
    beside_of,
    bill_of,
    ffn_share,
    formula_of,
    goes_on,
    pieces,
    subject_of,
    tokens_in,
)
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.cost_bars import CostBar, CostBars, CostPicture, CostPiece, colour_of
from ffn_explorer.widgets.cost_controls import CostControls
from ffn_explorer.widgets.cost_table import CostRow, cost_ranking
from ffn_explorer.widgets.cost_words import line_name, meant, words_of
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
        {"settings", "source", "file", "compare", "costing", "chips", "views"}
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
        mine, _ = self._subjects(scene)
        bill, other = self._bills(scene)
        name = self.say(mine.name)
        short = self.say("title_short") if mine.public is None else name
        self.title.set_text(self.say(f"title_{scene.costing.scope}", name=name), short=short)
        self.note.set_text(self._note(mine, bill), short=(self._share(bill), self._share(bill, "_short")))
        self.note.set_about(self._about(mine))
        self.controls.show_words(words_of(scene, mine), scene.look)
        lines = lines_of(bill, other)
        chosen = next((at for at, line in enumerate(lines) if line.key == scene.view(self.name).sort), None)
        bars = tuple(self._bar(bill, other, kind, names=self._names(scene)) for kind in KINDS)
        group = "" if chosen is None else lines[chosen].group
        self.bars.show_picture(CostPicture(scene.look, bars, group))
        self._show_rows(scene, lines, chosen)
        self._show_words(self._hints(scene, mine) if chosen is None else self._formulas(lines[chosen]))

    def table(self) -> list[list[str]] | None:
        """Every row with exact numbers and formulas, of both bills."""
        scene = self.scene
        if scene is None:
            return None
        head = [
            self.say(f"table_{key}") for key in ("which", "name", "parameters", "active", "flops", "bytes")
        ]
        rows = [[*head, self.say("table_formula")]]
        for name, bill in zip(self._names(scene), self._bills(scene), strict=True):
            if bill is not None:
                rows += [
                    [
                        name, line_name(scene.look.language, row.name),
                        str(row.count.value), str(row.active.value), str(row.flops.value),
                        str(bill.bytes_of(row)), formula_of(row).equation,
                    ]
                    for row in bill.rows
                ]  # fmt: skip
        return rows

    def _subjects(self, scene: Scene) -> tuple[Subject, Subject | None]:
        """Whose bill, and beside whose."""
        costing, settings = scene.costing, scene.settings
        mine = subject_of(costing, settings, scene.file)
        return mine, beside_of(costing, settings, scene.compare, scene.file)

    def _bills(self, scene: Scene) -> tuple[ModelBill, ModelBill | None]:
        mine, theirs = self._subjects(scene)
        bill = bill_of(mine, scene.costing, len(scene.chips))
        return bill, None if theirs is None else bill_of(theirs, scene.costing, len(scene.chips))

    def _names(self, scene: Scene) -> tuple[str, str]:
        """What both bills are called; two networks of settings are A and B, as everywhere."""
        mine, theirs = self._subjects(scene)
        if theirs is None:
            return self.say(mine.name), ""
        if mine.public is None and theirs.public is None:
            return self.say("a"), self.say("b")
        return self.say(mine.name), self.say(theirs.name)

    # Words --------------------------------------------------------------------------------------------------

    def _share(self, bill: ModelBill, form: str = "") -> str:
        whole, active = ffn_share(bill), ffn_share(bill, active=True)
        key = "share" if whole == active else "share_active"
        return self.say(f"{key}{form}", share=numbers.percent(whole), active=numbers.percent(active))

    def _note(self, mine: Subject, bill: ModelBill) -> str:
        if mine.file:
            how = self.say("assumed" if mine.assumed else "counted")
            return self.say("joiner").join((self._share(bill), how))
        if mine.public is None:
            return self._share(bill)
        published = self.say("published", count=mine.public.published)
        return self.say("joiner").join((published, self._share(bill)))

    def _about(self, mine: Subject) -> str:
        """Where sizes and the published number come from, and why that differs."""
        public = mine.public
        if mine.file:
            return self.say("about_file_assumed" if mine.assumed else "about_file")
        if public is None:
            return self.say("about_own")
        parts = {"source": public.source, "published": public.published, "of": public.published_source}
        return self.say("sizes_about", **parts, why=self.say(public.reason))

    # Pictures -----------------------------------------------------------------------------------------------

    def _bar(
        self, bill: ModelBill, other: ModelBill | None, kind: Kind, *, names: tuple[str, str]
    ) -> CostBar:
        mine, theirs = pieces(bill, kind), () if other is None else pieces(other, kind)
        ours, beside = (sum(piece.value for piece in each) for each in (mine, theirs))
        return CostBar(
            self._heads(bill, kind, ours) if other is None else self._pair(kind, ours, beside, names=names),
            self.say(f"axis_{kind}"),
            tuple(self._piece(piece, kind) for piece in mine),
            tuple(self._piece(piece, kind) for piece in theirs),
        )

    def _heads(self, bill: ModelBill, kind: Kind, ours: int) -> tuple[str, ...]:
        active = bill.active()
        plain = "head_bytes" if kind == "bytes" else "head"
        key = "head_active" if kind == "parameters" and active != bill.count() else plain
        total = self._amount(kind, ours)
        said = {"unit": self.say(kind), "total": total, "active": numbers.count(active)}
        return self.say(key, **said), self.say(plain, **said)

    def _pair(self, kind: Kind, ours: int, beside: int, *, names: tuple[str, str]) -> tuple[str, ...]:
        said = {"unit": self.say(kind), "a": self._amount(kind, ours), "b": self._amount(kind, beside)}
        least = said | {"a": self._short(kind, ours), "b": self._short(kind, beside)}
        return (
            self.say("pair", **said, name=names[0], other=names[1]),
            self.say("pair_short", **said),
            self.say("pair_short", **least),
        )

    def _piece(self, piece: Piece, kind: Kind) -> CostPiece:
        name, amount = self.say(f"group_{piece.group}"), self._amount(kind, piece.value)
        words = (self.say("named", name=name, n=self._short(kind, piece.value)), name)
        return CostPiece(piece.group, piece.value, words, self.say("tip", name=name, n=amount))

    def _amount(self, kind: Kind, value: int) -> str:
        return in_words(value) if kind == "bytes" else numbers.count(value)

    def _short(self, kind: Kind, value: int) -> str:
        return in_words(value) if kind == "bytes" else numbers.axis(value)

    def _show_rows(self, scene: Scene, lines: tuple[CostLine, ...], chosen: int | None) -> None:
        paired = any(line.theirs is not None for line in lines)
        whole = lines[0]  # the sum of everything
        rows = [
            CostRow(
                line_name(scene.look.language, line.key),
                tuple(self._words(line, kind, paired=paired) for kind in KINDS),
                _share_of(line.mine, whole.mine),
                colour_of(line.group, self.theme).name() if line.group else self.theme.ink,
                _share_of(line.theirs, whole.theirs) if paired else None,
            )
            for line in lines
        ]
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

    def _words(self, line: CostLine, kind: Kind, *, paired: bool) -> str:
        """An amount of A; with B, both."""
        mine, theirs = (
            "–" if each is None else self._short(kind, getattr(each, kind))
            for each in (line.mine, line.theirs)
        )
        return self.say("both", a=mine, b=theirs) if paired else mine

    def _formulas(self, line: CostLine) -> list[str]:
        pairs = zip(KINDS, line.formulas, strict=True)
        return [self.say(f"formula_{kind}", formula=formula) for kind, formula in pairs]

    def _hints(self, scene: Scene, mine: Subject) -> list[str]:
        """What can be done, and what a person should know of these numbers."""
        said, public, tokens = [self.say("choose")], mine.public, tokens_in(scene)
        if scene.costing.phase == "decode" and not goes_on(mine.shape):
            said.append(self.say("no_decode"))
        if public is not None:
            said.append(self.say("why", published=public.published, why=self.say(public.reason)))
            if tokens > public.context:
                said.append(self.say("beyond", tokens=numbers.count(public.context)))
        return [*said, "", ""][: len(KINDS)]

    def _show_words(self, lines: list[str]) -> None:
        for label, words in zip(self.lines, lines, strict=True):
            label.set_text(words)
            label.setVisible(bool(words))

    # Acts ---------------------------------------------------------------------------------------------------

    def _lines(self) -> tuple[CostLine, ...]:
        return () if self.scene is None else lines_of(*self._bills(self.scene))

    def _choose_row(self, place: int) -> None:
        self.change_view(sort=self._lines()[place].key)

    def _choose_group(self, group: str) -> None:
        """The first line of a piece; the next one with every further click."""
        if self.scene is None:
            return
        inside = [line.key for line in self._lines() if line.group == group]
        now = self.scene.view(self.name).sort
        if inside:
            after = inside.index(now) + 1 if now in inside else 0
            self.change_view(sort=inside[after % len(inside)])

    def _choose(self, field: str, value: object) -> None:
        self.request(changes.set_costing(**{field: meant(field, value)}))

    def _load(self) -> None:
        if self.scene is not None and self.scene.costing.model:
            self.request(changes.load_model(self.scene.costing.model))


def _share_of(amounts: Amounts | None, whole: Amounts | None) -> float:
    """Share of all FLOPs."""
    if amounts is None or whole is None:
        return 0.0
    return amounts.flops / max(1, whole.flops)
