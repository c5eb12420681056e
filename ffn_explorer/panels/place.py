"""Place: where the FFN sits in a Transformer layer, and how it alternates with attention through depth."""

from dataclasses import replace
from typing import ClassVar

from PySide6.QtWidgets import QWidget

from ffn_explorer.core.spec import NormSpec
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.opened_place import OpenedPlace, opened_place
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.place_depth import DepthPicture
from ffn_explorer.widgets.place_layer import LayerPicture
from ffn_explorer.widgets.place_marks import layer_marks, token_names
from ffn_explorer.widgets.place_plan import Sublayer
from ffn_explorer.widgets.place_said import PlaceSaid
from ffn_explorer.widgets.place_view import Hit, PlacePicture, PlaceView, Row

DEPTH = "depth"
"""Mode in which all layers are shown; the other, "", shows one."""

POOLS = (2, 4, 8, 16, 32, 64, 128)
"""How many layers one pair may stand for."""

STACKS = ("encoder", "decoder")


class PlacePanel(Panel):
    """One layer of the encoder or decoder, or the alternation through all of them."""

    name: ClassVar[str] = "place"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "source", "file", "stages", "selection", "hover", "point", "progress", "current", "views"}
    )

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build tabs and an empty view."""
        super().__init__(parent)
        self.tabs = ModeTabs(2)
        self._header.addWidget(self.tabs)
        self.view = PlaceView()
        self.set_body(self.view)
        self.tabs.chosen.connect(self._show_mode)
        self.view.pointed.connect(lambda hit: self.request(changes.point(stage=hit.stage, token=hit.token)))
        self.view.chosen.connect(self._choose)
        self.view.stepped.connect(self._step)
        self.view.switch.clicked.connect(self._mix)
        self.view.other.clicked.connect(self._other_stack)

    def render_scene(self, scene: Scene) -> None:
        """Draw the mode that is chosen."""
        deep = scene.view(self.name).mode == DEPTH
        self.title.set_text(self.say("title"), short=self.say("title_short"))
        modes = [Mode(name, self.say(f"mode_{key}"), self.say(f"mode_{key}_tip")) for name, key in _MODES]
        self.tabs.show_modes(modes, chosen=DEPTH if deep else "", look=scene.look)
        self.view.setAccessibleName(self.say(f"view_{'depth' if deep else 'layer'}"))
        self.view.setAccessibleDescription(self.say(f"keys_{'depth' if deep else 'layer'}"))
        run = scene.run
        if run is None:
            self.view.show_picture(None, scene.look, sentence=self.empty())
            return
        self._name_buttons(scene, run)
        self.view.show_picture(self._depth(scene, run) if deep else self._layer(scene, run), scene.look)

    def table(self) -> list[list[str]] | None:
        """Parameters and FLOPs of each block, of one layer and of all."""
        if self.scene is None or self.scene.run is None:
            return None
        bill, opened = self.scene.run.bill, opened_place(self.scene, self.scene.run)
        layers = self.scene.run.request.settings.layers if opened is None else len(opened.places)
        ffns = layers * bill.ffn_total if opened is None else opened.parameters
        spent = bill.projection_flops + bill.score_flops
        rows = (
            ("ffn", bill.ffn_total, bill.ffn_flops, ffns),
            ("attention", bill.attention_weights, spent, layers * bill.attention_weights),
        )
        head = [self.say(f"table_{name}") for name in ("block", "one", "flops", "all")]
        return [head, *([self.say(f"table_{n}"), str(p), str(f), str(whole)] for n, p, f, whole in rows)]

    # One layer ----------------------------------------------------------------------------------------------

    def _said(self, scene: Scene, run: RunResult) -> PlaceSaid:
        return PlaceSaid(scene.look.language, run, opened_place(scene, run))

    def _layer(self, scene: Scene, run: RunResult) -> PlacePicture:
        settings, opened = run.request.settings, run.request.source.opened is not None
        stacks = (settings.stack,) if opened else (settings.stack, _other(settings.stack))
        return PlacePicture(
            look=scene.look,
            rows=tuple(self._row(scene, run, stack) for stack in stacks),
            stages=run.stages,
            widths=(settings.d_model, settings.d_ff),
            depth=None,
            caption=self._said(scene, run).layer_caption(),
            switch=(self.say("off"), self.say("on")),
            mixed=settings.mixer,
            free=not opened,
        )

    def _row(self, scene: Scene, run: RunResult, stack: str) -> Row:
        settings, mine = run.request.settings, stack == run.request.settings.stack
        pointed, said = scene.pointed.stage, self._said(scene, run)
        token = tuple(self.say("token", token=name) for name in token_names(scene, run))
        picture = LayerPicture(
            look=scene.look,
            labels=said.labels(stack),
            stages=tuple((stage, self._stage_words(stage)) for stage in run.stages),
            norm=self.say("norm"),
            ends=("x", "y"),
            token=(self.say("enters"), token) if mine else None,
            lit=mine,
            mixed=settings.mixer,
            progress=scene.progress,
            current=scene.current,
            chosen=scene.selection.stage,
            pointed=pointed if pointed in run.stages else None,
            marks=layer_marks(scene, settings) if mine else (),
        )
        heading = said.heading(stack, mine=mine)
        return Row(heading, sublayers_of(run, stack, said.opened), picture)

    def _stage_words(self, stage: Stage) -> tuple[str, ...]:
        return (self.say(f"panel.stage.short.{stage}"),)

    # All layers ---------------------------------------------------------------------------------------------

    def _depth(self, scene: Scene, run: RunResult) -> PlacePicture:
        settings, chosen, small = run.request.settings, scene.selection, font(scene.look, "small")
        moving = [share for stage, share in scene.progress if stage is not Stage.INPUT]
        tokens = run.tokens[chosen.sentence]
        pointed, said = scene.pointed.token, self._said(scene, run)
        opened = said.opened
        depth = DepthPicture(
            look=scene.look,
            tokens=tuple(shown_token(token, small) for token in tokens),
            layers=settings.layers if opened is None else len(opened.places),
            layer=settings.layer if opened is None else opened.at,
            causal=settings.stack == "decoder",
            mixed=settings.mixer,
            done=sum(moving) / max(1, len(moving)),
            chosen=chosen.token,
            pointed=pointed if pointed is not None and pointed < len(tokens) else None,
            heads=tuple(  # type: ignore[arg-type] # two of them
                tuple(self.say(f"{block}_{size}") for size in ("head", "head_short", "head_least"))
                for block in ("attention", "ffn")
            ),
            axis=said.axis(),
            pooled=tuple((n, said.sentence("axis_pooled", n=numbers.count(n))) for n in POOLS),
        )
        return PlacePicture(
            look=scene.look,
            rows=(),
            stages=run.stages,
            widths=(settings.d_model, settings.d_ff),
            depth=depth,
            caption=said.depth_caption(),
            switch=(self.say("off"), self.say("on")),
            mixed=settings.mixer,
        )

    # What a person does -------------------------------------------------------------------------------------

    def _name_buttons(self, scene: Scene, run: RunResult) -> None:
        """Names and tips; attention and stack can be chosen with seeded weights alone."""
        settings, cannot = run.request.settings, self._said(scene, run).cannot()
        other = _other(settings.stack)
        self.view.other.set_word(
            self.say(f"show_{other}"), among=[self.say(f"show_{stack}") for stack in STACKS]
        )
        tips = (f"show_{other}_tip", "switch_tip") if cannot is None else (cannot, cannot)
        self.view.other.explain(self.say(f"show_{other}"), self.say(tips[0]))
        state = self.say("on" if settings.mixer else "off")
        self.view.switch.explain(self.say("switch", state=state), self.say(tips[1]))
        for button in (self.view.other, self.view.switch):
            button.setEnabled(cannot is None)

    def _choose(self, hit: Hit) -> None:
        if hit.stage is not None:
            self.go_to(hit.stage)
        elif hit.other:
            self._other_stack()
        if hit.token is not None:
            self.request(changes.choose(token=hit.token))
        if hit.layer is not None and self.scene is not None:
            self._go_to_layer(self.scene, hit.layer)

    def _step(self, dx: int, dy: int) -> None:
        scene = self.scene
        if scene is None or scene.run is None:
            return
        if scene.view(self.name).mode == DEPTH:
            self._step_deep(scene, dx, dy)
        elif dy:
            self._other_stack()
        else:
            stages = scene.run.stages
            at = stages.index(scene.current) + dx
            if 0 <= at < len(stages):
                self.go_to(stages[at])

    def _step_deep(self, scene: Scene, dx: int, dy: int) -> None:
        run = scene.run
        opened = None if run is None else opened_place(scene, run)
        now = scene.settings.layer if opened is None else opened.at
        if dy:
            token = scene.selection.token + dy
            if 0 <= token < len(scene.chips):
                self.request(changes.choose(token=token, gesture="arrow keys"))
        else:
            self._go_to_layer(scene, now + dx, gesture="arrow keys")

    def _go_to_layer(self, scene: Scene, at: int, *, gesture: str = "") -> None:
        """Look at the layer in a place of the stack, where there is one."""
        opened = None if scene.run is None else opened_place(scene, scene.run)
        places = range(scene.settings.layers) if opened is None else opened.places
        if 0 <= at < len(places):
            self.request(changes.set_setting("layer", places[at], gesture=gesture))

    def _mix(self) -> None:
        if self.scene is not None:
            self.request(changes.set_setting("mixer", not self.scene.settings.mixer))

    def _other_stack(self) -> None:
        if self.scene is not None and self.scene.source.plain:
            self.request(changes.set_setting("stack", _other(self.scene.settings.stack)))

    def _show_mode(self, mode: str) -> None:
        if self.scene is not None:
            self.request(changes.set_view(self.name, replace(self.scene.view(self.name), mode=mode)))


_MODES = (("", "layer"), (DEPTH, "depth"))


def _other(stack: str) -> str:
    return STACKS[1 - STACKS.index(stack)]


def sublayers_of(run: RunResult, stack: str, opened: OpenedPlace | None = None) -> tuple[Sublayer, ...]:
    """Sublayers of a stack's layer; the mixer, where it runs, stands on a pre-norm and keeps its residual.

    Beside a parallel FFN attention is left out: it reads the same norm, and neither stands before the other.
    """
    settings, spec = run.request.settings, run.spec
    norm, residual = spec.norm, spec.residual
    if norm.placement == "parallel":
        return (Sublayer("ffn", norm, residual),)
    first = Sublayer("self", norm, residual)
    if settings.mixer and stack == settings.stack:
        first = Sublayer("self", norm if norm.kind == "none" else NormSpec(norm.kind, "pre"), residual=True)
    crossed = stack == "decoder" and (run.request.source.opened is None or bool(opened and opened.crossed))
    cross = (Sublayer("cross", norm, residual),) if crossed else ()
    return (first, *cross, Sublayer("ffn", norm, residual))
