"""Words that the panels of an opened file share: notes, names of layers, why a reading is not there."""

from ffn_explorer.checkpoints.scheme import LayerScheme, Note
from ffn_explorer.state.file_facts import FileFacts
from ffn_explorer.state.numbers import count
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import Text, say
from ffn_explorer.state.visible import visible


def note_text(note: Note) -> Text:
    """The sentence that a note stands for; names from files are shown with nothing invisible in them."""
    return Text(note.key, tuple((name, _plain(value)) for name, value in note.values))


def _plain(value: object) -> object:
    return visible(value) if isinstance(value, str) and value else value


def refused(scene: Scene, field: str) -> str:
    """Why a reading is not there, "" where it is or is still to come."""
    found = dict(scene.refusals).get(field)
    return "" if found is None else say(scene.look.language, found)


def layer_at(scene: Scene) -> LayerScheme | None:
    """The layer that is looked at, where the file is open and has it."""
    file, at = scene.file, layer_of(scene)
    return file.layers[at] if file is not None and 0 <= at < len(file.layers) else None


def layer_of(scene: Scene) -> int:
    """Place of the layer on screen in the file's list: that of the run, else of the settings."""
    return scene.settings.layer if scene.run is None else scene.run.request.settings.layer


def layer_name(file: FileFacts, place: int, language: str) -> str:
    """Number of a layer as its file counts, with its stack where there are several."""
    if not 0 <= place < len(file.layers):
        return count(place)
    layer = file.layers[place]
    if len(file.stacks) == 1:
        return count(layer.index)
    return say(language, "panel.layers.in_stack", stack=visible(layer.stack), n=count(layer.index))
