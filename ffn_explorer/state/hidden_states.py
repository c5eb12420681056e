"""Hidden states from an NPY file, which may be anything: every way of being wrong is one sentence."""

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.tokens import MAX_SENTENCES, MAX_TOKENS
from ffn_explorer.state.files import kind_of

FLOAT_BYTES = (2, 4, 8)

MOST_SEEN = 64
"""Files whose shape is remembered."""

_seen: dict[str, tuple[int, int, int]] = {}


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


def look_at(path: str) -> tuple[int, int, int]:
    """(B, S, D) of such a file as it is now, remembered from here on; InputError as above."""
    sentences, tokens, width = open_hidden_states(Path(path)).shape
    while len(_seen) >= MOST_SEEN:
        _seen.pop(next(iter(_seen)), None)
    _seen[path] = sentences, tokens, width
    return sentences, tokens, width


def hidden_shape(path: str) -> tuple[int, int, int]:
    """(B, S, D) as it was when it was looked at, so that a window may ask it of a drive that is gone."""
    return _seen.get(path) or look_at(path)


def row_names(path: str) -> tuple[tuple[str, ...], ...]:
    """The rows have no words, so that their tokens are their numbers, from "0"."""
    sentences, tokens, _ = hidden_shape(path)
    return (tuple(str(number) for number in range(tokens)),) * sentences


def numbers_of(path: str) -> NDArray[np.floating]:
    """The array itself `[B, S, D]`, read, in this machine's byte order; InputError as above.

    Also where it has another shape than when it was looked at: what is chosen was chosen in that one.
    """
    array = open_hidden_states(Path(path))
    if array.shape != hidden_shape(path):
        raise InputError("checkpoint.x_changed", file=Path(path).name)
    return np.array(array, dtype=array.dtype.newbyteorder("="))
