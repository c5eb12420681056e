"""The options that all commands share, and the state they describe."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, get_args

from ffn_explorer.cli.messages import language
from ffn_explorer.cli.readers import flag, index_of, number, one_of, ratio_of, switch, theta_of, whole, word
from ffn_explorer.core.errors import InputError, SettingError
from ffn_explorer.core.settings import EXPERTS_CHOSEN, Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.core.tokens import tokenize
from ffn_explorer.state.app_state import (
    DEFAULT_SENTENCE,
    Appearance,
    AppState,
    Compare,
    Language,
    Selection,
    Source,
    ThemeName,
    Theta,
)


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its flag, the name it is kept under, and how argparse reads it."""

    flag: str
    kind: str = "value"
    """"value", "many" (repeatable) or "switch" (with a --no- form)."""
    metavar: str = ""

    @property
    def name(self) -> str:
        """Name in the namespace, and the last part of its help key."""
        return self.flag.removeprefix("--").replace("-", "_")

    def extra(self) -> dict[str, Any]:
        """Further arguments for `add_argument`."""
        if self.kind == "switch":
            return {"action": argparse.BooleanOptionalAction}
        return {"metavar": self.metavar, **({"action": "append"} if self.kind == "many" else {})}


OPTIONS = (
    Option("--open", metavar="PATH"),
    Option("--sentence", "many", metavar="TEXT"),
    Option("--d-model", metavar="D"),
    Option("--d-ff", metavar="F"),
    Option("--ratio", metavar="F/D"),
    Option("--activation", metavar="NAME"),
    Option("--bias", "switch"),
    Option("--residual", "switch"),
    Option("--norm", metavar="none|layer|rms"),
    Option("--norm-placement", metavar="pre|post|sandwich"),
    Option("--dropout", metavar="P"),
    Option("--training", "switch"),
    Option("--layers", metavar="N"),
    Option("--layer", metavar="L"),
    Option("--heads", metavar="H"),
    Option("--kv-heads", metavar="K"),
    Option("--head-dim", metavar="h"),
    Option("--stack", metavar="encoder|decoder"),
    Option("--mixer", "switch"),
    Option("--experts", metavar="E"),
    Option("--top-k", metavar="K"),
    Option("--routing", metavar="RULE"),
    Option("--shared-experts", metavar="N"),
    Option("--capacity-factor", metavar="C"),
    Option("--expert-groups", metavar="G"),
    Option("--groups-kept", metavar="G"),
    Option("--theta", metavar="X"),
    Option("--seed", metavar="N"),
    Option("--dtype", metavar="NAME"),
    Option("--device", metavar="NAME"),
    Option("--token", metavar="S"),
    Option("--neuron", metavar="I"),
    Option("--compare", metavar="ACTIVATION"),
    Option("--lang", metavar="en|ja"),
    Option("--theme", metavar="light|dark|projector"),
)


def state_from(args: argparse.Namespace, *, lengths: tuple[int, ...] | None = None) -> AppState:
    """State that a command line describes; what it leaves out takes the defaults.

    lengths: tokens of each sentence, where they come from a file and not from the sentences.
    Raises SettingError or InputError, one sentence each, which names options as they are typed.
    """
    given = vars(args)
    look = Appearance(
        theme=one_of("theme", given.get("theme", "light"), get_args(ThemeName)),
        language=one_of("lang", given.get("lang", language()), get_args(Language)),
    )
    if "open" in given:
        from ffn_explorer.cli.opened import opened_state

        names = frozenset(row.name for row in OPTIONS)
        return opened_state(given, look, options=names, settings_from=settings_from)
    try:
        settings = settings_from(given)
    except SettingError as error:
        raise _as_typed(error) from error
    sentences = tuple(given.get("sentence", (DEFAULT_SENTENCE,)))
    if lengths is None:
        lengths = tuple(len(tokens) for tokens in tokenize(sentences))
    return AppState(
        source=Source(sentences=sentences, orders=((),) * len(sentences)),
        settings=settings,
        compare=_compare(given, settings),
        theta=Theta(theta_of(given["theta"]) if "theta" in given else None),
        selection=_selection(given, settings, lengths),
        appearance=look,
    )


def settings_from(given: dict[str, Any]) -> Settings:
    """Settings of the options given; Dff follows the ratio, key-value heads the heads, K the experts."""
    changes: dict[str, Any] = {}
    for field in fields(Settings):
        if field.name in given:
            changes[field.name] = _READERS[type(field.default)](field.name, given[field.name])
    if "ratio" in given:
        if "d_ff" in given:
            raise InputError("cli.error.ratio_and_d_ff")
        changes["d_ff"] = max(1, round(changes.get("d_model", Settings().d_model) * ratio_of(given["ratio"])))
    if "heads" in changes:
        changes.setdefault("kv_heads", changes["heads"])
    if changes.get("experts", 1) > 1:
        changes.setdefault("top_k", EXPERTS_CHOSEN)
    return Settings(**changes)


def _compare(given: dict[str, Any], settings: Settings) -> Compare | None:
    if "compare" not in given:
        return None
    try:
        return Compare(settings.with_(activation=given["compare"]))
    except SettingError as error:
        raise _as_typed(error, activation="--compare") from error


def _as_typed(error: SettingError, **flags: str) -> SettingError:
    """The same refusal with fields named by their options."""
    named = {
        name: flags.get(value, flag(value)) if name in ("field", "other") else value
        for name, value in error.values.items()
    }
    return SettingError(error.key, **named)


def _selection(given: dict[str, Any], settings: Settings, lengths: tuple[int, ...]) -> Selection:
    chosen = Selection().clamped(lengths, settings.d_model, settings.d_ff)
    token = index_of("token", given, lengths[0])
    neuron = index_of("neuron", given, settings.d_ff)
    return Selection(
        token=chosen.token if token is None else token,
        neuron=neuron,
        stage=None if neuron is None else Stage.HIDDEN if settings.gated else Stage.ACT,
    )


_READERS: dict[type, Callable[[str, Any], Any]] = {int: whole, float: number, str: word, bool: switch}
"""Type of a setting -> how its option is read."""
