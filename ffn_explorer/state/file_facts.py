"""What is known of an opened file before a number of it is read: its layers, and what else it has."""

from dataclasses import dataclass

from ffn_explorer.checkpoints.scheme import LayerScheme, LensScheme, Note


@dataclass(frozen=True, slots=True, eq=False)
class FileFacts:
    """An opened file as the window shows it; equal only to itself, so that comparing is cheap.

    name: of the file or folder.  family: "" where structure alone was a guide.  confidence: 1 where the model
    type decided or a person did.  dtypes: name of the stored numbers of each layer's up.  nbytes: of all
    tensors; counts: how many there are.  tokenizer: what it is, "" where there is none.  trouble: why the
    one that is there is of no use.  heads_known: whether the configuration tells attention's heads.
    """

    name: str
    path: str
    format: str
    family: str
    confidence: float
    layers: tuple[LayerScheme, ...]
    lens: LensScheme
    doubts: tuple[Note, ...]
    dtypes: tuple[str, ...]
    places: tuple[str, ...]
    """Name of the file that each layer's up lies in."""
    sizes: tuple[int, ...]
    """Bytes of each layer's tensors as stored."""
    nbytes: int
    tensors: int
    tokenizer: str
    trouble: Note | None
    vocabulary: int
    """Rows of the embedding, 0 without one."""
    unembedding: bool
    heads_known: bool

    @property
    def stacks(self) -> tuple[str, ...]:
        """Names of the stacks, in order."""
        return tuple(dict.fromkeys(layer.stack for layer in self.layers))
