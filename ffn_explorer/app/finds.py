"""Finds: all that the search can reach, with words in both languages, and what Enter does with each."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ffn_explorer.app.find import LONGEST_NUMBER, Find, find_of
from ffn_explorer.app.setting_finds import model_finds, setting_finds, values_asked
from ffn_explorer.app.source_menu import recent_words
from ffn_explorer.core.activation_table import OFFERED
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state import changes
from ffn_explorer.state.change import Change
from ffn_explorer.state.layouts import FIXED, PANEL_GROUPS
from ffn_explorer.state.numbers import count
from ffn_explorer.state.quoting import quoted
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say, text
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

NOT_FOUND = frozenset({"find", "leave", "panel_menu"})
"""Actions that make no sense from inside the search."""
NUMBERED = re.compile(r"(?P<kind>\D*)(?P<number>\d[\d,]*)")
"""One way to match each text: with two, long pasted text would take minutes."""
WORDS = re.compile(r"[^\W_]+")
"""Whole words, of a line and of what it is found by."""
NAMED = re.compile("[:：] ?")
"""What stands between the kind of a thing and its name."""


class Countable(NamedTuple):
    """Something chosen by its number: what a person may call it, how many there are, how it is chosen."""

    name: str
    called: tuple[str, ...]
    total: Callable[[Scene], int]
    choose: Callable[[int], Change]


def _experts(scene: Scene) -> int:
    return scene.settings.experts if scene.settings.is_moe else 0


COUNTABLES = (
    Countable(
        "neuron", ("neuron", "ニューロン"), lambda s: s.settings.d_ff, lambda n: changes.choose(neuron=n)
    ),
    Countable(
        "dim", ("dimension", "hidden", "次元"), lambda s: s.settings.d_model, lambda n: changes.choose(dim=n)
    ),
    Countable(
        "layer", ("layer", "層"), lambda s: s.settings.layers, lambda n: changes.set_setting("layer", n)
    ),
    Countable("expert", ("expert", "エキスパート"), _experts, changes.select_expert),
    Countable(
        "token", ("token", "position", "トークン", "位置"), lambda s: len(s.chips), changes.select_token
    ),
)

WIDTHS = (("d_model", "D", ("d=",)), ("d_ff", "Dff", ("dff", "dff=", "f=")))
"""Field, sign and what may stand before the number of a width; "d" alone counts dimensions."""


def finds(window: "Window", typed: str) -> list[Find]:
    """What a person may mean, the likeliest first; everything while nothing is typed.

    Where nothing fits, one line says so and what would.
    """
    wanted = typed.casefold().split()
    plain = [find for find in _named(window) if all(word in find.known_as for word in wanted)]
    start = typed.strip().casefold()

    def unlikely(find: Find) -> tuple[bool, bool, int, int]:
        """The whole name counts first, then titles before synonyms, and whole words before pieces."""
        shown = " ".join(find.titles)
        places = (WORDS.findall(shown), shown, WORDS.findall(find.known_as))
        missed = [sum(word not in there for word in wanted) for there in places]
        whole = start in (NAMED.split(title)[-1] for title in find.titles)
        return not whole, not any(t.startswith(start) for t in find.titles), missed[0] + missed[1], missed[2]

    plain.sort(key=unlikely)
    counted = list(_numbered(window, typed))
    there = {find.words for find in counted}
    asked = [find for find in values_asked(window, typed) if find.words not in there]
    found = [*asked, *counted, *plain]
    return found or [Find(say(window.look.language, "find.nothing"), "", "", None)]


def _bring(window: "Window", name: str) -> None:
    """Show a panel; where another one gave way to it, say which, and how it comes back."""
    old = window.arrangement.bring(name)
    if old is not None:
        names = {"old": text(f"panel_name.{old}"), "new": text(f"panel_name.{name}")}
        window.director.tell(text("window.gave_way", **names))


def _named(window: "Window") -> Iterator[Find]:
    language = window.look.language
    for name in (name for group in PANEL_GROUPS.values() for name in group if name in PANELS):
        yield _panel(window, name)
    for name in sorted(FIXED & window.board.panels.keys()):
        yield _panel(window, name)
    for action in window.keymap.actions:
        words = action.words(window)
        if words is not None and action.name not in NOT_FOUND:
            keys = action.keys[0] if action.keys else ""
            run = partial(action.run, window)
            yield find_of(language, words, run, keys=keys, also=(f"find.search.{action.name}",))
    for name, row in OFFERED.items():
        change = changes.set_setting("activation", name)
        yield find_of(
            language, text("find.activation", name=row.label), partial(window.director.request, change)
        )
    for path in window.opener.recent.paths:
        words = text("find.recent", file=recent_words(path))
        yield find_of(language, words, partial(window.opener.open_path, path), also=(quoted(path),))
    yield from setting_finds(window)
    yield from model_finds(window, partial(_bring, window))
    scene = window.scene
    for token, chip in enumerate(() if scene is None else scene.chips):
        shown = shown_token(chip.text, font(window.look))
        words = text("find.at", token=shown, position=token)
        yield find_of(language, words, partial(window.director.request, changes.select_token(token)))


def _panel(window: "Window", name: str) -> Find:
    words = text("find.panel", name=text(f"panel_name.{name}"))
    also = (f"panel.{name}.search", f"panel.{name}.about")
    return find_of(window.look.language, words, partial(_bring, window, name), also=also)


def _numbered(window: "Window", typed: str) -> Iterator[Find]:
    """Widths, and neuron, dimension, layer, expert and token of a number, alone or behind what it counts."""
    found = NUMBERED.fullmatch(typed.strip())
    if found is None or window.scene is None:
        return
    kind, digits = found["kind"].strip().casefold(), found["number"].replace(",", "")
    # The zeros in front go digit by digit, since every script has a zero of its own.
    while len(digits) > LONGEST_NUMBER and int(digits[0]) == 0:
        digits = digits[1:]
    number = int(digits[:LONGEST_NUMBER])
    language = window.look.language
    for field, sign, called in WIDTHS:
        if kind.replace(" ", "") in called:
            change = changes.set_setting(field, number)
            yield Find(f"{sign} = {count(number)}", "", "", partial(window.director.request, change))
    for row in COUNTABLES:
        total = row.total(window.scene)
        if not total or not any(name.startswith(kind) for name in row.called):
            continue
        name = text(f"find.{row.name}", n=count(number))
        if number < total:
            yield Find(say(language, name), "", "", partial(window.director.request, row.choose(number)))
        elif kind:
            yield Find(say(language, "find.beyond", name=name, last=count(total - 1)), "", "", None)
