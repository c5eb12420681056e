"""Where everything stands in the memory theatre, from the size of the picture and its cast alone."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theatre_cast import Actor, Cast, Say, folded

WIDEST_KEY = 16
"""Numbers of a key that are drawn as cells; of more, only the answer is shown."""


@dataclass(frozen=True, slots=True)
class Row:
    """Place of one memory: the whole line, and in it name, key, bar and number.

    flight: its place among those that fly, None where it adds nothing.
    """

    actor: Actor
    flight: int | None
    whole: QRectF
    name: QRectF
    key: QRectF
    bar: QRectF
    number: QRectF


@dataclass(frozen=True, slots=True)
class Line:
    """Place of one dimension of x or of the stream; index counts lanes, and is -1 for the cosine."""

    index: int
    name: QRectF
    bar: QRectF
    number: QRectF

    @property
    def whole(self) -> QRectF:
        """The line with everything in it."""
        return self.name.united(self.number)


@dataclass(frozen=True, slots=True)
class Plan:
    """All places; heads are those of the columns' headings, axis is where the stream's ticks stand."""

    rows: tuple[Row, ...]
    x: tuple[Line, ...]
    lanes: tuple[Line, ...]
    heads: tuple[QRectF, QRectF, QRectF]
    axis: QRectF
    flying: int
    hidden: int
    """Dimensions that have no room."""


@dataclass(frozen=True, slots=True)
class _Measure:
    """Lengths in pixels that follow from the type."""

    line: float
    number: float
    gap: float


def plan_of(cast: Cast, size: tuple[float, float], look: Appearance, *, say: Say) -> Plan:
    """Places for a cast in a picture of this size."""
    width, height = size
    metrics = QFontMetricsF(font(look, "small"))
    of = _Measure(metrics.height(), metrics.horizontalAdvance("−0.0000"), px(look, 6))
    head, foot = of.line + px(look, 4), of.line + px(look, 6)
    room = max(of.line, height - head - foot)
    most = max(2, int(room // (of.line + px(look, 3))))
    wide = cast.by_hand and width >= px(look, 560)
    left = width * 0.17 if wide else 0.0
    flight = max(px(look, 36), width * 0.11)
    start = left + (flight if wide else 0.0)
    middle = start + (width - start - flight) * (0.56 if cast.by_hand else 0.58)
    stream = middle + flight
    actors = _in_place(cast, folded(cast, most, say))
    flying = sum(actor.strength > 0.0 for actor in actors)
    lanes = _lanes(cast, most)
    names = [lane.name for lane in cast.lanes] + ([say("cosine")] if cast.cosine else [])
    row_height = min(room / len(actors), px(look, 34))
    return Plan(
        rows=_rows(
            actors,
            QRectF(start, head, middle - start, row_height),
            of=of,
            name=max((metrics.horizontalAdvance(actor.name) for actor in actors), default=0.0),
            look=look,
        ),
        x=_lines(lanes, QRectF(0, head, left, room), of=of, names=names, metrics=metrics) if wide else (),
        lanes=_lines(
            (-1, *lanes) if cast.cosine else lanes,
            QRectF(stream, head, width - stream, room),
            of=of,
            names=names,
            metrics=metrics,
        ),
        heads=(
            QRectF(0, 0, left, of.line),
            QRectF(start, 0, middle - start, of.line),
            QRectF(stream, 0, width - stream, of.line),
        ),
        axis=QRectF(stream, height - foot, width - stream, foot),
        flying=flying,
        hidden=len(cast.lanes) - len(lanes),
    )


def _in_place(cast: Cast, actors: tuple[Actor, ...]) -> list[Actor]:
    """Hand-built memories keep their places from pattern to pattern; others stand by strength."""
    if not cast.by_hand:
        return list(actors)
    return sorted(actors, key=lambda actor: len(actors) if actor.neuron is None else actor.neuron)


def _lanes(cast: Cast, most: int) -> tuple[int, ...]:
    """Lanes for which there is room; those where nothing is and nothing comes go first."""
    every = range(len(cast.lanes))
    if len(cast.lanes) <= most:
        return tuple(every)
    ranked = sorted(every, key=lambda i: -max(abs(cast.lanes[i].out) * 2, abs(cast.lanes[i].x)))
    return tuple(sorted(ranked[:most]))


def _rows(
    actors: list[Actor], first: QRectF, *, of: _Measure, name: float, look: Appearance
) -> tuple[Row, ...]:
    ranked = sorted(
        (i for i, actor in enumerate(actors) if actor.strength > 0.0),
        key=lambda i: (actors[i].neuron is None, -actors[i].strength),
    )
    order = {i: flight for flight, i in enumerate(ranked)}
    cells = len(actors[0].key) if 0 < len(actors[0].key) <= WIDEST_KEY else 0
    cell = min(px(look, 14), first.width() * 0.3 / max(1, cells))
    key = cells * cell
    spare = first.width() - key - of.number - 4 * of.gap
    name = min(name + 2, spare - px(look, 30))
    rows = []
    for i, actor in enumerate(actors):
        whole = first.translated(0, i * first.height())
        x, y, h = whole.left() + of.gap, whole.top(), whole.height()
        bar_left = x + name + of.gap + (key + of.gap if key else 0.0)
        number = whole.right() - of.number
        thick = min(h - px(look, 6), px(look, 12))
        rows.append(
            Row(
                actor=actor,
                flight=order.get(i),
                whole=whole,
                name=QRectF(x, y, name, h),
                key=QRectF(x + name + of.gap, y + (h - min(cell, h - 4)) / 2, key, min(cell, h - 4)),
                bar=QRectF(bar_left, y + (h - thick) / 2, max(1.0, number - of.gap - bar_left), thick),
                number=QRectF(number, y, of.number - of.gap / 2, h),
            )
        )
    return tuple(rows)


def _lines(
    lanes: tuple[int, ...], room: QRectF, *, of: _Measure, names: list[str], metrics: QFontMetricsF
) -> tuple[Line, ...]:
    if not lanes:
        return ()
    height = min(room.height() / len(lanes), of.line * 2.2)
    widest = max(metrics.horizontalAdvance(names[i]) for i in lanes)
    name = min(widest + 2, max(room.width() * 0.34, room.width() - 2.4 * of.number - 2 * of.gap))
    made = []
    for place, index in enumerate(lanes):
        y = room.top() + place * height
        thick = min(height - 4, of.line)
        bar = room.left() + name + of.gap
        number = room.right() - of.number
        made.append(
            Line(
                index=index,
                name=QRectF(room.left(), y, name, height),
                bar=QRectF(bar, y + (height - thick) / 2, max(1.0, number - of.gap - bar), thick),
                number=QRectF(number, y, of.number, height),
            )
        )
    return tuple(made)


def shown_number(value: float | None) -> str:
    """A number beside its bar."""
    return "" if value is None else numbers.short(value)
