"""Position lab: every token run alone against the full pass, and what breaks that independence."""

import math
from typing import ClassVar

from PySide6.QtWidgets import QVBoxLayout, QWidget

from ffn_explorer.core.readings import DtypeCheck, PositionLab
from ffn_explorer.core.settings import CHOICES, Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.view_modes import VIEW_MODES
from ffn_explorer.widgets.buttons import WordButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.lab_rows import RowsPicture, TokenRow
from ffn_explorer.widgets.lab_table import Line, TablePicture
from ffn_explorer.widgets.lab_view import LabPicture, LabView
from ffn_explorer.widgets.mode_tabs import Mode, ModeTabs
from ffn_explorer.widgets.page import Block, Page
from ffn_explorer.widgets.panel import Panel
from ffn_explorer.widgets.paragraphs import Paragraphs
from ffn_explorer.widgets.place_switch import Switch
from ffn_explorer.widgets.wrap_row import WrapRow

FORMATS, LIMITS = "formats", "limits"
"""Modes beside the first, "", which shows the tokens."""

LIMITED = {"experts": 4, "top_k": 1, "capacity_factor": 1.0, "expert_groups": 1, "groups_kept": 1}
"""Experts without room to spare: each takes at most ceil(S / 4) tokens of a sentence."""

PLAIN = {"experts": 1, "top_k": 1, "capacity_factor": 0.0, "expert_groups": 1, "groups_kept": 1}


