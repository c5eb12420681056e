"""Atlas: all neurons of an opened file's layer at once, as dots and as a list in any order."""

from typing import ClassVar

from PySide6.QtWidgets import QWidget

from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.atlas_rows import is_cosine, symbol
from ffn_explorer.state.file_results import Atlas
from ffn_explorer.state.looking import AXES
from ffn_explorer.state.opened_changes import look
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.visible import visible
from ffn_explorer.widgets.atlas_body import AtlasBody
from ffn_explorer.widgets.atlas_known import AtlasKnown, Shown, axes_of
from ffn_explorer.widgets.atlas_list import AtlasWords, atlas_ranking, first_row
from ffn_explorer.widgets.atlas_picture import AtlasPicture, Window, window_of
from ffn_explorer.widgets.file_body import Blank, FileBody
from ffn_explorer.widgets.file_words import layer_at, layer_name, layer_of, refused
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.ranking import Column


class AtlasPanel(Panel):
    """Norms against norms, coloured by a cosine; click, arrows and list lead to a neuron."""

    name: ClassVar[str] = "atlas"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "file", "settings", "atlas", "looking", "selection", "hover", "point", "views", "refusals"}
    )

    least_px: ClassVar[int] = 440

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build controls, plot and list."""
        super().__init__(parent)
        self.inside = AtlasBody()
        self.body = FileBody(self.inside)
        self.set_body(self.body)
        self._known = AtlasKnown()
        body = self.inside
        body.across.chosen.connect(lambda axis: self._look(across=axis))
        body.upward.chosen.connect(lambda axis: self._look(upward=axis))
        body.order.chosen.connect(lambda order: self.change_view(sort=order, scroll=0))
        body.filter.chosen.connect(lambda typed: self.change_view(mode=typed, scroll=0))
        for edit in (body.across, body.upward, body.order, body.filter):
            edit.done.connect(body.list.setFocus)
        body.plot.pointed.connect(self._point)
        body.plot.chosen.connect(self._choose_dot)
        body.plot.walked.connect(self._walk)
        body.plot.zoomed.connect(self._zoom)
        body.list.pointed.connect(self._point)
        body.list.chosen.connect(self._choose_row)
        # 0 is "not scrolled yet": then the chosen neuron is in sight.
        body.list.scrolled.connect(lambda first: self.change_view(scroll=first + 1))
        body.list.sorted_by.connect(self._sort)

    def restyle(self, scene: Scene) -> None:
        """Fonts, colours and the words that a language decides."""
        super().restyle(scene)
        body = self.inside
        body.set_look(scene.look)
        for label, key, combo in zip(
            body.labels, ("across", "upward"), (body.across, body.upward), strict=True
        ):
            label.setText(self.say(key))
            label.setBuddy(combo)
            combo.setAccessibleName(self.say(f"{key}_name"))
        body.order.setAccessibleName(self.say("order"))
        body.filter.set_look(
            scene.look, name=self.say("filter"), hint=self.say("filter_hint"), tip=self.say("filter_tip")
        )
        body.plot.setAccessibleDescription(self.say("plot_keys"))
        body.list.setAccessibleDescription(self.say("list_keys"))

    def render_scene(self, scene: Scene) -> None:
        """Draw controls, dots and rows."""
        atlas = self._atlas(scene)
        self.title.set_text(self._title(scene, atlas))
        self.note.set_text("")
        if atlas is None:
            self.body.show_blank(self._blank(scene))
            return
        shown = self._known.shown(atlas, scene.view(self.name), scene.looking)
        self.note.set_text(self.say("note", count=numbers.count(len(shown.rows.place))))
        self._show_controls(scene, shown)
        self._show_plot(scene, shown)
        self._show_list(scene, shown)
        self.inside.count.set_text(self._counted(shown))
        whole, *shorter = self._origins(scene, atlas, len(shown.rows.place))
        self.inside.source.set_text(whole, short=tuple(shorter))
        self.body.show_main()
        self.inside.arrange()

    def table(self) -> list[list[str]] | None:
        """Every neuron listed, in the order of the list."""
        scene = self.scene
        atlas = None if scene is None else self._atlas(scene)
        if scene is None or atlas is None:
            return None
        shown = self._known.shown(atlas, scene.view(self.name), scene.looking)
        order = shown.rows.order
        lists = [values[order].tolist() for values in shown.columns.values()]
        values = zip(order.tolist(), *lists, strict=True)
        return [["neuron", *map(symbol, shown.columns)], *(list(map(repr, row)) for row in values)]

    # What there is ------------------------------------------------------------------------------------------

    def _atlas(self, scene: Scene) -> Atlas | None:
        """The atlas, where it is of the layer on screen."""
        found = scene.atlas
        return found if found is not None and found.layer == layer_of(scene) else None

    def _title(self, scene: Scene, atlas: Atlas | None) -> str:
        if scene.file is None:
            return self.say("title_empty")
        n = layer_name(scene.file, layer_of(scene), scene.look.language)
        if atlas is not None and atlas.expert is not None:
            return self.say("title_expert", n=n, expert=atlas.expert)
        return self.say("title", n=n)

    def _blank(self, scene: Scene) -> Blank:
        """Nothing is open, it is refused, or it is being read."""
        if scene.file is None:
            how = (self.say("panel.layers.how"), self.say("panel.layers.formats"))
            return Blank(scene.look, self.say("about"), how)
        refusal = refused(scene, "atlas")
        return Blank(scene.look, refusal or self.say("reading"), waiting=not refusal)

    def _show_controls(self, scene: Scene, shown: Shown) -> None:
        body, rows = self.inside, shown.rows
        axes = [(axis, symbol(axis)) for axis in AXES if axis in shown.columns]
        body.across.show_choices(list(axes), shown.drawn.across)
        body.upward.show_choices(list(axes), shown.drawn.upward)
        orders = []
        for axis, words in axes:
            large, small = ("most_positive", "most_negative") if is_cosine(axis) else ("largest", "smallest")
            orders += [(str(axis), self.say(large, what=words)), (f"-{axis}", self.say(small, what=words))]
        body.order.show_choices(orders, f"-{rows.sort}" if rows.smallest else rows.sort)
        for combo, key in ((body.across, "across"), (body.upward, "upward"), (body.order, "order")):
            # What is chosen may be longer than the room for it.
            combo.setToolTip(f"{combo.currentText()}: {self.say(f'{key}_tip')}")
        body.filter.show_text(scene.view(self.name).mode)

    def _show_plot(self, scene: Scene, shown: Shown) -> None:
        window, drawn = window_of(scene.view(self.name)), shown.drawn
        x_name = tuple(self.say(f"axis{form}", name=symbol(drawn.across)) for form in ("", "_short"))
        hovered, chosen = scene.pointed.neuron, scene.selection.neuron
        picture = AtlasPicture(
            look=scene.look,
            axes=axes_of(shown, window, x_name),
            points=shown.points,
            window=window,
            chosen=chosen,
            hovered=hovered,
            scale=(self.say("colour", name=symbol(drawn.colour)), symbol(drawn.colour)),
            said=self._said(shown, hovered, chosen),
        )
        self.inside.plot.show_picture(picture)
        self.inside.plot.setAccessibleName(self.title.text)

    def _said(self, shown: Shown, hovered: int | None, chosen: int | None) -> tuple[str, ...]:
        """The pointed neuron and its numbers; of the chosen one, which stands in the list, its number."""
        neuron = chosen if hovered is None else hovered
        if neuron is None or not 0 <= neuron < len(shown.rows.place):
            return ()
        if hovered is None:
            return (numbers.count(neuron),)
        values = (
            f"{symbol(axis)} {numbers.short(float(shown.columns[axis][neuron]))}" for axis in shown.drawn.all
        )
        return (self.say("neuron_n", n=numbers.count(neuron)), *values)

    def _show_list(self, scene: Scene, shown: Shown) -> None:
        rows, listed = shown.rows, self.inside.list
        words = AtlasWords(
            Column(self.say("neuron"), "left", self.say("neuron_tip"), numbers.count(len(rows.place))),
            explained=lambda axis: self.say(f"tip_{axis}"),
            heading=self.say("not_finite", count=numbers.count(len(rows.order) - rows.finite)),
        )
        ranking = atlas_ranking(
            rows,
            scene.look,
            words,
            first=shown.drawn.all,
            scroll=first_row(rows, scene.view(self.name).scroll, scene.selection.neuron),
            chosen=scene.selection.neuron,
            hovered=scene.pointed.neuron,
        )
        if ranking.total:
            listed.show_picture(ranking)
        else:
            listed.show_sentence(self.say("nothing_passes"), scene.look)
        listed.setAccessibleName(self.say("rows"))

    def _counted(self, shown: Shown) -> str:
        """How many are listed, and how many are not drawn; or that the filter is not understood."""
        if shown.conditions is None:
            return self.say("filter_wrong")
        total, broken = len(shown.rows.place), int(shown.rows.broken.sum())
        words = [self.say("apart", count=numbers.count(broken))] if broken else []
        if shown.conditions:
            listed, all_of = numbers.count(len(shown.rows.order)), numbers.count(total)
            words.insert(0, self.say("listed", count=listed, total=all_of))
        elif not words:
            words = [self.say("all_listed", count=numbers.count(total))]
        return " · ".join(words)

    def _origins(self, scene: Scene, atlas: Atlas, count: int) -> tuple[str, ...]:
        """Tensors and file that all this was read from, the longest wording first."""
        layer, file = layer_at(scene), scene.file
        if layer is None or file is None:
            return ("",)
        expert = atlas.expert or 0
        names = [ref.names[min(expert, len(ref.names) - 1)] for ref in layer.mlp.roles.values()]
        said = {"count": numbers.count(count), "file": visible(file.places[layer_of(scene)])}
        return (
            self.say("source", **said, tensors=", ".join(map(visible, names))),
            self.say("source_short", **said),
            self.say("source_shortest", **said),
        )

    # Acts ---------------------------------------------------------------------------------------------------

    def _look(self, **axis: str) -> None:
        self.change_view(first=0, shown=0, first_row=0, rows=0)
        self.request(look(**axis))

    def _sort(self, name: str) -> None:
        """Order by a head; the one in force turns around."""
        rows = self._known.rows
        if rows is not None:
            again = rows.sort == name and not rows.smallest
            self.change_view(sort=f"-{name}" if again else name, scroll=0)

    def _zoom(self, window: Window) -> None:
        self.change_view(first=window[0], shown=window[1], first_row=window[2], rows=window[3])

    def _point(self, neuron: int | None) -> None:
        scene = self.scene
        atlas = None if scene is None else self._atlas(scene)
        if scene is None or scene.run is None or atlas is None or neuron is None or neuron < 0:
            self.request(changes.hover(None))
        elif atlas.expert is not None:
            self.request(changes.point(neuron=neuron, expert=atlas.expert))
        else:
            at = scene.selection
            self.request(changes.hover(Cell(scene.run.enters_down, at.sentence, at.token, neuron)))

    def _choose(self, neuron: int) -> None:
        scene = self.scene
        atlas = None if scene is None else self._atlas(scene)
        if scene is None or scene.run is None or atlas is None or neuron < 0:
            return
        gesture = "arrow keys" if self.inside.list.walking else ""
        self.request(
            changes.choose(neuron=neuron, expert=atlas.expert, stage=scene.run.enters_down, gesture=gesture)
        )

    def _choose_row(self, neuron: int) -> None:
        """Choose a row; the list stays where it is."""
        laid = self.inside.list.laid
        if self.scene is not None and not self.scene.view(self.name).scroll and laid is not None:
            self.change_view(scroll=laid.first + 1)
        self._choose(neuron)

    def _choose_dot(self, neuron: int) -> None:
        """Choose a dot, and bring its row into sight."""
        laid, rows = self.inside.list.laid, self._known.rows
        place = None if rows is None else rows.place_of(neuron)
        if laid is not None and place is not None and not 0 <= place - laid.first < laid.in_sight:
            self.change_view(scroll=max(0, place - laid.in_sight // 2) + 1)
        self._choose(neuron)

    def _walk(self, step: int) -> None:
        """The next neuron of the list, from a plot that has the keyboard."""
        self.inside.list.walk(step)
