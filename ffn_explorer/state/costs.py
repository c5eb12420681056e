"""Costs: whose bill the cost panels show, for what use, and what its bars are divided into."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from ffn_explorer.core.architecture import ModelShape
from ffn_explorer.core.bill_row import Row, Use
from ffn_explorer.core.model_bill import ModelBill, layer_bill, model_bill
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.shape_of import model_shape
from ffn_explorer.core.sums import Sum
from ffn_explorer.state.app_state import Compare
from ffn_explorer.state.costing import Costing
from ffn_explorer.state.models import PublicModel, model
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import Text, text
from ffn_explorer.state.visible import visible

if TYPE_CHECKING:
    from ffn_explorer.state.file_facts import FileFacts

Kind = Literal["parameters", "flops", "bytes"]
"""What is counted."""

GROUPS = (
    "gate", "up", "down", "bias", "router", "attention", "scores", "cache", "norms", "embeddings", "other",
)  # fmt: skip
"""From left to right: the FFN first."""

_OWN = {
    "ffn.gate": "gate",
    "ffn.up": "up",
    "ffn.down": "down",
    "ffn.bias": "bias",
    "ffn.receptance": "down",
    "ffn.mix": "bias",
    "ffn.router": "router",
    "ffn.router_bias": "router",
    "cache": "cache",
    "cross.cache": "cache",
}
"""Rows that are a piece of their own; the others go by their part."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose bill: a public model, the network of some settings, or a stack of an opened file.

    one: of a file, the layer looked at alone; stack, assumed: its name, and whether attention's heads are.
    """

    shape: ModelShape
    settings: Settings | None = None
    public: PublicModel | None = None
    one: ModelShape | None = None
    file: str = ""
    stack: str = ""
    assumed: bool = False

    @property
    def name(self) -> Text:
        """Name for people; that of settings is said by whoever knows whether they are A or B."""
        if self.file:
            return text("costs.file", file=self.file, stack=self.stack)
        return text("costs.named", name=self.public.name) if self.public else text("costs.settings")


class Piece(NamedTuple):
    """One piece of a bar."""

    group: str
    value: int


def subject_of(costing: Costing, settings: Settings, file: "FileFacts | None" = None) -> Subject:
    """The first bill; file: the opened one, whose layer the settings describe."""
    return _public(costing.model) if costing.model else _mine(settings, file)


def beside_of(
    costing: Costing, settings: Settings, compare: Compare | None, file: "FileFacts | None" = None
) -> Subject | None:
    """The second bill, if one is wanted."""
    if costing.beside:
        return _public(costing.beside)
    if costing.beside == "":
        # The settings beside themselves would show nothing.
        return _mine(settings, file) if costing.model else None
    return None if compare is None or costing.model else _mine(compare.settings, file)


def use_of(costing: Costing, tokens: int, shape: ModelShape) -> Use:
    """What the bill is made for; tokens: of the selected sentence, where no other number was chosen.

    A model of encoders alone keeps nothing for later tokens: it always takes all of them at once.
    """
    count = max(1, costing.tokens or tokens)
    decode = costing.phase == "decode" and goes_on(shape)
    return Use(
        tokens=1 if decode else count,
        cached=count if decode else 0,
        causal=costing.causal,
        bits=costing.bits,
        cache_bits=costing.cache_bits,
    )


def tokens_in(scene: Scene) -> int:
    """S, or T while decoding, that the cost panels count for: as chosen, else the sentence's tokens."""
    return max(1, scene.costing.tokens or len(scene.chips))


def goes_on(shape: ModelShape) -> bool:
    """Whether a model can take one token after others."""
    return any(layer.stack == "decoder" for layer in shape.layers)


def bill_of(subject: Subject, costing: Costing, tokens: int) -> ModelBill:
    """The bill of one layer or of the whole; tokens: of the selected sentence."""
    use = use_of(costing, tokens, subject.shape)
    if costing.scope == "layer":
        return layer_bill(subject.one or subject.shape, use)
    return model_bill(subject.shape, use)


def group_of(row: Row) -> str:
    """Piece of the bar that a row belongs to."""
    return _OWN.get(row.name, row.part)


def pieces(bill: ModelBill, kind: Kind) -> tuple[Piece, ...]:
    """Pieces of a bar from left to right; those of 0 are left out."""
    found = dict.fromkeys(GROUPS, 0)
    for row in bill.rows:
        found[group_of(row)] += value_of(bill, row, kind)
    return tuple(Piece(group, value) for group, value in found.items() if value)


def value_of(bill: ModelBill, row: Row, kind: Kind) -> int:
    """One number of a row."""
    if kind == "bytes":
        return bill.bytes_of(row)
    return row.count.value if kind == "parameters" else row.flops.value


def formula_of(row: Row) -> Sum:
    """Formula of a row's parameters; where it has none, of what it keeps, or else of its FLOPs."""
    return next((each for each in (row.count, row.cached) if each.terms), row.flops)


def ffn_share(bill: ModelBill, *, active: bool = False) -> float:
    """Share of the FFN in the weights of FFN and attention, the matrices alone."""
    ffn = bill.weights("ffn", "router", active=active)
    whole = ffn + bill.weights("attention", active=active)
    return ffn / whole if whole else 0.0


@lru_cache(maxsize=64)
def _public(name: str) -> Subject:
    found = model(name)
    return Subject(found.shape, public=found)


def _mine(settings: Settings, file: "FileFacts | None") -> Subject:
    fits = file is not None and settings.layer < len(file.layers)
    return _of_file(settings, file) if fits and file is not None else _own(settings)


# Facts of a file are equal only to themselves.
@lru_cache(maxsize=8)
def _of_file(settings: Settings, file: "FileFacts") -> Subject:
    from ffn_explorer.state.file_shape import layer_shape, stack_shape  # the first picture needs none of it

    return Subject(
        stack_shape(file, settings),
        settings=settings,
        one=layer_shape(file, settings),
        file=visible(file.name),
        stack=file.layers[settings.layer].stack,
        assumed=not file.heads_known,
    )


@lru_cache(maxsize=64)
def _own(settings: Settings) -> Subject:
    return Subject(model_shape(settings), settings=settings)
