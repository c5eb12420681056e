"""Settings: everything a person may choose about the synthetic FFN, validated and frozen."""

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from ffn_explorer.core.activation_table import ACTIVATIONS, Activation
from ffn_explorer.core.errors import SettingError

EXPERTS_CHOSEN = 2
"""Experts per token when only their number is given."""

LIMITS: dict[str, tuple[float, float]] = {
    "d_model": (1, 32_768),
    "d_ff": (1, 131_072),
    "layers": (1, 512),
    "layer": (0, 511),
    "heads": (1, 256),
    "kv_heads": (1, 256),
    "head_dim": (0, 1_024),
    "experts": (1, 1_024),
    "top_k": (1, 256),
    "shared_experts": (0, 16),
    "capacity_factor": (0.0, 64.0),
    "expert_groups": (1, 64),
    "groups_kept": (1, 64),
    "dropout": (0.0, 0.95),
    "seed": (0, 2**31 - 1),
}

CHOICES: dict[str, tuple[str, ...]] = {
    "activation": tuple(ACTIVATIONS),
    "norm": ("none", "layer", "rms"),
    "norm_placement": ("pre", "post", "sandwich"),
    "stack": ("encoder", "decoder"),
    "routing": ("softmax_topk", "softmax_topk_renorm", "topk_softmax", "sigmoid_bias"),
    "dtype": ("float32", "bfloat16", "float16", "float64"),
}

DEVICES = ("cpu", "cuda", "mps", "xpu")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the synthetic FFN depends on, apart from the sentence.

    Raises SettingError (a sentence naming the field and the allowed range) on a bad value.
    """

    d_model: int = 512
    d_ff: int = 2_048
    activation: str = "relu"
    bias: bool = True
    residual: bool = True
    norm: str = "layer"
    norm_placement: str = "pre"
    layers: int = 6
    layer: int = 0
    """Which of the layers is looked at; its weights differ from every other layer's."""
    stack: str = "encoder"
    heads: int = 8
    kv_heads: int = 8
    head_dim: int = 0
    """Width of one attention head; 0 means d_model / heads, rounded up."""
    mixer: bool = False
    """Whether a small attention mixer runs before the FFN (it breaks position independence)."""
    experts: int = 1
    top_k: int = 1
    routing: str = "softmax_topk_renorm"
    shared_experts: int = 0
    capacity_factor: float = 0.0
    """Tokens an expert takes = ceil(factor * S * K / E); 0 means no limit."""
    expert_groups: int = 1
    groups_kept: int = 1
    dropout: float = 0.0
    training: bool = False
    """Whether dropout acts, as in training, with a seeded mask."""
    seed: int = 7
    dtype: str = "float32"
    device: str = "cpu"

    def __post_init__(self) -> None:
        """Refuse bad values, one clear sentence each."""
        for field in fields(self):
            _check_type(field.name, getattr(self, field.name), type(field.default))
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise SettingError("error.choice", field=name, value=value, choices=", ".join(choices))
        for name, (low, high) in LIMITS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise SettingError("error.range", field=name, value=value, low=low, high=high)
        _check_device(self.device)
        _check_relations(self)

    @property
    def activation_row(self) -> Activation:
        """Row of ACTIVATIONS that `activation` names."""
        return ACTIVATIONS[self.activation]

    @property
    def gated(self) -> bool:
        """Whether gate and up are two matrices."""
        return self.activation_row.gated

    @property
    def is_moe(self) -> bool:
        """Whether a router chooses among several experts."""
        return self.experts > 1

    @property
    def head_width(self) -> int:
        """Width h of one attention head."""
        return self.head_dim or -(-self.d_model // self.heads)

    def with_(self, **changes: Any) -> Self:  # noqa: ANN401 - any field of Settings
        """Copy with some fields changed and checked anew."""
        return replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        """Plain values, one per field."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Settings from plain values; unknown keys are refused, missing ones take the default."""
        known = {field.name for field in fields(cls)}
        for key in data:
            if key not in known:
                raise SettingError("error.unknown_field", field=key)
        return cls(**data)


def _check_type(name: str, value: object, kind: type) -> None:
    good = isinstance(value, kind) and not (kind is not bool and isinstance(value, bool))
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        good = True
    if not good:
        raise SettingError("error.type", field=name, value=repr(value), kind=kind.__name__)


def _check_device(device: str) -> None:
    kind, _, number = device.partition(":")
    if kind not in DEVICES or (number and not number.isdigit()):
        raise SettingError("error.choice", field="device", value=device, choices=", ".join(DEVICES))


def _check_relations(s: Settings) -> None:
    _check_at_most("layer", s.layer, 0, s.layers - 1)
    if s.kv_heads > s.heads or s.heads % s.kv_heads:
        raise SettingError("error.divides", field="kv_heads", value=s.kv_heads, other="heads", total=s.heads)
    _check_at_most("groups_kept", s.groups_kept, 1, s.expert_groups)
    if not s.is_moe:
        return
    E, groups = s.experts, s.expert_groups
    if E % groups:
        raise SettingError("error.divides", field="expert_groups", value=groups, other="experts", total=E)
    _check_at_most("top_k", s.top_k, 1, E // groups * s.groups_kept)


def _check_at_most(name: str, value: int, low: int, high: int) -> None:
    if value > high:
        raise SettingError("error.range", field=name, value=value, low=low, high=high)


ORIGINAL_2017 = Settings(norm="layer", norm_placement="post", activation="relu", bias=True)
"""Vaswani 2017, base model: 512 / 2048, ReLU, bias, post-norm, 6 layers, 8 heads."""
