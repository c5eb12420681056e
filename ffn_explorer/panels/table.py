"""PANELS: every panel by name, imported only when a layout or an export asks for it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ffn_explorer.widgets.panel import Panel

PanelMaker = Callable[[], Panel]


def _chips() -> Panel:
    from ffn_explorer.panels.chips import ChipsPanel

    return ChipsPanel()


def _stage() -> Panel:
    from ffn_explorer.panels.stage import StagePanel

    return StagePanel()


def _maps() -> Panel:
    from ffn_explorer.panels.maps import MapsPanel

    return MapsPanel()


def _curve() -> Panel:
    from ffn_explorer.panels.curve import CurvePanel

    return CurvePanel()


def _proof() -> Panel:
    from ffn_explorer.panels.proof import ProofPanel

    return ProofPanel()


def _transport() -> Panel:
    from ffn_explorer.panels.transport import TransportPanel

    return TransportPanel()


def _code() -> Panel:
    from ffn_explorer.panels.code import CodePanel

    return CodePanel()


PANELS: Mapping[str, PanelMaker] = MappingProxyType(
    {
        "chips": _chips,
        "stage": _stage,
        "maps": _maps,
        "curve": _curve,
        "proof": _proof,
        "transport": _transport,
        "code": _code,
    }
)
