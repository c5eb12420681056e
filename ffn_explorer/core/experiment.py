"""One run: settings and tokens in, layer and trace out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from ffn_explorer.core import budget
from ffn_explorer.core.devices import check_device
from ffn_explorer.core.dropout import Dropout
from ffn_explorer.core.edits import Edits
from ffn_explorer.core.errors import InputError, MemoryRefusal
from ffn_explorer.core.ffn import FFN, Origin
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.mixer import Mixer, mix, seeded_mixer
from ffn_explorer.core.moe import MoE
from ffn_explorer.core.seeding import DTYPES, mask_of, seeded_hidden_states, seeded_layer
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.surgery import edited
from ffn_explorer.core.trace import Trace

Tokens = tuple[tuple[str, ...], ...]
XIs = Literal["residual", "ffn-input"]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One pass with everything behind it.

    x `[B, S, D]`: the hidden states given, before the mixer (trace.x is what the FFN sublayer received).
    mask `[B, S]` bool, True at real tokens, or None.  origin: where x and the weights come from.
    """

    settings: Settings
    tokens: Tokens
    layer: FFN | MoE
    x: Tensor
    mask: Tensor | None
    trace: Trace
    origin: Origin
    mixer: Mixer | None = None
    x_is: XIs = "residual"

    @property
    def lengths(self) -> tuple[int, ...]:
        """Real tokens per sentence."""
        return tuple(len(sentence) for sentence in self.tokens)


def run(
    settings: Settings,
    tokens: Sequence[Sequence[str]],
    *,
    x: Tensor | None = None,
    x_is: XIs = "residual",
    x_origin: Origin | None = None,
    layer: FFN | MoE | None = None,
    edits: Edits | None = None,
) -> Run:
    """Run the chosen layer's FFN on the tokens' seeded hidden states, or on x `[B, S, D]` when given.

    x: S is the length of the longest sentence; rows beyond a shorter one's tokens are padding.
    x_origin: where x comes from.  layer: weights to use in place of seeded ones, of the settings' sizes.
    edits: what is changed inside it.

    Every layer is shown on the same token vectors: with random weights there is no depth to run through.
    Dropout acts only in training, with a mask drawn from the seed. MemoryRefusal before anything is allocated
    when memory is short; InputError for a device that is not here, or an x that does not fit.
    """
    check_device(settings)
    if settings.mixer and x_is != "residual":
        raise InputError("error.mixer_residual")
    kept = tuple(tuple(sentence) for sentence in tokens)
    stored = layer is not None
    lengths = [len(sentence) for sentence in kept]
    budget.check(settings, lengths, stored=stored)
    try:
        with torch.inference_mode():
            given = _given(settings, kept, x=x, x_origin=x_origin)
            return _run(settings, kept, given, x_is=x_is, layer=layer, edits=edits or Edits())
    except torch.OutOfMemoryError as error:
        needed = budget.in_words(budget.bytes_needed(settings, lengths, stored=stored))
        free = budget.in_words(budget.free_bytes(settings.device))
        raise MemoryRefusal("error.memory", needed=needed, free=free) from error


def sublayer(
    layer: FFN | MoE,
    x: Tensor,
    *,
    mixer: Mixer | None = None,
    mask: Tensor | None = None,
    x_is: XIs = "residual",
    dropout: Dropout | None = None,
) -> Trace:
    """Mixer, where there is one, and FFN sublayer: x `[B, S, D]` -> Trace."""
    mixed = x if mixer is None else mix(mixer, x, mask)
    return forward(layer, mixed, x_is=x_is, mask=mask, dropout=dropout)


def _given(
    settings: Settings, tokens: Tokens, *, x: Tensor | None, x_origin: Origin | None
) -> tuple[Tensor, Tensor | None, Origin]:
    """Hidden states `[B, S, D]`, mask `[B, S]`, and where they come from."""
    if x is None:
        return *seeded_hidden_states(tokens, settings), Origin("seeded", seed=settings.seed)
    _check_x(x, tokens, settings)
    mask = mask_of([len(sentence) for sentence in tokens])
    x = x.to(device=settings.device, dtype=DTYPES[settings.dtype])
    mask = None if mask is None else mask.to(settings.device)
    return x, mask, x_origin or Origin("loaded", seed=settings.seed)


def _run(
    settings: Settings,
    tokens: Tokens,
    given: tuple[Tensor, Tensor | None, Origin],
    *,
    x_is: XIs,
    layer: FFN | MoE | None,
    edits: Edits,
) -> Run:
    x, mask, origin = given
    if layer is None:
        layer = seeded_layer(settings, tokens=max(len(sentence) for sentence in tokens))
    layer = edited(layer, edits.fitting(settings))
    mixer = seeded_mixer(settings) if settings.mixer else None
    drops = settings.training and settings.dropout > 0
    dropout = Dropout(settings.dropout, settings.seed) if drops else None
    trace = sublayer(layer, x, mixer=mixer, mask=mask, x_is=x_is, dropout=dropout)
    return Run(settings, tokens, layer, x, mask, trace, origin, mixer=mixer, x_is=x_is)


def _check_x(x: Tensor, tokens: Tokens, settings: Settings) -> None:
    wanted = (len(tokens), max(len(sentence) for sentence in tokens), settings.d_model)
    if tuple(x.shape) != wanted:
        raise InputError("error.shape", name="x", shape=list(x.shape), wanted=list(wanted))
