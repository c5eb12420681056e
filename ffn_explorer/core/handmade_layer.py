"""A memory built by hand as tensors: its FFN, and its patterns as hidden states."""

import torch
from torch import Tensor

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.ffn import FFN, Origin
from ffn_explorer.core.handmade import HandMemory, misfit
from ffn_explorer.core.seeding import DTYPES
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec_of import spec_of


def layer_of(memory: HandMemory, settings: Settings) -> FFN:
    """The memory as an FFN: keys are rows of up `[F, D]`, values are columns of down `[D, F]`, b_down is 0.

    No norm, no gate, and the residual: y = x + FFN(x). Key-value reading: Geva 2021, section 2.
    Raises InputError where the settings do not fit the memory.
    """
    wrong = misfit(memory, settings)
    if wrong is not None:
        raise InputError("error.hand_misfit", field=wrong)
    return FFN(
        spec=spec_of(settings),
        up=_tensor([neuron.key for neuron in memory.neurons], settings),
        down=_tensor([neuron.value for neuron in memory.neurons], settings).T.contiguous(),
        up_bias=_tensor([neuron.bias for neuron in memory.neurons], settings),
        down_bias=_tensor([0.0] * memory.d_model, settings),
        origin=Origin("computed"),
    )


def inputs_of(memory: HandMemory, settings: Settings) -> Tensor:
    """The patterns as one sentence of hidden states x `[1, P, D]`, in their natural order."""
    return _tensor([pattern.x for pattern in memory.patterns], settings)[None]


def _tensor(numbers: object, settings: Settings) -> Tensor:
    made = torch.tensor(numbers, dtype=torch.float64)
    return made.to(device=settings.device, dtype=DTYPES[settings.dtype])
