"""What is read of an opened file for its panels, in numpy, with the words of its tokens."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.reading.atlas import LayerAtlas
    from ffn_explorer.state.looking import By

Ints = NDArray[np.int64]
Wide = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Atlas:
    """Every neuron of a layer, or of one expert: norms and cosines `[F]`, as `LayerAtlas` has them."""

    layer: int
    expert: int | None
    values: "LayerAtlas"
    nbytes: int


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token and how strongly it is read or promoted. shown: its text, "" where the file names none.

    cosine: between the token's own row and the neuron's vector, None while not all tokens are done.
    """

    token: int
    shown: str
    score: float
    cosine: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TokenList:
    """Tokens of one vector of a neuron.

    role: gate or up (what reads), down (what is written).  most, least: best first; for down the promoted
    and the suppressed.  tensor: whose rows were multiplied.  gain: the norm's weight in it, None without.
    """

    role: "By"
    most: tuple[TokenRow, ...]
    least: tuple[TokenRow, ...]
    tensor: str
    gain: str | None


@dataclass(frozen=True, slots=True, eq=False)
class NeuronTokens:
    """A neuron in tokens: what its rows read, what its column promotes and suppresses; one reading of many.

    lists: those that the file allows.  slices: where each vector stands, by role.  why: key of the sentence
    that says what is missing, "" where nothing is.  seen: share 0..1 of the tokens that took part so far.
    """

    layer: int
    neuron: int
    expert: int | None
    lists: tuple[TokenList, ...]
    slices: tuple[tuple[str, str], ...]
    norms: tuple[tuple[str, float], ...]
    cosines: tuple[tuple[str, float], ...]
    why: str = ""
    seen: float = 1.0
    nbytes: int = 16_384


@dataclass(frozen=True, slots=True, eq=False)
class NearestNeurons:
    """Other neurons of the layer whose vector of one role points as this one's does, and those opposite.

    most, least: (neuron, cosine), best first.
    """

    layer: int
    neuron: int
    expert: int | None
    by: "By"
    most: tuple[tuple[int, float], ...]
    least: tuple[tuple[int, float], ...]
    nbytes: int = 4_096


@dataclass(frozen=True, slots=True)
class PromoterRow:
    """A neuron that pushes a token up or down. layer: its place in the file's list; expert: None if dense.

    shared: whether it belongs to the shared expert.
    """

    layer: int
    expert: int | None
    shared: bool
    neuron: int
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Promoters:
    """Neurons that promote a token most, and suppress it most, over one layer (its place) or all (None).

    others: further tokens that the typed text may mean, (id, as shown).
    """

    token: int
    shown: str
    layer: int | None
    most: tuple[PromoterRow, ...]
    least: tuple[PromoterRow, ...]
    gain: str | None
    others: tuple[tuple[int, str], ...]
    seen: float = 1.0
    nbytes: int = 8_192


@dataclass(frozen=True, slots=True, eq=False)
class MemoryTokens:
    """What the strongest memories at a token promote and suppress, the sign of m included.

    promotes, suppresses: by neuron, in tokens as shown.
    """

    layer: int
    expert: int | None
    promotes: tuple[tuple[int, tuple[str, ...]], ...]
    suppresses: tuple[tuple[int, tuple[str, ...]], ...]
    gain: str | None
    nbytes: int = 8_192


FileResult = Atlas | NeuronTokens | NearestNeurons | Promoters | MemoryTokens
"""What the rows of `file_parts.table.FILE_PARTS` read."""
