"""What is said of each stage: its name, formula and shapes, as read-only values that stay the same object."""

from dataclasses import dataclass
from functools import lru_cache

from ffn_explorer.core.layer_parts import LayerParts
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.core.stages import WIDE, Stage, stages_of
from ffn_explorer.state.formulas import formula
from ffn_explorer.state.text import Text, text


@dataclass(frozen=True, slots=True)
class StageInfo:
    """What is said of one stage: name, formula and shapes, ready for `say`; wide stages count neurons."""

    stage: Stage
    width: int
    wide: bool
    name: Text
    formula: str
    """E.g. "up = W_up · norm(x) + b_up"."""
    shape_in: tuple[int, ...]
    shape_out: tuple[int, ...]


@lru_cache(maxsize=64)
def stage_infos(
    spec: FFNSpec,
    settings: Settings,
    *,
    batch: int,
    tokens: int,
    transposed: bool,
    parts: LayerParts | None = None,
) -> tuple[StageInfo, ...]:
    """One StageInfo per stage of a spec, in order; shapes are `[B, S, N]`, or `[S, B, N]` when transposed.

    parts: tensors that the layer has, where the settings do not decide it.
    """
    rows = (tokens, batch) if transposed else (batch, tokens)

    def info(stage: Stage) -> StageInfo:
        wide = stage in WIDE
        width = settings.d_ff if wide else settings.d_model
        reads_wide = stage in (Stage.ACT, Stage.HIDDEN, Stage.OUT)
        read = settings.d_ff if reads_wide else settings.d_model
        return StageInfo(
            stage=stage,
            width=width,
            wide=wide,
            name=name_of(stage, spec),
            formula=formula(stage, spec, settings, parts),
            shape_in=(*rows, read),
            shape_out=(*rows, width),
        )

    return tuple(info(stage) for stage in stages_of(spec))


def name_of(stage: Stage, spec: FFNSpec) -> Text:
    """Short name of a stage; hidden is called after the last thing that happens to it."""
    if stage is Stage.HIDDEN and not spec.gated:
        return text("stage.kept" if spec.keep else "stage.inner_norm")
    if stage is Stage.HIDDEN and spec.inner_norm is not None:
        return text("stage.normed_product")
    return text(f"stage.{stage}")
