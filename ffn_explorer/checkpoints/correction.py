"""What a person says of a file that does not say it itself: roles, layout, activation, norm."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.family import Layout, Part


@dataclass(frozen=True, slots=True)
class Correction:
    """How the layers of one stack are to be read.

    stack: name of the stack in what was found.  up, down, gate: names of the file with {layer} for the
    layer's number; a fused tensor is both gate and up, and `fused` is the part of it that is the gate.  With
    up "" the tensors stay as found, and only function, order of the fused tensor and layout of square
    matrices are taken over.  norm: rms or layer, "+1" where the stored weight lacks one, or none; norm_name
    without `.weight`.
    """

    stack: str = ""
    gate: str = ""
    up: str = ""
    down: str = ""
    layout: "Layout" = "out_in"
    fused: "Part" = ""
    function: str = ""
    norm: str = "none"
    place: str = "none"
    norm_name: str = ""
