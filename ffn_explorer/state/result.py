"""Results: what workers hand to the Scene, in numpy; the torch objects behind them ride along unseen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.architecture import FFNShape
from ffn_explorer.core.layer_parts import LayerParts, parts_of_settings
from ffn_explorer.core.readings import Contributions, Memories, NeuronCard, PositionLab, Terms
from ffn_explorer.core.records import Bill, PositionCheck, Proof, StrongPaths
from ffn_explorer.core.roofline_records import Roofline
from ffn_explorer.core.shape_of import ffn_shape
from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.core.stages import Stage, enters_act, enters_down
from ffn_explorer.state.file_results import FileResult
from ffn_explorer.state.requests import RunRequest

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.scheme import LayerScheme
    from ffn_explorer.core.experiment import Run

Floats = NDArray[np.floating]
XFrom = Literal["seeded", "hand", "embeddings", "npy"]
"""Where hidden states come from: a seed, a hand-built memory, a file's token embeddings, an NPY file."""
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """One level of a pyramid: each cell stands for `step` neighbouring values along the last axis.

    value `[B, S, ceil(N/step)]` uint8: the value of largest magnitude, 1..255 with 128 for zero
    (255 = +limit, 1 = -limit); 0 marks a cell that holds NaN or infinity.
    """

    step: int
    value: Bytes


@dataclass(frozen=True, slots=True, eq=False)
class Pyramid:
    """Levels from finest to coarsest (step 1, 2, 4, ...), with the symmetric colour limit of all of them."""

    levels: tuple[Level, ...]
    limit: float
    non_finite: int
    """How many values are NaN or infinite."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The scalar function sampled by core: z, f(z), f'(z), each `[P]`."""

    z: Floats
    value: Floats
    slope: Floats


@dataclass(frozen=True, slots=True, eq=False)
class RunResult:
    """One pass: tokens, every stage's exact values and its pyramid, the curve, the bill, the origin.

    values: per stage `[B, S, N]` float32, or float64 for float64 runs; padding rows hold zeros.
    lengths: real tokens per sentence.  run: FFN and Trace behind it; None when it came from first_scene.npz.
    expert_index, expert_weight, expert_dropped `[B, S, K]` (bool: that expert had no room left and gave 0),
    router_logits `[B, S, E]`: for experts, else None.  x_from: where x comes from.  down_norms `[F]`: lengths
    of the columns of an opened file's dense layer.  parts: tensors that the layer has, None for those of the
    settings.  scheme: how an opened file stores it.
    """

    request: RunRequest
    spec: FFNSpec
    stages: tuple[Stage, ...]
    tokens: tuple[tuple[str, ...], ...]
    values: Mapping[Stage, Floats]
    pyramids: Mapping[Stage, Pyramid]
    curve: Curve
    bill: Bill
    nbytes: int
    run: "Run | None" = None
    x_from: XFrom = "seeded"
    parts: LayerParts | None = None
    scheme: "LayerScheme | None" = None
    down_norms: Floats | None = None
    expert_index: NDArray[np.int64] | None = None
    expert_weight: Floats | None = None
    expert_dropped: NDArray[np.bool_] | None = None
    router_logits: Floats | None = None

    @property
    def lengths(self) -> tuple[int, ...]:
        """Real tokens per sentence."""
        return tuple(len(sentence) for sentence in self.tokens)

    @property
    def has(self) -> LayerParts:
        """Tensors that the layer has."""
        return parts_of_settings(self.request.settings) if self.parts is None else self.parts

    @property
    def ffn(self) -> FFNShape:
        """Sizes that the FFN's bill follows from."""
        if self.scheme is None:
            return ffn_shape(self.request.settings)
        from ffn_explorer.checkpoints.as_shape import shape_of  # the first picture needs none of it

        return shape_of(self.scheme)

    @property
    def enters_act(self) -> Stage:
        """The stage that the function reads: gate where there is one, else up."""
        return enters_act(self.stages)

    @property
    def enters_down(self) -> Stage:
        """The stage that W_down reads: hidden, or act where nothing changes it on the way."""
        return enters_down(self.stages)

    @property
    def real(self) -> NDArray[np.bool_]:
        """`[B, S]`: where a real token stands, and no padding."""
        tokens = self.values[self.enters_down].shape[1]
        real: NDArray[np.bool_] = np.arange(tokens) < np.array(self.lengths)[:, None]
        return real

    @property
    def computed(self) -> NDArray[np.bool_]:
        """`[B, S]`: real tokens, less those whose first expert had no room and computed nothing."""
        return self.real if self.expert_dropped is None else self.real & ~self.expert_dropped[..., 0]


