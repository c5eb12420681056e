"""`ffn-explorer run --x`: the pass on hidden states of a file."""

import argparse
from pathlib import Path
from typing import Literal

import numpy as np

from ffn_explorer.cli.options import state_from
from ffn_explorer.core import budget, experiment
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.hidden_states import open_hidden_states


def run_on_file(
    path: Path, args: argparse.Namespace, *, x_is: Literal["ffn-input", "residual"]
) -> tuple[experiment.Run, AppState]:
    """Run the FFN on the array of a file; D is the file's unless `--d-model` says otherwise.

    The rows have no words, so that their tokens are their numbers, from "0".
    """
    import torch

    array = open_hidden_states(path)  # [B, S, D]
    sentences, tokens, width = array.shape
    if not hasattr(args, "d_model"):
        args.d_model = str(width)
    state = state_from(args, lengths=(tokens,) * sentences)
    if state.settings.d_model != width:
        wanted = [sentences, tokens, state.settings.d_model]
        raise InputError("error.shape", name=str(path), shape=list(array.shape), wanted=wanted)
    budget.check(state.settings, [tokens] * sentences)
    x = torch.from_numpy(np.array(array, dtype=array.dtype.newbyteorder("=")))
    names = tuple(str(number) for number in range(tokens))
    return experiment.run(state.settings, (names,) * sentences, x=x, x_is=x_is), state
