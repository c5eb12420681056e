"""Promoters: which neurons of an opened file push a token up or down, in a layer or in all of them."""

from dataclasses import replace
from typing import ClassVar

from PySide6.QtWidgets import QWidget

from ffn_explorer.state import changes, numbers
from ffn_explorer.state.file_results import PromoterRow, Promoters
from ffn_explorer.state.looking import MOST_LETTERS
from ffn_explorer.state.opened_changes import look, select_layer
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import text
from ffn_explorer.state.visible import visible
from ffn_explorer.widgets.file_body import Blank, FileBody
from ffn_explorer.widgets.file_words import layer_name, layer_of, refused
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.mode_tabs import Mode
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.promoters_body import PromotersBody
from ffn_explorer.widgets.ranked import Column, RankedList, Ranking, Row
from ffn_explorer.widgets.word_chips import ChipBoard, ChipGroup, ChipRow, WordChip

SCOPES = ("layer", "all")
"""Where neurons are looked for."""


class PromotersPanel(Panel):
    """A field for a token, and two lists of neurons; a row leads to its layer and neuron."""

    name: ClassVar[str] = "promoters"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "file", "settings", "promoters", "looking", "selection", "views", "refusals"}
    )

    least_px: ClassVar[int] = 500

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build controls and lists."""
        super().__init__(parent)
        self.inside = PromotersBody(MOST_LETTERS)
        self.body = FileBody(self.inside)
        self.set_body(self.body)
        inside = self.inside
        inside.field.chosen.connect(lambda typed: self._ask(token=typed))
        inside.field.done.connect(inside.most.setFocus)
        inside.scope.chosen.connect(lambda scope: self._ask(all_layers=scope == "all"))
        inside.others.chosen.connect(lambda _, token: self._ask(token=f"#{token}"))
        for each, least in ((inside.most, False), (inside.least, True)):
            each.chosen.connect(lambda key, least=least: self._choose(key, least=least))
        inside.most.scrolled.connect(lambda first: self.change_view(scroll=first))
        inside.least.scrolled.connect(lambda first: self.change_view(first=first))

    def restyle(self, scene: Scene) -> None:
        """Fonts, colours and the words that a language decides."""
        super().restyle(scene)
        inside = self.inside
        inside.set_look(scene.look)
        inside.label.setText(self.say("token"))
        inside.field.set_look(
            scene.look, name=self.say("field"), hint=self.say("field_hint"), tip=self.say("field_tip")
        )
        inside.others.setAccessibleName(self.say("others"))
        for each, key in ((inside.most, "most"), (inside.least, "least")):
            each.setAccessibleName(self.say(key))
            each.setAccessibleDescription(self.say("keys"))

    def render_scene(self, scene: Scene) -> None:
        """Draw controls and lists, or why there are none."""
        found = scene.promoters
        self.title.set_text(self._title(scene, found), short=self.say("title_short"))
        self.note.set_text("")
        if scene.file is None:
            how = (self.say("panel.layers.how"), self.say("panel.layers.formats"))
            self.body.show_blank(Blank(scene.look, self.say("about"), how))
            return
        self.body.show_main()
        self._show_controls(scene, found)
        inside, refusal = self.inside, refused(scene, "promoters")
        if not scene.looking.token:
            inside.show_blank(Blank(scene.look, self.say("empty")))
        elif refusal:
            inside.show_blank(Blank(scene.look, refusal))
        elif found is None:
            inside.show_blank(Blank(scene.look, self.say("job.promoters"), waiting=True))
        else:
            self.note.set_text(self._note(found), short=("",))
            inside.most.show_picture(self._ranking(scene, found, least=False))
            inside.least.show_picture(self._ranking(scene, found, least=True))
            inside.show_lists()

    def table(self) -> list[list[str]] | None:
        """Both lists, with exact scores."""
        scene = self.scene
        found = None if scene is None else scene.promoters
        if scene is None or scene.file is None or found is None:
            return None
        rows = [["end", "layer", "expert", "neuron", "score", "token", "gain"]]
        for end, listed in (("most", found.most), ("least", found.least)):
            rows += [
                [
                    end,
                    layer_name(scene.file, row.layer, scene.look.language),
                    self._expert(row),
                    str(row.neuron),
                    repr(row.score),
                    str(found.token),
                    found.gain or "",
                ]
                for row in listed
            ]
        return rows

    # What is shown ------------------------------------------------------------------------------------------

    def _title(self, scene: Scene, found: Promoters | None) -> str:
        if scene.file is None or found is None:
            return self.say("title_empty")
        token = shown_token(found.shown, font(scene.look, "title", bold=True))
        if found.layer is None:
            return self.say("title_all", token=token)
        return self.say("title", token=token, n=layer_name(scene.file, found.layer, scene.look.language))

    def _note(self, found: Promoters) -> str:
        if found.seen < 1.0:
            return self.say("seen", share=numbers.percent(found.seen))
        return self.say("gain", gain=visible(found.gain)) if found.gain else self.say("gain_none")

    def _show_controls(self, scene: Scene, found: Promoters | None) -> None:
        inside = self.inside
        inside.field.show_text(scene.looking.token)
        modes = [Mode(name, self.say(f"scope_{name}"), self.say(f"scope_{name}_tip")) for name in SCOPES]
        chosen = "all" if scene.looking.all_layers else "layer"
        inside.scope.show_modes(modes, chosen=chosen, look=scene.look)
        face, theme = font(scene.look, "body"), self.theme
        chips = tuple(
            WordChip(token, shown_token(word, face), self.say("other_tip", n=token), 0.0, theme.muted)
            for token, word in (() if found is None else found.others)
        )
        rows = (ChipRow((ChipGroup("token", self.say("others"), chips, inline=True),)),) if chips else ()
        inside.others.show_board(ChipBoard(scene.look, rows))

    def _expert(self, row: PromoterRow) -> str:
        if row.shared:
            return self.say("shared")
        return "" if row.expert is None else str(row.expert)

    def _ranking(self, scene: Scene, found: Promoters, *, least: bool) -> Ranking:
        file, rows = scene.file, found.least if least else found.most
        assert file is not None
        language = scene.look.language
        with_expert = any(row.expert is not None or row.shared for row in (*found.most, *found.least))
        # Of all layers, which one says more than the score, which the bar shows as well.
        names = ["neuron", *(["expert"] if with_expert else []), "score", "layer"]
        if found.layer is None:
            names = [names[0], "layer", *names[1:-1]]
        columns = [Column(self.say(name), tip=self.say(f"{name}_tip")) for name in names]
        columns[0] = replace(columns[0], align="left")

        def row(index: int) -> Row:
            each = rows[index]
            texts = {
                "neuron": numbers.count(each.neuron),
                "layer": layer_name(file, each.layer, language),
                "score": numbers.short(each.score),
                "expert": self._expert(each),
            }
            return Row(index, tuple(texts[name] for name in names), each.score)

        here, neuron = layer_of(scene), scene.selection.neuron
        at = (here, scene.selection.expert if with_expert else None, neuron)
        chosen = next((i for i, r in enumerate(rows) if (r.layer, r.expert, r.neuron) == at), None)
        limit = max((abs(r.score) for r in (*found.most, *found.least)), default=1.0) or 1.0
        view = scene.view(self.name)
        return Ranking(
            look=scene.look,
            columns=tuple(columns),
            bar_head=self.say("least" if least else "most"),
            total=len(rows),
            row=row,
            first=view.first if least else view.scroll,
            limit=limit,
            chosen=chosen,
            place=lambda key: key if 0 <= key < len(rows) else None,
            keeps=3,
        )

    # Acts ---------------------------------------------------------------------------------------------------

    def _ask(self, **choices: object) -> None:
        self.change_view(scroll=0, first=0)
        self.request(look(**choices))

    def _choose(self, key: int, *, least: bool) -> None:
        """Go to the layer and the neuron of a row."""
        found = None if self.scene is None else self.scene.promoters
        if found is None:
            return
        row = (found.least if least else found.most)[key]
        listed: RankedList = self.inside.least if least else self.inside.most
        gesture = "arrow keys" if listed.walking else ""
        if row.shared:
            # The panels beside show experts that are routed to; this one has its card on the command line.
            self.request(select_layer(row.layer, gesture=gesture))
            self.told.emit(text("panel.promoters.of_shared", layer=row.layer, neuron=row.neuron))
            return
        self.request(select_layer(row.layer, neuron=row.neuron, gesture=gesture))
        if row.expert is not None:
            self.request(changes.choose(neuron=row.neuron, expert=row.expert, gesture=gesture))
