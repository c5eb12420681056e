"""Scenes whose numbers are the same on every processor: small multiples of powers of two."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import torch
from torch import Tensor

from ffn_explorer.core import cost
from ffn_explorer.core.experiment import Run
from ffn_explorer.core.ffn import FFN, Origin
from ffn_explorer.core.forward_pass import forward
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.core.stages import Stage, stages_of
from ffn_explorer.state.app_state import Appearance, AppState, Cell, Playback, Selection, Source, View
from ffn_explorer.state.arrays import to_numpy
from ffn_explorer.state.compute import curve_of, tokens_of
from ffn_explorer.state.costing import Costing
from ffn_explorer.state.pyramid import pyramid
from ffn_explorer.state.requests import run_of
from ffn_explorer.state.resolver import Resolver
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.results import Results
from ffn_explorer.state.scene import Scene
from tests.snapshots.scenes import fill, roofline, scene_of

SENTENCE = Source(sentences=("The keys are lost.",), orders=((),))
PLAIN = Settings(d_model=16, d_ff=64, norm="none", heads=2, kv_heads=2)
GATED = Settings(d_model=12, d_ff=40, activation="reglu", norm="none", bias=False, heads=2, kv_heads=2)
EXPERTS = Settings(d_model=16, d_ff=48, activation="geglu", experts=4, top_k=2, heads=2, kv_heads=2)


def dyadic(shape: tuple[int, ...], salt: int, *, step: float) -> Tensor:
    """Return numbers step * k with k in -2..2, mixed without a random generator."""
    count = torch.arange(1, torch.Size(shape).numel() + 1, dtype=torch.int64)
    mixed = (count * 2_654_435_761 + salt * 40_503) % 2**32
    mixed = ((mixed ^ (mixed >> 15)) * 2_246_822_519) % 2**32
    return (((mixed >> 13) % 5 - 2).to(torch.float32) * step).reshape(shape)


def exact_run(settings: Settings) -> Run:
    """Return one pass whose every product and sum is exact in float32."""
    d, f = settings.d_model, settings.d_ff
    ffn = FFN(
        spec=spec_of(settings),
        up=dyadic((f, d), 1, step=0.25),
        down=dyadic((d, f), 2, step=0.25),
        gate=dyadic((f, d), 3, step=0.25) if settings.gated else None,
        up_bias=dyadic((f,), 4, step=0.5) if settings.bias else None,
        down_bias=dyadic((d,), 5, step=0.5) if settings.bias else None,
        origin=Origin("seeded", seed=settings.seed),
    )
    tokens = tokens_of(SENTENCE)
    x = dyadic((1, len(tokens[0]), d), 6, step=0.5)
    return Run(settings, tokens, ffn, x, None, forward(ffn, x), ffn.origin)


def exact_scene(state: AppState) -> Scene:
    """Return the finished scene of a state, on the exact pass of its settings."""
    run = exact_run(state.settings)
    stages = stages_of(run.trace.spec)
    values = {stage: to_numpy(run.trace.stage(stage)) for stage in stages}
    result = RunResult(
        request=run_of(state),
        spec=run.trace.spec,
        stages=stages,
        tokens=run.tokens,
        values=values,
        pyramids={stage: pyramid(array) for stage, array in values.items()},
        curve=curve_of(run.trace.spec),
        bill=cost.bill(state.settings, run.lengths),
        nbytes=0,
        run=run,
    )
    results = Results()
    results.put(run_of(state), result)
    fill(state, results)
    return Resolver(results).resolve(state)


def light() -> Scene:
    """Return a plain FFN, finished, with a neuron chosen; a public model is billed, the machine measured."""
    state = AppState(
        source=SENTENCE,
        settings=PLAIN,
        selection=Selection(token=1, neuron=9, stage=Stage.ACT),
        costing=Costing("llama-3-8b", tokens=8_192),
        views=(("model", View(sort="ffn.up")),),
    )
    return replace(exact_scene(state), roofline=roofline())


def dark() -> Scene:
    """Return a gated FFN in the middle of the pass, with a number pointed at; two public models decode."""
    return exact_scene(
        AppState(
            source=SENTENCE,
            settings=GATED,
            selection=Selection(token=3),
            hover=Cell(Stage.UP, 0, 3, 21),
            playback=Playback(0.55),
            appearance=Appearance("dark", "ja"),
            costing=Costing("mixtral-8x7b", beside="llama-3-8b", phase="decode", tokens=4_096, bits=4),
            views=(("growth", View(mode="bytes")),),
        )
    )


def projector() -> Scene:
    """Return experts behind a LayerNorm, without what shows the rounding of the processor."""
    state = AppState(
        source=SENTENCE,
        settings=EXPERTS,
        selection=Selection(token=2),
        appearance=Appearance("projector"),
    )
    return replace(scene_of(state), position=None, proof=None, lab=None, roofline=roofline())


LOOKS = {"light": light, "dark": dark, "projector": projector}


@cache
def look(name: str) -> Scene:
    """Return the scene of a look."""
    return LOOKS[name]()
