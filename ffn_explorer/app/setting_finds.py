"""Setting finds: every knob, every value to choose, hand-built memories, and "seed=7" or "8 experts"."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from ffn_explorer.app.controls.editors import parse_ratio
from ffn_explorer.app.controls.table import CONTROLS, Control
from ffn_explorer.app.find import LANGUAGES, LONGEST_NUMBER, Find, find_of
from ffn_explorer.core.handmade_examples import EXAMPLES
from ffn_explorer.core.settings import CHOICES
from ffn_explorer.state import changes
from ffn_explorer.state.change import Change
from ffn_explorer.state.numbers import count
from ffn_explorer.state.text import Text, catalogue, say, text

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

LONGEST = 60
"""Characters of a setting with its value; what is longer names none."""


def setting_finds(window: "Window") -> Iterator[Find]:
    """Knobs, the values of those that choose, and the memories built by hand."""
    language = window.look.language
    for row in CONTROLS:
        name = text(f"control.{row.field}")
        also = (f"control.{row.field}_tip", f"find.search.{row.field}")
        words, run = text("find.setting", name=name), partial(_open, window, row.field)
        yield find_of(language, words, run, also=also, name=row.field)
        # Activations have lines of their own.
        for value in () if row.field == "activation" else CHOICES.get(row.field, ()):
            words = text("find.set", name=name, value=text(f"choice.{row.field}.{value}"))
            change = changes.set_setting(row.field, value)
            yield find_of(language, words, partial(window.director.request, change), also=(row.field, value))
    for example in EXAMPLES:
        words = text("find.memory", name=text(f"handmade.{example}"))
        yield find_of(language, words, partial(_play, window, example), also=("find.search.memory",))
    if window.director.state.source.memory is not None:
        leave = partial(window.director.request, changes.leave_memory())
        yield find_of(language, text("find.leave_memory"), leave, also=("find.search.memory",))


def model_finds(window: "Window", bring: Callable[[str], None]) -> Iterator[Find]:
    """The bill of every public model; bring: shows a panel."""
    from ffn_explorer.state.models import models

    def show(name: str) -> None:
        window.director.request(changes.set_costing(model=name))
        bring("model")

    for model in models():
        words = text("find.bill", name=model.name)
        yield find_of(window.look.language, words, partial(show, model.id), also=(model.id, model.maker))


def values_asked(window: "Window", typed: str) -> Iterator[Find]:
    """Settings that a person types with their value: "seed=7", "seed 7", "8 experts", "dtype = float64"."""
    if len(typed) > LONGEST:
        return
    name, equals, value = (part.strip() for part in typed.casefold().partition("="))
    if not equals:
        first, _, rest = typed.casefold().strip().partition(" ")
        before, _, last = typed.casefold().strip().rpartition(" ")
        name, value = (rest.strip(), first) if first[:1].isdigit() else (before.strip(), last)
    if not name or not value:
        return
    for row in CONTROLS:
        found = _wanted(row, value) if name in _names(row) else None
        if found is not None:
            change, shown = found
            words = text("find.set", name=text(f"control.{row.field}"), value=shown)
            run = partial(window.director.request, change)
            yield Find(say(window.look.language, words), "", "", run)


def _names(row: Control) -> frozenset[str]:
    """What a person may call a setting in front of its value; the layer is counted elsewhere."""
    if row.field == "layer":
        return frozenset()
    labels = (catalogue(each)[f"control.{row.field}"].casefold() for each in LANGUAGES)
    return frozenset({row.field, row.field.replace("_", " "), *labels})


def _wanted(row: Control, value: str) -> tuple[Change, Text | str] | None:
    """The change to a value as it is typed, and how it is shown; None for what is no value of this kind."""
    if row.kind == "choice" and value in CHOICES.get(row.field, ()):
        return changes.set_setting(row.field, value), text(f"choice.{row.field}.{value}")
    digits = value.replace(",", "")
    if row.kind == "int" and digits.isdecimal() and len(digits) <= LONGEST_NUMBER:
        return changes.set_setting(row.field, int(digits)), count(int(digits))
    if row.kind == "ratio":
        ratio = parse_ratio(value)
        return None if ratio is None else (changes.set_ratio(ratio), value)
    if row.kind not in ("float", "theta"):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    if not number < float("inf"):
        return None
    change = changes.set_theta(number) if row.kind == "theta" else changes.set_setting(row.field, number)
    return change, value


def _open(window: "Window", field: str) -> None:
    """Put the keyboard into a knob; of one that cannot be used now, say why."""
    refusal = window.controls.open_knob(field)
    if refusal is not None:
        window.director.tell(refusal)


def _play(window: "Window", example: str) -> None:
    """Take a memory built by hand, and show it where it can be read."""
    window.director.apply(changes.use_memory(example))
    window.arrangement.bring("theatre")
