"""Scene: all that a panel may draw, made from the state and the results at hand."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.readings import Contributions, Memories, NeuronCard, PositionLab, Terms
from ffn_explorer.core.records import PositionCheck, Proof
from ffn_explorer.core.roofline_records import Roofline
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state.app_state import (
    Appearance,
    Cell,
    Compare,
    Playback,
    Point,
    Selection,
    Source,
    View,
)
from ffn_explorer.state.costing import Costing
from ffn_explorer.state.file_results import Atlas, MemoryTokens, NearestNeurons, NeuronTokens, Promoters
from ffn_explorer.state.looking import Looking
from ffn_explorer.state.result import Activity, Detail, Difference, GateView, Matrix, RunResult, Spread
from ffn_explorer.state.stage_info import StageInfo
from ffn_explorer.state.text import Text

if TYPE_CHECKING:
    from ffn_explorer.state.file_facts import FileFacts
    from ffn_explorer.state.lectures.shown import LessonShown

__all__ = ["Chip", "Scene", "StageInfo"]


@dataclass(frozen=True, slots=True)
class Chip:
    """One token as shown: its text, and the share of its neurons that are active (None while unknown)."""

    text: str
    active: float | None


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a panel may draw; fields compare cheaply, so that unchanged panels are not redrawn.

    source, settings, edits and compare are the ones chosen; `run` may be of older ones while theirs is being
    computed. All that follows from a pass, and the selection, belong to `run`. The fields from `memories` on
    are the rows of `parts.table.PARTS`: None until computed, or while no panel in sight draws them.
    """

    look: Appearance
    source: Source
    settings: Settings
    run: RunResult | None
    stages: tuple[StageInfo, ...]
    chips: tuple[Chip, ...]
    """Tokens of the selected sentence."""
    sentences: tuple[str, ...]
    selection: Selection
    hover: Cell | None
    point: Point | None
    slot: int
    """Which of the token's chosen experts is looked at; 0 for the first choice and for a dense FFN."""
    theta: float
    theta_relative: bool
    activity: Activity | None
    detail: Detail | None
    position: PositionCheck | None
    subject: Cell | None
    """The cell to prove: the hovered one, else the chosen one, else the largest of the stage under way."""
    proof: Proof | None
    """Proof of the subject, once it is there."""
    other: RunResult | None
    """Run of the compare settings (B), when there are some."""
    other_activity: Activity | None
    """Its activity at the theta of A (the chosen one, or A's default)."""
    before: RunResult | None
    """The run shown before this one, while what changed is being flashed."""
    playback: Playback
    progress: tuple[tuple[Stage, float], ...]
    """Stage -> 0..1, eased, in order."""
    current: Stage
    """The stage under way, or the last one done."""
    origin: Text
    """Where the numbers come from: seeded random, loaded, computed."""
    busy: Text | None
    """What is being computed, once it takes longer than 0.3 s."""
    message: Text | None
    """One sentence for the person: a refusal, an error, a note."""
    no_run: Text | None
    """Why there is no run, and will be none of the present state; None while one is there or on its way."""
    views: tuple[tuple[str, View], ...]
    edits: Edits = field(default_factory=Edits)
    compare: Compare | None = None
    file: "FileFacts | None" = None
    """What is known of the opened file that `run` belongs to."""
    looking: Looking = field(default_factory=Looking)
    neuron_tokens: NeuronTokens | None = None
    """From here to `promoters`: rows of `file_parts.table.FILE_PARTS`, read of the opened file."""
    memory_tokens: MemoryTokens | None = None
    atlas: Atlas | None = None
    nearest: NearestNeurons | None = None
    promoters: Promoters | None = None
    refusals: tuple[tuple[str, Text], ...] = ()
    """Why a row of FILE_PARTS is not there, by its field."""
    lesson: "LessonShown | None" = None
    """The beat of a lecture that is on screen."""
    costing: Costing = field(default_factory=Costing)
    roofline: Roofline | None = None
    """What is known of this machine in the dtype chosen; it tells itself which FFN it belongs to."""
    measuring: bool = False
    """Whether a measurement that a person asked for is under way."""
    roofline_refused: Text | None = None
    """Why there is no measurement."""
    memories: Memories | None = None
    contributions: Contributions | None = None
    neuron_card: NeuronCard | None = None
    spread: Spread | None = None
    gate_view: GateView | None = None
    matrix: Matrix | None = None
    spot: Matrix | None = None
    """The weights around the pointed one, each by itself."""
    lab: PositionLab | None = None
    difference: Difference | None = None
    terms: Terms | None = None
    lagging: frozenset[str] = frozenset()
    """Those of them that still belong to an earlier choice or pass, and say themselves to which token."""

    @property
    def stale(self) -> bool:
        """Whether `run` belongs to older settings or sentences than the chosen ones, or is missing."""
        asked = None if self.run is None else self.run.request
        chosen = (self.settings, self.source, self.edits)
        return asked is None or (asked.settings, asked.source, asked.edits) != chosen

    @property
    def followed(self) -> Stage:
        """The stage to look at unasked: the one under way; at rest at the end, the chosen one."""
        at_rest = all(share >= 1.0 for _, share in self.progress)
        chosen = self.selection.stage
        return chosen if at_rest and chosen is not None else self.current

    @property
    def pointed(self) -> Point:
        """What is pointed at, a number or not, in one form; all None while nothing is."""
        cell = self.hover
        if cell is None:
            return self.point or Point()
        token = cell.token if cell.sentence == self.selection.sentence else None
        wide = cell.stage in WIDE
        neuron, dim = (cell.index, None) if wide else (None, cell.index)
        return Point(cell.stage, token, neuron, dim)

    def view(self, panel: str) -> View:
        """A panel's own choices."""
        return dict(self.views).get(panel, View())

    def value(self, cell: Cell) -> float | None:
        """Exact number behind a cell, or None where there is none (yet)."""
        if self.run is None or cell.stage not in self.run.values:
            return None
        values = self.run.values[cell.stage]  # [B, S, N]
        b, s, i = cell.sentence, cell.token, cell.index
        inside = 0 <= b < values.shape[0] and 0 <= s < values.shape[1] and 0 <= i < values.shape[2]
        return float(values[b, s, i]) if inside else None
