"""Place: where the FFN sits in a Transformer layer, and how it alternates with attention through depth."""

from dataclasses import replace
from typing import ClassVar

from PySide6.QtWidgets import QWidget

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import NormSpec
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.place_depth import DepthPicture
from ffn_explorer.widgets.place_layer import LayerPicture
from ffn_explorer.widgets.place_marks import layer_marks, token_names
from ffn_explorer.widgets.place_plan import Kind, Sublayer
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
        {"run", "source", "stages", "selection", "hover", "point", "progress", "current", "views"}
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
            self.view.show_picture(None, scene.look, sentence=self.say("empty"))
            return
        self._name_buttons(run.request.settings, free=scene.source.memory is None)
        self.view.show_picture(self._depth(scene, run) if deep else self._layer(scene, run), scene.look)

    def table(self) -> list[list[str]] | None:
        """Parameters and FLOPs of each block, of one layer and of all."""
        if self.scene is None or self.scene.run is None:
            return None
        bill, layers = self.scene.run.bill, self.scene.run.request.settings.layers
        rows = (
            ("ffn", bill.ffn_total, bill.ffn_flops),
            ("attention", bill.attention_weights, bill.projection_flops + bill.score_flops),
        )
        head = [self.say(f"table_{name}") for name in ("block", "one", "flops", "all")]
        return [head, *([self.say(f"table_{n}"), str(p), str(f), str(p * layers)] for n, p, f in rows)]

    # One layer ----------------------------------------------------------------------------------------------

    def _layer(self, scene: Scene, run: RunResult) -> PlacePicture:
        settings = run.request.settings
        stacks = (settings.stack, _other(settings.stack))
        return PlacePicture(
            look=scene.look,
            rows=tuple(self._row(scene, run, stack) for stack in stacks),
            stages=run.stages,
            widths=(settings.d_model, settings.d_ff),
            depth=None,
            caption=self._layer_caption(run),
            switch=(self.say("off"), self.say("on")),
            mixed=settings.mixer,
        )

    def _row(self, scene: Scene, run: RunResult, stack: str) -> Row:
        settings, mine = run.request.settings, stack == run.request.settings.stack
        pointed = scene.pointed.stage
        token = tuple(self.say("token", token=name) for name in token_names(scene, run))
        picture = LayerPicture(
            look=scene.look,
            labels=self._labels(run, stack),
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
        number = {"n": numbers.count(settings.layer), "last": numbers.count(settings.layers - 1)}
        keys = (
            tuple(f"heading_{stack}{size}" for size in ("", "_short", "_least"))
            if mine
            else (f"beside_{stack}",)
        )
        return Row(tuple(self.say(key, **number) for key in keys), sublayers_of(run, stack), picture)

    def _labels(self, run: RunResult, stack: str) -> tuple[tuple[Kind, tuple[str, ...]], ...]:
        settings, bill = run.request.settings, run.bill
        weights = self.say("weights", n=numbers.axis(bill.attention_weights))
        own = "masked" if stack == "decoder" else "self"
        attention = tuple(self.say(f"{own}_{size}") for size in ("long", "lines", "short", "least"))
        cross = tuple(self.say(f"cross_{size}") for size in ("long", "lines", "short", "least"))
        shape = {"d": numbers.count(settings.d_model), "f": numbers.count(settings.d_ff)}
        ffn: tuple[str, ...] = (self.say("ffn_shape", **shape),)
        if settings.is_moe:
            experts = {"n": numbers.count(settings.experts), "k": numbers.count(settings.top_k)}
            ffn = (self.say("ffn_experts", **experts, **shape), self.say("ffn_moe"))
        return (
            ("self", (f"{attention[0]}\n{weights}", f"{attention[1]}\n{weights}", *attention)),
            ("cross", (f"{cross[0]}\n{weights}", f"{cross[1]}\n{weights}", *cross)),
            ("ffn", (*ffn, self.say("ffn"))),
        )

    def _stage_words(self, stage: Stage) -> tuple[str, ...]:
        return (self.say(f"panel.stage.short.{stage}"),)

    def _layer_caption(self, run: RunResult) -> tuple[tuple[str, ...], ...]:
        settings, bill = run.request.settings, run.bill
        share = bill.ffn_total / (bill.ffn_total + bill.attention_weights)
        counted = {
            "ffn": numbers.count(bill.ffn_total),
            "attention": numbers.count(bill.attention_weights),
            "heads": numbers.count(settings.heads),
            "share": numbers.short(100 * share),
        }
        by_hand = run.request.source.memory is not None
        attention = "mixed" if settings.mixer else "by_hand" if by_hand else "not_mixed"
        said: list[tuple[str, ...]] = [self._sentence(attention), self._sentence("bill", **counted)]
        if settings.mixer and settings.norm != "none" and settings.norm_placement != "pre":
            said.insert(1, (self.say("mixer_norm"),))
        if settings.stack == "decoder":
            said.append((self.say("decoder_only"),))
        return (*said, (self.say(f"placed_{run.spec.norm.placement}"),))

    def _sentence(self, key: str, **values: str) -> tuple[str, str]:
        """A sentence and its short wording."""
        return self.say(key, **values), self.say(f"{key}_short", **values)

    # All layers ---------------------------------------------------------------------------------------------

    def _depth(self, scene: Scene, run: RunResult) -> PlacePicture:
        settings, chosen, small = run.request.settings, scene.selection, font(scene.look, "small")
        moving = [share for stage, share in scene.progress if stage is not Stage.INPUT]
        tokens = run.tokens[chosen.sentence]
        pointed = scene.pointed.token
        depth = DepthPicture(
            look=scene.look,
            tokens=tuple(shown_token(token, small) for token in tokens),
            layers=settings.layers,
            layer=settings.layer,
            causal=settings.stack == "decoder",
            mixed=settings.mixer,
            done=sum(moving) / max(1, len(moving)),
            chosen=chosen.token,
            pointed=pointed if pointed is not None and pointed < len(tokens) else None,
            heads=tuple(  # type: ignore[arg-type] # two of them
                tuple(self.say(f"{block}_{size}") for size in ("head", "head_short", "head_least"))
                for block in ("attention", "ffn")
            ),
            axis=self._sentence("axis"),
            pooled=tuple((n, self._sentence("axis_pooled", n=numbers.count(n))) for n in POOLS),
        )
        return PlacePicture(
            look=scene.look,
            rows=(),
            stages=run.stages,
            widths=(settings.d_model, settings.d_ff),
            depth=depth,
            caption=self._depth_caption(settings, run),
            switch=(self.say("off"), self.say("on")),
            mixed=settings.mixer,
        )

    def _depth_caption(self, settings: Settings, run: RunResult) -> tuple[tuple[str, ...], ...]:
        total = settings.layers * (run.bill.ffn_total + run.bill.attention_weights)
        counted = {
            "layers": numbers.count(settings.layers),
            "ffn": numbers.count(run.bill.ffn_total),
            "attention": numbers.count(run.bill.attention_weights),
            "total": numbers.count(total),
        }
        here = {"n": numbers.count(settings.layer), "last": numbers.count(settings.layers - 1)}
        others = (self._sentence("one_computed", **here),) if settings.layers > 1 else ()
        return (
            self._sentence("across_within"),
            *others,
            (self.say("depth_bill", **counted),),
            (self.say("causal" if settings.stack == "decoder" else "all_lanes"),),
        )

    # What a person does -------------------------------------------------------------------------------------

    def _name_buttons(self, settings: Settings, *, free: bool) -> None:
        """Names and tips; free: whether attention and stack can be chosen, as with seeded weights."""
        other = _other(settings.stack)
        self.view.other.set_word(
            self.say(f"show_{other}"), among=[self.say(f"show_{stack}") for stack in STACKS]
        )
        tips = (f"show_{other}_tip", "switch_tip") if free else ("by_hand", "by_hand")
        self.view.other.explain(self.say(f"show_{other}"), self.say(tips[0]))
        state = self.say("on" if settings.mixer else "off")
        self.view.switch.explain(self.say("switch", state=state), self.say(tips[1]))
        for button in (self.view.other, self.view.switch):
            button.setEnabled(free)

    def _choose(self, hit: Hit) -> None:
        if hit.stage is not None:
            self.go_to(hit.stage)
        elif hit.other:
            self._other_stack()
        if hit.token is not None:
            self.request(changes.choose(token=hit.token))
        if hit.layer is not None and self.scene is not None and hit.layer < self.scene.settings.layers:
            self.request(changes.set_setting("layer", hit.layer))

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
        layer = scene.settings.layer + dx
        if dy:
            token = scene.selection.token + dy
            if 0 <= token < len(scene.chips):
                self.request(changes.choose(token=token, gesture="arrow keys"))
        elif 0 <= layer < scene.settings.layers:
            self.request(changes.set_setting("layer", layer, gesture="arrow keys"))

    def _mix(self) -> None:
        if self.scene is not None:
            self.request(changes.set_setting("mixer", not self.scene.settings.mixer))

    def _other_stack(self) -> None:
        if self.scene is not None and self.scene.source.memory is None:
            self.request(changes.set_setting("stack", _other(self.scene.settings.stack)))

    def _show_mode(self, mode: str) -> None:
        if self.scene is not None:
            self.request(changes.set_view(self.name, replace(self.scene.view(self.name), mode=mode)))


_MODES = (("", "layer"), (DEPTH, "depth"))


def _other(stack: str) -> str:
    return STACKS[1 - STACKS.index(stack)]


def sublayers_of(run: RunResult, stack: str) -> tuple[Sublayer, ...]:
    """Sublayers of a stack's layer; the mixer, where it runs, stands on a pre-norm and keeps its residual."""
    settings, spec = run.request.settings, run.spec
    norm, residual = spec.norm, spec.residual
    first = Sublayer("self", norm, residual)
    if settings.mixer and stack == settings.stack:
        first = Sublayer("self", norm if norm.kind == "none" else NormSpec(norm.kind, "pre"), residual=True)
    cross = (Sublayer("cross", norm, residual),) if stack == "decoder" else ()
    return (first, *cross, Sublayer("ffn", norm, residual))
