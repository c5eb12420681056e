"""Embedding and unembedding as banks: one vector of the stream's width for each token."""

from ffn_explorer.checkpoints.names import Shape
from ffn_explorer.checkpoints.packing import packed_weights
from ffn_explorer.checkpoints.reading.banks import Bank, checked
from ffn_explorer.checkpoints.reading.packed import packed_plane
from ffn_explorer.checkpoints.reading.planes import Plane, plain_of
from ffn_explorer.checkpoints.scheme import LensScheme
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError


def embedding_bank(source: Source, lens: LensScheme, d_model: int) -> Bank:
    """Rows of the embedding `[V, D]`; InputError where there is none of this width."""
    return _token_bank(source, lens.embedding, "out_in", d_model=d_model, missing="reading.no_embedding")


def unembedding_bank(source: Source, lens: LensScheme, d_model: int) -> Bank:
    """Rows of the unembedding `[V, D]`, one for each token; InputError where there is none of this width."""
    layout = lens.unembedding_layout
    return _token_bank(source, lens.unembedding, layout, d_model=d_model, missing="reading.no_unembedding")


def _token_bank(source: Source, name: str, layout: str, *, d_model: int, missing: str) -> Bank:
    if not name:
        raise InputError(missing)
    plane = _plane(source, name)
    apart = layout == "in_out"
    count, width = (plane.width, plane.height) if apart else (plane.height, plane.width)
    if width != d_model:
        raise InputError("reading.width", tensor=name, width=width, d_model=d_model)
    return checked(Bank(plane, count, width, apart))


def _plane(source: Source, name: str) -> Plane:
    """A tensor, or the numbers behind it where it is packed."""
    base = name.removesuffix(".weight")
    near: dict[str, Shape] = {
        other: stored.shape for other, stored in source.tensors.items() if other.startswith(base)
    }
    packed = packed_weights(near, _method(source)).get(name)
    if packed is not None:
        return packed_plane(source, name, packed.method, expert=-1)
    return plain_of(source, name, expert=-1)


def _method(source: Source) -> str:
    """What the configuration says of how weights are packed."""
    config = source.header.get("config")
    said = config.get("quantization_config") if isinstance(config, dict) else None
    return str(said.get("quant_method", "")).lower() if isinstance(said, dict) else ""
