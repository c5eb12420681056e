"""What the small files beside a vocabulary say: the tokenizer's class, options, and tokens added later."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ffn_explorer.checkpoints.readers.json_text import read_object, short
from ffn_explorer.checkpoints.tokenizing.contents import json_of
from ffn_explorer.checkpoints.tokenizing.engine import Vocabulary, damaged
from ffn_explorer.checkpoints.tokenizing.pieces import MOST_TOKENS

SETTINGS, MAP, ADDED = "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"

MOST_HOLES = 2**16
"""Most ids without a token between a vocabulary and the tokens added to it."""


@dataclass(frozen=True)
class Sidecars:
    """Settings of a tokenizer.

    name: its class without "Tokenizer" and "Fast", "" where it is not said.  settings: of its configuration.
    added: tokens by id, with whether each is special.
    """

    name: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    names: Mapping[str, object] = field(default_factory=dict)
    added: Mapping[int, tuple[str, bool]] = field(default_factory=dict)

    def flag(self, key: str, *, default: bool) -> bool:
        """Yes or no."""
        value = self.settings.get(key)
        return value if isinstance(value, bool) else default

    def special(self, role: str, default: str = "") -> str:
        """The token of a role such as `bos`, "" where there is none."""
        for table in (self.settings, self.names):
            value = table.get(f"{role}_token")
            if isinstance(value, dict):
                value = value.get("content")
            if isinstance(value, str):
                return value
        return default


def sidecars_of(beside: Mapping[str, Path]) -> Sidecars:
    """Read what is there; InputError where one of them is damaged."""
    settings = read_object(beside[SETTINGS]) if SETTINGS in beside else {}
    names = read_object(beside[MAP]) if MAP in beside else {}
    given = settings.get("tokenizer_class")
    name = given if isinstance(given, str) else ""
    return Sidecars(
        name=short(name.removesuffix("Fast").removesuffix("Tokenizer")),
        settings=settings,
        names=names,
        added=_added(beside, settings),
    )


def completed(
    texts: list[str | None],
    sidecars: Sidecars,
    *,
    said: str,
    special: frozenset[int] = frozenset(),
    literal: frozenset[int] = frozenset(),
) -> Vocabulary:
    """A vocabulary with the tokens that were added to it later, and those that stand for no text."""
    found = list(texts)
    highest = max(sidecars.added, default=-1)
    if highest >= min(MOST_TOKENS, len(found) + len(sidecars.added) + MOST_HOLES):
        raise damaged(said)
    found += [None] * (highest + 1 - len(found))
    for token, (text, _) in sidecars.added.items():
        found[token] = text
    roles = {sidecars.special(role) for role in ("bos", "eos", "unk", "pad", "cls", "sep", "mask")} - {""}
    named = {token for token, text in enumerate(found) if text in roles}
    chosen = {token for token, (_, is_special) in sidecars.added.items() if is_special}
    return Vocabulary(tuple(found), special | named | chosen, literal | frozenset(sidecars.added))


def _added(beside: Mapping[str, Path], settings: Mapping[str, object]) -> dict[int, tuple[str, bool]]:
    """Tokens by id, from the older file and from the configuration, which says more."""
    found: dict[int, tuple[str, bool]] = {}
    if ADDED in beside:
        rules, _ = json_of(beside[ADDED])
        for text, token in rules.items():
            if type(token) is not int or token < 0:
                raise damaged(ADDED)
            found[token] = (text, True)
    table = settings.get("added_tokens_decoder")
    for number, one in table.items() if isinstance(table, dict) else ():
        content, special = (one.get("content"), one.get("special")) if isinstance(one, dict) else (None, None)
        if not isinstance(content, str) or not (number.isascii() and number.isdigit()) or len(number) > 9:
            raise damaged(SETTINGS)
        found[int(number)] = (content, special is True)
    return found
