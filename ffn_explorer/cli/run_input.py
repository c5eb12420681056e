"""Hidden states from an NPY file, which may be anything: every way of being wrong is one sentence."""

import argparse
import warnings
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.cli.options import state_from
from ffn_explorer.core import budget, experiment
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.tokens import MAX_SENTENCES, MAX_TOKENS
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.files import kind_of

FLOAT_BYTES = (2, 4, 8)


def run_on_file(
    path: Path, args: argparse.Namespace, *, x_is: Literal["ffn-input", "residual"]
) -> tuple[experiment.Run, AppState]:
    """Run the FFN on the array of a file; D is the file's unless `--d-model` says otherwise.

    The rows have no words, so that their tokens are their numbers, from "0".
    """
    import torch

    if hasattr(args, "sentence"):
        raise InputError("cli.error.x_and_sentence")
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


def open_hidden_states(path: Path) -> NDArray[np.floating]:
    """Memory-mapped array `[B, S, D]` of an NPY file with `[S, D]` or `[B, S, D]` floats of 2, 4 or 8 bytes.

    Raises InputError: no such file, not an NPY file, cut short, not floats, another shape, over the limits.
    """
    if kind_of(path) != "file":
        raise InputError("cli.error.no_file", path=str(path))
    try:
        with warnings.catch_warnings(action="ignore"), np.errstate(over="raise"):
            array: NDArray[np.floating] = np.lib.format.open_memmap(path, mode="r")
    except OSError as error:
        raise InputError("cli.error.read", path=str(path), why=error.strerror or str(error)) from error
    except Exception as error:
        raise InputError("cli.error.not_npy", path=str(path)) from error
    if array.dtype.kind != "f" or array.dtype.itemsize not in FLOAT_BYTES:
        raise InputError("cli.error.npy_dtype", path=str(path), dtype=str(array.dtype))
    shape = array.shape
    if len(shape) == 2:
        array = array[np.newaxis]
    if array.ndim != 3 or 0 in shape:
        raise InputError("cli.error.npy_shape", path=str(path), shape=list(shape))
    if array.shape[0] > MAX_SENTENCES:
        raise InputError("error.too_many_sentences", count=array.shape[0], limit=MAX_SENTENCES)
    if array.shape[1] > MAX_TOKENS:
        raise InputError("error.too_many_tokens", count=array.shape[1], limit=MAX_TOKENS)
    return array
