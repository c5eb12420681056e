"""Real scenes for pictures: computed once per session, small enough to be quick, and unlike each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.roofline_records import SIZES, Operating, Roof, Roofline, moved_bytes
from ffn_explorer.core.settings import ORIGINAL_2017, Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import (
    Appearance,
    AppState,
    Cell,
    Compare,
    Playback,
    Point,
    Selection,
    Source,
    Theta,
    View,
)
from ffn_explorer.state.changes import use_memory
from ffn_explorer.state.compute import attempt
from ffn_explorer.state.costing import Costing
from ffn_explorer.state.needs import needs
from ffn_explorer.state.pyramid import pyramid
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.resolver import Resolver
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Results
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import Text, text
from tests.snapshots import files, lessons

PLAIN = Settings(d_model=48, d_ff=192, heads=4, kv_heads=4)
GATED = Settings(d_model=32, d_ff=88, activation="swiglu", norm="rms", bias=False, heads=4, kv_heads=2)
EXPERTS = GATED.with_(experts=4, top_k=2)
BATCH = Source(sentences=("The keys on the table are lost.", "鍵は机の上。", "Lost?"), orders=((), (), ()))
CHOSEN = Selection(token=2, neuron=17, stage=Stage.ACT)


def computed(state: AppState) -> Results:
    """Return everything that a state needs."""
    results = Results()
    fill(state, results)
    return results


def fill(state: AppState, results: Results) -> None:
    """Compute what a state lacks."""
    while todo := needs(state, results):
        attempt(todo[0], results)


def scene_of(state: AppState, *, busy: Text | None = None, message: Text | None = None) -> Scene:
    """Return the finished scene of a state."""
    return Resolver(computed(state)).resolve(state, busy=busy, message=message)


def damaged() -> Scene:
    """Return a scene whose intermediate holds NaN and infinities, as after an overflow."""
    state = AppState(settings=PLAIN, selection=CHOSEN)
    results = computed(state)
    run = results.get(run_of(state))
    assert isinstance(run, RunResult)
    values = dict(run.values)
    for stage in (Stage.UP, Stage.ACT, Stage.OUT):
        bad = np.array(values[stage])
        bad[0, 2, ::7] = np.nan
        bad[0, 3, 1] = np.inf
        bad[0, 4, 2] = -np.inf
        values[stage] = bad
    pyramids = {stage: pyramid(array) for stage, array in values.items()}
    broken = Results()
    broken.put(run_of(state), replace(run, values=values, pyramids=pyramids))
    fill(state, broken)
    return Resolver(broken).resolve(state)


def roofline(settings: Settings = ORIGINAL_2017) -> Roofline:
    """Return a measurement that was never made: round numbers, points that come nearer to the roof with S."""
    roof = Roof(flops_per_s=2.0**40, bytes_per_s=2.0**35)
    weights = 2 * settings.d_model * settings.d_ff
    points = []
    for tokens in SIZES:
        flops = 2 * tokens * weights
        moved = moved_bytes(tokens=tokens, d_model=settings.d_model, weights=weights, item=4)
        share = 0.25 + 0.5 * tokens / SIZES[-1]
        seconds = flops / (share * roof.bound(flops / moved))
        points.append(Operating(tokens, flops, moved, seconds))
    return Roofline(
        machine="Example 9000 x 8, 8 threads",
        device="cpu",
        dtype="float32",
        d_model=settings.d_model,
        d_ff=settings.d_ff,
        activation=settings.activation,
        roof=roof,
        points=tuple(points),
    )


def measured(state: AppState, *, of: Settings = ORIGINAL_2017, **parts: Any) -> Callable[[], Scene]:
    """Return a maker of a state's scene on a measured machine; of: the FFN measured."""
    return lambda: replace(scene_of(state), roofline=roofline(of), **parts)


def early() -> Scene:
    """Return the scene before anything was computed."""
    return Resolver(Results()).resolve(AppState(), busy=text("job.run"))


