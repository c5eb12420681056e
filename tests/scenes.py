"""Scenes for tests of pictures: a true tiny FFN in plain numpy, so that nothing in them is made up.

`make_scene()` is the default; keyword arguments change settings, time, selection, look, or any field.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ffn_explorer.core import cost, sparsity
from ffn_explorer.core.records import PositionCheck, StrongPaths
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.spec import FFNSpec
from ffn_explorer.core.spec_of import spec_of
from ffn_explorer.core.stages import Stage, stages_of
from ffn_explorer.state import timeline
from ffn_explorer.state.app_state import Appearance, Cell, Playback, Selection, Source, View
from ffn_explorer.state.compute import tokens_of
from ffn_explorer.state.pyramid import activity_levels, pyramid
from ffn_explorer.state.requests import RunRequest
from ffn_explorer.state.result import Activity, Curve, Detail, Floats, RunResult
from ffn_explorer.state.scene import Chip, Scene
from ffn_explorer.state.scene_parts import origin_of
from ffn_explorer.state.stage_info import stage_infos
from ffn_explorer.state.visible import visible

TINY = Settings(d_model=16, d_ff=40, layers=1, heads=2, kv_heads=2)
SOURCE = Source(sentences=("The keys are lost.",), orders=((),))
"""Five tokens: The keys are lost ."""

_erf = np.vectorize(math.erf, otypes=[np.float64])


def _sigmoid(z: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-z))


FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "relu": lambda z: np.maximum(z, 0.0),
    "relu2": lambda z: np.maximum(z, 0.0) ** 2,
    "identity": lambda z: z,
    "sigmoid": _sigmoid,
    "silu": lambda z: z * _sigmoid(z),
    "gelu": lambda z: 0.5 * z * (1.0 + _erf(z / math.sqrt(2.0))),
}


@dataclass(frozen=True, eq=False)
class Weights:
    """Up, gate `[E, F, D]`, down `[E, D, F]`, router `[E, D]`, of one layer."""

    up: Floats
    gate: Floats
    down: Floats
    router: Floats


@lru_cache(maxsize=16)
def weights(settings: Settings) -> Weights:
    """Seeded random weights in the shapes of these settings."""
    rng = np.random.default_rng(settings.seed)
    e, f, d = settings.experts, settings.d_ff, settings.d_model
    up, gate = (rng.normal(0, 1.3 / math.sqrt(d), (e, f, d)).astype(np.float32) for _ in range(2))
    down = rng.normal(0, 1.0 / math.sqrt(f), (e, d, f)).astype(np.float32)
    return Weights(up, gate, down, rng.normal(0, 1.0, (e, d)).astype(np.float32))


def normed(x: Floats, settings: Settings) -> Floats:
    """LayerNorm or RMSNorm of each row, or the row itself."""
    if settings.norm == "none":
        return x
    centred = x - x.mean(axis=-1, keepdims=True) if settings.norm == "layer" else x
    scaled: Floats = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
    return scaled.astype(np.float32)


def run_ffn(x: Floats, settings: Settings) -> dict[Any, Floats]:
    """Every stage of the pass for x `[B, S, D]`, and router logits, indices and weights under their names."""
    w, spec = weights(settings), spec_of(settings)
    inside = normed(x, settings) if spec.normalises_input else x
    logits = inside @ w.router.T  # [B, S, E]
    index = np.argsort(-logits, axis=-1, kind="stable")[..., : settings.top_k]
    score = np.exp(np.take_along_axis(logits, index, axis=-1))
    weight = score / score.sum(axis=-1, keepdims=True)  # [B, S, K]
    parts: dict[Any, Floats] = {Stage.INPUT: x, Stage.NORM: inside}
    out = np.zeros_like(x)
    for slot in reversed(range(settings.top_k)):  # the first choice is the last one computed, and stays
        expert = index[..., slot]
        parts |= _wide(inside, w, expert, spec)
        out = out + weight[..., slot : slot + 1] * np.einsum(
            "bsdf,bsf->bsd", w.down[expert], parts[Stage.HIDDEN]
        )
    parts[Stage.OUT] = out.astype(np.float32)
    residual = (x + parts[Stage.OUT] if spec.residual else parts[Stage.OUT]).astype(np.float32)
    parts |= {Stage.RESIDUAL: residual, Stage.POST_NORM: normed(residual, settings)}
    return parts | {"logits": logits, "index": index, "weight": weight.astype(np.float32)}


def _wide(x: Floats, w: Weights, expert: np.ndarray, spec: FFNSpec) -> dict[Any, Floats]:
    f = FUNCTIONS[spec.function]
    up = np.einsum("bsfd,bsd->bsf", w.up[expert], x)
    gate = np.einsum("bsfd,bsd->bsf", w.gate[expert], x)
    act = f(gate if spec.gated else up).astype(np.float32)
    return {Stage.UP: up, Stage.GATE: gate, Stage.ACT: act, Stage.HIDDEN: act * up if spec.gated else act}


@lru_cache(maxsize=32)
def make_run(settings: Settings = TINY, source: Source = SOURCE, *, damaged: bool = False) -> RunResult:
    """RunResult of a pass; `damaged` puts NaN and infinity into the first token's intermediate."""
    tokens = tokens_of(source)
    lengths = [len(sentence) for sentence in tokens]
    rng = np.random.default_rng(settings.seed + 1)
    x = rng.normal(0, 1, (len(tokens), max(lengths), settings.d_model)).astype(np.float32)
    parts = run_ffn(x, settings)
    spec = spec_of(settings)
    values = {stage: _unpadded(parts[stage], lengths) for stage in stages_of(spec)}
    if damaged:
        values[Stage.UP][0, 0, :3] = [np.nan, np.inf, -np.inf]
    moe = settings.is_moe
    return RunResult(
        request=RunRequest(source, settings),
        spec=spec,
        stages=stages_of(spec),
        tokens=tokens,
        values=values,
        pyramids={stage: pyramid(array) for stage, array in values.items()},
        curve=make_curve(spec),
        bill=cost.bill(settings, lengths),
        nbytes=sum(array.nbytes for array in values.values()),
        expert_index=parts["index"].astype(np.int64) if moe else None,
        expert_weight=parts["weight"] if moe else None,
        router_logits=parts["logits"] if moe else None,
    )


