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


def _memory() -> Panel:
    from ffn_explorer.panels.memory import MemoryPanel

    return MemoryPanel()


def _running_sum() -> Panel:
    from ffn_explorer.panels.running_sum import RunningSumPanel

    return RunningSumPanel()


def _curve() -> Panel:
    from ffn_explorer.panels.curve import CurvePanel

    return CurvePanel()


def _proof() -> Panel:
    from ffn_explorer.panels.proof import ProofPanel

    return ProofPanel()


def _place() -> Panel:
    from ffn_explorer.panels.place import PlacePanel

    return PlacePanel()


def _position() -> Panel:
    from ffn_explorer.panels.position import PositionPanel

    return PositionPanel()


def _transport() -> Panel:
    from ffn_explorer.panels.transport import TransportPanel

    return TransportPanel()


def _code() -> Panel:
    from ffn_explorer.panels.code import CodePanel

    return CodePanel()


def _card() -> Panel:
    from ffn_explorer.panels.card import CardPanel

    return CardPanel()


def _terms() -> Panel:
    from ffn_explorer.panels.terms import TermsPanel

    return TermsPanel()


def _output() -> Panel:
    from ffn_explorer.panels.output import OutputPanel

    return OutputPanel()


def _weights() -> Panel:
    from ffn_explorer.panels.weights import WeightsPanel

    return WeightsPanel()


def _routing() -> Panel:
    from ffn_explorer.panels.routing import RoutingPanel

    return RoutingPanel()


def _sparsity() -> Panel:
    from ffn_explorer.panels.sparsity import SparsityPanel

    return SparsityPanel()


def _theatre() -> Panel:
    from ffn_explorer.panels.theatre import TheatrePanel

    return TheatrePanel()


def _neuron() -> Panel:
    from ffn_explorer.panels.neuron import NeuronPanel

    return NeuronPanel()


def _bill() -> Panel:
    from ffn_explorer.panels.bill import BillPanel

    return BillPanel()


def _gate() -> Panel:
    from ffn_explorer.panels.gate import GatePanel

    return GatePanel()


def _model() -> Panel:
    from ffn_explorer.panels.model import ModelPanel

    return ModelPanel()


def _growth() -> Panel:
    from ffn_explorer.panels.growth import GrowthPanel

    return GrowthPanel()


def _ratio() -> Panel:
    from ffn_explorer.panels.ratio import RatioPanel

    return RatioPanel()


def _depth() -> Panel:
    from ffn_explorer.panels.depth import DepthPanel

    return DepthPanel()


def _roofline() -> Panel:
    from ffn_explorer.panels.roofline import RooflinePanel

    return RooflinePanel()


def _layers() -> Panel:
    from ffn_explorer.panels.layers import LayersPanel

    return LayersPanel()


def _atlas() -> Panel:
    from ffn_explorer.panels.atlas import AtlasPanel

    return AtlasPanel()


def _reads() -> Panel:
    from ffn_explorer.panels.reads import ReadsPanel

    return ReadsPanel()


def _promoters() -> Panel:
    from ffn_explorer.panels.promoters import PromotersPanel

    return PromotersPanel()


def _lesson() -> Panel:
    from ffn_explorer.panels.lesson import LessonPanel

    return LessonPanel()


PANELS: Mapping[str, PanelMaker] = MappingProxyType(
    {
        "chips": _chips,
        "stage": _stage,
        "maps": _maps,
        "curve": _curve,
        "sparsity": _sparsity,
        "gate": _gate,
        "memory": _memory,
        "running_sum": _running_sum,
        "proof": _proof,
        "place": _place,
        "position": _position,
        "transport": _transport,
        "weights": _weights,
        "code": _code,
        "card": _card,
        "terms": _terms,
        "output": _output,
        "routing": _routing,
        "theatre": _theatre,
        "neuron": _neuron,
        "bill": _bill,
        "model": _model,
        "growth": _growth,
        "ratio": _ratio,
        "depth": _depth,
        "roofline": _roofline,
        "layers": _layers,
        "atlas": _atlas,
        "reads": _reads,
        "promoters": _promoters,
        "lesson": _lesson,
    }
)
