"""Where everything stands in the memory theatre, from the size of the picture and its cast alone."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from ffn_explorer.state import numbers
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px
from ffn_explorer.widgets.theatre_cast import Actor, Cast, Say, folded

WIDEST_KEY = 16
"""Numbers of a key that are drawn as cells; of more, only the answer is shown."""

MOST_RANKED = 12
"""Lines of an FFN with many memories, so that each value is seen to fly."""

ROW_PX, LANE_LINES = 84, 4.5
"""Most height of a memory (pixels of the light theme) and of a lane (lines of type)."""

LONGEST_NUMBER = 7
"""Characters of a number beside its bar, such as −0.0312."""


@dataclass(frozen=True, slots=True)
class Row:
    """Place of one memory: the whole line, and in it name, key, bar, number and remark.

    flight: its place among those that fly, None where it adds nothing.  text: its name, as long as fits.
    """

    actor: Actor
    text: str
    flight: int | None
    whole: QRectF
    name: QRectF
    key: QRectF
    bar: QRectF
    number: QRectF
    note: QRectF


@dataclass(frozen=True, slots=True)
class Line:
    """Place of one dimension of x or of the stream; index counts lanes, and is -1 for the cosine."""

    index: int
    text: str
    name: QRectF
    bar: QRectF
    number: QRectF

    @property
    def whole(self) -> QRectF:
        """The line with everything in it."""
        return self.name.united(self.number)


@dataclass(frozen=True, slots=True)
class Plan:
    """All places; heads are those of the headings of x, of the memories and of the stream."""

    rows: tuple[Row, ...]
    x: tuple[Line, ...]
    lanes: tuple[Line, ...]
    heads: tuple[QRectF, QRectF, QRectF]
    flying: int


@dataclass(frozen=True, slots=True)
class _Type:
    """Lengths in pixels that follow from the type."""

    look: Appearance
    metrics: QFontMetricsF
    line: float
    number: float
    gap: float

    def px(self, size: float) -> int:
        """Pixels for a length drawn for the light theme."""
        return px(self.look, size)

    def cut(self, text: str, width: float) -> str:
        """Text shortened to a width: names that people type may be longer than any room."""
        return self.metrics.elidedText(text, Qt.TextElideMode.ElideRight, width + 1)


def plan_of(cast: Cast, size: tuple[float, float], look: Appearance, *, say: Say) -> Plan:
    """Places for a cast in a picture of this size."""
    width, height = size
    metrics = QFontMetricsF(font(look, "small", bold=True))
    of = _Type(look, metrics, metrics.height(), metrics.horizontalAdvance("−0.0000") + 2, px(look, 6))
    head, foot = of.line + of.px(6), of.line + of.px(6)
    room = max(of.line, height - head - foot)
    most = max(2, int(room // (of.line + of.px(3))))
    wide = cast.by_hand and width >= of.px(560)
    left = width * 0.16 if wide else 0.0
    flight = max(of.px(26), width * 0.11)
    start = left + (flight if wide else 0.0)
    middle = start + (width - start - flight) * (0.56 if cast.by_hand else 0.6)
    stream = middle + flight
    actors = _in_place(cast, folded(cast, most if cast.by_hand else min(most, MOST_RANKED), say))
    shown = _lanes(cast, most)
    lanes = (-1, *shown) if cast.cosine else shown
    names = _names(cast, width - stream, say, of=of)
    row_height = min(room / len(actors), of.px(ROW_PX))
    lane_height = min(room / max(1, len(lanes)), of.line * LANE_LINES)
    # Both stand around one middle, as high as the higher of them.
    tallest = max(row_height * len(actors), lane_height * len(lanes))
    centre = head + tallest / 2
    first = QRectF(start, centre - row_height * len(actors) / 2, middle - start, row_height)
    first_lane = QRectF(stream, centre - lane_height * len(lanes) / 2, width - stream, lane_height)
    first_x = QRectF(0, first_lane.top(), left, lane_height)
    return Plan(
        rows=_rows(actors, first, of=of),
        x=_inputs(cast, shown, first_x, of=of) if wide else (),
        lanes=_lines(lanes, first_lane, of=of, names=names),
        heads=(
            QRectF(0, 0, left, of.line),
            QRectF(start, 0, middle - start, of.line),
            QRectF(stream, 0, width - stream, of.line),
        ),
        flying=sum(actor.strength > 0.0 for actor in actors),
    )


def most_height(cast: Cast, look: Appearance) -> int:
    """Height in pixels beyond which the picture of a hand-built memory is only followed by empty room."""
    line = QFontMetricsF(font(look, "small", bold=True)).height()
    lanes = len(cast.lanes) + bool(cast.cosine)
    tallest = max(px(look, ROW_PX) * len(cast.actors), line * LANE_LINES * lanes)
    return round(2 * (line + px(look, 6)) + tallest)


def brief(value: float) -> str:
    """Number beside a bar: three digits, or one where its power of ten would be too long."""
    said = numbers.short(value)
    return said if len(said) <= LONGEST_NUMBER else numbers.short(value, digits=1)


def _names(cast: Cast, width: float, say: Say, *, of: _Type) -> list[str]:
    """Names of the lanes and, last, of the cosine: long where a bar still fits beside them."""
    room = width - of.number - 2 * of.gap - of.px(28)
    long, short = [lane.name for lane in cast.lanes], [lane.short or lane.name for lane in cast.lanes]
    fits = max(map(of.metrics.horizontalAdvance, long), default=0.0) + 2 <= room
    cosine = say("cosine")
    roomy = of.metrics.horizontalAdvance(cosine) + of.px(60) <= room
    return [*(long if fits else short), cosine if roomy else say("cosine_short")]


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
    weight = [2 * sum(abs(actor.parts[i]) for actor in cast.actors) + abs(cast.lanes[i].x) for i in every]
    ranked = sorted(every, key=lambda i: -weight[i])
    return tuple(sorted(ranked[:most]))


def _rows(actors: list[Actor], first: QRectF, *, of: _Type) -> tuple[Row, ...]:
    ranked = sorted(
        (i for i, actor in enumerate(actors) if actor.strength > 0.0),
        key=lambda i: (actors[i].neuron is None, -actors[i].strength),
    )
    order = {i: flight for flight, i in enumerate(ranked)}
    memories = [actor for actor in actors if actor.neuron is not None]
    widest = max((of.metrics.horizontalAdvance(actor.name) for actor in memories), default=0.0) + 2
    note = max((of.metrics.horizontalAdvance(actor.note) for actor in memories), default=0.0)
    count = len(actors[0].key) if 0 < len(actors[0].key) <= WIDEST_KEY else 0
    cell = min(of.px(16), first.width() * 0.3 / max(1, count), first.height() - 6)
    key = count * cell
    spare = first.width() - 3 * of.gap - of.number
    if key and spare - key - of.gap - widest < of.px(26):
        # The name matters more: what a key reads, its tab shows in numbers.
        count, key = 0, 0.0
    spare -= key + of.gap if key else 0.0
    short = widest > spare - of.px(26) and all(actor.short for actor in memories)
    if short:
        widest = max(of.metrics.horizontalAdvance(actor.short) for actor in memories) + 2
    name = min(widest, spare)
    note = note if note and spare - name - note - of.gap >= of.px(90) else 0.0
    bar = max(0.0, spare - name - (note + of.gap if note else 0.0))
    made = []
    for i, actor in enumerate(actors):
        whole = first.translated(0, i * first.height())
        name_room = name if actor.neuron is not None else whole.width() - of.gap
        x, y, h = whole.left() + of.gap, whole.top(), whole.height()
        bar_at = x + name + of.gap + (key + of.gap if key else 0.0)
        number_at = bar_at + bar
        thick = min(h - of.px(6), of.px(16))
        brief_name = (
            short if actor.neuron is not None else of.metrics.horizontalAdvance(actor.name) > name_room
        )
        made.append(
            Row(
                actor=actor,
                text=of.cut(actor.short if brief_name and actor.short else actor.name, name_room),
                flight=order.get(i),
                whole=whole,
                name=QRectF(x, y, name_room, h),
                key=QRectF(x + name + of.gap, y + (h - cell) / 2, key, cell),
                bar=QRectF(bar_at, y + (h - thick) / 2, bar, thick),
                number=QRectF(number_at, y, of.number, h),
                note=QRectF(number_at + of.number + of.gap, y, note, h),
            )
        )
    return tuple(made)


def _inputs(cast: Cast, lanes: tuple[int, ...], first: QRectF, *, of: _Type) -> tuple[Line, ...]:
    """Features of the pattern, one line each: a name and a number, without a bar."""
    number = max(of.metrics.horizontalAdvance(numbers.axis(cast.x[i][1])) for i in lanes) + 2
    made = []
    for place, index in enumerate(lanes):
        y, right = first.top() + place * first.height(), first.right() - number
        name = QRectF(first.left(), y, right - of.gap - first.left(), first.height())
        made.append(
            Line(
                index,
                of.cut(cast.x[index][0], name.width()),
                name,
                QRectF(),
                QRectF(right, y, number, first.height()),
            )
        )
    return tuple(made)


def _lines(lanes: tuple[int, ...], first: QRectF, *, of: _Type, names: list[str]) -> tuple[Line, ...]:
    """Lines of the stream under each other."""
    if not lanes:
        return ()
    widest = max(of.metrics.horizontalAdvance(names[i]) for i in lanes) + 2
    spare = first.width() - of.number - 2 * of.gap
    # Where a name would be cut for the sake of the bar, the number alone has to do.
    barred = spare - of.px(28) >= min(widest, of.px(72))
    name = min(widest, spare - of.px(28)) if barred else spare + of.gap
    made = []
    for place, index in enumerate(lanes):
        y = first.top() + place * first.height()
        thick = min(first.height() - 4, of.line * 1.1)
        bar = first.left() + name + of.gap
        number = first.right() - of.number
        made.append(
            Line(
                index=index,
                text=of.cut(names[index], name),
                name=QRectF(first.left(), y, name, first.height()),
                bar=QRectF(bar, y + (first.height() - thick) / 2, max(0.0, number - of.gap - bar), thick),
                number=QRectF(number, y, of.number, first.height()),
            )
        )
    return tuple(made)
