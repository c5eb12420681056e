"""Presets of public models: order, words, and the answer to a wrong asset or a mistyped id."""

from __future__ import annotations

import re
import tomllib
from typing import Any, get_args

import pytest

from ffn_explorer.core.architecture import AttentionShape, Extra, FFNShape, LatentShape, LayerShape
from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.model_bill import model_bill
from ffn_explorer.state.models import Why, model, models, read_models
from ffn_explorer.state.text import catalogue, said, say

ENTRY = """
id = "tiny"
name = "Tiny"
maker = "Nobody"
year = 2020
activation = "swiglu"
placement = "pre"
context = 128
d_model = 8
vocab = 100
layers = 2
attention = { heads = 2, head_dim = 4 }
ffn = { d_ff = 16 }
source = "this test"
published = "3K"
published_count = 3_000
published_source = "this test"
why = "rounded"
"""


def entry(changes: str = "", *, without: str = "") -> dict[str, Any]:
    """A preset's table with some keys given anew, and one left out."""
    table = tomllib.loads(ENTRY) | tomllib.loads(changes)
    return {key: value for key, value in table.items() if key != without}


def read(changes: str = "", *, without: str = "") -> Any:
    """The one preset that an asset with such an entry holds."""
    (one,) = read_models({"model": [entry(changes, without=without)]})
    return one


def test_presets_stand_by_year_maker_and_size() -> None:
    order = [(m.year, m.maker.lower(), model_bill(m.shape, Use(tokens=1)).count()) for m in models()]
    assert order == sorted(order)
    assert len(order) >= 34
    assert (models()[0].year, models()[-1].year) == (2017, 2026)


def test_ids_are_lower_case_with_dashes_and_stand_once() -> None:
    ids = [m.id for m in models()]
    assert len(set(ids)) == len(ids)
    assert [one for one in ids if not re.fullmatch(r"[a-z0-9.]+(-[a-z0-9.]+)*", one)] == []
    assert len({m.name for m in models()}) == len(ids)


def test_every_preset_says_where_its_numbers_stand() -> None:
    assert [m.id for m in models() if not (m.source.strip() and m.published_source.strip())] == []
    assert [m.id for m in models() if not 128 <= m.context <= 2**21] == []


def test_every_reason_is_used_and_said_in_both_languages() -> None:
    assert {m.why for m in models()} == set(get_args(Why))
    for language in ("en", "ja"):
        assert {say(language, m.reason) for m in models()} == {
            sentence for key, sentence in catalogue(language).items() if key.startswith("models.why.")
        }


def test_an_id_may_be_written_as_a_name() -> None:
    assert model("llama-3-8b") is model(" Llama 3  8B ")
    assert model("gpt2-small").shape.d_model == 768


def test_a_mistyped_id_names_the_nearest() -> None:
    with pytest.raises(InputError) as caught:
        model("lama-3-8b")
    assert caught.value.key == "models.unknown"
    assert caught.value.values["near"].split(", ")[0] == "llama-3-8b"
    assert "llama-3-8b" in say("ja", said(caught.value))
    with pytest.raises(InputError) as caught:
        model("?")
    assert caught.value.values["near"].split(", ") == [each.id for each in models()][:3]


def test_what_is_left_out_takes_its_default() -> None:
    one = read()
    attention = AttentionShape(heads=2, kv_heads=2, head_dim=4)
    assert one.shape.layers == (LayerShape(2, attention, FFNShape(16, gated=True)),)
    assert (one.shape.norm, one.shape.tied, one.shape.extras) == ("rms", False, ())


def test_layers_share_what_their_rows_do_not_say() -> None:
    one = read(
        'activation = "relu"\nlayer_norms = 1\nextras = { pooler = 72 }\n'
        'layers = [{ count = 1, window = 4 }, { count = 3, norms = 3, stack = "encoder", '
        "ffn = { d_ff = 2, experts = 4, top_k = 2 }, cross = { heads = 1, head_dim = 8 } }]\n"
        "attention = { heads = 2, kv_heads = 1, head_dim = 4, latent = { kv_rank = 3, rope_dim = 2 } }"
    )
    latent = LatentShape(kv_rank=3, rope_dim=2)
    first, second = one.shape.layers
    assert first == LayerShape(
        1, AttentionShape(2, 1, 4, window=4, latent=latent), FFNShape(16, gated=False), norms=1
    )
    assert second.attention == AttentionShape(2, 1, 4, latent=latent)
    assert second.ffn == FFNShape(2, gated=False, experts=4, top_k=2)
    assert (second.norms, second.stack, second.cross) == (3, "encoder", AttentionShape(1, 1, 8))
    assert one.shape.extras == (Extra("pooler", 72),)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ("colour = 1", "tiny: unknown key colour"),
        ("shape = 1", "tiny: unknown key shape"),
        ("attention = { heads = 2, head_dim = 4, head = 1 }", "tiny: layers: attention: unknown key head"),
        ("ffn = { d_ff = 16, gated = true }", "tiny: layers: ffn: gated follows from the activation"),
        ("layers = [{ count = 2, norm = 1 }]", "tiny: layers: unknown key norm"),
        ("layers = [{ window = 2 }]", "tiny: layers: count is missing"),
        ("ffn = { }", "tiny: layers: ffn: d_ff is missing"),
        ("attention = { }", "tiny: layers: attention: heads is missing"),
        ("extras = { }\nactivation = 'swish'", "tiny: activation cannot be 'swish'"),
        ("placement = 'parallel'", "tiny: placement cannot be 'parallel'"),
        ("norm = 'batch'", "tiny: norm cannot be 'batch'"),
    ],
)
def test_a_wrong_key_is_named_with_its_entry(changes: str, named: str) -> None:
    with pytest.raises(KeyError, match=re.escape(named)):
        read(changes)


@pytest.mark.parametrize("key", sorted(entry().keys() - {"id", "vocab", "attention", "ffn"}))
def test_a_missing_key_is_named_with_its_entry(key: str) -> None:
    with pytest.raises(KeyError, match=f"tiny: {key} is missing"):
        read(without=key)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ("year = '2020'", "tiny: year cannot be '2020'"),
        ("year = true", "tiny: year cannot be True"),
        ("source = ''", "tiny: source cannot be ''"),
        ("why = 'guess'", "tiny: why cannot be 'guess'"),
        ("tied = 1", "tiny: tied cannot be 1"),
        ("layers = 2.0", "tiny: layers: count cannot be 2.0"),
        ("ffn = 16", "tiny: layers: ffn cannot be 16"),
        ("extras = [1]", "tiny: extras cannot be [1]"),
        ("extras = { pooler = '1' }", "tiny: extras: count cannot be '1'"),
        ("attention = { heads = 2, head_dim = 4, qk_norm = 'some' }", "qk_norm cannot be 'some'"),
        ("attention = { heads = 2, head_dim = 4, latent = 3 }", "latent cannot be 3"),
    ],
)
def test_a_wrong_value_is_named_with_its_entry(changes: str, named: str) -> None:
    with pytest.raises(TypeError, match=re.escape(named)):
        read(changes)


def test_an_id_that_stands_twice_is_refused() -> None:
    with pytest.raises(KeyError, match="tiny: id stands twice"):
        read_models({"model": [entry(), entry()]})


def test_an_unknown_table_is_refused() -> None:
    with pytest.raises(KeyError, match=re.escape("models.toml: unknown key models")):
        read_models({"models": []})
