"""The lecture that is shipped: its texts with their places, and what its scenes compute."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes
from ffn_explorer.state.assets import asset
from ffn_explorer.state.compute import compute
from ffn_explorer.state.lectures.reading import load_lecture
from ffn_explorer.state.needs import needs
from ffn_explorer.state.resolver import Resolver
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Results
from ffn_explorer.state.scene import Scene

FILE = asset("lectures/ffn.toml")
DATA: dict[str, Any] = tomllib.loads(FILE.read_text("utf-8"))
CHAPTERS: list[dict[str, Any]] = DATA["chapters"]
SCENES: dict[str, dict[str, Any]] = {s["name"]: s for chapter in CHAPTERS for s in chapter["scenes"]}

PANELS = frozenset({"sparsity", "gate", "running_sum", "position", "routing"})
"""Panels that draw the parts of a scene whose numbers the words have."""


def pairs(value: object, place: str = "") -> Iterator[tuple[str, tuple[str, str]]]:
    """Every text in both languages, with its place in the file."""
    if isinstance(value, dict) and {"en", "ja"} & set(value):
        assert set(value) == {"en", "ja"}, place
        yield place, (value["en"], value["ja"])
    elif isinstance(value, dict):
        name = value.get("name")
        here = f"{place}.{name}" if isinstance(name, str) else place
        for key, inside in value.items():
            if key != "state":
                yield from pairs(inside, f"{here}.{key}")
    elif isinstance(value, list):
        for at, inside in enumerate(value):
            yield from pairs(inside, f"{place}[{at}]")


TEXTS = dict(pairs(DATA))


def at(name: str, rest: str) -> str:
    """Place of a text of a scene."""
    (place,) = (p for p in TEXTS if re.search(rf"\.scenes\[\d+\]\.{name}\.{re.escape(rest)}$", p))
    return place


def truth(name: str, tried: int) -> str:
    """Place of what an experiment shows."""
    return at(name, f"experiments[{tried}].truth")


def says(place: str, *wanted: float | str | Fraction) -> None:
    """Assert that a text, in both languages, holds these numbers as people write them."""
    for text in TEXTS[place]:
        plain = text.replace("\u00a0", " ")
        for number in wanted:
            said = number if isinstance(number, str) else f"{int(number):,}"
            found = re.search(rf"(?<![\d,.]){re.escape(said)}(?!\d|,\d|\.\d)", plain)
            assert found, f"{place} does not say {said}: {plain}"


def percent(share: float) -> str:
    """A share as the words have it."""
    return f"{100 * share:.1f} %"


@cache
def seen(name: str, tried: int | None = None) -> Scene:
    """What the panels of a scene, or of one of its experiments, would draw."""
    lecture = load_lecture(FILE)
    number = lecture.find(name)
    assert number is not None
    scene = lecture.scenes[number]
    declared = scene.state if tried is None else scene.experiments[tried].state
    state = changes.show_panels(PANELS).to(declared)
    results = Results()
    while todo := needs(state, results):
        results.put(todo[0], compute(todo[0], results))
    return Resolver(results).resolve(state)


def run(name: str, tried: int | None = None) -> RunResult:
    """The pass of a scene or of an experiment."""
    found = seen(name, tried).run
    assert found is not None
    return found


def values(name: str, stage: Stage, tried: int | None = None) -> Any:
    """Values of a stage `[S, N]` of the only sentence."""
    return run(name, tried).values[stage][0].astype(np.float64)


def settings(name: str, tried: int | None = None) -> Settings:
    """Settings of a scene or of an experiment."""
    return run(name, tried).request.settings
