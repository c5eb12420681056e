"""The table of families: complete, consistent, and strict about what it may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from ffn_explorer.checkpoints.family import Family, Stack
from ffn_explorer.checkpoints.family_files import FOLDER, families, families_by_type, read_family
from ffn_explorer.checkpoints.settings_view import FUNCTION_OF
from ffn_explorer.core.activation_table import FUNCTIONS

GOOD = """
family = "x"
types = ["x"]
origin = "non-hf"
evidence = "read"
[[stack]]
name = "decoder"
layers = "layers.{layer}."
[stack.ffn]
up = "up.weight"
down = "down.weight"
act = { fixed = "relu" }
"""


def test_every_file_is_read() -> None:
    assert len(families()) == len(list(FOLDER.glob("*.toml"))) >= 122
    assert all(family.stacks or family.opens for family in families().values())
    assert all(family.types for family in families().values())


def test_files_are_named_after_their_family() -> None:
    for path in FOLDER.glob("*.toml"):
        plain = "".join(c if c.isalnum() else "_" for c in read_family(path).family.lower())
        assert path.stem.replace("_", "") == plain.replace("_", "")


@pytest.mark.parametrize("name", families())
def test_stacks_say_where_they_stand_and_what_they_compute(name: str) -> None:
    for stack in families()[name].stacks:
        mlp = stack.ffn or stack.experts
        assert mlp is not None
        assert (stack.ffn is None) == (stack.router is not None)
        assert "{" in stack.layers or stack.sparse
        assert not mlp.act.fixed or mlp.act.fixed in FUNCTION_OF
        assert all(meaning in FUNCTION_OF for meaning in mlp.act.means.values())
        assert (mlp.up.part == "") == (mlp.gate is None or mlp.gate.part == "")
        if mlp.gate is not None and mlp.up.part:
            assert {mlp.gate.part, mlp.up.part} in ({"half0", "half1"}, {"even", "odd"})
            assert mlp.gate.names == mlp.up.names
        assert bool(stack.experts) == bool(mlp.up.expert)


def test_functions_of_configurations_are_rows_of_the_table() -> None:
    assert set(FUNCTION_OF.values()) <= set(FUNCTIONS)


def test_types_lead_to_their_families() -> None:
    assert [family.family for family in families_by_type()["qwen3"]] == ["llama"]
    assert {family.family for family in families_by_type()["t5"]} == {"t5", "t5_gated"}


def read(tmp_path: Path, text: str) -> Family:
    path = tmp_path / "x.toml"
    path.write_text(text, "utf-8")
    return read_family(path)


def test_a_small_file_is_enough(tmp_path: Path) -> None:
    (stack,) = read(tmp_path, GOOD).stacks
    assert isinstance(stack, Stack)
    assert stack.ffn is not None
    assert stack.ffn.up.names == ("up.weight",)


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ('family = "x"', 'family = "x"\ncolour = "red"', "unknown colour"),
        ('name = "decoder"', 'name = "decoder"\ndepth = 3', "unknown depth"),
        ('up = "up.weight"', 'up = { name = "up.weight", twist = 1 }', "unknown twist"),
        ('up = "up.weight"', 'up = { name = "up.weight", layout = "sideways" }', "layout"),
        ('act = { fixed = "relu" }', "act = {}", "says nothing"),
        ('types = ["x"]', 'types = "x"', "types"),
        ('evidence = "read"', 'evidence = "hearsay"', "evidence"),
        ('origin = "non-hf"\n', "", "origin is missing"),
        ('name = "decoder"\n', 'name = "decoder"\nsparse = "yes"\n', "sparse"),
    ],
)
def test_what_the_schema_does_not_know_is_an_error(tmp_path: Path, old: str, new: str, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        read(tmp_path, GOOD.replace(old, new))