class PositionPanel(Panel):
    """Differences per token and per number format, with switches that break independence."""

    name: ClassVar[str] = "position"
    reads: ClassVar[frozenset[str]] = frozenset(
        {"run", "source", "lab", "lagging", "selection", "hover", "point", "progress", "views"}
    )

    moves: ClassVar[frozenset[Stage]] = frozenset({Stage.OUT, Stage.POST_NORM, Stage.RESIDUAL})

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build tabs, picture, page and buttons."""
        super().__init__(parent)
        self.tabs = ModeTabs(3)
        self._header.addWidget(self.tabs)
        self.view, self.page = LabView(), Paragraphs()
        self.shuffle, self.natural = WordButton(), WordButton()
        self.mixer, self.limited = Switch(), Switch()
        self.row = WrapRow((self.shuffle, self.natural, self.mixer, self.limited))
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for widget, stretch in ((self.view, 1), (self.page, 1), (self.row, 0)):
            column.addWidget(widget, stretch)
        self.set_body(body)
        self._connect()

    def _connect(self) -> None:
        self.tabs.chosen.connect(lambda mode: self.change_view(mode=mode, first=0))
        self.view.pointed.connect(lambda token: self.request(changes.point(token=token)))
        self.view.chosen.connect(lambda token: self.request(changes.choose(token=token)))
        self.view.stepped.connect(self._step)
        self.page.scrolled.connect(lambda y: self.change_view(first=y))
        self.shuffle.clicked.connect(self._shuffle)
        self.natural.clicked.connect(lambda: self.request(changes.reset_orders()))
        self.mixer.clicked.connect(self._mix)
        self.limited.clicked.connect(self._limit)

    def restyle(self, scene: Scene) -> None:
        """Sizes, and the words that a language decides."""
        super().restyle(scene)
        self.title.set_text(self.say("title"), short=self.say("title_short"))
        for button in (self.shuffle, self.natural, self.mixer, self.limited):
            button.set_look(scene.look)
        for name, button in (("shuffle", self.shuffle), ("natural", self.natural)):
            button.set_word(self.say(name))
            button.explain(self.say(name), self.say(f"{name}_tip"))
        self.view.setAccessibleDescription(self.say("keys"))
        self.page.setAccessibleName(self.say("scrolls"))

    def render_scene(self, scene: Scene) -> None:
        """Draw the mode that is chosen, and what the buttons stand at."""
        mode = scene.view(self.name).mode
        modes = [
            Mode(n, self.say(f"mode_{n or 'tokens'}"), self.say(f"mode_{n or 'tokens'}_tip")) for n in _MODES
        ]
        self.tabs.show_modes(modes, chosen=mode, look=scene.look)
        self.view.setAccessibleName(self.say(f"view_{FORMATS if mode == FORMATS else 'tokens'}"))
        self.page.setVisible(mode == LIMITS)
        self.view.setVisible(mode != LIMITS)
        self._show_buttons(scene)
        if mode == LIMITS:
            self.page.show_page(Page(scene.look, self._limits(), scroll=scene.view(self.name).first))
            return
        run, lab = scene.run, scene.lab
        if run is None or lab is None or not fits(lab, run):
            self.view.show_picture(None, scene.look, sentence=self.empty())
        elif mode == FORMATS:
            self.view.show_picture(self._formats(scene, run, lab), scene.look)
        else:
            self.view.show_picture(self._tokens(scene, run, lab), scene.look)

    def table(self) -> list[list[str]] | None:
        """Differences of each token, then the largest of each number format."""
        scene = self.scene
        if scene is None or scene.run is None or scene.lab is None or not fits(scene.lab, scene.run):
            return None
        lab, b = scene.lab, scene.selection.sentence
        head = [self.say(f"head_{name}") for name in ("token", "alone", "permuted", "tolerance")]
        rows = zip(scene.run.tokens[b], lab.alone[b], lab.permuted[b])
        tokens = [[t, repr(float(a)), repr(float(p)), repr(lab.tolerance)] for t, a, p in rows]
        checks = [[c.dtype, repr(c.alone), repr(c.permuted), repr(c.tolerance)] for c in lab.checks]
        return [head, *tokens, *checks]

    # The tokens ---------------------------------------------------------------------------------------------

    def _tokens(self, scene: Scene, run: RunResult, lab: PositionLab) -> LabPicture:
        chosen, small = scene.selection, font(scene.look, "small")
        found = zip(run.tokens[chosen.sentence], lab.alone[chosen.sentence], lab.permuted[chosen.sentence])
        rows = tuple(TokenRow(shown_token(t, small), float(a), float(p)) for t, a, p in found)
        pointed = scene.pointed.token
        tolerance = numbers.short(lab.tolerance)
        picture = RowsPicture(
            look=scene.look,
            rows=rows,
            tolerance=lab.tolerance,
            chosen=chosen.token,
            pointed=pointed if pointed is not None and pointed < len(rows) else None,
            done=dict(scene.progress).get(run.stages[-1], 1.0),
            stale="lab" in scene.lagging,
            heads=(self.say("head_alone"), self.say("head_permuted")),
            line=(self.say("tolerance", n=tolerance), self.say("tolerance_short", n=tolerance), tolerance),
            axis=(*self._sentence("axis"), self.say("axis_least")),
        )
        return LabPicture(scene.look, picture, None, self._verdict(run, lab, picture))

    def _verdict(self, run: RunResult, lab: PositionLab, picture: RowsPicture) -> tuple[tuple[str, ...], ...]:
        if picture.stale:
            return ((self.say("job.lab"),),)
        if picture.done < 1.0:
            return ((self.say("waiting"),),)
        values = [max(_known(row.alone), row.permuted) for row in picture.rows]
        broken = sum(value > lab.tolerance for value in values)
        counted = {"n": numbers.count(broken), "total": numbers.count(len(values))}
        said: list[tuple[str, ...]] = []
        if broken:
            said.append(self._sentence("broken", **counted))
            said.append(self._sentence(self._reason(run)))
        else:
            largest = {"n": numbers.short(max(values)), "tolerance": numbers.short(lab.tolerance)}
            said.append(self._sentence("holds", dtype=run.request.settings.dtype, **largest))
        if all(row.permuted <= lab.tolerance for row in picture.rows):
            said.append(self._sentence("equivariance"))
        else:
            said.append(self._sentence("not_equivariant"))
        if run.request.settings.mixer and run.request.settings.stack == "encoder":
            said.append(self._sentence("no_positions"))
        unknown = sum(math.isnan(row.alone) for row in picture.rows)
        if unknown:
            said.append((self.say("sampled", n=numbers.count(unknown)),))
        return (*said, (self.say("reversed"),))

    def _sentence(self, key: str, **values: str) -> tuple[str, str]:
        """A sentence and its short wording."""
        return self.say(key, **values), self.say(f"{key}_short", **values)

    @staticmethod
    def _reason(run: RunResult) -> str:
        """Which of the known reasons breaks independence here."""
        if run.request.settings.mixer:
            return "breaks_mixer"
        rule = run.spec.routing
        if rule is not None and rule.capacity is not None:
            return "breaks_capacity"
        return "breaks_unknown" if run.spec.position_wise else "breaks_shift"

    # The number formats -------------------------------------------------------------------------------------

    def _formats(self, scene: Scene, run: RunResult, lab: PositionLab) -> LabPicture:
        own = run.request.settings.dtype
        known = {check.dtype: check for check in lab.checks}
        names = sorted(CHOICES["dtype"], key=_ORDER.index)
        lines = [self._line(name, known.get(name), strong=name == own) for name in names]
        opened = run.request.source.opened is not None
        for key, check in (("unmixed", lab.unmixed), ("mixed", lab.mixed)):
            name = self.say(f"{key}_file" if opened else key)
            why = "not_a_run" if opened and key == "mixed" else "not_run"
            lines.append(self._line(name, check, strong=False, ruled=key == "unmixed", why=why))
        heads = tuple(self.say(f"head_{n}") for n in ("format", "alone", "permuted", "tolerance", "verdict"))
        stale = "lab" in scene.lagging
        first = self.say("job.lab") if stale else self.say("formats_about", dtype=own)
        caption = ((first, self.say("formats_short")), (self.say("formats_zero"),), (self.say("no_unit"),))
        return LabPicture(scene.look, None, TablePicture(scene.look, heads, tuple(lines)), caption)

    def _line(
        self, name: str, check: DtypeCheck | None, *, strong: bool, ruled: bool = False, why: str = "not_run"
    ) -> Line:
        if check is None:
            return Line((name, self.say(why)), None, strong, ruled)
        holds = max(check.alone, check.permuted) <= check.tolerance
        found = (numbers.short(n) for n in (check.alone, check.permuted, check.tolerance))
        return Line((name, *found, self.say("yes" if holds else "no")), holds, strong, ruled)

    # The limits, in words -----------------------------------------------------------------------------------

    def _limits(self) -> tuple[Block, ...]:
        return tuple(
            block
            for key in ("equivariance", "mixer", "capacity", "other", "live")
            for block in (
                Block(self.say(f"limits_{key}_head"), bold=True),
                Block(self.say(f"limits_{key}"), strong=False),
            )
        )

    # What a person does -------------------------------------------------------------------------------------

    def _show_buttons(self, scene: Scene) -> None:
        settings = scene.settings
        limited = settings.is_moe and settings.capacity_factor > 0
        self.shuffle.setEnabled(any(len(tokens) > 1 for tokens in scene.run.tokens) if scene.run else False)
        self.natural.setEnabled(any(scene.source.orders))
        free, cannot = scene.source.plain, "by_hand" if scene.source.opened is None else "of_file"
        for name, switch, on in (("mixer", self.mixer, settings.mixer), ("limited", self.limited, limited)):
            word, state = self.say(name), self.say("on" if on else "off")
            switch.show_state(on, (word, word))
            tip = self.say(f"{name}_tip" if free else cannot)
            switch.explain(self.say("switch", what=word, state=state), tip)
            switch.setEnabled(free)
        self.row.set_look(scene.look)

    def _shuffle(self) -> None:
        if self.scene is not None:
            self.request(changes.shuffle_orders(self.scene.settings.seed))

    def _mix(self) -> None:
        if self.scene is not None:
            self.request(changes.set_setting("mixer", not self.scene.settings.mixer))

    def _limit(self) -> None:
        if self.scene is not None:
            settings: Settings = self.scene.settings
            on = settings.is_moe and settings.capacity_factor > 0
            self.request(changes.use_settings(settings.with_(**(PLAIN if on else LIMITED))))

    def _step(self, dx: int, dy: int) -> None:
        if self.scene is not None:
            token = self.scene.selection.token + dx + dy
            if 0 <= token < len(self.scene.chips):
                self.request(changes.choose(token=token, gesture="arrow keys"))


_MODES = VIEW_MODES["position"]

_ORDER = ("float64", "float32", "bfloat16", "float16")
"""From the finest rounding to the coarsest, as the lab lists them."""


def fits(lab: PositionLab, run: RunResult) -> bool:
    """Whether a lab, which may be of an earlier pass, has the very rows of this one."""
    return tuple(len(row) for row in lab.alone) == run.lengths


def _known(value: float) -> float:
    """A difference, or 0 for a token that was not run alone."""
    return 0.0 if math.isnan(value) else value
