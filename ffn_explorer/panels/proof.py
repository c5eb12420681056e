"""ProofPanel: where a number comes from, recomputed in float64, and whether positions are independent."""

import math
from dataclasses import replace

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLayout, QWidget

from ffn_explorer.core.records import PositionCheck, Proof
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Cell, View
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import Text, text
from ffn_explorer.widgets.buttons import IconButton
from ffn_explorer.widgets.focus import draw_focus_ring
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.page import Block, Page
from ffn_explorer.widgets.panel import PADDING_PX, Panel
from ffn_explorer.widgets.paragraphs import Paragraphs
from ffn_explorer.widgets.proof_words import proof_table, sequence_first
from ffn_explorer.widgets.sizes import px

COMPACT_PX = 110
"""A card lower than this shows two shortened lines and no header."""
_RING_PX = 5
DIGITS = 7
"""Significant digits of a number that is compared with its recomputation: those that float32 holds."""


class ProofPanel(Panel):
    """Formula, numbers, recomputation and origin of the hovered cell, else of the chosen one."""

    name = "proof"
    reads = frozenset(
        {"proof", "subject", "hover", "selection", "position", "origin", "run", "views", "progress"}
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build the page and the copy button."""
        super().__init__(parent)
        self.back = IconButton("left", self)
        self.copy = IconButton("copy", self)
        self._header.addWidget(self.back)
        self._header.addWidget(self.copy)
        self.page = Paragraphs(self)
        self.set_body(self.page)
        # The least height is the compact card's, whether or not a header shows at the moment.
        self._column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self.back.clicked.connect(self._go_back)
        self.copy.clicked.connect(self._copy)
        self.page.focused.connect(self.update)
        self.page.scrolled.connect(lambda y: self.request(changes.set_view(self.name, View(first=y))))

    def restyle(self, scene: Scene) -> None:
        """Sizes and the words that a language decides."""
        super().restyle(scene)
        self.back.set_look(scene.look)
        self.back.explain(self.say("back"), self.say("back_tip"))
        self.copy.set_look(scene.look)
        self.copy.explain(self.say("copy"), self.say("copy_tip"))
        self.title.set_text(self.say("title"), short=self.say("title_short"))
        self.page.setAccessibleName(self.say("scrolls"))

    def render_scene(self, scene: Scene) -> None:
        """Draw the proof and the position check."""
        cell = scene.subject
        unasked = cell is not None and not asked(scene)
        note, short = (self.say("unasked"), self.say("unasked_short")) if unasked else ("", "")
        self.note.set_text(note, short=short)
        proof = shown_proof(scene)
        top = self._top(scene, cell, proof)
        bottom = self._bottom(scene)
        brief = self._brief(scene, cell, bottom)
        self.page.show_page(Page(scene.look, top, bottom, brief, scene.view(self.name).first))
        self.copy.setEnabled(proof is not None)
        self.back.setEnabled(proof is not None and proof.source is not None)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the header out where there is little height."""
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the card, and the page's focus ring in the margin around its text."""
        super().paintEvent(event)
        if self.scene is not None and self.page.ringed:
            painter = QPainter(self)
            margin = _RING_PX
            draw_focus_ring(
                painter,
                QRectF(self.page.geometry()).adjusted(-margin, -margin, margin, margin),
                self.scene.look,
            )
            painter.end()

    def minimumSizeHint(self) -> QSize:
        """Room for the two brief lines."""
        least = self.page.minimumSizeHint()
        return QSize(least.width() + 2 * PADDING_PX, least.height() + PADDING_PX)

    def table(self) -> list[list[str]] | None:
        """The number and its recomputation."""
        return None if self.scene is None else proof_table(shown_proof(self.scene), self.say)

    def as_text(self) -> str:
        """The proof in plain text, for the clipboard."""
        if self.scene is None:
            return ""
        proof = shown_proof(self.scene)
        top, bottom = self._top(self.scene, self.scene.subject, proof), self._bottom(self.scene)
        formula = [proof.formula] if proof else []
        lines = [self.title.text, *formula, *(block.text for block in (*top, *bottom))]
        return "\n".join(line for line in lines if line) + "\n"

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())
        self.told.emit(text("menu.copied_text"))

    def _go_back(self) -> None:
        """Look at the number before this one in the pass."""
        scene = self.scene
        proof, subject = (None, None) if scene is None else (scene.proof, scene.subject)
        if proof is not None and subject is not None and proof.source is not None:
            stage, index = proof.source
            self.request(changes.select_cell(Cell(stage, subject.sentence, subject.token, index)))

    def _fit(self) -> None:
        if self.scene is None:
            return
        compact = self.height() < px(self.scene.look, COMPACT_PX)
        self.show_header(not compact)
        self.back.setVisible(not compact)
        self.copy.setVisible(not compact)
        pad = PADDING_PX // 2 if compact else PADDING_PX
        self._column.setContentsMargins(PADDING_PX, pad if compact else pad - 3, PADDING_PX, pad)
        self.page.set_compact(compact)

    # What is said -------------------------------------------------------------------------------------------

    def _top(self, scene: Scene, cell: Cell | None, proof: Proof | None) -> tuple[Block, ...]:
        if cell is None:
            return (Block(self.empty(), role="body", strong=False),)
        return (
            Block(self._cell(scene, cell), role="title", bold=True),
            Block("" if proof is None else right_side(proof.formula), mono=True, strong=False, reserve=2),
            Block("" if proof is None else proof.numbers, mono=True, reserve=2),
            self._again(proof),
            Block("" if proof is None else self._read(proof), strong=False, optional=True),
            *self._tensors(scene, cell),
            Block(self._origin(scene, cell), strong=False, optional=True),
        )

    def _cell(self, scene: Scene, cell: Cell) -> str:
        name = "x" if cell.stage is Stage.INPUT else str(cell.stage)
        value = scene.value(cell) if reached(scene) else None
        shown = "…" if value is None else numbers.short(value, digits=DIGITS)
        token = self._token(scene, cell)
        return self.say("cell", name=f"{name}[{cell.index}]", token=token, position=cell.token, value=shown)

    def _origin(self, scene: Scene, cell: Cell) -> str:
        """Where the weights come from; at x, which no weights made, where x itself does."""
        if cell.stage is Stage.INPUT and scene.run is not None:
            asked, dtype = scene.run.request, self._dtype(scene)
            opened = _opened_x(scene.run)
            if opened is not None:
                return self.say(opened)
            if asked.source.memory is not None:
                return self.say("x_hand", dtype=dtype)
            key = "x_mixed" if asked.settings.mixer else "x_seeded"
            return self.say(key, seed=asked.settings.seed, dtype=dtype)
        return self.say("origin", origin=scene.origin, dtype=self._dtype(scene))

    def _tensors(self, scene: Scene, cell: Cell) -> tuple[Block, ...]:
        """What the matrices and norms are called in the opened file."""
        if scene.run is None or scene.run.scheme is None:
            return ()
        from ffn_explorer.state.opened_words import tensors_of  # the first picture needs none of it

        index = scene.run.expert_index
        expert = None if index is None else int(index[cell.sentence, cell.token, 0])
        said = tensors_of(scene.run, cell.stage, expert)
        return () if said is None else (Block(self.say(said), strong=False, optional=True),)

    @staticmethod
    def _dtype(scene: Scene) -> str:
        return (scene.settings if scene.run is None else scene.run.request.settings).dtype

    @staticmethod
    def _token(scene: Scene, cell: Cell) -> str:
        if scene.run is not None:
            token = scene.run.tokens[cell.sentence][cell.token]
        else:
            token = scene.chips[cell.token].text if cell.token < len(scene.chips) else ""
        return shown_token(token, font(scene.look, "title"))

    def _again(self, proof: Proof | None) -> Block:
        if proof is None:
            there = self.scene is None or reached(self.scene)
            return Block(self.say("waiting" if there else "not_yet"), icon="waits", strong=False, reserve=2)
        value = numbers.short(proof.recomputed, digits=DIGITS)
        if not math.isfinite(proof.difference):
            return Block(self.say("again_not_finite", value=value), icon="waits", reserve=2)
        holds = proof.difference <= proof.tolerance
        values = {
            "value": value,
            "difference": numbers.short(proof.difference),
            "relation": "≤" if holds else ">",
            "tolerance": numbers.short(proof.tolerance),
        }
        said, short = self.say("again", **values), self.say("again_short", **values)
        return Block(said, short, icon="holds" if holds else "breaks", wrong=not holds, reserve=2)

    def _read(self, proof: Proof) -> str:
        return self.say("read", slices=", ".join(proof.slices))

    def _bottom(self, scene: Scene) -> tuple[Block, ...]:
        check = scene.position
        asks, short = self.say("position_title", dtype=self._dtype(scene)), self.say("position_short")
        heading = Block(asks, short, bold=True)
        if check is None:
            waits = Block(self.say("position_waiting"), icon="waits", strong=False)
            return (heading, waits, Block("")) if scene.no_run is None else (Block(""),) * 3
        reason = () if check.holds else (Block(self._reason(scene), strong=False, reserve=2),)
        alone = self._difference("alone", check.alone, check=check)
        permuted = self._difference("permuted", check.permuted, check=check)
        return (heading, alone, permuted, *reason)

    def _difference(self, key: str, difference: float, *, check: PositionCheck) -> Block:
        holds = difference <= check.tolerance
        values = {
            "difference": numbers.short(difference),
            "relation": "≤" if holds else ">",
            "tolerance": numbers.short(check.tolerance),
        }
        said, short = self.say(key, **values), self.say(f"{key}_short", **values)
        return Block(said, short, icon="holds" if holds else "breaks")

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
            return (Block(self.empty(), strong=False), second)
        proof = shown_proof(scene)
        again = self._again(proof)
        formula = "" if proof is None else f"   {right_side(proof.formula)}"
        return (Block(self._cell(scene, cell) + formula, icon=again.icon, wrong=again.wrong), second)


def _opened_x(run: RunResult) -> Text | None:
    """Where x of an opened file's run comes from; None without a file."""
    if run.request.source.opened is None:
        return None
    from ffn_explorer.state.opened_words import x_origin  # the first picture needs none of it

    return x_origin(run)


def asked(scene: Scene) -> bool:
    """Whether somebody points at the cell, or chose it."""
    return scene.subject in (scene.hover, scene.selection.cell())


def reached(scene: Scene) -> bool:
    """Whether the pass has come to the number; before, there is nothing to prove."""
    cell = scene.subject
    return cell is None or dict(scene.progress).get(cell.stage, 1.0) > 0.0


def shown_proof(scene: Scene) -> Proof | None:
    """Proof of the subject, with its indices in the order of axes that is shown."""
    proof = scene.proof if reached(scene) else None
    if proof is None or not scene.look.transposed:
        return proof
    slices = tuple(map(sequence_first, proof.slices))
    return replace(proof, formula=sequence_first(proof.formula), slices=slices)


def right_side(formula: str) -> str:
    """Formula without the name of its result, which the line above it already gives."""
    return "= " + formula.partition(" = ")[2]
