"""Neuron: one neuron's card; what it reads, what it writes, and how strongly at every token."""

from functools import partial
from typing import ClassVar

from PySide6.QtWidgets import QWidget

from ffn_explorer.core.readings import NeuronCard
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Cell
from ffn_explorer.state.handmade_words import hand_word
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.facts import Fact
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.neuron_at import card_of, known_of, other_values, table_of
from ffn_explorer.widgets.neuron_body import NeuronBody
from ffn_explorer.widgets.neuron_rows import NOTHING, WIDEST, dim_ranking, token_ranking
from ffn_explorer.widgets.neuron_slices import slices_of, wordings_of
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.ranked import Column


class NeuronPanel(Panel):
    """The card follows the chosen neuron; one that is only pointed at gets a line."""

    name: ClassVar[str] = "neuron"
    reads: ClassVar[frozenset[str]] = frozenset(
        {
            "run",
            "other",
            "neuron_card",
            "detail",
            "selection",
            "hover",
            "point",
            "progress",
            "views",
            "file",
            "neuron_tokens",
        }
    )
    moves: ClassVar[frozenset[Stage]] = frozenset({Stage.UP, Stage.GATE, Stage.ACT, Stage.HIDDEN})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build the card's parts."""
        super().__init__(parent)
        self.body = NeuronBody()
        self.set_body(self.body)
        self.body.neuron.chosen.connect(self._choose_neuron)
        self.body.neuron.done.connect(self.body.tokens.setFocus)
        self.body.neuron.refused.connect(self.request)
        self.body.strongest.clicked.connect(self._choose_strongest)
        tokens = self.body.tokens
        tokens.pointed.connect(self._point_token)
        tokens.chosen.connect(self._choose_token)
        # 0 is "not scrolled yet": then the chosen token is in sight.
        tokens.scrolled.connect(lambda first: self.change_view(scroll=first + 1))
        tokens.stepped.connect(lambda dx, _dy: self._step(dx))
        for each, writes in ((self.body.up, False), (self.body.gate, False), (self.body.down, True)):
            each.pointed.connect(self._point_dim)
            each.chosen.connect(partial(self._choose_dim, writes=writes))
            each.scrolled.connect(lambda first: self.change_view(first=first))
            each.stepped.connect(lambda dx, _dy: self._step(dx))

    def restyle(self, scene: Scene) -> None:
        """Sizes, and the words that a language decides."""
        super().restyle(scene)
        body = self.body
        body.set_look(scene.look)
        body.neuron.setAccessibleName(self.say("field"))
        body.strongest.set_word(self.say("strongest"))
        body.strongest.explain(self.say("strongest"), self.say("strongest_tip"))
        body.hint.set_text(self.say("hint"))

    def render_scene(self, scene: Scene) -> None:
        """Draw the card."""
        run, card = scene.run, card_of(scene)
        if run is None or card is None:
            self.title.set_text(self.say("title_empty"))
            self.note.set_text("")
            sentence = self.empty() if run is None else self.say("job.neuron_card")
            self.body.tokens.show_sentence(sentence, scene.look)
            self.body.tokens.setAccessibleName(sentence)
            self.body.arrange(gated=False, bare=True)
            return
        self.title.set_text(self._title(scene.look.language, run, card))
        self.note.set_text(self._note(scene, run, card), short=self._notes_short(scene, run, card))
        self._show_controls(scene, run, card)
        self.body.facts.show_facts(self._facts(scene, run, card), scene.look)
        self._show_tokens(scene, run, card)
        self._show_dims(scene, run, card)
        self.body.arrange(gated=card.gate is not None, bare=False)

    def _title(self, language: str, run: RunResult, card: NeuronCard) -> str:
        n = numbers.count(card.neuron)
        memory = run.request.source.memory
        if memory is not None and card.neuron < len(memory.neurons):
            name = hand_word(language, memory.neurons[card.neuron].name)
            return self.say("title_named", n=n, name=name)
        if card.expert is not None:
            return self.say("title_expert", n=n, expert=card.expert)
        return self.say("title", n=n)

    def _note(self, scene: Scene, run: RunResult, card: NeuronCard) -> str:
        """What is pointed at and is not this neuron; else where the weights stand."""
        pointed, slices = self._pointed(scene, run, card), slices_of(scene, card)
        if pointed or slices:
            return pointed or wordings_of(slices)[0]
        return self.say("weights_gated" if card.gate is not None else "weights", n=card.neuron)

    def _notes_short(self, scene: Scene, run: RunResult, card: NeuronCard) -> tuple[str, ...]:
        if self._pointed(scene, run, card):
            return ("",)
        slices = slices_of(scene, card)
        return (*(wordings_of(slices)[1:] if slices else ()), self.say("weights_short", n=card.neuron), "")

    def _pointed(self, scene: Scene, run: RunResult, card: NeuronCard) -> str:
        at = scene.pointed
        stage = run.enters_down
        token = scene.selection.token if at.token is None else at.token
        if at.neuron in (None, card.neuron) or at.expert is not None or known_of(scene, run).m < 1.0:
            return ""
        value = scene.value(Cell(stage, scene.selection.sentence, token, at.neuron or 0))
        if value is None:
            return ""
        word = self._token(scene, run, scene.selection.sentence, token)
        return self.say("pointed", n=numbers.count(at.neuron or 0), m=numbers.short(value), token=word)

    def _show_controls(self, scene: Scene, run: RunResult, card: NeuronCard) -> None:
        field, last = self.body.neuron, run.request.settings.d_ff - 1
        if field.maximum() != last:
            field.setRange(0, last)
            field.updateGeometry()
        field.show_value(card.neuron)
        tip = self.say("field_tip", last=numbers.count(last))
        field.setToolTip(tip)
        field.setAccessibleDescription(tip)
        self.body.strongest.setEnabled(scene.detail is not None and len(scene.detail.paths.neuron) > 0)

    def _facts(self, scene: Scene, run: RunResult, card: NeuronCard) -> tuple[Fact, ...]:
        """The value at the chosen token, lengths, angles and biases: only those that this neuron has."""
        n, facts, slices = card.neuron, [], slices_of(scene, card)
        if card.sentence == scene.selection.sentence:
            token, at = self._token(scene, run, card.sentence, scene.selection.token), scene.selection.token
            there = known_of(scene, run).m >= 1.0 and card.rank[at] >= 0
            m = numbers.short(float(card.m[at])) if there else NOTHING
            facts.append(Fact(self.say("m_at", token=token), m, self.say("m_tip")))
        for role, norm in (("up", card.up_norm), ("gate", card.gate_norm), ("down", card.down_norm)):
            if norm is not None:
                value = numbers.short(norm)
                usual = f"W_down[:, {n}]" if role == "down" else f"W_{role}[{n}, :]"
                vector = slices.get(role, usual)
                tip = self.say(f"tip_{role}", vector=vector, value=value)
                facts.append(Fact(f"‖{role}‖", value, tip))
        angles = (("up", "down", card.cos_up_down), ("gate", "up", card.cos_gate_up))
        for one, other, cosine in angles:
            if cosine is not None:
                value = numbers.short(cosine)
                label = f"cos({one}, {other})"
                facts.append(Fact(label, value, self.say(f"tip_cos_{one}", value=value)))
        for role, bias in (("up", card.up_bias), ("gate", card.gate_bias)):
            if bias is not None:
                value = numbers.short(bias)
                tip = self.say("tip_bias", name=f"b_{role}[{n}]", value=value)
                facts.append(Fact(f"b_{role}", value, tip))
        return tuple(facts)

    def _show_tokens(self, scene: Scene, run: RunResult, card: NeuronCard) -> None:
        small = font(scene.look, "body")
        here = card.sentence == scene.selection.sentence
        chosen = scene.selection.token if here else None
        other = other_values(scene, run, card)
        width, scroll = numbers.count(run.request.settings.d_ff), scene.view(self.name).scroll
        columns = (
            Column(self.say("token"), "left"),
            Column("m", tip=self.say("m_tip" if card.expert is None else "m_tip_expert"), widest=WIDEST),
            Column(self.say("pre"), tip=self.say("pre_tip"), widest=WIDEST),
            Column("act", tip=self.say("act_tip"), widest=WIDEST),
            Column(self.say("place"), tip=self.say("place_tip", total=width), widest=width),
        )
        ranking = token_ranking(
            card,
            scene.look,
            columns,
            tokens=[shown_token(token, small) for token in run.tokens[card.sentence]],
            known=known_of(scene, run),
            other=other,
            bar=self.say("bar" if other is None else "bar_compared"),
            first=scroll - 1 if scroll else chosen or 0,
            chosen=chosen,
            hovered=scene.pointed.token if here else None,
        )
        self.body.tokens.show_picture(ranking)
        self.body.tokens.setAccessibleName(self.say("tokens"))

    def _show_dims(self, scene: Scene, run: RunResult, card: NeuronCard) -> None:
        memory = run.request.source.memory
        first = scene.view(self.name).first

        def name(dim: int) -> str:
            if memory is not None and dim < len(memory.features):
                return hand_word(scene.look.language, memory.features[dim])
            return self.say("dim", n=numbers.count(dim))

        body = self.body
        lists = (("up", body.up, card.up), ("gate", body.gate, card.gate), ("down", body.down, card.down))
        for role, each, weights in lists:
            if weights is None:
                continue
            head, tip = self.say(f"list_{role}"), self.say(f"list_{role}_tip")
            heads = (Column(head, "left", tip), Column(self.say("weight")))
            ranking = dim_ranking(
                weights,
                scene.look,
                heads,
                name=name,
                bar=self.say("weight_bar"),
                first=first,
                chosen=scene.selection.dim,
                hovered=scene.pointed.dim,
            )
            each.show_picture(ranking)
            each.setAccessibleName(head)
            each.setAccessibleDescription(tip)

    def _token(self, scene: Scene, run: RunResult, sentence: int, token: int) -> str:
        return shown_token(run.tokens[sentence][token], font(scene.look, "small"))

    # What a person does -------------------------------------------------------------------------------------

    def _card(self) -> tuple[Scene, RunResult, NeuronCard] | None:
        scene = self.scene
        card = None if scene is None else card_of(scene)
        return None if scene is None or scene.run is None or card is None else (scene, scene.run, card)

    def _choose_neuron(self, neuron: int) -> None:
        self.request(changes.choose(neuron=neuron, gesture="panel.neuron.field"))

    def _choose_strongest(self) -> None:
        scene = self.scene
        if scene is None or scene.run is None or scene.detail is None or not len(scene.detail.paths.neuron):
            return
        index, at = scene.run.expert_index, scene.selection
        expert = None if index is None else int(index[at.sentence, at.token, 0])
        self.request(changes.choose(neuron=int(scene.detail.paths.neuron[0]), expert=expert))

    def _step(self, dx: int) -> None:
        """Left and right go to the neuron before and after."""
        if dx and (at := self._card()) is not None:
            last = at[1].request.settings.d_ff - 1
            self._choose_neuron(min(max(0, at[2].neuron + dx), last))

    def _point_token(self, token: int | None) -> None:
        at = self._card()
        if token is None or at is None:
            self.request(changes.hover(None))
            return
        _, run, card = at
        index = run.expert_index
        if card.expert is None or (index is not None and index[card.sentence, token, 0] == card.expert):
            self.request(changes.hover(Cell(run.enters_down, card.sentence, token, card.neuron)))
        else:
            self.request(changes.point(token=token, neuron=card.neuron, expert=card.expert))

    def _choose_token(self, token: int) -> None:
        """The neuron is kept: the card stays while the token changes."""
        if (at := self._card()) is not None:
            self.request(changes.choose(token=token, neuron=at[2].neuron, expert=at[2].expert))

    def _point_dim(self, dim: int | None) -> None:
        self.request(changes.hover(None) if dim is None else changes.point(dim=dim))

    def _choose_dim(self, dim: int, *, writes: bool) -> None:
        if (at := self._card()) is not None:
            read = Stage.NORM if Stage.NORM in at[1].values else Stage.INPUT
            self.request(changes.choose(dim=dim, neuron=at[2].neuron, stage=Stage.OUT if writes else read))

    def table(self) -> list[list[str]] | None:
        """Values at every token, and under them the weights by dimension."""
        at = self._card()
        if at is None or known_of(at[0], at[1]).m < 1.0:
            return None
        return table_of(at[1], at[2])
