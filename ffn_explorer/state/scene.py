"""Scene: all that a panel may draw, made from the state and the results at hand."""

from dataclasses import dataclass

from ffn_explorer.core.records import PositionCheck, Proof
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import Appearance, Cell, Playback, Selection, Source, View
from ffn_explorer.state.result import Activity, Detail, RunResult
from ffn_explorer.state.stage_info import StageInfo
from ffn_explorer.state.text import Text

__all__ = ["Chip", "Scene", "StageInfo"]


@dataclass(frozen=True, slots=True)
class Chip:
    """One token as shown: its text, and the share of its neurons that are active (None while unknown)."""

    text: str
    active: float | None


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a panel may draw; fields compare cheaply, so that unchanged panels are not redrawn.

    source and settings are the ones chosen; `run` may be of older ones while theirs is being computed. Chips,
    selection, hover, theta, activity, detail, position, proof, stages, progress and origin belong to `run`.
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
    """Run of the compare settings, when there are some."""
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
    views: tuple[tuple[str, View], ...]

    @property
    def stale(self) -> bool:
        """Whether `run` belongs to older settings or sentences than the chosen ones, or is missing."""
        asked = None if self.run is None else self.run.request
        return asked is None or asked.settings != self.settings or asked.source != self.source

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
