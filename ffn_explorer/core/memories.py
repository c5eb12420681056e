"""Every memory at one token, ranked, and how good the sum of the k strongest is (Geva 2021, section 5)."""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ffn_explorer.core.experiment import Run
from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.forward_pass import before_cut
from ffn_explorer.core.keep import column_norms, strength_of, strongest_first
from ffn_explorer.core.memory import expert_at
from ffn_explorer.core.readings import Memories

BLOCK = 2**19
"""Numbers of W_down held in float64 at a time (4 MiB, so that they stay in the cache)."""


def ranked(run: Run, sentence: int, token: int, *, slot: int = 0) -> Memories:
    """Every memory at a token, strongest |m| · ||v|| first, and its running sums; slot: of its experts.

    m is the hidden value before any cut (`FFNSpec.keep`), v the column of W_down; output scale, LayerScale
    and router's weight stand outside the sum. Equal strengths follow the neurons' numbers, NaN comes first.
    """
    with torch.inference_mode():
        ffn = expert_at(run, sentence, token, slot=slot)
        m = _uncut(run, ffn, sentence, token=token, slot=slot)  # [F]
        norms = column_norms(ffn)
        strength = strength_of(m, norms)
        order = strongest_first(strength)  # [F]
        cosine, error = _running(ffn.down, m, order)
        routing = run.trace.routing
        return Memories(
            sentence=sentence,
            token=token,
            slot=slot,
            expert=None if routing is None else int(routing.index[sentence, token, slot]),
            neuron=order.cpu().numpy(),
            m=_wide(m[order]),
            norm=_wide(norms[order]),
            strength=_wide(strength[order]),
            cosine=_wide(cosine),
            error=_wide(error),
        )


def _wide(t: Tensor) -> NDArray[np.float64]:
    array: NDArray[np.float64] = t.double().cpu().numpy()
    return array


def _uncut(run: Run, ffn: FFN, sentence: int, *, token: int, slot: int) -> Tensor:
    """Hidden `[F]` of a token before the cut; the very values of the pass where nothing is cut."""
    at = (sentence, token)
    up, act, hidden = run.trace.up[at], run.trace.act[at], run.trace.hidden[at]
    if run.trace.routing is not None:
        of = run.trace.routing
        up, act, hidden = of.up[at][slot], of.act[at][slot], of.hidden[at][slot]
    return before_cut(ffn, up, act) if ffn.spec.keep else hidden


def _running(down: Tensor, m: Tensor, order: Tensor) -> tuple[Tensor, Tensor]:
    """Cosine and error `[F + 1]` of the k strongest terms of Σ mᵢ vᵢ against all, in float64.

    From the weakest on: what is still missing starts from its smallest part, and is exactly 0 at k = F.
    """
    m = m.double()
    total = torch.cat([rows.double() @ m for rows in _blocks(down, BLOCK // len(m))])  # [D]
    missing = torch.zeros_like(total)[:, None]  # [D, 1], at k = F
    parts = [_compared(total, missing)]
    for block in _blocks(order.flip(0), BLOCK // len(total)):
        # index_select is three times as fast here as indexing.
        terms = down.index_select(1, block).double() * m[block]  # [D, n]
        terms[:, :1] += missing
        sums = terms.cumsum(dim=1)
        parts.append(_compared(total, sums))
        missing = sums[:, -1:]
    cosine = torch.cat([found for found, _ in parts]).flip(0)
    error = torch.cat([found for _, found in parts]).flip(0)
    # By definition, whatever the rounding: no memory points nowhere.
    cosine[0] = 0.0
    return cosine, error


def _blocks(t: Tensor, size: int) -> Iterator[Tensor]:
    """Pieces of t along its first axis, each of `size` or, the last one, fewer."""
    size = max(1, size)
    for first in range(0, len(t), size):
        yield t[first : first + size]


def _compared(total: Tensor, missing: Tensor) -> tuple[Tensor, Tensor]:
    """Cosine and relative error `[n]` of total − missing `[D, n]` against total `[D]`.

    Where nothing is there the cosine is 0; where nothing is missing the error is 0, even of a sum that is 0.
    """
    there, size = total[:, None] - missing, total.square().sum().sqrt()
    lengths = there.square().sum(dim=0).sqrt() * size
    cosine = torch.where(lengths == 0.0, 0.0, (total @ there) / lengths).clamp(-1.0, 1.0)
    lost = missing.square().sum(dim=0).sqrt()
    return cosine, torch.where(lost == 0.0, 0.0, lost / size)
