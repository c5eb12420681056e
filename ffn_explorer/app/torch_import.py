"""Imports torch from a worker thread without making the window stutter."""

import contextlib
import ctypes
import gc
import importlib
import importlib.util
import os
import sys
from pathlib import Path

M_MMAP_THRESHOLD = -3
"""Name of the threshold in glibc's malloc.h."""
LARGE_BLOCK_BYTES = 4 << 20
LEFT_OUT = (
    "psutil",
    "secrets",
    "ffn_explorer.app.controls.layer_picker",
    "ffn_explorer.app.controls.more",
    "ffn_explorer.app.dialogs",
    "ffn_explorer.app.flash_strip",
    "ffn_explorer.app.finder",
    "ffn_explorer.app.open_dialogs",
    "ffn_explorer.state.links",
    "ffn_explorer.widgets.sentence_editor",
    "ffn_explorer.widgets.neuron_counts",
    "ffn_explorer.widgets.spread_plot",
)
"""What the first picture does without, and a person's first acts should not wait for."""
LARGEST = {"linux": "libtorch_cpu.so", "darwin": "libtorch_cpu.dylib"}


def prepare_torch() -> tuple[str, ...]:
    """Import torch and what else the first picture left out, and tell which devices torch finds."""
    import_torch()
    for name in LEFT_OUT:
        importlib.import_module(name)
    from ffn_explorer.core.devices import available

    return available()


def import_torch() -> None:
    """Import torch, with its largest library opened first while other threads keep running.

    An import holds the interpreter's lock while the system links the library: 0.15 s without a frame. The
    same call through ctypes gives the lock back, and the import then finds the library open.
    """
    if "torch" in sys.modules:
        return
    _give_back_large_blocks()
    _open_largest()
    # Torch brings 250,000 objects that live as long as the program. Looking through them for garbage
    # takes 0.1 s each time, in the middle of a frame; set aside, they are never looked at again.
    was_on = gc.isenabled()
    gc.disable()
    try:
        import torch  # noqa: F401 - for its effect

        gc.freeze()
    finally:
        if was_on:
            gc.enable()


def _give_back_large_blocks() -> None:
    """Have the C library return every large block to the system as soon as it is free.

    glibc otherwise learns to keep them: after a run of gigabytes its memory would count as used for good,
    and the next run would be refused for lack of it.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES)


def _open_largest() -> None:
    name = LARGEST.get(sys.platform)
    spec = importlib.util.find_spec("torch")
    if name is None or spec is None or spec.origin is None:
        return
    library = Path(spec.origin).parent / "lib" / name
    # Only a head start: where it cannot be had, the import itself says what is wrong.
    with contextlib.suppress(OSError, AttributeError):
        dlopen = ctypes.CDLL(None).dlopen
        dlopen.argtypes = [ctypes.c_char_p, ctypes.c_int]
        dlopen.restype = ctypes.c_void_p
        dlopen(os.fsencode(library), os.RTLD_NOW)


def no_preparation() -> None:
    """Nothing: for a worker that begins once torch is there."""
