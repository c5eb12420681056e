"""Roofline: how fast this device multiplies and reads, and how near to it an FFN comes at S = 1 … 2,048."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle
from time import perf_counter

import torch
from torch import Tensor
from torch.nn import functional as F

from ffn_explorer.core import budget, cost
from ffn_explorer.core.devices import check_device
from ffn_explorer.core.errors import MemoryRefusal
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.machine import device_name
from ffn_explorer.core.roofline_records import SIZES, Operating, Roof, Roofline, moved_bytes
from ffn_explorer.core.seeding import seeded_layer
from ffn_explorer.core.settings import Settings

POINT_S = 2.5
"""A point that would take longer than this is left out (seconds)."""
_PRODUCT_S = 0.5
"""Longest single product by which the roof is measured (seconds)."""
_LEAST_S = 0.2
"""Everything is repeated for so long (seconds)."""
_LONG_S = 1.2
"""Repetitions of a point beyond the first end after this (seconds), though not before _LEAST within it."""
_LEAST, _MOST = 3, 50
_SQUARES = (256, 512, 1_024, 2_048, 4_096, 8_192)
_STREAM_BYTES = 2**28
"""Larger than any cache: what is read from here comes from memory."""

Told = Callable[[float], None]
"""Hears how much is done, 0..1; may raise to stop the measurement."""


def measure(settings: Settings, told: Told) -> Roofline:
    """Roof of the device and dtype of these settings, and their FFN under it; takes seconds.

    A mixture is measured as one of its experts.  Where weights would stay in a cache, every pass reads those
    of another layer, as in a model.  Raises InputError where the device is missing, MemoryRefusal where the
    matrices need too much memory.
    """
    s = settings.with_(
        experts=1, top_k=1, shared_experts=0, expert_groups=1, groups_kept=1, layers=1, layer=0,
        norm="none", residual=False, mixer=False, dropout=0.0, training=False,
    )  # fmt: skip
    check_device(s)
    _check_memory(s)
    steps = len(_SQUARES) + 4 + len(SIZES)
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        told(min(1.0, done / steps))

    with torch.inference_mode():
        layers = _copies(s)
        rates = list(_square_rates(s, layers[0], step))
        reads = list(_read_rates(s, layers[0], step))
        points = []
        for tokens in SIZES:
            point = _point(s, layers, Roof(max(rates), max(reads)), tokens=tokens)
            if point is not None:
                # Beside each pass its bare products, so that whatever slows one slows the other.
                rate, read = _own_rates(s, layers, tokens)
                rates.append(rate)
                reads.append(read)
                points.append(point)
            step()
        reads += _read_rates(s, layers[0], step)
    return Roofline(
        machine=device_name(s.device),
        device=s.device,
        dtype=s.dtype,
        d_model=s.d_model,
        d_ff=s.d_ff,
        activation=s.activation,
        roof=Roof(max(rates), max(reads)),
        points=tuple(points),
    )


def _check_memory(s: Settings) -> None:
    """Weights, every stage of the longest pass, and what the roof is measured on."""
    item, one = budget.ITEM_BYTES[s.dtype], cost.ffn_parameters(s, bias=True)
    kept = SIZES[-1] * ((cost.matrices_of(s) + 1) * s.d_ff + 4 * s.d_model)
    needed = item * (one * _copies_wanted(s) + kept) + 3 * _STREAM_BYTES
    free = budget.free_bytes(s.device)
    if needed * budget.SHARE > free:
        raise MemoryRefusal("error.memory", needed=budget.in_words(needed), free=budget.in_words(free))


def _copies_wanted(s: Settings) -> int:
    """So many FFNs that they do not fit into a cache together."""
    one = cost.ffn_parameters(s, bias=False) * budget.ITEM_BYTES[s.dtype]
    return max(1, min(64, -(-_STREAM_BYTES // one)))


def _copies(s: Settings) -> Sequence[FFN]:
    made = [seeded_layer(s.with_(seed=number)) for number in range(_copies_wanted(s))]
    return [ffn for ffn in made if isinstance(ffn, FFN)]


def _square_rates(s: Settings, ffn: FFN, step: Callable[[], None]) -> Iterator[float]:
    """FLOP/s of square products, as large as time allows."""
    rate = 0.0
    for n in _SQUARES:
        if rate == 0.0 or 2 * n**3 / rate < _PRODUCT_S:
            x, weight = (torch.ones(n, n, dtype=ffn.up.dtype, device=ffn.up.device) for _ in range(2))
            rate = 2 * n**3 / _best(partial(F.linear, x, weight), s.device)
            yield rate
        step()


def _own_rates(s: Settings, layers: Sequence[FFN], tokens: int) -> tuple[float, float]:
    """FLOP/s and bytes/s of S tokens times the matrices themselves, the best of up and down."""
    found = []
    for weights in ([layer.up for layer in layers], [layer.down for layer in layers]):
        x = torch.ones(tokens, weights[0].shape[1], dtype=weights[0].dtype, device=weights[0].device)
        turn = cycle(weights)
        seconds = _best(lambda x=x, turn=turn: F.linear(x, next(turn)), s.device)  # type: ignore[misc]
        moved = weights[0].nbytes + x.nbytes + x.nbytes // weights[0].shape[1] * weights[0].shape[0]
        found.append((2 * tokens * weights[0].numel() / seconds, moved / seconds))
    return max(rate for rate, _ in found), max(read for _, read in found)


def _read_rates(s: Settings, ffn: FFN, step: Callable[[], None]) -> Iterator[float]:
    """Bytes/s of a sum, a copy, and a product with one vector, over more than any cache holds."""
    side = int((_STREAM_BYTES / 4) ** 0.5)
    big = torch.ones(side, side, device=ffn.up.device)  # float32
    into = torch.empty_like(big)
    yield big.nbytes / _best(big.sum, s.device)
    yield 2 * big.nbytes / _best(lambda: into.copy_(big), s.device)
    step()
    yield big.nbytes / _best(lambda: F.linear(big[:1], big), s.device)
    step()


def _point(s: Settings, layers: Sequence[FFN], roof: Roof, *, tokens: int) -> Operating | None:
    """One operating point; None where it would take too long."""
    flops = 2 * tokens * cost.ffn_parameters(s, bias=False)
    weights, item = cost.ffn_parameters(s, bias=True), budget.ITEM_BYTES[s.dtype]
    moved = moved_bytes(tokens=tokens, d_model=s.d_model, weights=weights, item=item)
    if flops / roof.bound(flops / moved) > POINT_S:
        return None
    return Operating(tokens, flops, moved, _pass_time(s, layers, tokens))


def _pass_time(s: Settings, layers: Sequence[FFN], tokens: int) -> float:
    """Shortest seconds of our forward over S tokens, another layer each time."""
    like = layers[0].up
    generator = torch.Generator().manual_seed(s.seed)
    x = torch.randn(1, tokens, s.d_model, generator=generator).to(like.device, like.dtype)  # [1, S, D]
    forward(layers[-1], x)
    found: list[float] = []
    start = perf_counter()
    while not _enough(len(found), perf_counter() - start):
        layer = layers[len(found) % len(layers)]
        found.append(_seconds(partial(forward, layer, x), s.device))
    return min(found)


def _enough(count: int, elapsed_s: float) -> bool:
    """Whether a point has been measured often enough to have met a quiet moment."""
    if count < _LEAST:
        return count > 0 and elapsed_s > _LONG_S
    return elapsed_s > _LEAST_S or count >= _MOST


def _best(act: Callable[[], Tensor], device: str) -> float:
    """Shortest of several times (seconds): whatever else runs only slows it."""
    start, found = perf_counter(), [_seconds(act, device)]
    while len(found) < _MOST and perf_counter() - start < _LEAST_S:
        found.append(_seconds(act, device))
    return min(found)


def _seconds(act: Callable[[], object], device: str) -> float:
    start = perf_counter()
    act()
    if not device.startswith("cpu"):
        torch.get_device_module(device).synchronize()
    return perf_counter() - start
