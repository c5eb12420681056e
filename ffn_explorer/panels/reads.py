"""Reads: one neuron of an opened file in tokens: read, promoted and suppressed, and its neighbours."""

from typing import ClassVar

from PySide6.QtWidgets import QWidget

from ffn_explorer.state import changes, numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.file_results import NearestNeurons, NeuronTokens, TokenList
from ffn_explorer.state.looking import By
from ffn_explorer.state.opened_changes import look as looked
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.tensor_slices import brief
from ffn_explorer.state.visible import visible
from ffn_explorer.widgets.facts import Fact
from ffn_explorer.widgets.file_body import Blank, FileBody
from ffn_explorer.widgets.file_words import layer_at, layer_name, layer_of, refused
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.mode_tabs import Mode
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.reads_body import ReadsBody
from ffn_explorer.widgets.token_groups import (
    NEURON,
    TOKEN,
    colours_of,
    has_numbers,
    limit_of,
    neuron_chips,
    token_chips,
)
from ffn_explorer.widgets.word_chips import ChipBoard, ChipGroup, ChipRow

READING: tuple[By, ...] = ("gate", "up")
ROLES: tuple[By, ...] = (*READING, "down")
"""Vectors of a neuron; its slices name biases, too."""


class ReadsPanel(Panel):
    """Chips of tokens and neurons; a token leads to who promotes it, a neuron is looked at next."""

    name: ClassVar[str] = "reads"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "file", "settings", "neuron_tokens", "nearest", "looking", "selection", "refusals"}
    )

    least_px: ClassVar[int] = 500

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build controls, chips and numbers."""
        super().__init__(parent)
        self.inside = ReadsBody()
        self.body = FileBody(self.inside)
        self.set_body(self.body)
        inside = self.inside
        inside.neuron.chosen.connect(self._choose)
        inside.neuron.done.connect(inside.chips.setFocus)
        inside.neuron.refused.connect(self.request)
        inside.normed.chosen.connect(lambda name: self.request(looked(normed=name == "with")))
        inside.by.chosen.connect(lambda role: self.request(looked(by=role)))
        inside.chips.chosen.connect(self._act)

    def restyle(self, scene: Scene) -> None:
        """Fonts, colours and the words that a language decides."""
        super().restyle(scene)
        inside = self.inside
        inside.set_look(scene.look)
        inside.neuron.setAccessibleName(self.say("field"))
        inside.by_label.setText(self.say("by"))
        inside.chips.setAccessibleName(self.say("chips"))
        inside.chips.setToolTip("")
        inside.caution.set_text(
            self.say("caution"), short=(self.say("caution_short"), self.say("caution_shortest"))
        )

    def render_scene(self, scene: Scene) -> None:
        """Draw controls, chips and numbers, or why there are none."""
        found = self._found(scene)
        self.title.set_text(self._title(scene, found))
        self.note.set_text("")
        if scene.file is None:
            how = (self.say("panel.layers.how"), self.say("panel.layers.formats"))
            self.body.show_blank(Blank(scene.look, self.say("about"), how))
            return
        if found is None:
            refusal = refused(scene, "neuron_tokens")
            blank = Blank(scene.look, refusal or self.say("job.neuron_tokens"), waiting=not refusal)
            self.body.show_blank(blank)
            return
        self.note.set_text(self._note(found))
        self._show_controls(scene, found)
        self.inside.chips.show_board(ChipBoard(scene.look, self._rows(scene, found)))
        self.inside.facts.show_facts(self._facts(scene, found), scene.look)
        whole, *shorter = self._origins(found)
        self.inside.source.set_text(whole, short=tuple(shorter))
        self.body.show_main()
        self.inside.arrange()

    def table(self) -> list[list[str]] | None:
        """Every token and neuron listed, with exact scores."""
        scene = self.scene
        found = None if scene is None else self._found(scene)
        if scene is None or found is None:
            return None
        rows = [["vector", "end", "token", "text", "score", "cosine", "tensor", "gain"]]
        for each in found.lists:
            for end, tokens in (("most", each.most), ("least", each.least)):
                rows += [
                    [each.role, end, str(t.token), t.shown, repr(t.score),
                     "" if t.cosine is None else repr(t.cosine), each.tensor, each.gain or ""]
                    for t in tokens
                ]  # fmt: skip
        near = self._near(scene, found)
        if near is not None:
            rows += [[], ["nearest by", "neuron", "cosine"]]
            rows += [[near.by, str(neuron), repr(cosine)] for neuron, cosine in (*near.most, *near.least)]
        return rows

    # What there is ------------------------------------------------------------------------------------------

    def _found(self, scene: Scene) -> NeuronTokens | None:
        """The tokens, where they are of the layer on screen."""
        found = scene.neuron_tokens
        return found if found is not None and found.layer == layer_of(scene) else None

    def _near(self, scene: Scene, found: NeuronTokens) -> NearestNeurons | None:
        near = scene.nearest
        same = near is not None and (near.layer, near.neuron) == (found.layer, found.neuron)
        return near if same else None

    def _title(self, scene: Scene, found: NeuronTokens | None) -> str:
        if scene.file is None or found is None:
            return self.say("title_empty")
        layer = layer_name(scene.file, found.layer, scene.look.language)
        said = {"n": numbers.count(found.neuron), "layer": layer}
        if found.expert is not None:
            return self.say("title_expert", **said, expert=found.expert)
        return self.say("title", **said)

    def _note(self, found: NeuronTokens) -> str:
        """How much of the vocabulary was seen, while that is not all."""
        return "" if found.seen >= 1.0 else self.say("seen", share=numbers.percent(found.seen))

    def _show_controls(self, scene: Scene, found: NeuronTokens) -> None:
        inside, layer = self.inside, layer_at(scene)
        last = (scene.settings.d_ff if layer is None else layer.d_ff) - 1
        inside.neuron.setRange(0, max(0, last))
        inside.neuron.show_value(found.neuron)
        tip = self.say("field_tip", last=numbers.count(last))
        inside.neuron.setToolTip(tip)
        inside.neuron.setAccessibleDescription(tip)
        modes = [Mode(name, self.say(name), self.say(f"{name}_tip")) for name in ("with", "without")]
        inside.normed.show_modes(modes, chosen="with" if scene.looking.normed else "without", look=scene.look)
        roles = [role for role in ROLES if role in dict(found.slices)]
        by = scene.looking.by if scene.looking.by in roles else "up"
        inside.by.show_modes(
            [Mode(role, role, self.say(f"by_{role}_tip")) for role in roles], chosen=by, look=scene.look
        )

    # Chips --------------------------------------------------------------------------------------------------

    def _rows(self, scene: Scene, found: NeuronTokens) -> tuple[ChipRow, ...]:
        """What reads, against what it reads, what is written, and neighbours; as they are needed."""
        lists = {each.role: each for each in found.lists}
        roles = [role for role in READING if role in dict(found.slices)]
        waiting = self.say("reading") if found.seen < 1.0 else ""
        lacking = waiting or (self.say(found.why) if found.why else "")
        reads = tuple(
            self._group(scene.look, lists.get(role), role, lacking, opposite=False) for role in roles
        )
        against = tuple(self._group(scene.look, lists.get(role), role, "", opposite=True) for role in roles)
        turned = self._turned(scene, found)
        writes = tuple(
            self._group(
                scene.look, lists.get("down"), "down", "" if end else lacking, opposite=end, notes=turned
            )
            for end in (False, True)
        )
        rows = [ChipRow(reads), ChipRow(writes)]
        if any(group.chips for group in against):
            rows.insert(1, ChipRow(against, need=2))
        near = self._near(scene, found)
        if near is not None:
            rows.append(
                ChipRow(
                    tuple(self._neighbours(scene.look, near, opposite=end) for end in (False, True)), need=1
                )
            )
        return tuple(rows)

    def _group(
        self,
        look: Appearance,
        found: TokenList | None,
        role: By,
        lacking: str,
        *,
        opposite: bool,
        notes: tuple[str, ...] = (),
    ) -> ChipGroup:
        head = self.say(f"{role}_least" if opposite else f"{role}_most")
        if found is None:
            return ChipGroup(TOKEN, head, (), notes, sentence=lacking)
        if not has_numbers(found):
            return ChipGroup(TOKEN, head, (), notes, sentence=self.say("not_finite"))
        colour = colours_of(look, role)[int(opposite)]
        rows = found.least if opposite else found.most
        chips = token_chips(look, rows, limit=limit_of(found), colour=colour)
        tip = self.say(f"{role}_tip", tensor=visible(found.tensor), gain=self._gain(found))
        return ChipGroup(TOKEN, head, chips, notes, tip)

    def _gain(self, found: TokenList) -> str:
        if found.gain is None:
            return self.say("gain_none")
        return self.say("gain_of", gain=visible(found.gain))

    def _neighbours(self, look: Appearance, near: NearestNeurons, *, opposite: bool) -> ChipGroup:
        head = self.say("near_least" if opposite else "near_most", by=near.by)
        tip = self.say("near_head_tip")
        if not has_numbers(near):
            return ChipGroup(NEURON, head, (), tip=tip, sentence=self.say("not_finite"))
        return ChipGroup(NEURON, head, neuron_chips(look, near, opposite=opposite), tip=tip)

    def _m(self, scene: Scene, found: NeuronTokens) -> tuple[str, float] | None:
        """The chosen token, and the neuron's value there; None for an expert's neuron."""
        run, at = scene.run, scene.selection
        if run is None or found.expert is not None or run.expert_index is not None:
            return None
        values = run.values[run.enters_down]
        if found.neuron >= values.shape[2] or at.sentence >= len(run.tokens):
            return None
        token = shown_token(run.tokens[at.sentence][at.token], font(scene.look, "small"))
        return token, float(values[at.sentence, at.token, found.neuron])

    def _turned(self, scene: Scene, found: NeuronTokens) -> tuple[str, ...]:
        """That m is negative here, which turns promoting into suppressing."""
        m = self._m(scene, found)
        if m is None or not m[1] < 0.0:
            return ()
        return self.say("turned", m=numbers.short(m[1])), self.say("turned_short")

    def _facts(self, scene: Scene, found: NeuronTokens) -> tuple[Fact, ...]:
        """Lengths and angles of the vectors, and the value at the chosen token."""
        facts, slices = [], dict(found.slices)
        m = self._m(scene, found)
        if m is not None:
            facts.append(Fact(self.say("m_at", token=m[0]), numbers.short(m[1]), self.say("m_tip")))
        for role, norm in found.norms:
            value = numbers.short(norm)
            tip = self.say("norm_tip", vector=visible(slices.get(role, role)), value=value)
            facts.append(Fact(f"‖{role}‖", value, tip))
        for pair, cosine in found.cosines:
            one, _, other = pair.partition("_")
            label, value = f"cos({one}, {other})", numbers.short(cosine)
            facts.append(Fact(label, value, self.say("cosine_tip", one=one, other=other, value=value)))
        return tuple(facts)

    def _origins(self, found: NeuronTokens) -> tuple[str, ...]:
        """Where the vectors stand and what they were multiplied with, the longest wording first."""
        slices = [visible(text) for role, text in found.slices if role in ROLES]
        where = self.say("joiner").join(slices)
        lists = {each.tensor: self._gain(each) for each in found.lists}
        what = self.say("joiner").join(
            self.say("against", tensor=visible(tensor), gain=gain) for tensor, gain in lists.items()
        )
        whole = self.say("source", slices=where, what=what) if what else where
        return (whole, where, brief(slices), slices[-1] if slices else "")

    # Acts ---------------------------------------------------------------------------------------------------

    def _choose(self, neuron: int) -> None:
        expert = (
            None
            if self.scene is None or self.scene.neuron_tokens is None
            else self.scene.neuron_tokens.expert
        )
        self.request(changes.choose(neuron=neuron, expert=expert, gesture="panel.reads.field"))

    def _act(self, group: str, key: int) -> None:
        """A token: who promotes it. A neuron: look at it."""
        if group == TOKEN:
            self.request(looked(token=f"#{key}"))
        else:
            self._choose(key)
