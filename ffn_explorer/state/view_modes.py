"""View.mode: which pictures each panel can show, by the names that the state and lectures use."""

from collections.abc import Mapping
from types import MappingProxyType

VIEW_MODES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "maps": ("", "b", "diff"),
        "sparsity": ("tokens", "neurons", "values"),
        "gate": ("quadrants", "lanes"),
        "output": ("", "sum"),
        "theatre": ("", "keys", "values", "patterns"),
        "position": ("", "formats", "limits"),
        "place": ("", "depth"),
        "routing": ("", "logits"),
        "growth": ("token", "sequence", "bytes"),
        "weights": ("", "up", "gate", "down"),
        "code": ("", "numpy"),
    }
)
"""The first one is shown where the mode is ""; a panel that is not here has one picture."""

FILTERS = frozenset({"layers", "atlas"})
"""Panels whose mode is a filter that a person types."""


def mode_fits(panel: str, mode: str) -> bool:
    """Whether a panel knows a mode."""
    return not mode or panel in FILTERS or mode in VIEW_MODES.get(panel, ())
