"""A program that computes the present state again with PyTorch or NumPy alone, and prints its numbers."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ffn_explorer import __version__
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.code.dialect import DIALECTS, DialectName
from ffn_explorer.state.code.drawing import attention_lines, drawing_lines
from ffn_explorer.state.code.lines import CodeLine, arguments
from ffn_explorer.state.code.loading import loading_lines
from ffn_explorer.state.code.measuring import measuring_lines
from ffn_explorer.state.code.returning import returning
from ffn_explorer.state.code.sizes import Sizes, sizes_of
from ffn_explorer.state.code.weighing import hand_lines, seeded_lines

if TYPE_CHECKING:
    from ffn_explorer.state.app_state import AppState
    from ffn_explorer.state.result import RunResult

_NUMPY = ("float32", "float64")
"""Number formats in which NumPy computes what PyTorch computes."""

_HEAD = '''"""{title}, written by FFN Explorer {version}.

Computes the pass again with {library} alone and prints its numbers as JSON:

    python {name} [ARRAYS.npz]

With a file name, every stage is also saved as an array (float32 where NumPy has no such format).
{source}
"""'''

_SOURCES = {
    "seeded": "Weights and hidden states are drawn from the seed, exactly as the program draws them.",
    "hand": "Weights and inputs are those of the memory built by hand.",
    "file": "The weights are read from their file, which needs the package that reads its format.",
}


def script_of(state: "AppState", run: "RunResult", dialect: DialectName, *, name: str = "ffn.py") -> str:
    """The program, for the run of a state; name: of the file it will stand in.

    run: with the layer and the tensors behind it where a file is open.  InputError, one sentence, where a
    program of its own cannot compute the same: a number format or a file that the library cannot read.
    """
    request, row = run.request, DIALECTS[dialect]
    settings, opened = request.settings, request.source.opened
    if dialect == "numpy" and settings.dtype not in _NUMPY:
        raise InputError("export.script_dtype", dtype=settings.dtype)
    sizes = sizes_of(settings, run.lengths, transposed=False, parts=run.has)
    kind = "file" if opened is not None else "hand" if request.source.memory is not None else "seeded"
    filled = list(_filled(run, sizes, dialect, kind=kind))
    head = _HEAD.format(
        title="One pass through a feed-forward network",
        version=__version__,
        library=row.label,
        name=name,
        source=_SOURCES[kind],
    )
    facts = (
        f"SETTINGS = {json.dumps(settings.to_json())!r}",
        # JSON would write an emoji as two surrogates, from whose bytes Python draws other numbers.
        f"TOKENS = {[list(sentence) for sentence in run.tokens]!a}",
    )
    lines = [head, "import hashlib", "import json", "import math", "import sys", ""]
    lines += [*returning(run.spec, sizes, dialect), "", ""]
    lines += [*facts, "", "", *drawing_lines(settings, dialect), *filled]
    if settings.mixer:
        lines += ["", "", *attention_lines(settings, dialect)]
    lines += ["", "", *measuring_lines(state, run, sizes, dialect)]
    return "\n".join(lines) + "\n"


def _filled(run: "RunResult", sizes: Sizes, dialect: DialectName, *, kind: str) -> Iterator[str]:
    """Lines that make `layer`, the arguments of the function, and `X`, the rows of each sentence."""
    request = run.request
    names = arguments(run.spec, sizes)
    if kind == "hand":
        assert request.source.memory is not None
        yield from hand_lines(request, dialect)
    elif kind == "seeded":
        yield from seeded_lines(request.settings, run.spec, sizes, dialect, names=names)
    else:
        yield from _of_file(run, sizes, dialect)


def _of_file(run: "RunResult", sizes: Sizes, dialect: DialectName) -> Iterator[str]:
    from ffn_explorer.state.code.weighing import given_lines

    opened = run.request.source.opened
    assert opened is not None
    loaded: tuple[CodeLine, ...] = ()
    if run.scheme is not None:
        dtype = run.request.settings.dtype
        loaded = loading_lines(opened, run.scheme, run.spec, sizes, dialect=dialect, dtype=dtype)
    if not loaded:
        raise InputError("export.script_file", library=DIALECTS[dialect].label)
    # The last line says how the function is called, which stands below.
    yield from (line.text for line in loaded[:-1])
    yield from given_lines(run, dialect)
