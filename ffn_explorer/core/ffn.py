"""FFN: a spec and its tensors, checked against each other."""

from dataclasses import dataclass, field
from typing import Literal

from torch import Tensor

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.core.token_shift import TokenShift


@dataclass(frozen=True, slots=True)
class Origin:
    """Where numbers come from: seeded random, a file's tensors, or a computation."""

    kind: Literal["seeded", "loaded", "computed"]
    seed: int | None = None
    file: str = ""
    tensors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class NormWeights:
    """Weight and bias `[N]` of one norm; None where the model stores none."""

    weight: Tensor | None = None
    bias: Tensor | None = None


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class FFN:
    """One position-wise feed-forward network.

    Shapes, in nn.Linear layout (out, in): up, gate `[F, D]`; down `[D, F]`; biases `[F]`, `[F]`, `[D]`;
    pre_norm and post_norm `[D]`; inner_norm `[F]`; layer_scale `[D]` (multiplies out, LayerScale).
    shift: what makes it read the token before as well (RWKV), where `spec.position_wise` is False.
    Raises InputError when a shape does not fit.
    """

    spec: FFNSpec
    up: Tensor
    down: Tensor
    gate: Tensor | None = None
    up_bias: Tensor | None = None
    gate_bias: Tensor | None = None
    down_bias: Tensor | None = None
    pre_norm: NormWeights = field(default_factory=NormWeights)
    post_norm: NormWeights = field(default_factory=NormWeights)
    inner_norm: NormWeights = field(default_factory=NormWeights)
    layer_scale: Tensor | None = None
    shift: TokenShift | None = None
    origin: Origin = field(default_factory=lambda: Origin("computed"))

    def __post_init__(self) -> None:
        """Check every shape against up's."""
        f, d = self.up.shape  # [F, D]
        wanted: tuple[tuple[str, Tensor | None, tuple[int, ...]], ...] = (
            ("gate", self.gate, (f, d)),
            ("down", self.down, (d, f)),
            ("up_bias", self.up_bias, (f,)),
            ("gate_bias", self.gate_bias, (f,)),
            ("down_bias", self.down_bias, (d,)),
            ("pre_norm", self.pre_norm.weight, (d,)),
            ("post_norm", self.post_norm.weight, (d,)),
            ("inner_norm", self.inner_norm.weight, (f,)),
            ("layer_scale", self.layer_scale, (d,)),
        )
        for name, tensor, shape in wanted:
            if tensor is not None and tuple(tensor.shape) != shape:
                raise InputError("error.shape", name=name, shape=list(tensor.shape), wanted=list(shape))
        if self.spec.gated != (self.gate is not None):
            raise InputError("error.gate_missing" if self.spec.gated else "error.gate_extra")

    @property
    def d_model(self) -> int:
        """D, the width of the hidden states."""
        return self.up.shape[1]

    @property
    def d_ff(self) -> int:
        """F = Dff, the width of the intermediate."""
        return self.up.shape[0]
