"""Command-line options -> AppState: every option, defaults, ratios, refusals."""

from dataclasses import fields

import pytest

from ffn_explorer.cli import COMMANDS
from ffn_explorer.cli.options import OPTIONS, state_from
from ffn_explorer.cli.parser import parse
from ffn_explorer.core.errors import ExplorerError
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.text import catalogue


def state_of(line: str) -> AppState:
    return state_from(parse(line.split()))


def test_nothing_given_is_the_default_state() -> None:
    assert state_of("") == AppState()
    assert state_of("run") == AppState()


@pytest.mark.parametrize("place", ["{} run", "run {}", "{}"])
def test_options_stand_before_or_after_the_command(place: str) -> None:
    state = state_of(place.format("--d-model 64 --no-bias --theta 0.2 --theme dark --lang ja"))
    assert (state.settings.d_model, state.settings.bias, state.theta.value) == (64, False, 0.2)
    assert (state.appearance.theme, state.appearance.language) == ("dark", "ja")


def test_every_setting_among_the_options_is_read() -> None:
    line = (
        "--d-model 48 --d-ff 96 --activation geglu --no-bias --no-residual --norm rms "
        "--norm-placement sandwich --dropout 0.1 --layers 3 --layer 2 --heads 4 --kv-heads 2 --head-dim 8 "
        "--stack decoder --experts 4 "
        "--top-k 2 --seed 11 --dtype float64 --device cuda:1"
    )
    assert state_of(line).settings == Settings(
        d_model=48,
        d_ff=96,
        activation="geglu",
        bias=False,
        residual=False,
        norm="rms",
        norm_placement="sandwich",
        dropout=0.1,
        layers=3,
        layer=2,
        heads=4,
        kv_heads=2,
        head_dim=8,
        stack="decoder",
        experts=4,
        top_k=2,
        seed=11,
        dtype="float64",
        device="cuda:1",
    )


def test_other_parts_of_the_state() -> None:
    state = state_from(parse(["--sentence", "a b c", "--sentence", "d", "--token", "2", "--neuron", "9"]))
    assert state.source.sentences == ("a b c", "d")
    assert state.source.orders == ((), ())
    assert (state.selection.token, state.selection.neuron, state.selection.stage) == (2, 9, Stage.ACT)
    state = state_of("--activation swiglu --neuron 0 --compare relu")
    assert state.selection.stage is Stage.HIDDEN
    assert state.compare is not None
    assert state.compare.settings == state.settings.with_(activation="relu")


def test_default_token_fits_a_short_sentence() -> None:
    assert state_from(parse(["--sentence", "a b"])).selection.token == 1


@pytest.mark.parametrize(
    ("line", "d_ff"),
    [("--ratio 4", 2048), ("--ratio 8/3", 1365), ("--d-model 768 --ratio 8/3", 2048), ("--ratio 3.5", 1792)],
)
def test_ratio(line: str, d_ff: int) -> None:
    assert state_of(line).settings.d_ff == d_ff


def test_key_value_heads_follow_the_heads() -> None:
    assert state_of("--heads 6").settings.kv_heads == 6


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("--d-model 0", "error.range"),
        ("--d-model 32769", "error.range"),
        ("--d-model 99999999999999999999", "cli.error.whole"),
        ("--d-model 1.5", "cli.error.whole"),
        ("--d-model \uff15", "cli.error.whole"),
        ("--dropout x", "cli.error.number"),
        ("--dropout nan", "error.range"),
        ("--theta -1", "cli.error.theta"),
        ("--theta inf", "cli.error.theta"),
        ("--ratio 0", "cli.error.ratio"),
        ("--ratio 1/0", "cli.error.ratio"),
        ("--ratio 1e999999999", "cli.error.ratio"),
        ("--ratio 999999", "error.range"),
        ("--ratio 4 --d-ff 8", "cli.error.ratio_and_d_ff"),
        ("--activation nosuch", "error.choice"),
        ("--compare nosuch", "error.choice"),
        ("--device tpu", "error.choice"),
        ("--theme pink", "error.choice"),
        ("--lang fr", "error.choice"),
        ("--token 8", "error.range"),
        ("--token -1", "error.range"),
        ("--neuron 2048", "error.range"),
        ("--heads 6 --kv-heads 4", "error.divides"),
        ("--layer 6", "error.range"),
        ("--d-ff", "cli.error.value_missing"),
        ("--nosuch", "cli.error.unknown"),
        ("--d-mod 4", "cli.error.unknown"),
        ("nosuch", "cli.error.choice"),
        ("run extra", "cli.error.unknown"),
        ("--sentence", "cli.error.value_missing"),
        ("render", "cli.error.required"),
    ],
)
def test_refusals(line: str, key: str) -> None:
    with pytest.raises(ExplorerError) as caught:
        state_of(line)
    assert caught.value.key == key
    for language in ("en", "ja"):
        assert catalogue(language)[key].format_map(caught.value.values)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("--norm-placement nosuch", {"field": "--norm-placement"}),
        ("--compare nosuch", {"field": "--compare"}),
        ("--activation nosuch", {"field": "--activation"}),
        ("--heads 6 --kv-heads 4", {"field": "--kv-heads", "other": "--heads"}),
        ("--token 8", {"field": "--token"}),
        ("--theme pink", {"field": "--theme"}),
    ],
)
def test_refusals_name_options_as_they_are_typed(line: str, names: dict[str, str]) -> None:
    with pytest.raises(ExplorerError) as caught:
        state_of(line)
    assert names.items() <= caught.value.values.items()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_everything_has_its_help(language: str) -> None:
    known = catalogue(language)
    assert all(f"cli.option.{row.name}" in known for row in OPTIONS)
    assert all(command.help in known for command in COMMANDS)


def test_options_are_settings_or_known_parts_of_the_state() -> None:
    others = {"open", "sentence", "ratio", "theta", "token", "neuron", "compare", "lang", "theme"}
    settings = {field.name for field in fields(Settings)}
    assert {row.name for row in OPTIONS} - settings == others


def test_experts_alone_send_each_token_to_two() -> None:
    assert state_of("--experts 8").settings.top_k == 2
    assert state_of("--experts 8 --top-k 3").settings.top_k == 3
    assert state_of("--experts 1").settings.top_k == 1


def test_every_setting_can_be_given() -> None:
    names = {option.name for option in OPTIONS}
    assert {field.name for field in fields(Settings)} <= names
