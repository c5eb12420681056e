"""What a run needs in memory, told before anything is allocated."""

import sys
from collections.abc import Sequence

from ffn_explorer.core.cost import attention_parameters, ffn_parameters, matrices_of
from ffn_explorer.core.errors import MemoryRefusal
from ffn_explorer.core.settings import Settings

ITEM_BYTES = {"float64": 8, "float32": 4, "bfloat16": 2, "float16": 2}

SHARE = 2
"""A run may need at most 1/SHARE of the memory that is free."""

_PYRAMID_BYTES = 4
"""uint8 per value of a stage, halved per level (2 in all), and as much again for the active share."""
_NARROW = 6
"""D-wide tensors kept: skip, x, normed, out, post_norm, residual."""
_SCORES = 3
"""S×S tensors alive at once in the mixer: scores, masked scores, softmax."""


def bytes_needed(settings: Settings, lengths: Sequence[int], *, stored: bool = False) -> int:
    """Bytes that one run of these settings needs at its peak, for sentences of these lengths.

    Weights, every stage kept in the run's dtype, the copies shown (float32, or float64 for float64 runs),
    their pyramids (4 bytes a value with the active shares), and the largest matrix once more while drawn.
    stored: the weights lie in a file, from which only the experts that tokens chose are read.
    """
    d, f = settings.d_model, settings.d_ff
    item = ITEM_BYTES[settings.dtype]
    shown = max(item, 4)
    padded = len(lengths) * max(lengths, default=0)
    wide = matrices_of(settings) + 1  # up, (gate,) act, hidden
    chosen, shared = (settings.top_k, settings.shared_experts) if settings.is_moe else (0, 0)

    weights = item * ffn_parameters(settings, bias=True) + 4 * d * f * max(1, shared)
    if stored and settings.is_moe:
        unread = settings.experts - min(settings.experts, padded * chosen)
        weights -= item * unread * matrices_of(settings) * d * f
    kept = (
        item
        * padded
        * (wide * f * (1 + chosen + shared) + d * (_NARROW + chosen + (_NARROW if shared else 0)))
    )
    copies = (shown + _PYRAMID_BYTES) * padded * (wide * f + _NARROW * d)
    return weights + kept + copies + (_mixer_bytes(settings, lengths) if settings.mixer else 0)


def check(settings: Settings, lengths: Sequence[int], *, stored: bool = False) -> None:
    """MemoryRefusal, with both figures, when a run would need more than half of the free memory."""
    needed = bytes_needed(settings, lengths, stored=stored)
    free = free_bytes(settings.device)
    if needed * SHARE > free:
        raise MemoryRefusal("error.memory", needed=in_words(needed), free=in_words(free))


def free_bytes(device: str = "cpu") -> int:
    """Free memory in bytes: of the machine, and of a CUDA device where that is less.

    A device is asked once torch is there: before that, nothing is about to be computed on it.
    """
    import psutil  # the first picture needs none of it

    free = int(psutil.virtual_memory().available)
    torch = sys.modules.get("torch")
    if device.startswith("cuda") and torch is not None:
        free = min(free, torch.cuda.mem_get_info(device)[0])
    return free


def in_words(count: float) -> str:
    """Bytes for people, in powers of 1000: "3.2 GB"."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            break
        count /= 1000
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:,.1f} {unit}"


def _mixer_bytes(settings: Settings, lengths: Sequence[int]) -> int:
    item = ITEM_BYTES[settings.dtype]
    longest = max(lengths, default=0)
    scores = _SCORES * len(lengths) * settings.heads * longest**2
    # q, k, v, mixed, each widened to all heads, beside the normed input and the output.
    rows = len(lengths) * longest * (4 * settings.heads * settings.head_width + 2 * settings.d_model)
    return item * (attention_parameters(settings) + scores + rows)
