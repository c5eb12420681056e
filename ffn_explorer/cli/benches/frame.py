"""Frame: what one frame of the playing window costs, against the same images in bare pyqtgraph."""

from ffn_explorer.cli.benches.children import ask
from ffn_explorer.cli.benches.timing import Measured, milliseconds


def playing() -> Measured:
    """Not sound when a frame on either side painted nothing."""
    found = ask("frame_child")
    return Measured(milliseconds(found["ours"]), milliseconds(found["bare"]), sound=found["painted"])
