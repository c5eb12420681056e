"""Where an opened layer stands in its file: its stack, its neighbours, and what is not known of attention."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ffn_explorer.core.cost import ffn_count
from ffn_explorer.state import numbers
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import Text
from ffn_explorer.state.visible import visible

if TYPE_CHECKING:
    from ffn_explorer.state.file_facts import FileFacts


@dataclass(frozen=True, slots=True)
class OpenedPlace:
    """A layer among those of its stack.

    file: name of the file.  index: number of the layer as the file counts.  at: its place in the stack.
    places: of the stack's layers in the file's own list, which `Settings.layer` counts.  heads_known: whether
    the configuration tells attention's heads.  crossed: whether the file has an encoder beside a decoder.
    limits: what the pictures of the stream leave out.  parameters: of all FFNs of the stack.
    """

    file: str
    stack: str
    index: int
    at: int
    places: tuple[int, ...]
    heads_known: bool
    crossed: bool
    limits: tuple[Text, ...]
    parameters: int

    @property
    def values(self) -> dict[str, str]:
        """Values of its sentences."""
        total = numbers.count(len(self.places))
        count = {"n": numbers.count(self.index), "at": numbers.count(self.at + 1), "total": total}
        return {"file": self.file, "stack": self.stack, **count, "ffn": numbers.count(self.parameters)}


def opened_place(scene: Scene, run: RunResult) -> OpenedPlace | None:
    """Of the run's layer, or None for a run that is of no file, or of one that is not open any more."""
    file, opened, at = scene.file, run.request.source.opened, run.request.settings.layer
    if file is None or opened is None or file.path != opened.path or at >= len(file.layers):
        return None
    return _place_in(file, at)


# Asked in every frame; facts of a file are equal only to themselves.
@lru_cache(maxsize=32)
def _place_in(file: "FileFacts", at: int) -> OpenedPlace:
    from ffn_explorer.checkpoints.as_shape import shape_of  # the first picture needs none of it

    layer = file.layers[at]
    here = [place for place, other in enumerate(file.layers) if other.stack == layer.stack]
    shapes = [(shape_of(file.layers[place]), file.layers[place].d_model) for place in here]
    return OpenedPlace(
        file=visible(file.name),
        stack=layer.stack,
        index=layer.index,
        at=here.index(at),
        places=tuple(here),
        heads_known=file.heads_known,
        crossed="decoder" in layer.stack and any("encoder" in stack for stack in file.stacks),
        limits=tuple(Text(note.key, note.values) for note in layer.limits),
        parameters=sum(ffn_count(shape, width) for shape, width in shapes),
    )
