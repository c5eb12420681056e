"""The cast of the memory theatre: which memories answer at one token, and what each adds to the stream."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ffn_explorer.core.handmade import HandMemory
from ffn_explorer.core.readings import Contributions, Memories
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.handmade_words import hand_word
from ffn_explorer.state.result import Floats, RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.token_lengths import order_of

Say = Callable[..., str]
"""A panel's own words."""

MOST = 24
"""Memories on stage at most; the others come together."""


class Actor(NamedTuple):
    """One memory: how well its key matches (z), how strongly it answers (m), what it adds to each lane.

    neuron: None for all the others together, which have neither z nor m.  key `[D]`: () where not shown.
    short: a name for little room, "" where there is none.
    """

    name: str
    neuron: int | None
    parts: tuple[float, ...]
    expert: int | None = None
    key: tuple[float, ...] = ()
    z: float | None = None
    m: float | None = None
    strength: float = 0.0
    note: str = ""
    short: str = ""


class Lane(NamedTuple):
    """One dimension of the stream: what is there before (x), the FFN's output, and the sum that leaves."""

    dim: int
    name: str
    x: float
    out: float
    y: float
    short: str = ""


@dataclass(frozen=True, slots=True)
class Cast:
    """Everything on stage at one token.

    actors: strongest first.  total: memories that there are.  lanes: dimensions shown.
    cosine: k -> cosine of the sum of the k strongest with the sum of all, () where it is not shown; the last
    one is that of everything on stage, the others included.
    answers: lowest and highest z and m, 0 among them.  span: the same of the running sums.
    x `[D]` with its names: the input pattern of a hand-built memory, else ().
    """

    token: int
    actors: tuple[Actor, ...]
    total: int
    lanes: tuple[Lane, ...]
    cosine: tuple[float, ...]
    answers: tuple[float, float]
    span: tuple[float, float]
    others: str
    x: tuple[tuple[str, float], ...] = ()

    @property
    def by_hand(self) -> bool:
        """Whether the memory was built by hand, so that everything in it can be shown."""
        return bool(self.x)


def cast_of(scene: Scene, say: Say) -> Cast | None:
    """The cast of a scene, or None until what it is made from has been computed."""
    run = scene.run
    if run is None:
        return None
    memory = run.request.source.memory
    if memory is not None:
        return _by_hand(scene, run, memory)
    reading = scene.memories
    return None if reading is None else _ranked(scene, run, reading, say)


def folded(cast: Cast, room: int, say: Say) -> tuple[Actor, ...]:
    """At most `room` actors, strongest first; those left out stand together as the last one.

    What the others add is what the output has beyond those shown, so that the sum is whole.
    """
    shown = cast.actors if cast.total <= min(room, len(cast.actors)) else cast.actors[: max(1, room - 1)]
    left = cast.total - len(shown)
    if not left and cast.others == "others":
        return shown
    rest = tuple(lane.out - sum(actor.parts[i] for actor in shown) for i, lane in enumerate(cast.lanes))
    key = cast.others if left else "bias_alone"
    name, short = say(key, n=numbers.count(left)), say(f"{key}_short", n=numbers.count(left))
    return (*shown, Actor(name, None, rest, strength=float(any(rest) or not rest), short=short))


def _by_hand(scene: Scene, run: RunResult, memory: HandMemory) -> Cast:
    token, language = scene.selection.token, scene.look.language
    pattern = memory.patterns[order_of(run.request.source, 0)[token]]
    features = tuple(hand_word(language, name) for name in memory.features)
    m, z = run.values[run.enters_down][0], run.values[Stage.UP][0]  # [P, F]
    values = np.array([neuron.value for neuron in memory.neurons])  # [F, D]
    with np.errstate(invalid="ignore"):  # an infinite m times 0 is NaN, as in the pass
        parts = m[:, :, None].astype(np.float64) * values  # [P, F, D]
        strength = np.abs(m[token]) * np.linalg.norm(values, axis=1)
    x, out = run.values[Stage.INPUT][0], run.values[Stage.OUT][0]  # [P, D]
    y = run.values[Stage.RESIDUAL][0] if Stage.RESIDUAL in run.values else out
    actors = tuple(
        Actor(
            name=hand_word(language, memory.neurons[i].name),
            neuron=int(i),
            parts=tuple(parts[token, i].tolist()),
            key=memory.neurons[i].key,
            z=float(z[token, i]),
            m=float(m[token, i]),
            strength=float(strength[i]),
        )
        for i in np.argsort(-np.nan_to_num(strength), kind="stable")
    )
    return Cast(
        token=token,
        actors=actors,
        total=len(actors),
        lanes=tuple(
            Lane(d, name, float(x[token, d]), float(out[token, d]), float(y[token, d]))
            for d, name in enumerate(features)
        ),
        cosine=(),
        answers=_bounds(np.concatenate([m.ravel(), z.ravel()])),
        span=_span_of(parts, x),
        others="others",
        x=tuple(zip(features, pattern.x, strict=True)),
    )