def _unpadded(values: Floats, lengths: list[int]) -> Floats:
    real = np.arange(values.shape[1]) < np.array(lengths)[:, None]  # [B, S]
    return np.where(real[..., None], values, np.float32(0.0)).astype(np.float32)


def make_curve(spec: FFNSpec) -> Curve:
    """The function on ±4, its slope by central differences."""
    z = np.linspace(-4.0, 4.0, 257)
    f = FUNCTIONS[spec.function]
    return Curve(z, f(z), (f(z + 1e-6) - f(z - 1e-6)) / 2e-6)


@lru_cache(maxsize=32)
def make_activity(run: RunResult, *, theta: float, relative: bool) -> Activity:
    """Active shares at a theta."""
    share = {
        stage: activity_levels(
            sparsity.active(run.values[stage], theta, relative=relative), run.pyramids[stage]
        )
        for stage in (Stage.ACT, Stage.HIDDEN)
        if stage in run.values
    }
    hidden = run.values[Stage.HIDDEN if Stage.HIDDEN in run.values else Stage.ACT]
    mask = np.arange(hidden.shape[1]) < np.array(run.lengths)[:, None]
    found = sparsity.fractions(hidden, theta, relative=relative, mask=mask)
    zeros = (hidden == 0).mean(axis=-1) * mask
    return Activity(
        share,
        found.per_token,
        found.per_neuron,
        found.overall,
        zeros,
        found.exact_zero,
        nbytes=found.per_token.nbytes,
    )


