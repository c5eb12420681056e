"""Presets hold exactly the parameters of other people's classes, and what their makers publish fits."""

from __future__ import annotations

import re
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

import pytest
import torch
from torch import nn

from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.model_bill import ModelBill, model_bill
from ffn_explorer.state.models import PublicModel, model, models
from tests.golden.model_makers import MAKERS, UNCHECKED

UNITS = {"": 1, "M": 10**6, "B": 10**9, "T": 10**12}

ACTIVE = {
    "mixtral-8x7b": "12.9B",
    "mixtral-8x22b": "39B",
    "qwen1.5-moe-a2.7b": "2.7B",
    "dbrx": "36B",
    "deepseek-v2-lite": "2.4B",
    "deepseek-v2": "21B",
    "deepseek-v3": "37B",
    "olmoe-1b-7b": "1.3B",
    "qwen3-30b-a3b": "3.3B",
    "qwen3-235b-a22b": "22B",
    "kimi-k2": "32B",
    "gpt-oss-20b": "3.6B",
    "gpt-oss-120b": "5.1B",
    "solar-open-100b": "12B",
}
"""Parameters that one token uses, as the makers give them beside the total."""


def bill(m: PublicModel) -> ModelBill:
    """Return the bill of a model for one token."""
    return model_bill(m.shape, Use(tokens=1))


def embeddings(m: PublicModel) -> int:
    """Return the parameters of the input embedding."""
    return sum(row.count.value for row in bill(m).rows if row.name == "embeddings")


def stored(built: nn.Module) -> int:
    """Return the numbers that a model's file holds.

    The library keeps DeepSeek's correction of the router among the buffers, so that no optimiser trains it.
    """
    corrections = [b for name, b in built.named_buffers() if name.endswith("e_score_correction_bias")]
    return sum(t.numel() for t in [*built.parameters(), *corrections])


def number(published: str) -> tuple[int, int]:
    """Return a number in words such as "6.7B" as parameters, and the unit of its last digit that counts."""
    found = re.fullmatch(r"([\d,]+)(?:\.(\d+))?([MBT]?)", published)
    assert found, published
    whole, decimals, letter = found[1].replace(",", ""), found[2] or "", found[3]
    unit = UNITS[letter] // 10 ** len(decimals)
    value = int(whole + decimals) * unit
    if not decimals and letter:  # the zeros of 340M are there to say how large it is
        unit *= 10 ** (len(whole) - len(whole.rstrip("0")))
    return value, unit


def to_unit(count: int, unit: int, *, rounding: str) -> int:
    """Return a count in whole units."""
    return int((Decimal(count) / unit).quantize(Decimal(1), rounding)) * unit


def agrees(m: PublicModel) -> bool:
    """Say whether the published number is what its reason makes of ours."""
    ours = bill(m).count()
    published, unit = number(m.published)
    match m.why:
        case "exact":
            return ours == published
        case "rounded":
            return to_unit(ours, unit, rounding=ROUND_HALF_UP) == published
        case "cut_off":
            down = to_unit(ours, unit, rounding=ROUND_DOWN)
            return down == published != to_unit(ours, unit, rounding=ROUND_HALF_UP)
        case "without_embeddings":
            return to_unit(ours - embeddings(m), unit, rounding=ROUND_HALF_UP) == published
        case "wrong_first_report":
            return 0.01 < ours / published - 1 < 0.07
        case "not_reproduced":
            return abs(ours / published - 1) < 0.04


@pytest.mark.parametrize("name", MAKERS)
def test_parameters_are_those_of_the_library(name: str) -> None:
    m = model(name)
    with torch.device("meta"):
        built = MAKERS[name](m)
    assert all(parameter.is_meta for parameter in built.parameters())
    assert bill(m).count() == stored(built)


def test_every_preset_is_checked_or_says_why_not() -> None:
    assert {m.id for m in models()} == MAKERS.keys() | UNCHECKED.keys()
    assert MAKERS.keys().isdisjoint(UNCHECKED)
    assert len(MAKERS) >= 60


@pytest.mark.parametrize("m", models(), ids=lambda m: m.id)
def test_published_number_agrees_as_its_reason_says(m: PublicModel) -> None:
    assert number(m.published)[0] == m.published_count
    assert agrees(m), f"{bill(m).count():,} and {m.published}"


@pytest.mark.parametrize("name", ACTIVE)
def test_active_parameters_agree_with_what_is_published(name: str) -> None:
    m, (published, unit) = model(name), number(ACTIVE[name])
    active = bill(m).active()
    # Some makers leave out the embedding, of which a token looks up one row; some drop digits.
    ours = {
        to_unit(n, unit, rounding=rounding)
        for n in (active, active - embeddings(m))
        for rounding in (ROUND_DOWN, ROUND_HALF_UP)
    }
    assert published in ours, f"{active:,}"


def test_words_of_published_numbers_are_understood() -> None:
    assert number("8.03B") == (8_030_000_000, 10_000_000)
    assert number("13.0B") == (13_000_000_000, 100_000_000)
    assert number("340M") == (340_000_000, 10_000_000)
    assert number("25,600M") == (25_600_000_000, 100_000_000)
    assert number("559,214,590") == (559_214_590, 1)