def at(time: float, *, playing: bool = False) -> Callable[[], Scene]:
    """Return a maker of the plain scene at a moment of the pass."""
    return lambda: scene_of(AppState(settings=PLAIN, playback=Playback(time, playing)))


def of(state: AppState) -> Callable[[], Scene]:
    """Return a maker of a state's scene."""
    return lambda: scene_of(state)


MAKERS: dict[str, Callable[[], Scene]] = {
    "plain": at(1.0),
    "start": at(0.0),
    "third": at(0.3, playing=True),
    "later": at(0.6),
    "chosen": of(AppState(settings=PLAIN, selection=CHOSEN)),
    "pointed": of(AppState(settings=PLAIN, selection=CHOSEN, hover=Cell(Stage.OUT, 0, 1, 5))),
    "pointed early": of(
        AppState(settings=PLAIN, hover=Cell(Stage.ACT, 0, 5, 100), playback=Playback(0.5, speed=2.0))
    ),
    "gated": of(AppState(settings=GATED, selection=Selection(token=4, neuron=3, stage=Stage.GATE))),
    "gated dark ja": of(
        AppState(settings=GATED, appearance=Appearance("dark", "ja"), playback=Playback(0.35))
    ),
    "experts": of(AppState(settings=EXPERTS, selection=Selection(token=1, expert=2))),
    "post": of(AppState(settings=ORIGINAL_2017.with_(d_model=48, d_ff=192))),
    "sandwich": of(
        AppState(settings=PLAIN.with_(norm_placement="sandwich", dtype="bfloat16"), playback=Playback(0.8))
    ),
    "bare": of(AppState(settings=PLAIN.with_(norm="none", residual=False, activation="gelu"))),
    "one": measured(
        AppState(settings=Settings(d_model=1, d_ff=1, heads=1, kv_heads=1), selection=Selection(token=0))
    ),
    "wide": of(AppState(settings=Settings(d_model=512, d_ff=2_048, activation="silu"))),
    "batch": of(AppState(settings=PLAIN, source=BATCH, selection=Selection(sentence=1, token=1))),
    "mixed": of(
        AppState(settings=PLAIN.with_(mixer=True, activation="relu2"), theta=Theta(0.5, relative=True))
    ),
    "compared": of(AppState(settings=PLAIN, compare=Compare(PLAIN.with_(activation="gelu")))),
    "pinned": of(
        AppState(settings=PLAIN, selection=CHOSEN, views=(("maps", View(Stage.UP, first=20, shown=30)),))
    ),
    "projector": of(AppState(settings=PLAIN, selection=CHOSEN, appearance=Appearance("projector"))),
    "large": of(AppState(settings=PLAIN, appearance=Appearance("light", "ja", scale=1.5, transposed=True))),
    "kept": of(
        AppState(
            settings=PLAIN,
            edits=Edits(keep=9),
            selection=CHOSEN,
            views=(("memory", View(sort="m", scroll=12)),),
        )
    ),
    "kept of experts": of(
        AppState(settings=EXPERTS, edits=Edits(keep=5), selection=Selection(token=1, neuron=4))
    ),
    "summed": of(
        AppState(
            settings=GATED.with_(dtype="bfloat16"),
            selection=Selection(token=3, dim=17, neuron=5, stage=Stage.OUT),
            views=(("neuron", View(scroll=3, first=4)), ("output", View(mode="sum", scroll=6))),
        )
    ),
    "hand": of(
        replace(use_memory("facts").to(AppState()), playback=Playback(0.66), point=Point(token=0, neuron=1))
    ),
    "hand table": of(
        replace(
            use_memory("xor").to(AppState()),
            appearance=Appearance("dark", "ja"),
            views=(("theatre", View(mode="keys")),),
        )
    ),
    "lens": of(
        AppState(
            settings=PLAIN,
            selection=CHOSEN,
            hover=Cell(Stage.UP, 0, 2, 100),
            views=(("maps", View(Stage.UP)),),
            appearance=Appearance(lens=True),
        )
    ),
    "lens on weights": of(
        AppState(
            settings=PLAIN,
            point=Point(Stage.UP, neuron=120, dim=20),
            views=(("weights", View(mode="up", first=8, shown=30, first_row=60, rows=100)),),
            appearance=Appearance("dark", "ja", lens=True),
        )
    ),
    "difference": of(
        AppState(
            settings=GATED,
            selection=CHOSEN,
            compare=Compare(GATED.with_(activation="geglu")),
            views=(
                ("maps", View(Stage.HIDDEN, mode="diff")),
                ("weights", View(mode="gate", first=4, shown=5, first_row=14, rows=6)),
            ),
        )
    ),
    "lanes": of(
        AppState(
            settings=GATED,
            selection=Selection(token=3, neuron=20, stage=Stage.HIDDEN),
            views=(("gate", View(mode="lanes", first=10, shown=40)), ("sparsity", View(mode="neurons"))),
        )
    ),
    "sizes": of(
        AppState(
            settings=GATED,
            compare=Compare(GATED.with_(activation="geglu")),
            theta=Theta(0.3, relative=True),
            views=(("sparsity", View(mode="values")),),
        )
    ),
    "public": measured(
        AppState(
            settings=PLAIN,
            costing=Costing("llama-3-8b", beside="mixtral-8x7b", tokens=8_192, bits=8),
            views=(("model", View(sort="ffn.down", scroll=2)), ("growth", View(mode="sequence"))),
        ),
        of=GATED,
    ),
    "decoded": measured(
        AppState(
            settings=GATED,
            compare=Compare(GATED.with_(activation="geglu", d_ff=120, layers=5)),
            costing=Costing(scope="layer", phase="decode", tokens=300, bits=4, causal=False, budget=40_000),
            appearance=Appearance("dark", "ja"),
            views=(("growth", View(mode="bytes")),),
        ),
        measuring=True,
    ),
    "not measured": lambda: replace(
        scene_of(AppState(settings=EXPERTS, costing=Costing(beside="gpt2-small"))),
        roofline_refused=text("error.memory", needed="9 GB", free="8 GB"),
    ),
    "measuring": lambda: replace(
        scene_of(AppState(settings=PLAIN.with_(layers=6), costing=Costing(budget=100_000))), measuring=True
    ),
    "stopped": measured(
        AppState(
            settings=EXPERTS, costing=Costing("deepseek-v3"), appearance=Appearance("projector", scale=1.25)
        ),
        roofline_refused=text("window.stopped"),
    ),
    "broken": damaged,
    "early": early,
    "refused": lambda: scene_of(
        AppState(settings=PLAIN), message=text("error.range", field="d_model", value=0, low=1, high=9)
    ),
    "file": lambda: scene_of(files.STATES["file"]()),
    "file experts": lambda: scene_of(files.STATES["file experts"]()),
}


