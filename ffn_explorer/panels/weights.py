"""Weights: the matrices themselves, at any zoom, with what is chosen and pointed at."""

from typing import ClassVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.matrix_window import window_seen
from ffn_explorer.state.result import Matrix, RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.lens import CELLS, Lens, around
from ffn_explorer.widgets.matrix_known import block, exactly, kinds_of, names_of, place_of, stored_in
from ffn_explorer.widgets.matrix_picture import MatrixPicture, MatrixWords, Place, Span
from ffn_explorer.widgets.matrix_view import MatrixView
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.pooling import ZERO
from ffn_explorer.widgets.reveal import cell_share
from ffn_explorer.widgets.stage_tabs import StageTabs, Tab

READS = {"up": Stage.UP, "gate": Stage.GATE, "down": Stage.OUT}
"""Stage that reads a matrix."""

LENS_ROWS = 7


class WeightsPanel(Panel):
    """One weight matrix: the pinned one, or the one that the pass reads."""

    name: ClassVar[str] = "weights"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "matrix", "spot", "selection", "hover", "point", "progress", "views", "lagging"}
    )
    moves: ClassVar[frozenset[Stage]] = frozenset(READS.values())

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build tabs and an empty picture."""
        super().__init__(parent)
        self.tabs = StageTabs()
        self.view = MatrixView()
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.tabs)
        column.addWidget(self.view, 1)
        self.set_body(body)
        self.tabs.chosen.connect(self._pin)
        self.view.pointed.connect(self._point)
        self.view.chosen.connect(self._choose)
        self.view.zoomed.connect(self._zoom)
        self.view.stepped.connect(self._step)
        self.view.scaled.connect(self._write_note)

    def render_scene(self, scene: Scene) -> None:
        """Draw tabs, matrix and note."""
        made = scene.matrix
        self._show_tabs(scene)
        if scene.run is None or made is None:
            self.title.set_text(self.say("empty_title"))
            self.view.show_sentence(self.empty() if scene.run is None else self.say("waiting"), scene.look)
        else:
            title = self.say("title", matrix=self._named(made), shape=_shape(made))
            self.title.set_text(title, short=self.say("title_short", matrix=self._named(made)))
            self.view.show_picture(self._picture(scene, scene.run, made))
        self.view.setAccessibleName(self.title.text)
        self.view.setAccessibleDescription(self.say("keys"))
        self._write_note()

    def table(self) -> list[list[str]] | None:
        """The weights in sight, where they are known one by one."""
        scene = self.scene
        if scene is None or scene.matrix is None or scene.matrix.exact is None:
            return None
        made = scene.matrix
        rows, columns = window_seen(scene.view(self.name), made.role, made.shape)
        window = block(made, rows, columns)
        if window is None:
            return None
        header = [self.say(f"matrix_{made.role}"), *map(str, range(*columns))]
        return [
            header,
            *([str(row), *map(str, line)] for row, line in zip(range(*rows), window, strict=True)),
        ]

    def _show_tabs(self, scene: Scene) -> None:
        gated = scene.run is not None and Stage.GATE in scene.run.values
        roles = [role for role in READS if gated or role != "gate"]
        tabs = [Tab(None, self.say("follow"), self.say("follow_tip"))]
        tabs += [Tab(READS[role], self.say(f"matrix_{role}"), self.say(f"about_{role}")) for role in roles]
        pinned = scene.view(self.name).mode
        self.tabs.show_tabs(
            tabs,
            pinned=READS[pinned] if pinned in roles else None,
            shown=None if scene.matrix is None else READS[scene.matrix.role],
            look=scene.look,
        )

    def _picture(self, scene: Scene, run: RunResult, made: Matrix) -> MatrixPicture:
        rows, columns = window_seen(scene.view(self.name), made.role, made.shape)
        chosen = place_of(made, scene.selection.neuron, scene.selection.dim)
        pointed = place_of(made, scene.pointed.neuron, scene.pointed.dim)
        stage = READS[made.role]
        return MatrixPicture(
            look=scene.look,
            stage=stage,
            made=made,
            rows=rows,
            columns=columns,
            chosen=chosen,
            pointed=pointed,
            read=cell_share(dict(scene.progress).get(stage, 1.0)),
            words=self._words(scene, run, made, chosen=chosen, pointed=pointed),
            lens=self._lens(scene, made, pointed) if scene.look.lens else None,
        )

    def _words(
        self, scene: Scene, run: RunResult, made: Matrix, *, chosen: Place, pointed: Place
    ) -> MatrixWords:
        kinds = kinds_of(made)
        names = {kind: names_of(run, kind, scene.look.language) for kind in kinds}
        labels = tuple(self._label(kind, at, names[kind]) for kind, at in zip(kinds, chosen, strict=True))
        return MatrixWords(
            rows=self.say(kinds[0]),
            columns=self.say(kinds[1]),
            unit=self.say("no_unit"),
            chosen_row=labels[0],
            chosen_column=labels[1],
            readout=self._readout(scene, made, pointed) or self._readout(scene, made, chosen) or ("",),
            waiting=self.say("waiting"),
            row_names=names[kinds[0]],
            column_names=names[kinds[1]],
        )

    def _label(self, kind: str, at: int | None, names: tuple[str, ...]) -> str:
        if at is None:
            return ""
        return names[at] if at < len(names) else self.say(f"{kind}_n", n=numbers.count(at))

    def _readout(self, scene: Scene, made: Matrix, at: Place) -> tuple[str, ...]:
        """The weight at a place in words, longest first; () where there is none."""
        row, column = at
        if row is None or column is None or scene.run is None:
            return ()
        names = [names_of(scene.run, kind, scene.look.language) for kind in kinds_of(made)]
        labels = [
            name[index] if index < len(name) else numbers.count(index)
            for name, index in zip(names, (row, column), strict=True)
        ]
        values = {"matrix": self.say(f"matrix_{made.role}"), "row": labels[0], "column": labels[1]}
        exact = self._exact(scene, made, row, column)
        cell = self._pooled(made, row, column)
        if exact is None:
            return () if cell is None else (self.say("pooled_value", **values, **cell),)
        said = self.say("value", **values, value=numbers.short(exact))
        brief = numbers.short(exact)
        # Of an opened file, first with the tensor that the weight lies in.
        stored = stored_in(scene.run, made)
        longest = (self.say("value_stored", said=said, tensor=stored),) if stored else ()
        if cell is None:
            return (*longest, said, brief)
        return (*longest, self.say("value_pooled", said=said, **cell), said, brief)

    def _exact(self, scene: Scene, made: Matrix, row: int, column: int) -> float | None:
        for known in exactly(scene, made):
            found = block(known, (row, row + 1), (column, column + 1))
            if found is not None:
                return float(found[0, 0])
        return None

    def _pooled(self, made: Matrix, row: int, column: int) -> dict[str, str] | None:
        """What the cell of a weight shows where it stands for several: how many, and the strongest."""
        inside = made.rows[0] <= row < made.rows[1] and made.columns[0] <= column < made.columns[1]
        if not inside or (made.row_step, made.column_step) == (1, 1):
            return None
        at = ((row - made.rows[0]) // made.row_step, (column - made.columns[0]) // made.column_step)
        byte = int(made.value[at])
        strongest = (byte - ZERO) / 127.0 * made.limit if byte else float("nan")
        sizes = {"rows": numbers.count(made.row_step), "columns": numbers.count(made.column_step)}
        return {**sizes, "strongest": numbers.short(strongest, digits=2)}

    def _lens(self, scene: Scene, made: Matrix, at: Place) -> Lens | None:
        row, column = at
        if row is None or column is None:
            return None
        rows, columns = around(row, made.shape[0], LENS_ROWS), around(column, made.shape[1], CELLS)
        for known in exactly(scene, made):
            found = block(known, rows, columns)
            if found is not None:
                middle = (row - rows[0], column - columns[0])
                labels = [tuple(f"{n:,}" for n in range(*span)) for span in (rows, columns)]
                words = numbers.short(float(found[middle]))
                return Lens(found, made.limit, middle, labels[0], labels[1], words)
        return None

    def _named(self, made: Matrix) -> str:
        matrix = self.say(f"matrix_{made.role}")
        return matrix if made.expert is None else self.say("of_expert", matrix=matrix, expert=made.expert)

    def _write_note(self) -> None:
        scene, scale = self.scene, self.view.per_pixel
        if scene is None or scene.run is None or scene.matrix is None or scale is None:
            self.note.set_text("")
            return
        made = scene.matrix
        read = cell_share(dict(scene.progress).get(READS[made.role], 1.0))
        if read < 1.0:
            done, total = (
                numbers.count(n * made.shape[1]) for n in (int(read * made.shape[0]), made.shape[0])
            )
            short = self.say("read_short", done=done, total=total)
            self.note.set_text(self.say("read", done=done, total=total), short=(short, ""))
            return
        self.note.set_text(self._scale(made, scale), short=(self._scale_short(scale), ""))

    def _scale(self, made: Matrix, scale: tuple[float, float]) -> str:
        kinds = kinds_of(made)
        if min(scale) >= 1.0 and max(scale) > 1.0:
            sizes = {f"n_{kind}": numbers.tenths(n) for kind, n in zip(kinds, scale, strict=True)}
            return self.say("pooled_down" if made.role == "down" else "pooled", **sizes)
        if max(scale) <= 1.0:
            return self.say("spread", wide=numbers.tenths(1 / scale[1]), high=numbers.tenths(1 / scale[0]))
        return self.say("joiner").join(
            self.say(f"pooled_{kind}", n=numbers.tenths(n))
            if n > 1.0
            else self.say(f"spread_{kind}", n=numbers.tenths(1 / n))
            for kind, n in zip(kinds, scale, strict=True)
        )

    def _scale_short(self, scale: tuple[float, float]) -> str:
        if max(scale) <= 1.0:
            return ""
        return self.say("pooled_short", rows=numbers.tenths(scale[0]), columns=numbers.tenths(scale[1]))

    def _point(self, at: tuple[int, int] | None) -> None:
        made = None if self.scene is None else self.scene.matrix
        if at is None or made is None:
            self.request(changes.hover(None))
        else:
            neuron, dim = at[::-1] if made.role == "down" else at
            stage = READS[made.role]
            self.request(changes.point(neuron=neuron, dim=dim, expert=made.expert, stage=stage))

    def _choose(self, row: int, column: int, *, gesture: str = "") -> None:
        made = None if self.scene is None else self.scene.matrix
        if made is not None:
            neuron, dim = (column, row) if made.role == "down" else (row, column)
            place = {"neuron": neuron, "dim": dim, "expert": made.expert}
            self.request(changes.choose(**place, stage=READS[made.role], gesture=gesture))

    def _step(self, dx: int, dy: int) -> None:
        """Choose the neighbour of the chosen weight, and keep it in sight."""
        scene = self.scene
        if scene is None or scene.matrix is None:
            return
        made = scene.matrix
        seen = window_seen(scene.view(self.name), made.role, made.shape)
        now = place_of(made, scene.selection.neuron, scene.selection.dim)
        after = [
            sum(span) // 2 if index is None else min(max(0, index + step), size - 1)
            for index, step, size, span in zip(now, (dy, dx), made.shape, seen, strict=True)
        ]
        rows, columns = (_holding(span, index) for span, index in zip(seen, after, strict=True))
        self._choose(after[0], after[1], gesture="arrow keys")
        if (rows, columns) != tuple(seen):
            self._zoom(rows, columns)

    def _pin(self, stage: Stage | None) -> None:
        role = next((role for role, reads in READS.items() if reads is stage), "")
        self.change_view(mode=role)

    def _zoom(self, rows: Span, columns: Span) -> None:
        made = None if self.scene is None else self.scene.matrix
        if made is None:
            return
        parts = [
            (0, 0) if past - first >= size else (first, past - first)
            for (first, past), size in zip((rows, columns), made.shape, strict=True)
        ]
        neurons, dims = parts[::-1] if made.role == "down" else parts
        self.change_view(first=dims[0], shown=dims[1], first_row=neurons[0], rows=neurons[1])


def _shape(made: Matrix) -> str:
    return f"[{numbers.count(made.shape[0])} × {numbers.count(made.shape[1])}]"


def _holding(seen: Span, index: int) -> Span:
    """The same number of rows or columns, moved as little as needed to hold one."""
    shift = min(0, index - seen[0]) + max(0, index + 1 - seen[1])
    return seen[0] + shift, seen[1] + shift
