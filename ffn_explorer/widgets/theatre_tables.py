"""The numbers of a hand-built memory as grids: its keys, its values, and its patterns with what comes out."""

from collections.abc import Iterable

from ffn_explorer.core.handmade import HandMemory
from ffn_explorer.core.handmade_examples import as_wanted, wanted_of, written_by
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import View
from ffn_explorer.state.handmade_words import hand_word
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.token_lengths import order_of
from ffn_explorer.widgets.number_grid_plan import Grid, GridCell
from ffn_explorer.widgets.theatre_cast import Cast, Say

WAITING = "…"


def grid_of(scene: Scene, memory: HandMemory, mode: str, *, say: Say, view: View) -> Grid:
    """Grid of a mode: "keys" (W_up and b_up), "values" (W_down) or "patterns" (x and y)."""
    made = {"keys": keys_grid, "values": values_grid}.get(mode, patterns_grid)
    return made(scene, memory, say, view=view)


def keys_grid(scene: Scene, memory: HandMemory, say: Say, *, view: View) -> Grid:
    """W_up `[F, D]` and b_up `[F]`: one row for each key."""
    most = _most(k for neuron in memory.neurons for k in (*neuron.key, neuron.bias))
    rows = []
    for i, neuron in enumerate(memory.neurons):
        cells = [_number(k, ("key", i, d), most) for d, k in enumerate(neuron.key)]
        cells.append(_number(neuron.bias, ("bias", i, 0), most))
        rows.append((_name(scene, neuron.name, "neuron", at=i), tuple(cells)))
    return Grid(
        look=scene.look,
        name=say("keys_tip"),
        corner="W_up",
        columns=(*_features(scene, memory), GridCell("b_up")),
        rows=tuple(rows),
        gaps=frozenset({memory.d_model}),
        row=scene.selection.neuron,
        column=scene.selection.dim,
        first_row=view.scroll,
        first_column=view.first,
    )


def values_grid(scene: Scene, memory: HandMemory, say: Say, *, view: View) -> Grid:
    """W_down `[D, F]`: one column for each value."""
    most = _most(v for neuron in memory.neurons for v in neuron.value)
    rows = []
    for d, feature in enumerate(_features(scene, memory)):
        cells = [_number(n.value[d], ("value", i, d), most) for i, n in enumerate(memory.neurons)]
        rows.append((feature, tuple(cells)))
    return Grid(
        look=scene.look,
        name=say("values_tip"),
        corner="W_down",
        columns=tuple(_name(scene, n.name, "neuron", at=i) for i, n in enumerate(memory.neurons)),
        rows=tuple(rows),
        row=scene.selection.dim,
        column=scene.selection.neuron,
        first_row=view.scroll,
        first_column=view.first,
    )


def patterns_grid(scene: Scene, memory: HandMemory, say: Say, *, view: View) -> Grid:
    """The truth table: each pattern's x, y in the dimensions written, and whether y is as wanted."""
    written = written_by(memory)
    order = order_of(scene.source, 0)
    place = {natural: now for now, natural in enumerate(order)}
    most = _most(x for pattern in memory.patterns for x in pattern.x)
    features = _features(scene, memory)
    rows = []
    for p, (pattern, wanted) in enumerate(zip(memory.patterns, wanted_of(memory), strict=True)):
        cells = [_number(x, ("entry", p, d), most) for d, x in enumerate(pattern.x)]
        y = _outcome(scene, place[p], written)
        cells += [GridCell(WAITING)] * len(written) if y is None else map(_answer, y)
        cells += _judged(y, None if wanted is None else tuple(wanted[d] for d in written), say)
        rows.append((_name(scene, pattern.name, "pattern", at=p), tuple(cells)))
    chosen = scene.selection.token
    answers = (GridCell(say("y", name=features[d].text), strong=True) for d in written)
    return Grid(
        look=scene.look,
        name=say("patterns_tip"),
        corner=say("pattern"),
        columns=(*features, *answers, GridCell(say("wanted")), GridCell(say("verdict"))),
        rows=tuple(rows),
        gaps=frozenset({memory.d_model, memory.d_model + len(written)}),
        row=order[chosen] if chosen < len(order) else None,
        first_row=view.scroll,
        first_column=view.first,
    )


def grid_table(grid: Grid) -> list[list[str]]:
    """A grid as rows of texts, all digits, the names first."""
    head = [grid.corner, *(cell.text for cell in grid.columns)]
    return [head, *([name.text, *(cell.typed for cell in cells)] for name, cells in grid.rows)]


def cast_table(cast: Cast, say: Say) -> list[list[str]]:
    """Every memory on stage, strongest first: z, m, strength and what it adds to each lane."""
    rows = [[say("memory"), "z", "m", "|m|·‖v‖", *(lane.name for lane in cast.lanes)]]
    for actor in cast.actors:
        known = (actor.z, actor.m, actor.strength, *actor.parts)
        rows.append([actor.name, *("" if value is None else repr(value) for value in known)])
    return rows


def _outcome(scene: Scene, token: int, dims: tuple[int, ...]) -> tuple[float, ...] | None:
    """What comes out in some dimensions, once the pass is over and belongs to these numbers."""
    run, done = scene.run, dict(scene.progress)
    if run is None or scene.stale or done.get(Stage.RESIDUAL, done.get(Stage.OUT, 1.0)) < 1.0:
        return None
    y = run.values[Stage.RESIDUAL if Stage.RESIDUAL in run.values else Stage.OUT][0, token]
    return tuple(float(y[dim]) for dim in dims)


def _answer(y: float) -> GridCell:
    return GridCell(numbers.axis(y), typed=_exact(y), strong=True)


def _judged(y: tuple[float, ...] | None, wanted: tuple[float, ...] | None, say: Say) -> list[GridCell]:
    """What the example gives, and whether that came out; nothing for patterns that the example lacks."""
    if wanted is None:
        return [GridCell(""), GridCell("")]
    texts = [", ".join(map(of, wanted)) for of in (numbers.axis, _exact)]
    shown = GridCell(texts[0], typed=texts[1])
    if y is None:
        return [shown, GridCell(WAITING)]
    good = as_wanted(y, wanted)
    word = say("as_wanted" if good else "deviates")
    return [shown, GridCell(word, typed=word, strong=not good, icon="holds" if good else "breaks")]


def _features(scene: Scene, memory: HandMemory) -> tuple[GridCell, ...]:
    return tuple(_name(scene, name, "feature", at=d) for d, name in enumerate(memory.features))


def _name(scene: Scene, name: str, kind: str, *, at: int) -> GridCell:
    shown = hand_word(scene.look.language, name)
    return GridCell(shown, (kind, at, 0), shown)


def _number(value: float, place: tuple[str, int, int], most: float) -> GridCell:
    return GridCell(numbers.axis(value), place, _exact(value), tint=value / most)


def _exact(value: float) -> str:
    """All digits, as a person would type them."""
    return repr(value).removesuffix(".0")


def _most(values: Iterable[float]) -> float:
    return max(map(abs, values), default=0.0) or 1.0