def _of_file(name: str) -> Scene:
    """Return the scene of a state of `files.STATES`."""
    return scene_of(files.STATES[name]())


FILE_MAKERS: dict[str, Callable[[], Scene]] = {
    **{name: partial(_of_file, name) for name in files.STATES},
    "file early": lambda: files.reading(scene_of(files.STATES["file"]())),
    "file halfway": lambda: files.halfway(scene_of(files.STATES["file"]())),
    **{name: MAKERS[name] for name in ("plain", "early", "gated dark ja")},
}
"""For the panels that draw an opened file, with it and without."""


LESSON_MAKERS: dict[str, Callable[[], Scene]] = {
    **{name: partial(lessons.lesson, name) for name in lessons.STATES},
    **{name: MAKERS[name] for name in ("plain", "early", "gated dark ja")},
}
"""For the panel of a lecture's words, with a lecture and without."""


def makers_of(panel: str) -> dict[str, Callable[[], Scene]]:
    """Return the scenes in which a panel has something to draw, and some in which it has not."""
    return FILE_MAKERS if panel in files.FILES else LESSON_MAKERS if panel == "lesson" else MAKERS


@cache
def scene(name: str) -> Scene:
    """Return a scene by name."""
    return {**FILE_MAKERS, **LESSON_MAKERS, **MAKERS}[name]()
