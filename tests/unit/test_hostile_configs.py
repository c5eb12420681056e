"""Configurations, names and metadata that nobody would write: opened or refused in a sentence, soon."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ffn_explorer.checkpoints.family_files import families
from ffn_explorer.checkpoints.names import Names
from ffn_explorer.checkpoints.stack_match import MOST_LAYERS
from tests.unit.gguf_bytes import STRING, entry, gguf, tensor, text
from tests.unit.guarded import opened
from tests.unit.hostile import D, F, layers, model, refused, soon
from tests.unit.specimens import LLAMA

ODD = [10**400, -(10**400), 1e308, float("nan"), float("inf"), -5, "x", [2], {"a": 1}, True, "9" * 5_000]


@pytest.mark.parametrize(
    "key", ["hidden_size", "num_hidden_layers", "rms_norm_eps", "hidden_act", "model_type", "text_config"]
)
def test_values_of_every_kind(key: str, tmp_path: Path) -> None:
    for value in ODD:
        result, keys = opened(model(tmp_path, layers(2), {**LLAMA, key: value}))
        assert result == "opened", (value, keys)
        assert set(keys) == (
            {"checkpoint.activation"} if key == "hidden_act" and isinstance(value, str | bool) else set()
        )


def test_a_configuration_of_many_parts(tmp_path: Path) -> None:
    parts = {f"part{number}": {"model_type": "llama"} for number in range(50_000)}
    path = model(tmp_path, layers(2), {**LLAMA, "model_type": "none", **parts})
    with soon():
        assert opened(path)[0] == "opened"


def test_words_of_millions_of_letters(tmp_path: Path) -> None:
    long = "x" * 10_000_000
    path = model(tmp_path, layers(20), {**LLAMA, "num_hidden_layers": 20, "hidden_act": long, "a": long})
    with soon():
        assert opened(path) == ("opened", ["checkpoint.activation"] * 2)


def test_more_layers_than_any_model(tmp_path: Path) -> None:
    for config in ({**LLAMA, "num_hidden_layers": MOST_LAYERS}, {}):
        assert refused(model(tmp_path, layers(MOST_LAYERS + 1), config)).key == "checkpoint.layers_many"
    # A few under each of many prefixes are as many.
    many = {
        name: shape
        for at in "abcdefghijklmnopqrstuv"
        for name, shape in layers(60, at + ".layers.{}.").items()
    }
    with soon():
        opened(model(tmp_path, many, {}))


@pytest.mark.parametrize(
    "name",
    ["x.#.y.3.", "x.{layer}.y.3.", "x.{expert}.3.", "x.12345678901234.", "x.².", "x.٣.", "a\x1bb.3.", "3."],
)
def test_names_that_look_like_patterns(name: str, tmp_path: Path) -> None:
    shapes = {f"{name}up_proj.weight": [F, D], f"{name}down_proj.weight": [D, F]}
    opened(model(tmp_path, shapes, {}))
    assert opened(model(tmp_path, {**shapes, **layers(2)}, LLAMA))[0] == "opened"


def test_metadata_of_sixty_thousand_entries(tmp_path: Path) -> None:
    entries = [entry("general.architecture", STRING, text("llama"))]
    entries += [entry(f"k{number}", 0, b"\1") for number in range(60_000)]
    names = [f"blk.{index}.ffn_{role}.weight" for index in range(40) for role in ("up", "gate", "down")]
    rows = [tensor(name, [2, 2], offset=32 * at) for at, name in enumerate(names)]
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf(entries, rows, data=bytes(32 * len(names))))
    with soon():
        assert opened(path)[0] == "opened"


def keys_of_families() -> list[str]:
    """Every key that some family looks for in a configuration."""
    found = {key for family in families().values() for kind in family.defaults.values() for key in kind}
    return sorted(found | set(LLAMA))


KEYS = st.sampled_from(keys_of_families())
TYPES = {name for family in families().values() for name in family.types}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**40), 10**40) | st.integers(0, 9) | st.floats()
    | st.text(max_size=9) | st.sampled_from(["silu", "gelu", "rms", "layer", "llama", "sigmoid", "true"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)  # fmt: skip


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from([*sorted(TYPES), "", "x"]),
    config=st.dictionaries(KEYS, VALUES, max_size=8),
    nested=st.booleans(),
)
def test_any_configuration(tmp_path: Path, kind: str, config: dict[str, object], nested: bool) -> None:
    whole = {**config, "model_type": kind}
    model(tmp_path, layers(2), {"model_type": kind, "text_config": whole} if nested else whole)
    with soon():
        opened(tmp_path)


def test_names_are_looked_for_within_bounds() -> None:
    names = Names(
        {"1." * 400 + "w": (1,), **{f"p{chr(97 + at % 26) * at}.h.0.up": (1,) for at in range(200)}}
    )
    assert len(names.prefixes("h.{layer}.up")) == 64
    assert all(template.count("#") <= 12 for template in names.templates)
    assert names.find("pa.h.{layer}.up") == {}
    assert names.find("p.h.{layer}.up") == {(0,): {-1: "p.h.0.up"}}


def test_places_without_end(tmp_path: Path) -> None:
    shapes: dict[str, list[int]] = {}
    for number in range(4_000):
        at = f"x.{number}.y.{number}."
        shapes |= {f"{at}w1.weight": [F, D], f"{at}w3.weight": [F, D], f"{at}w2.weight": [D, F]}
    with soon():
        assert opened(model(tmp_path, shapes, {}))[0] == "opened"
