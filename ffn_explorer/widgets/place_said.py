"""What is said of a layer in its stack: headings, labels of the blocks, and the caption."""

from dataclasses import dataclass
from typing import Any

from ffn_explorer.state import numbers
from ffn_explorer.state.opened_place import OpenedPlace
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.text import say
from ffn_explorer.widgets.place_plan import Kind

Caption = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class PlaceSaid:
    """Words of one run; opened: where its layer stands in a file, None without one."""

    language: str
    run: RunResult
    opened: OpenedPlace | None

    def heading(self, stack: str, *, mine: bool) -> tuple[str, ...]:
        """Over a row: which layer of which stack, the longest wording first."""
        s, opened = self.run.request.settings, self.opened
        if opened is not None:
            forms = ("", "_short", "_least")
            return tuple(self._say(f"heading_file{form}", **opened.values) for form in forms)
        if not mine:
            return (self._say(f"beside_{stack}"),)
        number = {"n": numbers.count(s.layer), "last": numbers.count(s.layers - 1)}
        return tuple(self._say(f"heading_{stack}{form}", **number) for form in ("", "_short", "_least"))

    def labels(self, stack: str) -> tuple[tuple[Kind, tuple[str, ...]], ...]:
        """In the blocks, the longest wording first."""
        s = self.run.request.settings
        own = "masked" if stack == "decoder" else "self"
        shape = {"d": numbers.count(s.d_model), "f": numbers.count(s.d_ff)}
        ffn: tuple[str, ...] = (self._say("ffn_shape", **shape),)
        if s.is_moe:
            experts = {"n": numbers.count(s.experts), "k": numbers.count(s.top_k)}
            ffn = (self._say("ffn_experts", **experts, **shape), self._say("ffn_moe"))
        return (
            ("self", self._attention(own)),
            ("cross", self._attention("cross")),
            ("ffn", (*ffn, self._say("ffn"))),
        )

    def _attention(self, kind: str) -> tuple[str, ...]:
        words = tuple(self._say(f"{kind}_{size}") for size in ("long", "lines", "short", "least"))
        if self.opened is not None:
            # What it holds in the file is not counted: the caption says what is assumed.
            return words
        weights = self._say("weights", n=numbers.axis(self.run.bill.attention_weights))
        return (f"{words[0]}\n{weights}", f"{words[1]}\n{weights}", *words)

    def layer_caption(self) -> Caption:
        """Under one layer."""
        settings, spec = self.run.request.settings, self.run.spec
        source = self.run.request.source.opened
        bare = source is not None and bool(source.x) and source.x_is == "ffn-input"
        placed = (self._say("placed_input" if bare else f"placed_{spec.norm.placement}"),)
        if self.opened is not None:
            known = "bill_file" if self.opened.heads_known else "bill_assumed"
            limits = tuple((say(self.language, limit),) for limit in self.opened.limits)
            # Where no norm was found, the file's own limit says so.
            around = () if limits and spec.norm.placement == "none" and not bare else (placed,)
            return (self._of_file(), *around, *limits, self.sentence(known, **self._counted()))
        by_hand = self.run.request.source.memory is not None
        attention = "mixed" if settings.mixer else "by_hand" if by_hand else "not_mixed"
        said: list[tuple[str, ...]] = [self.sentence(attention), self.sentence("bill", **self._counted())]
        if settings.mixer and settings.norm != "none" and settings.norm_placement != "pre":
            said.insert(1, (self._say("mixer_norm"),))
        if settings.stack == "decoder":
            said.append((self._say("decoder_only"),))
        return (*said, placed)

    def _of_file(self) -> tuple[str, ...]:
        assert self.opened is not None
        return self.sentence("of_file", file=self.opened.file)

    def _counted(self) -> dict[str, str]:
        settings, bill = self.run.request.settings, self.run.bill
        share = bill.ffn_total / (bill.ffn_total + bill.attention_weights)
        return {
            "ffn": numbers.count(bill.ffn_total),
            "attention": numbers.count(bill.attention_weights),
            "heads": numbers.count(settings.heads),
            "share": numbers.short(100 * share),
        }

    def depth_caption(self) -> Caption:
        """Under all layers."""
        settings, bill, opened = self.run.request.settings, self.run.bill, self.opened
        reads = (self._say("causal" if settings.stack == "decoder" else "all_lanes"),)
        first = self.sentence("across_within")
        if opened is not None:
            others = self.sentence("one_computed_file", **opened.values)
            return (first, others, (self._say("depth_bill_file", **opened.values),), reads)
        total = settings.layers * (bill.ffn_total + bill.attention_weights)
        counted = {
            "layers": numbers.count(settings.layers),
            "ffn": numbers.count(bill.ffn_total),
            "attention": numbers.count(bill.attention_weights),
            "total": numbers.count(total),
        }
        here = {"n": numbers.count(settings.layer), "last": numbers.count(settings.layers - 1)}
        beside = (self.sentence("one_computed", **here),) if settings.layers > 1 else ()
        return (first, *beside, (self._say("depth_bill", **counted),), reads)

    def axis(self) -> tuple[str, str]:
        """Under the pairs."""
        return self.sentence("axis" if self.opened is None else "axis_file")

    def sentence(self, key: str, **values: Any) -> tuple[str, str]:  # noqa: ANN401 - numbers and strings alike
        """A sentence and its short wording."""
        return self._say(key, **values), self._say(f"{key}_short", **values)

    def _say(self, key: str, **values: Any) -> str:  # noqa: ANN401 - numbers and strings alike
        return say(self.language, f"panel.place.{key}", **values)

    def cannot(self) -> str | None:
        """Why neither mixer nor stack can be chosen here; None where they can."""
        if self.run.request.source.plain:
            return None
        return "by_hand" if self.run.request.source.memory is not None else "of_file_tip"
