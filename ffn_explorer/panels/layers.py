"""Layers: what an opened file holds, a row per FFN layer, and what is not certain about it."""

from collections.abc import Iterator
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ffn_explorer.checkpoints.scheme import LayerScheme, Note
from ffn_explorer.core.budget import in_words
from ffn_explorer.state import numbers
from ffn_explorer.state.file_facts import FileFacts
from ffn_explorer.state.opened_changes import select_layer
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.visible import visible
from ffn_explorer.widgets.facts import Fact, Facts
from ffn_explorer.widgets.file_body import Blank, FileBody
from ffn_explorer.widgets.file_words import note_text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.layer_rows import NAMES, LayerRows, activation_of, layer_ranking
from ffn_explorer.widgets.panel import PADDING_PX, Panel
from ffn_explorer.widgets.sorted_list import SortedList
from ffn_explorer.widgets.word_edit import WordEdit

MOST_LETTERS = 60
FACTS_SHARE = 0.18
"""Share of the card's height that facts may take."""

FORMATS = {"gguf": "GGUF", "safetensors": "safetensors", "torch": "PyTorch"}


class LayersPanel(Panel):
    """Facts of the file, its doubts, and the layers to choose from."""

    name: ClassVar[str] = "layers"
    reads: ClassVar[frozenset[str]] = frozenset({"file", "settings", "views"})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build facts, filter and list."""
        super().__init__(parent)
        inside = QWidget()
        self.facts = Facts()
        self.doubts = ElidedLabel()
        self.filter = WordEdit(MOST_LETTERS, live=True, wide=150)
        self.count = ElidedLabel(align=Qt.AlignmentFlag.AlignRight)
        self.list = SortedList()
        above = QHBoxLayout()
        above.setSpacing(8)
        above.addWidget(self.filter, 1)
        above.addWidget(self.count, 1)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        column.addWidget(self.facts)
        column.addWidget(self.doubts)
        column.addLayout(above)
        column.addWidget(self.list, 1)
        self.body = FileBody(inside)
        self.set_body(self.body)
        self.filter.chosen.connect(lambda typed: self.change_view(mode=typed, scroll=0))
        self.filter.done.connect(self.list.setFocus)
        self.list.chosen.connect(self._choose)
        self.list.scrolled.connect(lambda first: self.change_view(scroll=first + 1))
        self.list.sorted_by.connect(self._sort)

    def restyle(self, scene: Scene) -> None:
        """Fonts, colours and the words that a language decides."""
        super().restyle(scene)
        small = font(scene.look, "small")
        for line in (self.doubts, self.count):
            line.set_look(small, self.theme.muted)
        self.filter.set_look(
            scene.look, name=self.say("filter"), hint=self.say("filter_hint"), tip=self.say("filter_tip")
        )
        self.list.setAccessibleName(self.say("rows"))
        self.list.setAccessibleDescription(self.say("keys"))

    def render_scene(self, scene: Scene) -> None:
        """Draw facts and rows, or how a file is opened."""
        file = scene.file
        if file is None:
            self.title.set_text(self.say("title_empty"))
            self.note.set_text("")
            how = (self.say("how"), self.say("formats"))
            self.body.show_blank(Blank(scene.look, self.say("empty"), how))
            return
        name = visible(file.name)
        self.title.set_text(name)
        self.title.set_about(f"{visible(file.path)}\n{self.say('about')}")
        self.note.set_text(self.say("note", n=numbers.count(len(file.layers))), short="")
        self.facts.show_facts(tuple(self._facts(file)), scene.look)
        self._show_doubts(scene, file)
        rows = self._rows(scene, file)
        self.filter.show_text(scene.view(self.name).mode)
        listed = sum(at >= 0 for at in rows.order)
        both = {"count": numbers.count(listed), "total": numbers.count(len(file.layers))}
        self.count.set_text(self.say("listed", **both) if rows.typed else "")
        self.count.setVisible(bool(rows.typed))
        if listed:
            self._show_rows(scene, rows)
        else:
            self.list.show_sentence(self.say("nothing_passes"), scene.look)
        self.body.show_main()
        self._make_room()

    def table(self) -> list[list[str]] | None:
        """A row per layer, and the sentences about it."""
        scene = self.scene
        file = None if scene is None else scene.file
        if scene is None or file is None:
            return None
        rows = self._rows(scene, file)
        head = [self.say(f"head_{name}") for name in NAMES]
        found = [[*head, self.say("head_exact"), self.say("head_notes")]]
        for at in rows.order:
            if at >= 0:
                texts = [rows.text(at, name) for name in NAMES]
                notes = " ".join(self._sentences(_notes_of(file.layers[at])))
                found.append([*texts, str(file.sizes[at]), notes])
        return found

    def resizeEvent(self, event: object) -> None:
        """As many facts as there is room for."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._make_room()

    def _make_room(self) -> None:
        if self.scene is not None and self.scene.file is not None:
            wide = max(1, self.width() - 2 * PADDING_PX)
            self.facts.set_brief(False)
            # The rows need their room: where facts would take much of it, the first ones are enough.
            self.facts.set_brief(self.facts.height_for(wide) > FACTS_SHARE * self.height())
            self.facts.setFixedHeight(self.facts.height_for(wide))

    # What is shown ------------------------------------------------------------------------------------------

    def _facts(self, file: FileFacts) -> Iterator[Fact]:
        yield Fact(
            self.say("fact_format"), FORMATS.get(file.format, file.format), self.say("fact_format_tip")
        )
        yield self._family(file)
        size, tensors = in_words(file.nbytes), numbers.count(file.tensors)
        yield Fact(self.say("fact_bytes"), size, self.say("fact_bytes_tip", tensors=tensors))
        yield self._tokenizer(file)

    def _family(self, file: FileFacts) -> Fact:
        sure = f"{round(100 * file.confidence)} %"
        if not file.family:
            return Fact(
                self.say("fact_family"), self.say("by_structure", sure=sure), self.say("by_structure_tip")
            )
        name = self.say("family_gguf") if file.family == "gguf" else visible(file.family)
        if file.confidence < 1.0:
            return Fact(
                self.say("fact_family"), self.say("family_unsure", family=name, sure=sure),
                self.say("family_unsure_tip"),
            )  # fmt: skip
        return Fact(self.say("fact_family"), name, self.say("family_tip"))

    def _tokenizer(self, file: FileFacts) -> Fact:
        label = self.say("fact_tokenizer")
        if file.trouble is not None:
            return Fact(label, self.say("tokenizer_broken"), self.say(note_text(file.trouble)))
        if not file.tokenizer:
            return Fact(label, self.say("tokenizer_none"), self.say("tokenizer_none_tip"))
        said = visible(file.tokenizer)
        # "tokenizer.json (BPE)": what it is matters more than where it stands.
        kind = said[said.rfind("(") + 1 : -1] if said.endswith(")") and "(" in said else said
        rows = numbers.count(file.vocabulary)
        return Fact(label, kind, self.say("tokenizer_tip", said=said, rows=rows))

    def _show_doubts(self, scene: Scene, file: FileFacts) -> None:
        """The first sentence in sight, all of them in the tooltip."""
        at = scene.settings.layer
        notes = [*file.doubts, *file.lens.doubts, *([] if file.trouble is None else [file.trouble])]
        notes += _notes_of(file.layers[at]) if 0 <= at < len(file.layers) else ()
        said = self._sentences(notes)
        self.doubts.setVisible(bool(said))
        if said:
            more = self.say("more", n=numbers.count(len(said) - 1)) if len(said) > 1 else ""
            self.doubts.set_text(" ".join(filter(None, (said[0], more))))
            self.doubts.set_about("\n".join(said))

    def _sentences(self, notes: list[Note] | tuple[Note, ...]) -> list[str]:
        return list(dict.fromkeys(self.say(note_text(note)) for note in notes))

    def _rows(self, scene: Scene, file: FileFacts) -> LayerRows:
        view = scene.view(self.name)
        sort = view.sort.removeprefix("-")
        sort = sort if sort in NAMES else ""
        return LayerRows(file, scene.look.language, sort, not view.sort.startswith("-"), view.mode)

    def _show_rows(self, scene: Scene, rows: LayerRows) -> None:
        scroll, chosen = scene.view(self.name).scroll, scene.settings.layer
        place = rows.order.index(chosen) if chosen in rows.order else 0
        # 0 is "not scrolled yet": then the layer on screen is in sight.
        first = scroll - 1 if scroll else max(0, place - 4)
        tip = self._tip
        ranking = layer_ranking(rows, scene.look, chosen=chosen, scroll=first, tip=tip)
        self.list.show_picture(ranking)

    def _tip(self, at: int) -> str:
        """Everything about one layer."""
        file = None if self.scene is None else self.scene.file
        if file is None or not 0 <= at < len(file.layers):
            return ""
        layer = file.layers[at]
        shape = f"D {numbers.count(layer.d_model)}, Dff {numbers.count(layer.d_ff)}"
        said = self.say(
            "tip", n=numbers.count(layer.index), stack=visible(layer.stack or "–"), shape=shape,
            activation=activation_of(layer, self.say("unknown")),
            bytes=numbers.count(file.sizes[at]), file=visible(file.places[at] or "–"),
        )  # fmt: skip
        return "\n".join([said, *_tensors(layer), *self._sentences(_notes_of(layer))])

    # Acts ---------------------------------------------------------------------------------------------------

    def _choose(self, at: int) -> None:
        laid = self.list.laid
        if self.scene is not None and not self.scene.view(self.name).scroll and laid is not None:
            self.change_view(scroll=laid.first + 1)  # the list stays where it is
        if at >= 0:
            gesture = "arrow keys" if self.list.walking else ""
            self.request(select_layer(at, gesture=gesture))

    def _sort(self, name: str) -> None:
        """Order by a head: numbers the largest first, words by letter; once more turns around."""
        if self.scene is None:
            return
        now = self.scene.view(self.name).sort
        falling = name in ("d_ff", "d_model", "bytes", "kind")
        first, second = (f"-{name}", name) if falling else (name, f"-{name}")
        wanted = second if now == first or (name == "layer" and now == "") else first
        self.change_view(sort="" if wanted == "layer" else wanted, scroll=0)


def _notes_of(layer: LayerScheme) -> tuple[Note, ...]:
    """What of a layer cannot be computed, is not certain, or is left out of pictures."""
    return (*layer.gaps, *layer.doubts, *layer.limits)


def _tensors(layer: LayerScheme) -> list[str]:
    """Role and first tensor of each matrix."""
    found = []
    for role, ref in layer.mlp.roles.items():
        more = f" … ({numbers.count(len(ref.names))})" if len(ref.names) > 1 else ""
        found.append(f"{role}: {visible(ref.names[0])}{more}")
    return found
