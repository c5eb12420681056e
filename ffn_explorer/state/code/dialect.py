"""Dialects: how PyTorch and NumPy write the few operations that an FFN is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

DialectName = Literal["torch", "numpy"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One row per library; templates are filled with `str.format`.

    functions: scalar function -> template in {z}.  where: what a line of setup is put in front of.
    """

    name: DialectName
    label: str
    imports: tuple[str, ...]
    erf: str
    """Import that GELU needs, where the library has none of its own."""
    linear: str
    linear_bias: str
    layer_norm: tuple[str, ...]
    rms_norm: tuple[str, ...]
    dropout: str
    softmax: tuple[str, ...]
    sigmoid: str
    topk: tuple[str, ...]
    """From {s}, the `k` best along the last axis -> `index`."""
    gather: str
    zeros: str
    keep: tuple[str, ...]
    """hidden = {a} with only the {k} largest |{a}| · ||W_down column|| left."""
    before: tuple[str, str]
    """{x} one token later, 0 at the first: tokens along axis 0, along axis 1."""
    functions: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


TORCH = Dialect(
    name="torch",
    label="PyTorch",
    imports=("import torch", "import torch.nn.functional as F"),
    erf="",
    linear="F.linear({x}, {W})",
    linear_bias="F.linear({x}, {W}, {b})",
    layer_norm=("{y} = F.layer_norm({x}, ({n},), {w}, {b}, eps={eps})",),
    rms_norm=("{y} = F.rms_norm({x}, ({n},), {w}, eps={eps})",),
    dropout="{y} = F.dropout({x}, p={p})",
    softmax=("{y} = torch.softmax({x}, dim=-1)",),
    sigmoid="torch.sigmoid({x})",
    topk=("index = {s}.topk({k}, dim=-1).indices",),
    gather="{x}.gather(-1, index)",
    zeros="torch.zeros_like({x})",
    keep=(
        "strength = {a}.abs() * W_down.norm(dim=0)",
        "top = strength.topk({k}, dim=-1).indices",
        "{y} = torch.zeros_like({a}).scatter(-1, top, {a}.gather(-1, top))",
    ),
    before=("F.pad({x}, (0, 0, 0, 0, 1, -1))", "F.pad({x}, (0, 0, 1, -1))"),
    functions=MappingProxyType(
        {
            "relu": "F.relu({z})",
            "gelu": "F.gelu({z})",
            "gelu_tanh": 'F.gelu({z}, approximate="tanh")',
            "quick_gelu": "{z} * torch.sigmoid(1.702 * {z})",
            "silu": "F.silu({z})",
            "relu2": "F.relu({z}) ** 2",
            "identity": "{z}",
            "sigmoid": "torch.sigmoid({z})",
        }
    ),
)

NUMPY = Dialect(
    name="numpy",
    label="NumPy",
    imports=("import numpy as np",),
    erf="import math\n\nerf = np.vectorize(math.erf, otypes=[float])",
    linear="{x} @ {W}.T",
    linear_bias="{x} @ {W}.T + {b}",
    layer_norm=(
        "centred = {x} - {x}.mean(-1, keepdims=True)",
        "{y} = centred / np.sqrt({x}.var(-1, keepdims=True) + {eps}) * {w} + {b}",
    ),
    rms_norm=("{y} = {x} / np.sqrt(np.mean({x} ** 2, -1, keepdims=True) + {eps}) * {w}",),
    dropout="{y} = {x} * (np.random.random({x}.shape) >= {p}) / (1 - {p})",
    softmax=(
        "e = np.exp({x} - {x}.max(-1, keepdims=True))",
        "{y} = e / e.sum(-1, keepdims=True)",
    ),
    sigmoid="1 / (1 + np.exp(-{x}))",
    topk=("index = np.argsort(-{s}, axis=-1, kind='stable')[..., :{k}]",),
    gather="np.take_along_axis({x}, index, -1)",
    zeros="np.zeros_like({x})",
    keep=(
        "strength = np.abs({a}) * np.linalg.norm(W_down, axis=0)",
        "rank = np.argsort(np.argsort(-strength, axis=-1, kind='stable'), axis=-1)",
        "{y} = np.where(rank < {k}, {a}, 0)",
    ),
    before=(
        "np.concatenate([np.zeros_like({x}[:1]), {x}[:-1]])",
        "np.concatenate([np.zeros_like({x}[:, :1]), {x}[:, :-1]], axis=1)",
    ),
    functions=MappingProxyType(
        {
            "relu": "np.maximum({z}, 0)",
            "gelu": "0.5 * {z} * (1 + erf({z} / np.sqrt(2)))",
            "gelu_tanh": "0.5 * {z} * (1 + np.tanh(np.sqrt(2 / np.pi) * ({z} + 0.044715 * {z} ** 3)))",
            "quick_gelu": "{z} / (1 + np.exp(-1.702 * {z}))",
            "silu": "{z} / (1 + np.exp(-{z}))",
            "relu2": "np.maximum({z}, 0) ** 2",
            "identity": "{z}",
            "sigmoid": "1 / (1 + np.exp(-{z}))",
        }
    ),
)

DIALECTS: Mapping[str, Dialect] = MappingProxyType({row.name: row for row in (TORCH, NUMPY)})