@dataclass(frozen=True, slots=True, eq=False)
class Activity:
    """Active neurons at one theta.

    share: per stage (act, hidden) one uint8 `[B, S, C]` per pyramid level, 255 = all of the cell is active.
    per_token `[B, S]`, per_neuron `[F]`, overall: fraction of neurons, of computed tokens, of both, with
    abs(hidden) > theta; zero_per_token `[B, S]`, zero_share: of exact zeros.  Tokens for which nothing was
    computed are 0 in the first and the last, and counted nowhere.
    """

    share: Mapping[Stage, tuple[Bytes, ...]]
    per_token: Floats
    per_neuron: Floats
    overall: float
    zero_per_token: Floats
    zero_share: float
    nbytes: int


@dataclass(frozen=True, slots=True, eq=False)
class Detail:
    """What one token's picture needs beyond the trace: strongest paths, histogram of its pre-activations.

    edges `[65]`, counts `[64]`: histogram of up (plain) or gate (gated) at this token, of finite values.
    """

    paths: StrongPaths
    edges: Floats
    counts: NDArray[np.int64]
    nbytes: int


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """How large the values of hidden are, over all real tokens: log₁₀|hidden|, exact zeros apart.

    edges `[N + 1]` of log₁₀|hidden|, counts `[N]`; token_counts `[B, S, N]`; zeros, not_finite: how many.
    The first bar also counts what is smaller.  other: the same of B, between the same edges.
    """

    edges: Floats
    counts: NDArray[np.int64]
    token_counts: NDArray[np.int64]
    zeros: int
    not_finite: int
    nbytes: int
    other: "Spread | None" = None


@dataclass(frozen=True, slots=True, eq=False)
class GateView:
    """How gate and up stand together: all real tokens of a sentence, and each of its tokens.

    x_edges (gate), y_edges (up) `[N + 1]`; counts `[N, N]` (x, y); quadrants `[S, 4]`: neurons of (gate, up)
    (+, +), (+, −), (−, +), (−, −), zeros counted with +, NaN with none; shut `[S]`: neurons with |act| <=
    theta.  Tokens for which nothing was computed have 0 everywhere.  other: the same of B, where it is gated.
    """

    sentence: int
    theta: float
    relative: bool

    x_edges: Floats
    y_edges: Floats
    counts: NDArray[np.int64]
    quadrants: NDArray[np.int64]
    shut: NDArray[np.int64]
    nbytes: int
    other: "GateView | None" = None


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """A window of one weight matrix, pooled to few cells: the weight of largest magnitude in each.

    rows, columns: (first, past the last) of the window; row_step, column_step: weights per cell, powers of 2.
    value `[R, C]` uint8 as in `Level`; limit: magnitude of 127; exact `[rows, columns]`: the weights where
    the window is small enough to print them, else None.  shape: of the whole matrix.
    """

    role: str
    expert: int | None
    shape: tuple[int, int]
    rows: tuple[int, int]
    columns: tuple[int, int]
    row_step: int
    column_step: int
    value: Bytes
    limit: float
    exact: Floats | None
    nbytes: int


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """A − B, stage by stage, for the stages that both have in one width.

    values `[B, S, N]` and pyramids as in RunResult; relative: per stage ||A − B|| / ||B|| over real tokens
    (infinite where B is 0 and A is not).
    """

    values: Mapping[Stage, Floats]
    pyramids: Mapping[Stage, Pyramid]
    relative: Mapping[Stage, float]
    nbytes: int


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What is known of a machine: the newest measurement that fits, or none."""

    roofline: Roofline | None
    nbytes: int = 4_096


PartResult = (
    Spread | GateView | Matrix | Difference | Memories | Contributions | NeuronCard | PositionLab | Terms
)
"""What the rows of `parts.table.PARTS` compute."""

Result = RunResult | Activity | Detail | PositionCheck | Proof | Measured | PartResult | FileResult
