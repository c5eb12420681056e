"""Code: the FFN as a short PyTorch or NumPy function, the running line lit."""

from typing import ClassVar

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QWidget

from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state import changes, numbers, timeline
from ffn_explorer.state.code.dialect import DIALECTS, DialectName
from ffn_explorer.state.code.lines import CodeLine, code_lines
from ffn_explorer.state.code.sizes import Sizes, sizes_of
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import text
from ffn_explorer.widgets.body import body_of
from ffn_explorer.widgets.buttons import IconButton
from ffn_explorer.widgets.code_view import CodePicture, CodeRow, CodeView
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.panel import Panel


class CodePanel(Panel):
    """A program that computes the very numbers on screen, tied to the stages."""

    name: ClassVar[str] = "code"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "stages", "current", "progress", "selection", "hover", "point", "views"}
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build tabs, lines and the copy button."""
        super().__init__(parent)
        self.copy = IconButton("copy", self)
        self._header.addWidget(self.copy)
        self.tabs = ModeTabs(len(DIALECTS), self)
        self.code = CodeView()
        self.value = ElidedLabel(self)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.tabs)
        row.addWidget(self.value, 1)
        self.set_body(body_of(self.code, above=row))
        self.copy.clicked.connect(self._copy)
        self.tabs.chosen.connect(lambda mode: self.change_view(mode=mode, stage=None))
        self.code.pointed.connect(self._point)
        self.code.chosen.connect(self._choose)
        self.code.scrolled.connect(self._scroll)

    def restyle(self, scene: Scene) -> None:
        """Sizes and the words that a language decides."""
        super().restyle(scene)
        self.title.set_text(self.say("title"))
        self.copy.set_look(scene.look)
        self.copy.explain(self.say("copy"), self.say("copy_tip"))
        self.value.set_look(font(scene.look, "small", mono=True), self.theme.muted)
        self.code.setAccessibleName(self.say("name"))

    def render_scene(self, scene: Scene) -> None:
        """Draw the lines and the value of the cell in question."""
        labels = [(name, row.label) for name, row in DIALECTS.items()]
        modes = [Mode(name, label, self.say("tab_tip", label=label)) for name, label in labels]
        self.tabs.show_modes(modes, chosen=dialect_shown(scene), look=scene.look)
        run, view = scene.run, scene.view(self.name)
        self.copy.setEnabled(run is not None)
        self._show_note(scene)
        said = self._value(scene)
        self.value.set_text(said[0], short=said[1:])
        if run is None:
            self.code.show_sentence(self.empty(), scene.look)
            return
        rows = tuple(CodeRow(line.text, line.stage, line.shape) for line in lines_of(scene))
        self.code.show_picture(
            CodePicture(
                look=scene.look,
                rows=rows,
                running=running(scene),
                chosen=scene.selection.stage,
                pointed=scene.pointed.stage,
                # A person's scrolling holds until the pass moves on.
                first=view.first if view.stage == scene.current else None,
            )
        )

    def _show_note(self, scene: Scene) -> None:
        """What a click does; of an opened file, whether the program reads its tensors too."""
        run = scene.run
        opened = run is not None and run.request.source.opened is not None
        key = "note" if not opened else "note_loads" if _loading(scene) else "note_function"
        self.note.set_text("" if run is None else self.say(key), short=("",))

    def as_text(self) -> str:
        """The program, for the clipboard."""
        if self.scene is None:
            return ""
        return "".join(f"{line.text}\n" for line in lines_of(self.scene))

    def _value(self, scene: Scene) -> tuple[str, ...]:
        """The pointed or chosen number as the program would index it, once the pass has reached it.

        In wordings, the longest first: what it is may be seen elsewhere, a piece of it says nothing.
        """
        cell = scene.hover or scene.selection.cell()
        if cell is None or dict(scene.progress).get(cell.stage, 0.0) < 1.0:
            return ("",)
        value = scene.value(cell)
        if value is None or scene.run is None:
            return ("",)
        place = (cell.token, cell.sentence) if scene.look.transposed else (cell.sentence, cell.token)
        token = shown_token(scene.run.tokens[cell.sentence][cell.token], font(scene.look, "small"))
        indices = ", ".join(map(str, (*place, cell.index)))
        name, shown = NAMES.get(cell.stage, str(cell.stage)), numbers.short(value, digits=4)
        whole = self.say("value", name=f"{name}[{indices}]", value=shown, token=token)
        return whole, f"{name}[{indices}] = {shown}", f"{name}[…] = {shown}", f"= {shown}"

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())
        self.told.emit(text("menu.copied_text"))

    def _point(self, stage: Stage | None) -> None:
        self.request(changes.point(stage=stage))

    def _choose(self, stage: Stage) -> None:
        """Go to the end of that stage, and look at it."""
        scene = self.scene
        if scene is None or scene.run is None or stage not in scene.run.stages:
            return
        chosen = scene.selection
        counted = chosen.neuron if stage in WIDE else chosen.dim
        if counted is not None:
            self.request(changes.choose(stage=stage))
        self.request(changes.seek(timeline.time_of(stage, scene.run.stages)))

    def _scroll(self, first: int) -> None:
        if self.scene is not None:
            self.change_view(first=first, stage=self.scene.current)


NAMES = {Stage.INPUT: "x", Stage.NORM: "n", Stage.POST_NORM: "p", Stage.RESIDUAL: "y"}
"""Names of the program where they are not the stage's own."""


def dialect_shown(scene: Scene) -> DialectName:
    """The chosen library, PyTorch at first."""
    return "numpy" if scene.view(CodePanel.name).mode == "numpy" else "torch"


def lines_of(scene: Scene) -> tuple[CodeLine, ...]:
    """Lines of the program of the run on screen."""
    run = scene.run
    if run is None:
        return ()
    return (*code_lines(run.spec, _sizes(scene, run), dialect_shown(scene)), *_loading(scene))


def _sizes(scene: Scene, run: RunResult) -> Sizes:
    settings, transposed = run.request.settings, scene.look.transposed
    return sizes_of(settings, run.lengths, transposed=transposed, parts=run.has)


def _loading(scene: Scene) -> tuple[CodeLine, ...]:
    """Lines that read the tensors of an opened file, where that takes a few."""
    run = scene.run
    if run is None or run.request.source.opened is None or run.scheme is None:
        return ()
    from ffn_explorer.state.code.loading import loading_lines  # the first picture needs none of it

    opened, dtype = run.request.source.opened, run.request.settings.dtype
    sizes, dialect = _sizes(scene, run), dialect_shown(scene)
    return loading_lines(opened, run.scheme, run.spec, sizes, dialect=dialect, dtype=dtype)


def running(scene: Scene) -> frozenset[Stage]:
    """Stages that move together with the one under way."""
    if scene.run is None:
        return frozenset()
    groups = timeline.segments(scene.run.stages)
    return next((frozenset(s.stages) for s in groups if scene.current in s.stages), frozenset())
