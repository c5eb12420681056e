"""What a map of all positions draws: the values of A, of B, or A − B, and why some of it may be missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ffn_explorer.core.stages import WIDE, Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.result import Bytes, Floats, Pyramid, RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.stage_info import name_of
from ffn_explorer.state.text import Text, text
from ffn_explorer.state.view_modes import VIEW_MODES
from ffn_explorer.widgets.reveal import cell_share

MODES = VIEW_MODES["maps"]
"""View.mode of A, B and A − B."""

_NONE: Mapping[Stage, tuple[Bytes, ...]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class MapSource:
    """Values `[B, S, N]` per stage, their pyramids, and the active share per level where it is known."""

    values: Mapping[Stage, Floats]
    pyramids: Mapping[Stage, Pyramid]
    share: Mapping[Stage, tuple[Bytes, ...]]


def mode_of(scene: Scene, wanted: str) -> str:
    """The wanted mode while there is something to compare with, else A."""
    return wanted if scene.other is not None and wanted in MODES else ""


def source_of(scene: Scene, run: RunResult, mode: str) -> MapSource | None:
    """What a mode draws, or None while it is being computed."""
    if mode == "b" and scene.other is not None:
        lit = scene.other_activity
        return MapSource(scene.other.values, scene.other.pyramids, _NONE if lit is None else lit.share)
    if mode == "diff":
        made = scene.difference
        return None if made is None else MapSource(made.values, made.pyramids, _NONE)
    return MapSource(run.values, run.pyramids, _NONE if scene.activity is None else scene.activity.share)


def missing(scene: Scene, run: RunResult, mode: str, stage: Stage) -> Text | None:
    """Why a mode has nothing to draw of a stage that A has, or None."""
    other = scene.other
    if mode == "" or other is None:
        return None
    name = name_of(stage, run.spec)
    if stage not in other.values:
        return text(f"panel.maps.lacks_{mode}", stage=name)
    a, b = (one.values[stage].shape for one in (run, other))
    if mode == "diff" and a[:2] != b[:2]:
        return text("panel.maps.other_tokens")
    if mode == "diff" and a != b:
        widths = {"a": numbers.count(a[2]), "b": numbers.count(b[2])}
        return text("panel.maps.other_width", stage=name, **widths)
    source = source_of(scene, run, mode)
    return text("panel.maps.computing") if source is None or stage not in source.values else None


def limits_of(scene: Scene, run: RunResult) -> tuple[float, ...]:
    """Every limit that a scale may show, so that switching never moves the picture."""
    sources = [source_of(scene, run, mode) for mode in (MODES if scene.other is not None else ("",))]
    return tuple(made.limit for source in sources if source is not None for made in source.pyramids.values())


def widest(scene: Scene, run: RunResult) -> int:
    """Columns of the widest stage of A and B."""
    runs = [run] if scene.other is None else [run, scene.other]
    return max(int(values.shape[2]) for one in runs for values in one.values.values())


def pair_at(scene: Scene, stage: Stage, at: tuple[int, int, int]) -> tuple[float, float] | None:
    """Values of A and B at (sentence, token, column), where both have one that counts the same thing."""
    if scene.run is None or scene.other is None:
        return None
    a, b = (one.values.get(stage) for one in (scene.run, scene.other))
    if a is None or b is None or a.shape != b.shape:
        return None
    return float(a[at]), float(b[at])


def begun(scene: Scene, stage: Stage) -> bool:
    """Whether the pass has reached a stage."""
    return dict(scene.progress).get(stage, 1.0) > 0.0


def shown_share(scene: Scene, stage: Stage) -> float:
    """Share of the columns revealed: the same as of the stage's strip."""
    return cell_share(dict(scene.progress).get(stage, 1.0))


def inside(column: int | None, width: int) -> int | None:
    """The index where it exists, else None."""
    return column if column is not None and 0 <= column < width else None


def pointed_at(scene: Scene, stage: Stage, *, width: int) -> tuple[int | None, int | None]:
    """Row and column that any panel points at, where this stage counts the same things."""
    point = scene.pointed
    rows = 0 if scene.run is None else scene.run.lengths[scene.selection.sentence]
    return inside(point.token, rows), inside(point.neuron if stage in WIDE else point.dim, width)
