"""Running sum: how many memories it takes, the strongest first, to come near the whole output."""

from dataclasses import replace
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from ffn_explorer.core.readings import Memories
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.body import body_of
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.drawn_text import fitting
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.memory_words import dropped, point_at, rank_of, reading_of
from ffn_explorer.widgets.number_edit import IntEdit
from ffn_explorer.widgets.panel import PADDING_PX, Panel
from ffn_explorer.widgets.parts_words import neuron_word
from ffn_explorer.widgets.sum_marks import SumMark
from ffn_explorer.widgets.sum_plot import SumCurves, SumPicture, SumPlot, axes_of

SPACING_PX = 6


class RunningSumPanel(Panel):
    """Cosine and relative error of the k strongest memories, and the k that the pass keeps."""

    name: ClassVar[str] = "running_sum"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "memories", "settings", "edits", "origin", "progress", "selection", "hover", "point"}
    )
    moves: ClassVar[frozenset[Stage]] = frozenset({Stage.OUT})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build the controls over an empty plot."""
        super().__init__(parent)
        self.label = QLabel()
        self.field = IntEdit(1, 1, 1)
        self.all = WordButton()
        self.readout = ElidedLabel(align=Qt.AlignmentFlag.AlignRight)
        self.plot = SumPlot()
        self.set_body(self._body())
        self.field.chosen.connect(self._keep)
        self.all.clicked.connect(lambda: self._keep(0, gesture=""))
        self.plot.picked.connect(self._keep)
        self.plot.released.connect(self.gesture_ended)
        self.field.done.connect(self.gesture_ended)
        self.field.done.connect(self.plot.setFocus)
        self.field.refused.connect(self.request)
        self.plot.pointed.connect(self._point)

    def restyle(self, scene: Scene) -> None:
        """Fonts, colours and the words that a language decides."""
        super().restyle(scene)
        self.label.setFont(font(scene.look, "small"))
        self.field.setFont(font(scene.look, "body"))
        self.field.setAccessibleName(self.say("field"))
        self.field.setToolTip(self.say("field_tip"))
        self.all.set_look(scene.look)
        self.all.set_word(self.say("all"))
        self.all.explain(self.say("all"), self.say("all_tip"))
        self.readout.set_look(font(scene.look, "small", bold=True), self.theme.ink)
        self.plot.setAccessibleDescription(self.say("keys"))

    def render_scene(self, scene: Scene) -> None:
        """Draw controls, curves and words."""
        run, found = scene.run, reading_of(scene)
        token = None
        if run is not None and found is not None:
            token = shown_token(run.tokens[found.sentence][found.token], font(scene.look, "title", bold=True))
        bare = self.say("title_empty")
        self.title.set_text(bare if token is None else self.say("title", token=token), short=bare)
        self.plot.setAccessibleName(self.title.text)
        k = kept_in(scene, found)
        self._show_controls(scene, found, k)
        lacking = self._lacking(scene, run, found)
        if run is None or found is None or lacking:
            self.note.set_text("")
            self.readout.set_text("")
            self.plot.show_sentence(lacking, scene.look)
            self._make_room()
            return
        self.note.set_text(self._note(scene, found), short=(self.say(scene.origin), ""))
        self._show_readout(scene, found, k)
        self.plot.show_picture(self._picture(scene, run, found, k))
        self._make_room()

    def table(self) -> list[list[str]] | None:
        """Both curves, for every k."""
        found = None if self.scene is None else reading_of(self.scene)
        if found is None:
            return None
        rows = zip(found.cosine.tolist(), found.error.tolist(), strict=True)
        body = [[str(k), repr(cosine), repr(error)] for k, (cosine, error) in enumerate(rows)]
        return [["k", "cosine", "relative error"], *body]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What stands before k is shortened where the readout needs the room."""
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        if self.scene is None:
            return
        beside = (self.field, self.all, self.readout)
        room = self.width() - 2 * PADDING_PX - len(beside) * SPACING_PX
        room -= sum(each.sizeHint().width() for each in beside)
        self.label.setText(fitting((self.say("keep"), self.say("k")), self.label.font(), room))

    def _body(self) -> QWidget:
        controls = QHBoxLayout()
        controls.setSpacing(SPACING_PX)
        controls.addWidget(self.label)
        controls.addWidget(self.field)
        controls.addWidget(self.all)
        controls.addWidget(self.readout, 1)
        self.label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        return body_of(self.plot, above=controls)

    def _lacking(self, scene: Scene, run: RunResult | None, found: Memories | None) -> str:
        """Why there is no curve, or nothing to say."""
        if run is None:
            return self.empty()
        if dict(scene.progress).get(Stage.OUT, 1.0) <= 0.0:
            return self.say("waiting")
        if found is None:
            return self.say("job.memories")
        if dropped(run, found):
            return self.say("dropped", expert=found.expert)
        # The error of keeping none is 1, unless the whole sum is 0: then nothing can be set against it.
        return self.say("cancels") if found.error[0] == 0.0 else ""

    def _note(self, scene: Scene, found: Memories) -> str:
        parts = [self.say("what"), self.say(scene.origin)]
        if found.expert is not None:
            parts.insert(0, self.say("expert", expert=found.expert))
        if found.other is not None:
            parts.insert(0, self.say("other"))
        return " · ".join(parts)

    def _show_controls(self, scene: Scene, found: Memories | None, k: int) -> None:
        total = scene.settings.d_ff if found is None else len(found.neuron)
        self.field.setEnabled(found is not None)
        self.field.setRange(1, total)
        self.field.updateGeometry()
        self.field.show_value(k)
        self.all.setEnabled(found is not None and k < total)

    def _show_readout(self, scene: Scene, found: Memories, k: int) -> None:
        if dict(scene.progress).get(Stage.OUT, 1.0) < 1.0:
            self.readout.set_text("")
            return
        total = len(found.neuron)
        values = {"cosine": numbers.short(found.cosine[k]), "error": numbers.short(found.error[k])}
        key = "readout_all" if k == total else "readout"
        counted = {"k": numbers.count(k), "total": numbers.count(total)}
        shorter = (self.say("readout_short", **values), self.say("readout_least", **values))
        self.readout.set_text(self.say(key, **counted, **values), short=shorter)

    def _picture(self, scene: Scene, run: RunResult, found: Memories, k: int) -> SumPicture:
        curves = SumCurves(found.cosine, found.error)
        other = None if found.other is None else SumCurves(found.other.cosine, found.other.error)
        total = numbers.count(len(found.neuron))
        progress = dict(scene.progress).get(Stage.OUT, 1.0)
        return SumPicture(
            look=scene.look,
            axes=axes_of(
                [curves] if other is None else [curves, other],
                x_name=tuple(self.say(key, total=total) for key in ("x", "x_short", "x_least")),
                y_name=self.say("y"),
                y_short=self.say("y_short"),
            ),
            curves=curves,
            other=other,
            k=k,
            names=(self.say("cosine"), self.say("error")),
            progress=progress,
            marks=self._marks(scene, run, found) if progress >= 1.0 else (),
        )

    def _marks(self, scene: Scene, run: RunResult, found: Memories) -> tuple[SumMark, ...]:
        """The pointed neuron and the chosen one, at their ranks."""
        chosen, pointed = scene.selection.neuron, scene.pointed
        here = pointed.expert in (None, found.expert)
        asked = [(chosen, True), (pointed.neuron if here and pointed.neuron != chosen else None, False)]
        marks = []
        for neuron, is_chosen in asked:
            if neuron is not None and (rank := rank_of(found, neuron)) is not None:
                values = {"k": numbers.count(rank), "n": neuron_word(scene.look.language, run, neuron)}
                words = (self.say("mark", **values), self.say("mark_short", **values), values["n"])
                marks.append(SumMark(rank, words, is_chosen))
        return tuple(marks)

    def _point(self, k: int | None) -> None:
        """Point at the memory that is the k-th strongest."""
        scene = self.scene
        found = None if scene is None else reading_of(scene)
        if scene is None or scene.run is None or found is None or k is None or k > len(found.neuron):
            self.request(changes.hover(None))
        else:
            self.request(point_at(scene.run, found, int(found.neuron[k - 1])))

    def _keep(self, k: int, *, gesture: str = "keep") -> None:
        if self.scene is not None:
            self.request(changes.set_edits(replace(self.scene.edits, keep=k), gesture=gesture))


def kept_in(scene: Scene, found: Memories | None) -> int:
    """How many memories are asked to be kept; all of them where the number is 0 or more than there are."""
    total = scene.settings.d_ff if found is None else len(found.neuron)
    return scene.edits.keep if 0 < scene.edits.keep < total else total
