"""How many neurons are active at the shown token, as far as the pass has revealed them."""

from dataclasses import dataclass

from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.reveal import cell_share


@dataclass(frozen=True, slots=True)
class Count:
    """active of the first `read` of `total` neurons; share 0..1 of the whole token."""

    active: int
    read: int
    total: int
    share: float


def counted(scene: Scene) -> Count | None:
    """Count at the scene's moment, exact at the end; None until activity is known."""
    run, activity, chosen = scene.run, scene.activity, scene.selection
    if run is None or activity is None:
        return None
    stage = run.enters_down
    share = float(activity.per_token[chosen.sentence, chosen.token])
    total = int(run.values[stage].shape[-1])
    shown = cell_share(dict(scene.progress).get(stage, 1.0))
    everything = round(share * total)
    if shown >= 1.0:
        return Count(everything, total, total, share)
    level, step = activity.share[stage][0][chosen.sentence, chosen.token], run.pyramids[stage].levels[0].step
    if step > 1:  # single neurons are not kept for huge runs; then the count waits for the end
        return Count(0, 0, total, share)
    read = int(shown * total)
    return Count(int((level[:read] == 255).sum()), read, total, share)