def _span_of(parts: Floats, x: Floats) -> tuple[float, float]:
    """Bounds of every running sum of every pattern: parts `[P, F, D]`, x `[P, D]`."""
    high = np.clip(parts, 0, None).sum(axis=1) + np.clip(x, 0, None)
    low = np.clip(parts, None, 0).sum(axis=1) + np.clip(x, None, 0)
    return _finite(float(low.min(initial=0.0))), _finite(float(high.max(initial=0.0)))


def _ranked(scene: Scene, run: RunResult, reading: Memories, say: Say) -> Cast:
    found = scene.contributions
    same = found is not None and (found.sentence, found.token) == (reading.sentence, reading.token)
    parts, before = _looked_up(found if same else None, reading)
    moves = _moves(scene, reading)
    # What a cut takes away (keep the strongest k) never comes on stage.
    kept = min(run.spec.keep or len(reading.neuron), len(reading.neuron))
    actors = []
    for place, neuron in enumerate(reading.neuron[: min(MOST, kept)].tolist()):
        said = "" if neuron not in moves else say("moves", dim=numbers.count(moves[neuron]))
        actors.append(
            Actor(
                name=say("neuron", n=numbers.count(neuron)),
                neuron=neuron,
                expert=reading.expert,
                parts=(parts[neuron],) if neuron in parts else (),
                z=before.get(neuron),
                m=float(reading.m[place]),
                strength=float(reading.strength[place]),
                note=said,
                short=numbers.count(neuron),
            )
        )
    lanes: tuple[Lane, ...] = ()
    if found is not None and all(actor.parts for actor in actors):
        dim = numbers.count(found.dim)
        lanes = (Lane(found.dim, say("dim", n=dim), found.x, found.out, found.y, dim),)
    return Cast(
        token=reading.token,
        actors=tuple(actors if lanes else (actor._replace(parts=()) for actor in actors)),
        total=kept,
        lanes=lanes,
        cosine=(*reading.cosine[: len(actors) + 1].tolist(), float(reading.cosine[kept])),
        answers=_bounds(np.array([v for a in actors for v in (a.z, a.m) if v is not None])),
        span=_span_along(actors, lanes),
        others=_others(run),
    )


def _others(run: RunResult) -> str:
    """Words for what stands beside the strongest memories."""
    if run.expert_index is not None:
        return "others_experts"
    return "others_bias" if "down" in run.has.biases else "others"


def _looked_up(found: Contributions | None, reading: Memories) -> tuple[dict[int, float], dict[int, float]]:
    """Part and pre-activation of each of the strongest neurons, in the reading's own expert."""
    if found is None:
        return {}, {}
    wanted = reading.neuron[:MOST]
    kept = np.isin(found.neuron, wanted)
    if found.expert is not None:
        kept &= found.expert == reading.expert
    neurons = found.neuron[kept].tolist()
    parts = dict(zip(neurons, found.part[kept].tolist(), strict=True))
    return parts, dict(zip(neurons, found.pre[kept].tolist(), strict=True))


def _moves(scene: Scene, reading: Memories) -> dict[int, int]:
    """The dimension that each strong neuron moves most, where the pass has told."""
    here = (scene.selection.sentence, scene.selection.token)
    if scene.detail is None or here != (reading.sentence, reading.token) or reading.slot != 0:
        return {}
    paths = scene.detail.paths
    return dict(zip(paths.neuron.tolist(), paths.out_dim.tolist(), strict=True))


def _span_along(actors: list[Actor], lanes: tuple[Lane, ...]) -> tuple[float, float]:
    """Bounds of the running sum of one lane, whatever is folded together."""
    if not lanes:
        return (0.0, 0.0)
    lane = lanes[0]
    sums = np.cumsum([0.0, *(actor.parts[0] for actor in actors)])
    ends = [*sums.tolist(), lane.out, lane.x, lane.y, lane.x + lane.out, 0.0]
    finite = [value for value in ends if np.isfinite(value)]
    return min(finite), max(finite)


def _bounds(values: Floats) -> tuple[float, float]:
    """Lowest and highest finite value, and 0."""
    finite = values[np.isfinite(values)]
    return float(finite.min(initial=0.0)), float(finite.max(initial=0.0))


def _finite(value: float) -> float:
    return value if np.isfinite(value) else 0.0
