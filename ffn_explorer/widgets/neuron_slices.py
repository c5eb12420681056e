"""Where the vectors of a neuron stand in an opened file, by the names of the file."""

from ffn_explorer.checkpoints.scheme import TensorRef
from ffn_explorer.core.readings import NeuronCard
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.visible import visible
from ffn_explorer.widgets.file_words import layer_at, layer_of


def slices_of(scene: Scene, card: NeuronCard) -> dict[str, str]:
    """Slice of each vector, or its tensor alone where the layout takes more to say; none without a file."""
    layer = layer_at(scene)
    if scene.file is None or layer is None:
        return {}
    read = scene.neuron_tokens
    if read is not None and (read.layer, read.neuron, read.expert) == (
        layer_of(scene), card.neuron, card.expert,
    ):  # fmt: skip
        return {role: visible(where) for role, where in read.slices if role in layer.mlp.roles}
    return {role: visible(_plain(ref, role, card)) for role, ref in layer.mlp.roles.items()}


def _plain(ref: TensorRef, role: str, card: NeuronCard) -> str:
    name = ref.names[min(card.expert or 0, len(ref.names) - 1)]
    if ref.part or ref.expert not in ("", "name") or ref.layout not in ("out_in", "in_out"):
        return name
    n = card.neuron
    # down's columns are the neurons, the other matrices' rows; a file may hold either turned around.
    row = (role == "down") == (ref.layout == "in_out")
    return f"{name}[{n}, :]" if row else f"{name}[:, {n}]"


def wordings_of(slices: dict[str, str]) -> tuple[str, ...]:
    """Slices in a line, from long to short; gate and up in one where their names differ by nothing else."""
    whole = " · ".join(slices.values())
    gate, up, down = (slices.get(role, "") for role in ("gate", "up", "down"))
    if gate and gate.replace("gate", "up") == up:
        return whole, f"{gate.replace('gate', '{gate,up}')} · {down}", down
    return whole, down
