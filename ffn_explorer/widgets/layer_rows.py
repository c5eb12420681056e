"""Layers of a file as rows: what each shows, which pass a filter, and in which order."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ffn_explorer.checkpoints.scheme import LayerScheme
from ffn_explorer.core.activation_table import ACTIVATIONS
from ffn_explorer.core.budget import in_words
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.file_facts import FileFacts
from ffn_explorer.state.text import say
from ffn_explorer.state.visible import visible
from ffn_explorer.widgets.ranking import Column, Row
from ffn_explorer.widgets.sorted_list import SortedRanking
from ffn_explorer.widgets.theme import blend, theme_of

NAMES = ("layer", "stack", "kind", "d_ff", "activation", "dtype", "bytes", "d_model", "norm", "file")
"""Columns in order; those that say the same of every layer for want of choice are left out."""

LONGEST_NUMBER = 12
"""Digits of a number in a filter; a longer one is only a word."""

RIGHT = frozenset({"d_ff", "bytes", "d_model"})


def _say(language: str, key: str, /, **values: Any) -> str:  # noqa: ANN401 - numbers and strings alike
    return say(language, f"panel.layers.{key}", **values)


@dataclass(frozen=True, slots=True, eq=False)
class LayerRows:
    """Rows of a list: places of layers in the file's list, and below 0 headings of stacks, −1 the first.

    sort: a name of NAMES, "" for the order of the file; smallest: whether the smallest comes first.
    typed: words that a row must hold, all of them.
    """

    file: FileFacts
    language: str
    sort: str = ""
    smallest: bool = True
    typed: str = ""
    order: tuple[int, ...] = field(init=False)
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Filter and sort once."""
        file = self.file
        stacks, files = len(file.stacks) > 1, len(set(file.places)) > 1
        left_out = {"stack"} if not stacks else set()
        left_out |= {"file"} if not files else set()
        object.__setattr__(self, "names", tuple(name for name in NAMES if name not in left_out))
        words = self.typed.casefold().replace(",", "").split()
        kept = [at for at in range(len(file.layers)) if all(self._holds(at, word) for word in words)]
        object.__setattr__(self, "order", tuple(self._ordered(kept)))

    def _holds(self, at: int, word: str) -> bool:
        """Whether a row holds a word; a number is one of its numbers, not a piece of one."""
        layer = self.file.layers[at]
        if word.isdecimal() and len(word) < LONGEST_NUMBER:
            return int(word) in (layer.index, layer.d_ff, layer.d_model, layer.experts or -1)
        searched = [*(self.text(at, name) for name in NAMES), layer.kind, layer.activation]
        return word in " ".join(searched).casefold()

    def _ordered(self, kept: list[int]) -> list[int]:
        if self.sort in self.names and self.sort != "layer":
            return sorted(kept, key=self._value, reverse=not self.smallest)
        if self.sort == "layer" and not self.smallest:
            return kept[::-1]
        stacks = self.file.stacks
        if len(stacks) == 1:
            return kept
        found: list[int] = []
        for number, stack in enumerate(stacks):
            inside = [at for at in kept if self.file.layers[at].stack == stack]
            found += [-1 - number, *inside] if inside else []
        return found

    def _value(self, at: int) -> tuple[float, str]:
        """What a row is ordered by: a number where there is one."""
        layer = self.file.layers[at]
        known = {"d_ff": layer.d_ff, "d_model": layer.d_model, "bytes": self.file.sizes[at]}
        known["kind"] = layer.experts
        found = known.get(self.sort)
        return (0.0, self.text(at, self.sort)) if found is None else (float(found), "")

    def text(self, at: int, name: str) -> str:
        """What a row shows in a column."""
        layer, file = self.file.layers[at], self.file
        if name == "kind":
            return self._kind(layer)
        made = {
            "layer": lambda: numbers.count(layer.index),
            "stack": lambda: visible(layer.stack) if layer.stack else "",
            "d_ff": lambda: numbers.count(layer.d_ff),
            "d_model": lambda: numbers.count(layer.d_model),
            "activation": lambda: activation_of(layer, _say(self.language, "unknown")),
            "dtype": lambda: visible(file.dtypes[at]) if file.dtypes[at] else "–",
            "bytes": lambda: in_words(file.sizes[at]),
            "norm": lambda: self._norm(layer),
            "file": lambda: visible(file.places[at]) if file.places[at] else "–",
        }
        return made[name]()

    def _kind(self, layer: LayerScheme) -> str:
        if not layer.experts:
            return _say(self.language, "dense")
        key = "experts_shared" if layer.shared is not None else "experts"
        return _say(self.language, key, n=numbers.count(layer.experts))

    def _norm(self, layer: LayerScheme) -> str:
        norm = layer.spec.norm
        if norm.kind == "none" or norm.placement == "none":
            return "–"
        return _say(
            self.language,
            "norm_of",
            kind=_say(self.language, f"norm_{norm.kind}"),
            placement=_say(self.language, f"at_{norm.placement}"),
        )


def activation_of(layer: LayerScheme, unknown: str) -> str:
    """What people call the function of a layer; where it is unknown, what the file says of it."""
    if not layer.activation:
        return f"{unknown} ({visible(layer.said)})" if layer.said else unknown
    row = ACTIVATIONS.get(layer.variant)
    return layer.variant if row is None else row.label


def layer_ranking(
    rows: LayerRows,
    look: Appearance,
    *,
    chosen: int,
    scroll: int,
    tip: Callable[[int], str],
) -> SortedRanking:
    """A row per layer, its bar the bytes; rows with a gap on a hatched ground."""
    file, neutral = rows.file, blend(theme_of(look).muted, theme_of(look).surface, 0.6).name()

    def row(index: int) -> Row:
        at = rows.order[index]
        if at < 0:
            return Row(at, ("",) * len(rows.names), 0.0)
        texts = tuple(rows.text(at, name) for name in rows.names)
        return Row(at, texts, float(file.sizes[at]), faded=bool(file.layers[at].gaps), colour=neutral)

    places = {at: index for index, at in enumerate(rows.order)}

    def column(name: str) -> Column:
        widest = max((rows.text(at, name) for at in rows.order if at >= 0), key=len, default="")
        head, tip = _say(rows.language, f"head_{name}"), _say(rows.language, f"head_{name}_tip")
        return Column(head, "right" if name in RIGHT else "left", tip, widest)

    return SortedRanking(
        look=look,
        columns=tuple(map(column, rows.names)),
        bar_head=_say(rows.language, "bar"),
        total=len(rows.order),
        row=row,
        first=scroll,
        limit=float(max(file.sizes, default=0)) or 1.0,
        chosen=chosen,
        place=places.get,
        keeps=7,
        names=(*rows.names, "bytes"),
        sort=rows.sort,
        smallest=rows.smallest,
        hatched=frozenset(at for at in rows.order if at >= 0 and file.layers[at].gaps),
        tip=tip,
        heading=lambda key: _say(
            rows.language,
            "heading",
            stack=visible(file.stacks[-1 - key]) if file.stacks[-1 - key] else "–",
            n=numbers.count(sum(layer.stack == file.stacks[-1 - key] for layer in file.layers)),
        ),
    )
