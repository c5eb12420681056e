"""Checkpoints: files of saved weights -> FFNs, read lazily, without ever running what a file contains."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.catalog import Checkpoint, open_checkpoint

__all__ = ["Checkpoint", "open_checkpoint"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the catalog has
    """The catalog, imported when it is first asked for."""
    if name in __all__:
        from ffn_explorer.checkpoints import catalog

        return getattr(catalog, name)
    raise AttributeError(name)
