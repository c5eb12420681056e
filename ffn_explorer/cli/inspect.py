"""`ffn-explorer inspect`: the FFN layers of a file of weights, and one neuron with its numbers and tokens."""

import argparse
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ffn_explorer.cli.messages import language
from ffn_explorer.cli.parser import Parser, Subparsers, add_command, option_help
from ffn_explorer.cli.readers import index_of, whole
from ffn_explorer.cli.streams import out
from ffn_explorer.core.errors import InputError

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.catalog import Checkpoint
    from ffn_explorer.checkpoints.scheme import LayerScheme
    from ffn_explorer.state.target import Target

SHARED = "shared"
"""What `--expert` takes for the shared expert of a mixture."""

TOP, MOST_TOP = 10, 1_000
"""Tokens in a list when nothing is said, and at most."""


@dataclass
class Timing:
    """Seconds of each step, and how far memory rose at most above what was held after the imports."""

    import_s: float = 0.0
    open_s: float = 0.0
    card_s: float | None = None
    tokens_s: float | None = None
    before: int = 0

    def facts(self) -> dict[str, Any]:
        """As `--json` prints them."""
        grown = max(0, highest_memory() - self.before)
        return {
            "import_s": self.import_s, "open_s": self.open_s, "card_s": self.card_s,
            "tokens_s": self.tokens_s, "rss_growth_bytes": grown,
        }  # fmt: skip


def add(subparsers: "Subparsers[Parser]") -> None:
    """Add the parser of this command."""
    parser = add_command(subparsers, "inspect", shared=False)
    parser.add_argument("path", metavar="PATH", help=option_help("path"))
    given: dict[str, Any] = {"default": argparse.SUPPRESS}
    parser.add_argument("--layer", metavar="L", help=option_help("layer"), **given)
    parser.add_argument("--stack", metavar="NAME", help=option_help("inspect_stack"), **given)
    parser.add_argument("--expert", metavar=f"E|{SHARED}", help=option_help("expert"), **given)
    parser.add_argument("--neuron", metavar="I", help=option_help("neuron"), **given)
    parser.add_argument("--top", metavar="K", help=option_help("top"), **given)
    parser.add_argument("--timing", action="store_true", help=option_help("timing"))
    parser.add_argument("--json", action="store_true", help=option_help("json"))
    parser.add_argument("--lang", metavar="en|ja", help=option_help("lang"), **given)


def main(args: argparse.Namespace) -> int:
    """Open, read what was asked for, and print."""
    given = vars(args)
    if args.path == "":
        raise InputError("cli.error.empty", option="PATH")
    if "expert" in given and "neuron" not in given:
        raise InputError("cli.error.required", option="--neuron")
    count = _count(given)
    timing, began = Timing(), time.perf_counter()
    from ffn_explorer.checkpoints.catalog import open_checkpoint
    from ffn_explorer.cli import inspect_report
    from ffn_explorer.cli.opened import layer_of
    from ffn_explorer.cli.plain_json import as_json
    from ffn_explorer.state.links import meant_by
    from ffn_explorer.state.remembered import remembered_corrections

    timing.import_s = time.perf_counter() - began
    timing.before = memory_now() if args.timing else 0
    began = time.perf_counter()
    meant = meant_by(args.path)
    given = _of_link(meant) | given
    with open_checkpoint(Path(meant.path)) as found_so:
        # As the window reads it, where a person said how.
        said = remembered_corrections().get(found_so.digest)
        opened = found_so if said is None else found_so.read_as(said)
        layers = opened.layers
        timing.open_s = time.perf_counter() - began
        place = layer_of(layers, given)
        stack = layers[place].stack if "stack" in given else None
        found = inspect_report.facts(opened, stack=stack)
        if "neuron" in given:
            found["neuron"] = _neuron(opened, place, given, count=count, timing=timing)
        elif "layer" in given:
            found["layer"] = inspect_report.layer_facts(opened, place)
        if args.timing:
            found["timing"] = timing.facts()
        out(as_json(found) if args.json else inspect_report.as_table(found, language()))
    return 0


def _of_link(meant: "Target") -> dict[str, Any]:
    """What a link says of a layer, as options say it; these go before it."""
    said = {"layer": meant.layer, "stack": meant.stack, "expert": meant.expert, "neuron": meant.neuron}
    return {name: str(value) for name, value in said.items() if value not in (None, "")}


def _neuron(
    opened: "Checkpoint", place: int, given: dict[str, Any], *, count: int, timing: Timing
) -> dict[str, Any]:
    """The card of one neuron, with its tokens; what the card takes is counted apart from them."""
    from ffn_explorer.checkpoints.reading.vectors import neuron_vectors
    from ffn_explorer.cli.inspect_neuron import card, tokens

    layer = opened.layers[place]
    expert, shared = _expert(layer, given)
    mlp = layer.shared if shared and layer.shared is not None else layer.mlp
    neuron = index_of("neuron", given, mlp.up.shape[0])
    assert neuron is not None
    began = time.perf_counter()
    vectors = neuron_vectors(opened.source, layer, neuron, expert=expert, shared=shared)
    found = card(vectors, layer, place)
    timing.card_s = time.perf_counter() - began
    began = time.perf_counter()
    found |= tokens(opened, layer, vectors, count=count)
    timing.tokens_s = time.perf_counter() - began
    return found


def _expert(layer: "LayerScheme", given: dict[str, Any]) -> tuple[int | None, bool]:
    """The expert's number, or whether it is the shared one."""
    if layer.kind == "moe" and "expert" not in given:
        raise InputError("cli.error.required", option="--expert")
    if given.get("expert") == SHARED:
        return None, True
    if layer.kind != "moe" and "expert" in given:
        raise InputError("cli.error.no_experts", layer=layer.index)
    return index_of("expert", given, layer.experts), False


def _count(given: dict[str, Any]) -> int:
    count = whole("top", given["top"]) if "top" in given else TOP
    if not 1 <= count <= MOST_TOP:
        raise InputError("error.range", field="--top", value=count, low=1, high=MOST_TOP)
    return count


def memory_now() -> int:
    """Bytes of memory that this process holds."""
    import psutil

    return int(psutil.Process().memory_info().rss)


def highest_memory() -> int:
    """Most bytes that it has held so far, where the system tells; else what it holds now."""
    with suppress(OSError, ValueError, IndexError):
        # Linux counts ru_maxrss from before the program began: that of whoever started it is in it.
        status = Path("/proc/self/status").read_text("ascii", "replace")
        return int(status.split("VmHWM:")[1].split()[0]) * 1024
    with suppress(ImportError):
        import resource  # not on Windows
        import sys

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return int(most if sys.platform == "darwin" else most * 1024)
    import psutil

    return int(getattr(psutil.Process().memory_info(), "peak_wset", 0)) or memory_now()
