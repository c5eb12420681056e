"""What `cost` says: a bill as JSON for scripts and as a table for people, and the list of public models."""

import json
from fractions import Fraction
from typing import Any

from ffn_explorer.cli.aligned import aligned
from ffn_explorer.cli.plain_json import as_json
from ffn_explorer.core.bill_row import Row, Use
from ffn_explorer.core.crossings import Crossings, crossings
from ffn_explorer.core.model_bill import ModelBill, layer_bill, model_bill
from ffn_explorer.state.costing import Costing
from ffn_explorer.state.costs import Subject, ffn_share, formula_of, use_of
from ffn_explorer.state.models import PublicModel, models
from ffn_explorer.state.text import say

__all__ = ["as_json", "as_table", "facts", "list_as_json", "list_as_table"]

MOST_FORMULA = 96
"""Longest formula in a table; the JSON has all of it."""


def facts(subject: Subject, costing: Costing, *, sentence: int) -> dict[str, Any]:
    """Everything that `cost --json` prints, as plain values; sentence: tokens where no number was chosen.

    rows and totals: of the whole model.  per_layer: the matrices of one layer of the form that most have.
    crossings: with all of S² scored; crossings_causal: with the work on future tokens skipped; S in tokens.
    """
    use = use_of(costing, sentence, subject.shape)
    whole, layer = model_bill(subject.shape, use), layer_bill(subject.shape, use)
    return {
        "model": None if subject.public is None else _named(subject.public),
        "use": {
            "tokens": use.tokens, "cached": use.cached, "causal": use.causal,
            "bits": use.bits, "cache_bits": use.cache_bits,
        },
        "rows": [_row(whole, row) for row in whole.rows],
        "totals": _totals(whole),
        "per_layer": {
            "layers": subject.shape.depth,
            "ffn_weights": layer.weights("ffn"),
            "router_weights": layer.weights("router"),
            "attention_weights": layer.weights("attention"),
            "flops": {"ffn": layer.flops("ffn", "router"), "attention": layer.flops("attention"),
                      "scores": layer.flops("scores")},
        },
        "crossings": _crossings(crossings(subject.shape)),
        "crossings_causal": _crossings(crossings(subject.shape, causal=True)),
        "shares": {
            "ffn": ffn_share(layer),
            "ffn_active": ffn_share(layer, active=True),
            "ffn_of_all_parameters": whole.count("ffn", "router") / whole.count(),
        },
    }  # fmt: skip


def as_table(found: dict[str, Any], subject: Subject, language: str) -> str:
    """The same for people: rows under headings, then what they add up to."""
    columns = ("name", "count", "flops", "bytes", "formula")
    heads = [say(language, f"cli.cost.column.{name}") for name in columns]
    body = [
        [
            say(language, f"costs.row.{row['name']}"),
            *(f"{row[key]:,}" for key in ("count", "flops", "bytes")),
            _cut(row["formula"]),
        ]
        for row in found["rows"]
    ]
    totals, layer, shares = found["totals"], found["per_layer"], found["shares"]
    use = found["use"]
    lines = [_title(subject, use, language), *aligned([heads, *body], right=(1, 2, 3))]
    lines.append(say(language, "cli.cost.totals", **{k: f"{v:,}" for k, v in totals.items()}))
    lines.append(
        say(
            language, "cli.cost.layer", ffn=f"{layer['ffn_weights'] + layer['router_weights']:,}",
            attention=f"{layer['attention_weights']:,}", share=f"{100 * shares['ffn']:.1f}",
            active=f"{100 * shares['ffn_active']:.1f}",
        )
    )  # fmt: skip
    for key in ("crossings", "crossings_causal"):
        values = {name: _length(value, language) for name, value in found[key].items()}
        lines.append(say(language, f"cli.cost.{key}", **values))
    if subject.public is not None:
        public = subject.public
        why = say(language, f"models.why.{public.why}")
        said = {"published": public.published, "source": public.published_source, "why": why}
        lines.append(say(language, "cli.cost.published", **said))
        lines.append(say(language, "cli.cost.source", source=public.source))
    return "\n".join(lines)


def list_as_json() -> str:
    """Every public model, with its own count and the published one."""
    return json.dumps([{**_named(each), "parameters": _count(each)} for each in models()], indent=2)


def list_as_table(language: str) -> str:
    """The same for people."""
    names = ("id", "model", "year", "count", "published")
    heads = [say(language, f"cli.cost.column.{name}") for name in names]
    body = [[each.id, each.name, str(each.year), f"{_count(each):,}", each.published] for each in models()]
    return "\n".join(aligned([heads, *body], right=(3,)))


def _named(public: PublicModel) -> dict[str, Any]:
    return {
        "id": public.id,
        "name": public.name,
        "maker": public.maker,
        "year": public.year,
        "source": public.source,
        "published": public.published,
        "published_count": public.published_count,
        "published_source": public.published_source,
    }


def _count(public: PublicModel) -> int:
    return model_bill(public.shape, Use(tokens=1)).count()


def _row(bill: ModelBill, row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "count": row.count.value,
        "active": row.active.value,
        "flops": row.flops.value,
        "bytes": bill.bytes_of(row),
        "formula": formula_of(row).equation,
        "flops_formula": row.flops.equation,
    }


def _totals(bill: ModelBill) -> dict[str, int]:
    whole = sum(map(bill.bytes_of, bill.rows))
    cache = sum(bill.bytes_of(row) for row in bill.rows if row.cached.terms)
    return {
        "parameters": bill.count(),
        "active": bill.active(),
        "ffn": bill.count("ffn", "router"),
        "attention": bill.count("attention"),
        "flops": bill.flops(),
        "bytes": whole,
        "weight_bytes": whole - cache,
        "cache_bytes": cache,
    }


def _crossings(found: Crossings) -> dict[str, int | float | None]:
    return {
        "scores_equal_ffn": _plain(found.scores_equal_ffn),
        "attention_equals_ffn": _plain(found.attention_equals_ffn),
    }


def _plain(value: Fraction | None) -> int | float | None:
    if value is None:
        return None
    return int(value) if value.denominator == 1 else float(value)


def _length(value: float | None, language: str) -> str:
    return say(language, "cli.cost.never") if value is None else f"{value:,.10g}"


def _title(subject: Subject, use: dict[str, Any], language: str) -> str:
    key = "cli.cost.decode" if use["cached"] else "cli.cost.prefill"
    counted = {"tokens": f"{use['tokens']:,}", "cached": f"{use['cached']:,}", "bits": use["bits"]}
    return say(language, key, name=say(language, subject.name), **counted)


def _cut(formula: str) -> str:
    return formula if len(formula) <= MOST_FORMULA else f"{formula[: MOST_FORMULA - 1]}…"
