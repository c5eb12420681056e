"""What a run tells beyond its stages: the tensors of its layer, their names in a file, what was routed."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ffn_explorer.core.layer_parts import parts_of
from ffn_explorer.state.arrays import to_numpy
from ffn_explorer.state.requests import RunRequest
from ffn_explorer.state.result import Floats

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.scheme import LayerScheme
    from ffn_explorer.core.architecture import FFNShape
    from ffn_explorer.core.experiment import Run
    from ffn_explorer.core.trace import Routing


def facts_of(run: "Run", request: RunRequest) -> dict[str, Any]:
    """Fields of RunResult, by name."""
    return {
        "parts": parts_of(run.layer),
        "scheme": scheme_of(request),
        "down_norms": _down_norms(run),
        **_routed(run.trace.routing),
    }


def scheme_of(request: RunRequest) -> "LayerScheme | None":
    """The layer as the opened file stores it; None without a file."""
    if request.source.opened is None:
        return None
    from ffn_explorer.state.open_files import OPEN_FILES

    return OPEN_FILES.get(request.source.opened).checkpoint.layers[request.settings.layer]


def shape_in(request: RunRequest) -> "FFNShape | None":
    """Sizes of the opened layer; None where the settings decide them."""
    scheme = scheme_of(request)
    if scheme is None:
        return None
    from ffn_explorer.checkpoints.as_shape import shape_of

    return shape_of(scheme)


def _routed(routing: "Routing | None") -> dict[str, Any]:
    if routing is None:
        return {}
    return {
        "expert_index": np.asarray(routing.index.cpu().numpy(), np.int64),
        "expert_weight": to_numpy(routing.weight),
        "expert_dropped": np.asarray(routing.dropped.cpu().numpy(), np.bool_),
        "router_logits": to_numpy(routing.logits),
    }


def _down_norms(run: "Run") -> Floats | None:
    """Lengths of the columns that a file's dense layer writes `[F]`; None for all others."""
    from ffn_explorer.core.ffn import FFN
    from ffn_explorer.core.keep import column_norms

    if not isinstance(run.layer, FFN) or run.layer.origin.kind != "loaded":
        return None
    return to_numpy(column_norms(run.layer))
