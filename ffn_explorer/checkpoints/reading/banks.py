"""Banks: the F vectors that neurons read or write with, or those of tokens, each at its place in the file."""

from dataclasses import dataclass, field

import numpy as np

from ffn_explorer.checkpoints.codec import Floats
from ffn_explorer.checkpoints.reading.packed import packed_plane
from ffn_explorer.checkpoints.reading.planes import Grouped, Plane, plain_of, shown
from ffn_explorer.checkpoints.scheme import MlpScheme, TensorRef
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError


@dataclass(frozen=True)
class Bank:
    """`count` vectors of length `width`.

    apart: they stand as columns of the plane, so that one of them costs a read for each number; else as rows.
    start, step: place of vector i on its axis of the plane is start + step · i.
    pair: A `[r, width]` and B `[rows, r]` of low-rank adapters whose product is added, with the place of
    vector 0 in B; names for people.
    """

    plane: Plane
    count: int
    width: int
    apart: bool = False
    start: int = 0
    step: int = 1
    pair: "Pair | None" = None

    def block(self, first: int, past: int) -> Floats:
        """Vectors first..past -> `[past - first, width]`, in float32 or the file's float64."""
        along = (self.start + self.step * first, self.start + self.step * (past - 1) + 1)
        if past <= first:
            along = (0, 0)
        if self.apart:
            found = self.plane.tile((0, self.width), along)[:, :: self.step].T
        else:
            found = self.plane.tile(along, (0, self.width))[:: self.step]
        return found if self.pair is None else found + self.pair.product(first, past)

    def vector(self, index: int) -> Floats:
        """One vector `[width]`."""
        found: Floats = np.ascontiguousarray(self.block(index, index + 1)[0])
        return found

    def across(self, first: int, past: int) -> Floats:
        """Numbers first..past of every vector -> `[past - first, count]`, as rows of the plane."""
        assert self.apart
        assert self.pair is None
        along = (self.start, self.start + self.step * (self.count - 1) + 1)
        return self.plane.tile((first, past), along)[:, :: self.step]

    def text(self, index: int) -> str:
        """Where a vector stands: "model.layers.3.mlp.up_proj.weight[1005, :]"."""
        at = self.start + self.step * index
        own = self.plane.text(None, at) if self.apart else self.plane.text(at, None)
        return own if self.pair is None else f"{own} + {self.pair.text(index)}"


@dataclass(frozen=True)
class Pair:
    """A low-rank adapter: B A is added to the matrix."""

    source: Source
    a: str
    b: str
    start: int
    _kept: dict[str, Floats] = field(default_factory=dict, compare=False, repr=False)

    def product(self, first: int, past: int) -> Floats:
        """Rows first..past of B A."""
        if "a" not in self._kept:
            self._kept["a"] = self.source.whole(self.a)
        found: Floats = self.source.rows(self.b, self.start + first, self.start + past) @ self._kept["a"]
        return found

    def text(self, index: int) -> str:
        """Its row of B times A."""
        return f"{self.b}[{shown(self.start + index)}, :] · {self.a}"


def reading_bank(source: Source, mlp: MlpScheme, role: str, *, expert: int = -1) -> Bank:
    """Rows of up or gate `[F, D]`; expert -1 where there is one only. Raises InputError."""
    ref = mlp.roles[role]
    f, d = ref.shape
    pair = None
    if mlp.adapters:
        _, (a, b) = mlp.adapters[0]
        rows = source.stored(b).shape[0]
        pair = Pair(source, a, b, 0 if role == "gate" else rows - f)
    start, step = place_of(ref)
    return checked(
        Bank(plane_of(source, ref, expert=expert), f, d, ref.layout == "in_out", start, step, pair)
    )


def writing_bank(source: Source, mlp: MlpScheme, *, expert: int = -1) -> Bank:
    """Columns of down `[D, F]`. Raises InputError."""
    d, f = mlp.down.shape
    if mlp.down.part:  # no family cuts down: which half of D a column stands in would have to be known
        raise InputError("checkpoint.layer_shapes", tensor=mlp.down.names[0], shapes="[]", d_model=d)
    return checked(Bank(plane_of(source, mlp.down, expert=expert), f, d, mlp.down.layout != "in_out"))


def checked(bank: Bank) -> Bank:
    """The bank; InputError where its plane is not as large as the scheme has it."""
    plane = bank.plane
    along, other = (plane.width, plane.height) if bank.apart else (plane.height, plane.width)
    if bank.start + bank.step * (bank.count - 1) >= along or other != bank.width:
        shapes = str([plane.height, plane.width])
        raise InputError("checkpoint.layer_shapes", tensor=plane.name, shapes=shapes, d_model=bank.width)
    return bank


def place_of(ref: TensorRef) -> tuple[int, int]:
    """Place of row 0 of a role in its tensor, and the step from one row to the next."""
    starts = {"half1": ref.shape[0], "odd": 1}
    return starts.get(ref.part, 0), 2 if ref.part in ("even", "odd") else 1


def plane_of(source: Source, ref: TensorRef, *, expert: int) -> Plane:
    """The tensor of one role of one expert."""
    name = ref.names[expert if ref.expert == "name" else 0]
    stacked = expert if ref.expert == "axis0" else -1
    if ref.quantised:
        return packed_plane(source, name, ref.quantised, expert=stacked)
    if ref.layout == "grouped":
        return Grouped(source, name, *ref.shape, groups=ref.groups)
    if ref.expert == "flat":
        rows = ref.shape[1] if ref.layout == "in_out" else ref.shape[0]
        return plain_of(source, name, expert=expert, flat_rows=rows)
    return plain_of(source, name, expert=stacked)
