"""ProofPanel: where a number comes from, recomputed in float64, and whether positions are independent."""

import math

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QLayout, QWidget

from ffn_explorer.core.records import PositionCheck, Proof
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Cell, View
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.visible import visible
from ffn_explorer.widgets.buttons import IconButton
from ffn_explorer.widgets.panel import PADDING_PX, Panel
from ffn_explorer.widgets.paragraphs import Block, Page, Paragraphs
from ffn_explorer.widgets.sizes import px

COMPACT_PX = 110
"""A card lower than this shows two shortened lines and no header."""
DIGITS = 7
"""Significant digits of a number that is compared with its recomputation: those that float32 holds."""


class ProofPanel(Panel):
    """Formula, numbers, recomputation and origin of the hovered cell, else of the chosen one."""

    name = "proof"
    reads = frozenset({"proof", "subject", "hover", "selection", "position", "origin", "run", "views"})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build the page and the copy button."""
        super().__init__(parent)
        self.copy = IconButton("copy", self)
        self._header.addWidget(self.copy)
        self.page = Paragraphs(self)
        self.set_body(self.page)
        # The least height is the compact card's, whether or not a header shows at the moment.
        self._column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self.copy.clicked.connect(self._copy)
        self.page.scrolled.connect(lambda y: self.request(changes.set_view(self.name, View(first=y))))

    def restyle(self, scene: Scene) -> None:
        """Sizes and the words that a language decides."""
        super().restyle(scene)
        self.copy.set_look(scene.look)
        self.copy.explain(self.say("copy"), self.say("copy_tip"))
        self.title.set_text(self.say("title"))
        self.page.setAccessibleName(self.say("scrolls"))

    def render_scene(self, scene: Scene) -> None:
        """Draw the proof and the position check."""
        cell = scene.subject
        self.note.set_text("" if cell is None or asked(scene) else self.say("unasked"))
        top = self._top(scene, cell)
        bottom = self._bottom(scene)
        brief = self._brief(scene, cell, bottom)
        self.page.show_page(Page(scene.look, top, bottom, brief, scene.view(self.name).first))
        self.copy.setEnabled(scene.proof is not None)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the header out where there is little height."""
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """Room for the two brief lines."""
        least = self.page.minimumSizeHint()
        return QSize(least.width() + 2 * PADDING_PX, least.height() + PADDING_PX)

    def as_text(self) -> str:
        """The proof in plain text, for the clipboard."""
        if self.scene is None:
            return ""
        top, bottom = self._top(self.scene, self.scene.subject), self._bottom(self.scene)
        formula = [self.scene.proof.formula] if self.scene.proof else []
        lines = [self.title.text, *formula, *(block.text for block in (*top, *bottom))]
        return "\n".join(line for line in lines if line) + "\n"

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())

    def _fit(self) -> None:
        if self.scene is None:
            return
        compact = self.height() < px(self.scene.look, COMPACT_PX)
        for widget in (self.title, self.note, self.copy):
            widget.setVisible(not compact)
        pad = PADDING_PX // 2 if compact else PADDING_PX
        self._column.setContentsMargins(PADDING_PX, pad if compact else pad - 3, PADDING_PX, pad)
        self.page.set_compact(compact)

    # What is said -------------------------------------------------------------------------------------------

    def _top(self, scene: Scene, cell: Cell | None) -> tuple[Block, ...]:
        if cell is None:
            return (Block(self.say("empty"), "body", strong=False),)
        proof = scene.proof
        return (
            Block(self._cell(scene, cell), "title", bold=True),
            Block("" if proof is None else right_side(proof.formula), mono=True, strong=False, reserve=2),
            Block("" if proof is None else proof.numbers, mono=True, reserve=2),
            self._again(proof),
            Block("" if proof is None else self._read(proof), strong=False),
            Block(self.say("origin", origin=scene.origin, dtype=self._dtype(scene)), strong=False),
        )

    def _cell(self, scene: Scene, cell: Cell) -> str:
        name = "x" if cell.stage is Stage.INPUT else str(cell.stage)
        value = scene.value(cell)
        shown = "…" if value is None else numbers.short(value, digits=DIGITS)
        token = self._token(scene, cell)
        return self.say("cell", name=f"{name}[{cell.index}]", token=token, position=cell.token, value=shown)

    @staticmethod
    def _dtype(scene: Scene) -> str:
        return (scene.settings if scene.run is None else scene.run.request.settings).dtype

    @staticmethod
    def _token(scene: Scene, cell: Cell) -> str:
        if scene.run is not None:
            return visible(scene.run.tokens[cell.sentence][cell.token])
        return scene.chips[cell.token].text if cell.token < len(scene.chips) else ""

    def _again(self, proof: Proof | None) -> Block:
        if proof is None:
            return Block(self.say("waiting"), icon="waits", strong=False, reserve=2)
        value = numbers.short(proof.recomputed, digits=DIGITS)
        if not math.isfinite(proof.difference):
            return Block(self.say("again_not_finite", value=value), icon="waits", reserve=2)
        holds = proof.difference <= proof.tolerance
        said = self.say(
            "again",
            value=value,
            difference=numbers.short(proof.difference),
            relation="≤" if holds else ">",
            tolerance=numbers.short(proof.tolerance),
        )
        return Block(said, icon="holds" if holds else "breaks", wrong=not holds, reserve=2)

    def _read(self, proof: Proof) -> str:
        return self.say("read", slices=", ".join(proof.slices))

    def _bottom(self, scene: Scene) -> tuple[Block, ...]:
        check = scene.position
        heading = Block(self.say("position_title", dtype=self._dtype(scene)), bold=True)
        if check is None:
            waits = Block(self.say("position_waiting"), icon="waits", strong=False)
            return (heading, waits, Block(""))
        reason = () if check.holds else (Block(self._reason(scene), strong=False, reserve=2),)
        alone = self._difference("alone", check.alone, check=check)
        permuted = self._difference("permuted", check.permuted, check=check)
        return (heading, alone, permuted, *reason)

    def _difference(self, key: str, difference: float, *, check: PositionCheck) -> Block:
        holds = difference <= check.tolerance
        said = self.say(
            key,
            difference=numbers.short(difference),
            relation="≤" if holds else ">",
            tolerance=numbers.short(check.tolerance),
        )
        return Block(said, icon="holds" if holds else "breaks")

    def _reason(self, scene: Scene) -> str:
        run = scene.run
        if run is not None and run.request.settings.mixer:
            return self.say("breaks_mixer")
        if run is not None and run.spec.routing is not None and run.spec.routing.capacity is not None:
            return self.say("breaks_capacity")
        if run is not None and not run.spec.position_wise:
            return self.say("breaks_reads", reads=run.spec.reads)
        return self.say("breaks_unknown")

    def _brief(self, scene: Scene, cell: Cell | None, bottom: tuple[Block, ...]) -> tuple[Block, ...]:
        second = bottom[1]
        if cell is None:
            return (Block(self.say("empty"), strong=False), second)
        again = self._again(scene.proof)
        formula = "" if scene.proof is None else f"   {right_side(scene.proof.formula)}"
        return (Block(self._cell(scene, cell) + formula, icon=again.icon, wrong=again.wrong), second)


def asked(scene: Scene) -> bool:
    """Whether somebody points at the cell, or chose it."""
    return scene.subject in (scene.hover, scene.selection.cell())


def right_side(formula: str) -> str:
    """Formula without the name of its result, which the line above it already gives."""
    return "= " + formula.partition(" = ")[2]
