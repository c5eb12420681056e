"""Catalog: a path -> a checkpoint with its FFN layers, read no further than asked."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.checkpoints.identity import digest_of
from ffn_explorer.checkpoints.readers.folder import open_source
from ffn_explorer.checkpoints.scheme import LayerScheme, Scheme
from ffn_explorer.checkpoints.schemes import read_as, scheme_of
from ffn_explorer.checkpoints.settings_view import Config
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.tokenizing.pieces import Tokenizer
    from ffn_explorer.core.ffn import FFN
    from ffn_explorer.core.moe import MoE


@dataclass(frozen=True)
class Checkpoint:
    """Saved weights: where they lie, and how they make FFN layers.

    Reading raises InputError, one sentence each; nothing in a file is ever executed.
    """

    source: Source
    scheme: Scheme

    @cached_property
    def config(self) -> Config:
        """The model's configuration, {} where the file has none."""
        return config_of(self.source)

    @cached_property
    def digest(self) -> str:
        """What it is recognised by: a hash of its headers."""
        return digest_of(self.source, self.config)

    @property
    def layers(self) -> tuple[LayerScheme, ...]:
        """The FFN layers, in order."""
        return self.scheme.layers

    @cached_property
    def tokenizer(self) -> "Tokenizer | None":
        """The file's own tokenizer, None where it has none; InputError where it cannot be read."""
        from ffn_explorer.checkpoints.tokenizing.tokenizer import open_tokenizer

        return open_tokenizer(self.source)

    def ffn(self, layer: int) -> "FFN | MoE":
        """One layer as core computes it, in float32; `layer` counts the FFN layers of the file from 0.

        Raises InputError where there is none or it cannot be computed, MemoryRefusal where it is too large.
        """
        if not 0 <= layer < len(self.layers):
            last = len(self.layers) - 1
            raise InputError("error.range", field="layer", value=layer, low=0, high=last)
        from ffn_explorer.checkpoints.build import build_layer  # the layer list needs no torch

        return build_layer(self.layers[layer], self.source)

    def read_as(self, by: Correction) -> "Checkpoint":
        """The same files, one stack read as a person says; InputError where they have no such thing."""
        return Checkpoint(self.source, read_as(self.scheme, shapes_of(self.source), self.config, by=by))

    def close(self) -> None:
        """Close its files."""
        self.source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()


def open_checkpoint(path: Path | str) -> Checkpoint:
    """Open a file or folder of weights; InputError where there are none, or no FFN among them."""
    source = open_source(Path(path))
    try:
        return Checkpoint(source, scheme_of(shapes_of(source), config_of(source)))
    except BaseException:
        source.close()
        raise


def shapes_of(source: Source) -> dict[str, tuple[int, ...]]:
    """Shape of every tensor by its name."""
    return {name: stored.shape for name, stored in source.tensors.items()}


def config_of(source: Source) -> Config:
    """The model's configuration: that beside the weights, or the metadata of a GGUF file itself."""
    if source.format == "gguf":
        return source.header
    for name in ("config", "params"):
        found = source.header.get(name)
        if isinstance(found, dict) and found:
            return found
    return {}
