"""Words of the controls of a bill, and what a choice in them means."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ffn_explorer.state.costing import BITS, Costing
from ffn_explorer.state.costs import Subject, goes_on, tokens_in
from ffn_explorer.state.models import models
from ffn_explorer.state.numbers import count
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.cost_controls import CostWords, Named
from ffn_explorer.widgets.mode_tabs import Mode

TABS = {
    "scope": ("model", "layer"),
    "phase": ("prefill", "decode"),
    "bits": tuple(map(str, BITS)),
    "causal": ("yes", "no"),
}
OWN, NOTHING = "own", "nothing"
"""Rows of the lists beside the public models: the settings, and no second bill."""


def words_of(scene: Scene, mine: Subject) -> CostWords:
    """Words in the scene's language, and what is chosen."""
    costing, language = scene.costing, scene.look.language
    own = (OWN, _say(language, "own" if scene.source.opened is None else "own_file"))
    # Where no second bill was chosen, that of B stands under the settings'.
    nothing = "nothing" if scene.compare is None or costing.model else "nothing_b"
    chosen = {
        "scope": costing.scope,
        "phase": costing.phase,
        "bits": str(costing.bits),
        "causal": "yes" if costing.causal else "no",
    }
    fields = {"model": "of", "beside": "beside", "tokens": f"tokens_{costing.phase}"}
    return CostWords(
        models=(own, *_known()),
        beside=((NOTHING, _say(language, nothing)), own, *_known()),
        model=costing.model or OWN,
        other=_beside(costing),
        tokens=costing.tokens,
        of_sentence=_say(language, "of_sentence", tokens=count(tokens_in(scene))),
        fields={name: _named(language, key) for name, key in fields.items()},
        tabs={name: (_tabs(scene, mine, name), chosen[name]) for name in TABS},
        load=_named(language, "load"),
        can_load=mine.public is not None and scene.source.memory is None,
    )


def _tabs(scene: Scene, mine: Subject, name: str) -> tuple[Mode, ...]:
    """Tabs of a row; none where they would change nothing."""
    pointless = scene.costing.phase == "decode" or not goes_on(mine.shape)
    return () if name == "causal" and pointless else tuple(_modes(scene.look.language, name))


def meant(field: str, value: object) -> Any:  # noqa: ANN401 - any field of Costing
    """The value of a field of Costing that a control stands for."""
    if field == "bits":
        return int(str(value))
    if field == "causal":
        return value == "yes"
    if value == OWN:
        return ""
    return None if value == NOTHING else value


def line_name(language: str, key: str) -> str:
    """What a line of a bill is called."""
    return say(language, f"costs.row.{key}")


@lru_cache(maxsize=1)
def _known() -> tuple[tuple[str, str], ...]:
    """Every public model: its id, its name with the year."""
    return tuple((each.id, f"{each.name} ({each.year})") for each in models())


def _beside(costing: Costing) -> str:
    if costing.beside is None:
        return NOTHING
    return costing.beside or OWN


def _named(language: str, key: str) -> Named:
    return Named(*(_say(language, f"{key}{form}") for form in ("", "_name", "_tip")))


def _modes(language: str, name: str) -> Iterator[Mode]:
    for value in TABS[name]:
        key, values = (name, {"bits": value}) if name == "bits" else (f"{name}_{value}", {})
        yield Mode(value, _say(language, key, **values), _say(language, f"{key}_tip", **values))


def _say(language: str, key: str, **values: Any) -> str:  # noqa: ANN401 - numbers and strings alike
    return say(language, f"panel.model.{key}", **values)