@lru_cache(maxsize=64)
def make_detail(run: RunResult, sentence: int, token: int, *, count: int = 24) -> Detail:
    """Histogram and strongest neurons at one token."""
    gated = Stage.GATE in run.values
    before = run.values[Stage.GATE if gated else Stage.UP][sentence, token]
    edges, counts = sparsity.histogram(before)
    w = weights(run.request.settings)
    expert = 0 if run.expert_index is None else int(run.expert_index[sentence, token, 0])
    m = run.values[Stage.HIDDEN if Stage.HIDDEN in run.values else Stage.ACT][sentence, token]
    x = run.values[Stage.NORM if Stage.NORM in run.values else Stage.INPUT][sentence, token]
    strength = np.abs(m) * np.linalg.norm(w.down[expert], axis=0)
    neuron = np.argsort(-strength, kind="stable")[: min(count, int((strength != 0).sum()))]
    up_dim, up_part = _strongest(w.up[expert][neuron] * x)
    gate_dim, gate_part = _strongest(w.gate[expert][neuron] * x)
    out_dim, out_part = _strongest((w.down[expert][:, neuron] * m[neuron]).T)
    paths = StrongPaths(
        neuron=neuron,
        m=m[neuron],
        strength=strength[neuron],
        up_dim=up_dim,
        up_part=up_part,
        gate_dim=gate_dim if gated else None,
        gate_part=gate_part if gated else None,
        out_dim=out_dim,
        out_part=out_part,
    )
    return Detail(paths, edges, counts, nbytes=edges.nbytes + counts.nbytes)


def _strongest(parts: Floats) -> tuple[np.ndarray, Floats]:
    """Index and value of the largest magnitude in each row."""
    at = np.abs(parts).argmax(axis=1)
    return at, parts[np.arange(len(parts)), at]


@lru_cache(maxsize=32)
def make_position(run: RunResult) -> PositionCheck:
    """One position alone (the second, where there is one) and a reversed sentence, against the full pass."""
    settings, x = run.request.settings, run.values[Stage.INPUT]
    full = run_ffn(x, settings)[Stage.OUT]
    one = slice(1, 2) if x.shape[1] > 1 else slice(0, 1)
    alone = run_ffn(x[:, one], settings)[Stage.OUT]
    turned = run_ffn(x[:, ::-1], settings)[Stage.OUT]
    return PositionCheck(
        alone=float(np.abs(alone - full[:, one]).max()),
        permuted=float(np.abs(turned[:, ::-1] - full).max()),
        tolerance=1e-5,
        dtype="float32",
    )


def make_scene(
    *,
    settings: Settings = TINY,
    source: Source = SOURCE,
    look: Appearance | None = None,
    time: float = 1.0,
    selection: Selection | None = None,
    hover: Cell | None = None,
    theta: float | None = None,
    theta_relative: bool = False,
    views: tuple[tuple[str, View], ...] = (),
    compare: Settings | None = None,
    damaged: bool = False,
    **overrides: Any,
) -> Scene:
    """Scene of a true pass; `overrides` replace any of its fields as they are."""
    run = make_run(settings, source, damaged=damaged)
    level = settings.activation_row.default_theta if theta is None else theta
    activity = make_activity(run, theta=level, relative=theta_relative)
    look = look or Appearance()
    chosen = (selection or Selection(token=2)).clamped(run.lengths, settings.d_model, settings.d_ff)
    infos = stage_infos(
        run.spec, settings, batch=len(run.tokens), tokens=max(run.lengths), transposed=look.transposed
    )
    shares = activity.per_token[chosen.sentence].tolist()
    scene = Scene(
        look=look,
        source=source,
        settings=settings,
        run=run,
        stages=infos,
        chips=tuple(Chip(visible(token), share) for token, share in zip(run.tokens[chosen.sentence], shares)),
        sentences=source.sentences,
        selection=chosen,
        hover=hover,
        point=None,
        slot=0,
        theta=level,
        theta_relative=theta_relative,
        activity=activity,
        detail=make_detail(run, chosen.sentence, chosen.token),
        position=make_position(run),
        subject=hover or chosen.cell(),
        proof=None,
        other=None if compare is None else make_run(compare, source),
        other_activity=None,
        before=None,
        playback=Playback(time=time),
        progress=timeline.progress(time, run.stages),
        current=timeline.current(time, run.stages),
        origin=origin_of(settings),
        busy=None,
        message=None,
        no_run=None,
        views=views,
    )
    return replace(scene, **overrides)


GATED = TINY.with_(activation="swiglu", norm="rms", bias=False)
MOE = TINY.with_(experts=4, top_k=2, activation="silu")


def empty_scene(**overrides: Any) -> Scene:
    """Scene before the first pass is computed."""
    nothing = {"run": None, "activity": None, "detail": None, "position": None, "other": None}
    return make_scene(**{**nothing, **overrides})
