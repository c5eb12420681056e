"""The part a student reads: what an FFN computes, in plain torch, without any window.

Names are resolved on first use, so that reading a setting does not cost an import of torch.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ffn_explorer.core.ffn import FFN as FFN
    from ffn_explorer.core.forward_pass import forward as forward
    from ffn_explorer.core.moe import MoE as MoE
    from ffn_explorer.core.settings import Settings as Settings
    from ffn_explorer.core.spec import FFNSpec as FFNSpec
    from ffn_explorer.core.stages import Stage as Stage
    from ffn_explorer.core.trace import Trace as Trace

_HOMES = {
    "FFN": "ffn",
    "FFNSpec": "spec",
    "MoE": "moe",
    "Settings": "settings",
    "Stage": "stages",
    "Trace": "trace",
    "forward": "forward_pass",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
