"""Lines of a program that make the layer's arguments and the rows of each sentence."""

import base64
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.seeded_bounds import SELECTION_BIAS
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.code.dialect import DialectName
from ffn_explorer.state.code.drawing import dtype_of
from ffn_explorer.state.code.lines import weight_names
from ffn_explorer.state.code.sizes import Sizes
from ffn_explorer.state.token_lengths import order_of

if TYPE_CHECKING:
    from ffn_explorer.state.requests import RunRequest
    from ffn_explorer.state.result import RunResult

MOST_BYTES = 2_000_000
"""Hidden states that are written into a program as they are."""


def seeded_lines(
    settings: Settings, spec: FFNSpec, sizes: Sizes, dialect: DialectName, *, names: tuple[str, ...]
) -> Iterator[str]:
    """`layer` and `X` of random weights, drawn from the seed."""
    index, d = settings.layer, settings.d_model
    own = weight_names(spec, sizes)
    ones = f"{'torch' if dialect == 'torch' else 'np'}.{{}}({d}, dtype={dtype_of(settings, dialect)})"
    yield from ("", "")
    for name in names:
        if name == "experts":
            yield "experts = ["
            inside = ", ".join(_drawn(settings, part, index, "e") for part in own)
            yield f"    ({inside})"
            yield f"    for e in range({settings.experts})"
            yield "]"
        elif name == "shared":
            yield f"shared = ({', '.join(_drawn(settings, part, index, repr('shared')) for part in own)})"
        elif name == "W_router":
            yield f"W_router = drawn({(settings.experts, d)}, {1 / math.sqrt(d)!r}, {index}, 'router')"
        elif name == "b_select":
            shape = f"({settings.experts},)"
            yield f"b_select = drawn({shape}, {SELECTION_BIAS!r}, {index}, 'selection_bias')"
        elif name.startswith("w_"):
            yield f"{name} = {ones.format('ones')}"
        elif name in ("b_norm", "b_post"):
            yield f"{name} = {ones.format('zeros')}"
        else:
            yield f"{name} = {_drawn(settings, name, index, repr('dense'))}"
    yield f"layer = ({', '.join(names)},)"
    made = "torch.stack([{}])" if dialect == "torch" else "np.stack([{}])"
    cast = (
        f".to({dtype_of(settings, dialect)})"
        if dialect == "torch"
        else f".astype({dtype_of(settings, dialect)})"
    )
    rows = made.format(f"normal({d}, seed_of('token', token)) for token in sentence")
    yield f"X = [{rows}{cast} for sentence in TOKENS]"


def hand_lines(request: "RunRequest", dialect: DialectName) -> Iterator[str]:
    """`layer` and `X` of a memory built by hand, number by number."""
    memory = request.source.memory
    assert memory is not None
    made = "torch.tensor" if dialect == "torch" else "np.array"
    dtype = dtype_of(request.settings, dialect)
    yield from ("", "")
    values = [list(row) for row in zip(*(neuron.value for neuron in memory.neurons), strict=True)]
    tables = {
        "W_up": [list(neuron.key) for neuron in memory.neurons],
        "b_up": [neuron.bias for neuron in memory.neurons],
        "W_down": values,
        "b_down": [0.0] * memory.d_model,
    }
    for name, rows in tables.items():
        yield f"{name} = {made}({rows!r}, dtype={dtype})"
    yield "layer = (W_up, b_up, W_down, b_down)"
    order = order_of(request.source, 0)
    patterns = [list(memory.patterns[place].x) for place in order]
    yield f"X = [{made}({patterns!r}, dtype={dtype})]"


def given_lines(run: "RunResult", dialect: DialectName) -> Iterator[str]:
    """`X` as it flows into the layer of an opened file, in base 64; InputError where it is too large."""
    x = run.values[Stage.INPUT]
    if x.nbytes > MOST_BYTES:
        raise InputError("export.script_large", rows=sum(run.lengths))
    packed = base64.b64encode(x.astype("<f8" if x.dtype.itemsize == 8 else "<f4").tobytes()).decode("ascii")
    kind = "float64" if x.dtype.itemsize == 8 else "float32"
    dtype = dtype_of(run.request.settings, dialect)
    yield from ("", "", "import base64", "", f"ROWS = {packed!r}")
    if dialect == "torch":
        raw = f"torch.frombuffer(bytearray(base64.b64decode(ROWS)), dtype=torch.{kind})"
        whole = f"{raw}.reshape{x.shape}.to({dtype})"
    else:
        whole = f"np.frombuffer(base64.b64decode(ROWS), np.{kind}).reshape{x.shape}.astype({dtype})"
    yield f"X = [rows[: len(sentence)] for rows, sentence in zip({whole}, TOKENS)]"


def _drawn(settings: Settings, name: str, layer: int, which: str) -> str:
    """One matrix or bias of the FFN that `which` names: 'dense', 'shared', or an expert's number."""
    kind, _, role = name.partition("_")
    d, f = settings.d_model, settings.d_ff
    f *= settings.shared_experts if which == "'shared'" else 1
    fan = f if role == "down" else d
    shape = ((d, f) if role == "down" else (f, d)) if kind == "W" else ((d,) if role == "down" else (f,))
    path = role if kind == "W" else f"{role}_bias"
    return f"drawn({shape}, {1 / math.sqrt(fan)!r}, {layer}, {which}, {path!r})"
