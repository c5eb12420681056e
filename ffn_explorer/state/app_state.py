"""AppState and its parts: frozen values that hold keys and choices, never tensors."""

from dataclasses import dataclass, field, replace
from typing import Literal, Self

from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.core.edits import Edits
from ffn_explorer.core.handmade import HandMemory
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.costing import Costing, Measurement
from ffn_explorer.state.lesson import Lesson
from ffn_explorer.state.looking import Looking

DEFAULT_SENTENCE = "The keys on the table are lost."

ThemeName = Literal["light", "dark", "projector"]
Language = Literal["en", "ja"]
XIs = Literal["residual", "ffn-input"]


@dataclass(frozen=True, slots=True)
class Opened:
    """A file or folder of weights, one of whose layers is looked at; which one, `Settings.layer` says.

    path: absolute.  digest: of its headers, by which it is recognised.  correction: how a person reads it
    where it does not say it itself.  x: an NPY file with hidden states, "" for the embeddings of the
    sentences' tokens; x_is: what its rows are.
    """

    path: str
    digest: str
    correction: Correction | None = None
    x: str = ""
    x_is: XIs = "residual"


@dataclass(frozen=True, slots=True)
class Source:
    """Where hidden states and weights come from: seeded random weights, a memory by hand, or a file.

    orders: one permutation of token positions per sentence, () for the natural order; made by dragging chips.
    memory: a hand-built FFN, whose input patterns then stand in the place of tokens (one sentence of them).
    opened: a file of weights; never beside a memory.
    """

    sentences: tuple[str, ...] = (DEFAULT_SENTENCE,)
    orders: tuple[tuple[int, ...], ...] = ((),)
    memory: HandMemory | None = None
    opened: Opened | None = None

    @property
    def plain(self) -> bool:
        """Whether the settings decide everything: seeded random weights on sentences."""
        return self.memory is None and self.opened is None


@dataclass(frozen=True, slots=True)
class Theta:
    """Threshold of "active": abs(hidden) > theta. None takes the activation's default (0 or 0.1)."""

    value: float | None = None
    relative: bool = False
    """Relative to the row's root mean square, or absolute (no unit)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of the trace: index counts neurons (wide stages) or dimensions (the others)."""

    stage: Stage
    sentence: int
    token: int
    index: int


@dataclass(frozen=True, slots=True)
class Point:
    """Something pointed at that is not one number: any of these, the others None; never beside a Cell."""

    stage: Stage | None = None
    token: int | None = None
    neuron: int | None = None
    dim: int | None = None
    expert: int | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """What is chosen everywhere at once; shared by all panels."""

    sentence: int = 0
    token: int = 5
    neuron: int | None = None
    dim: int | None = None
    expert: int | None = None
    stage: Stage | None = None
    """Stage whose cell is chosen; None while only a token is chosen."""

    def cell(self, wide: bool | None = None) -> Cell | None:
        """The chosen cell, or None; `wide` overrides whether the stage counts neurons."""
        from ffn_explorer.core.stages import WIDE

        if self.stage is None:
            return None
        is_wide = self.stage in WIDE if wide is None else wide
        index = self.neuron if is_wide else self.dim
        return None if index is None else Cell(self.stage, self.sentence, self.token, index)

    def clamped(self, lengths: tuple[int, ...], d_model: int, d_ff: int) -> Self:
        """Nearest selection that exists, for these sentence lengths and widths."""
        if not lengths:
            return self
        sentence = min(self.sentence, len(lengths) - 1)
        return replace(
            self,
            sentence=sentence,
            token=max(0, min(self.token, lengths[sentence] - 1)),
            neuron=None if self.neuron is None or self.neuron >= d_ff else self.neuron,
            dim=None if self.dim is None or self.dim >= d_model else self.dim,
        )


@dataclass(frozen=True, slots=True)
class Playback:
    """The only animation state in the app: time 0..1 of the pass."""

    time: float = 1.0
    playing: bool = False
    speed: float = 1.0
    until: float = 1.0
    """Where it comes to rest; a scene of a lecture plays a part of the pass."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """How things look; remembered between sessions, never part of undo."""

    theme: ThemeName = "light"
    language: Language = "en"
    scale: float = 1.0
    """Size of type and lines, 1.0 to 2.0."""
    reduce_motion: bool = False
    transposed: bool = False
    """Captions show the [S, B, D] convention instead of [B, S, D]."""
    lens: bool = False
    """Cells around the pointer are shown one to one, with their values."""


@dataclass(frozen=True, slots=True)
class Compare:
    """Second settings and edits (B), run on the same sentences as the main ones (A)."""

    settings: Settings
    edits: Edits = field(default_factory=Edits)
    pinned: bool = False
    """Whether B is a baseline: what was there when a person pinned it."""


@dataclass(frozen=True, slots=True)
class Before:
    """What a hand-built memory or a file stands in place of, kept so that leaving brings everything back."""

    orders: tuple[tuple[int, ...], ...] = ((),)
    settings: Settings = field(default_factory=Settings)
    edits: Edits = field(default_factory=Edits)
    compare: Compare | None = None
    theta: Theta = field(default_factory=Theta)
    selection: Selection = field(default_factory=Selection)


@dataclass(frozen=True, slots=True)
class View:
    """One panel's own choices, kept in the state so that its picture stays a function of it."""

    stage: Stage | None = None
    """Stage the panel is pinned to; None follows the pass."""
    first: int = 0
    """First column or row shown."""
    shown: int = 0
    """How many are shown; 0 means all."""
    first_row: int = 0
    rows: int = 0
    """The same for rows, where a panel zooms both ways."""
    mode: str = ""
    """Which of its pictures a panel shows; "" is the first."""
    sort: str = ""
    """What its rows are ordered by; "" is the usual order."""
    scroll: int = 0
    """First row in sight of a list."""


@dataclass(frozen=True, slots=True)
class AppState:
    """Everything that decides what is on screen."""

    source: Source = field(default_factory=Source)
    settings: Settings = field(default_factory=Settings)
    edits: Edits = field(default_factory=Edits)
    """What is changed inside the FFN: memories kept, experts dropped or forced."""
    compare: Compare | None = None
    theta: Theta = field(default_factory=Theta)
    selection: Selection = field(default_factory=Selection)
    before_memory: Before | None = None
    """What was there before the hand-built memory or the file of the source; None without one."""
    hover: Cell | None = None
    point: Point | None = None
    playback: Playback = field(default_factory=Playback)
    appearance: Appearance = field(default_factory=Appearance)
    views: tuple[tuple[str, View], ...] = ()
    """Per panel name; () means each panel's default."""
    costing: Costing = field(default_factory=Costing)
    """What the cost panels count."""
    looking: Looking = field(default_factory=Looking)
    """What the panels of an opened file ask of it."""
    lesson: Lesson | None = None
    """Where a person stands in a lecture; None without one."""
    asked: Measurement | None = None
    """The last measurement of this machine that a person asked for."""
    shown: frozenset[str] | None = None
    """Panels in sight, which decide what is computed; None means every panel there is."""

    def view(self, panel: str) -> View:
        """View of a panel, its default when none was chosen."""
        return dict(self.views).get(panel, View())
