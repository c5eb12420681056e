"""What the bill says of its runs, by their values, so that a choice finds it said already."""

from functools import lru_cache
from typing import Any

from ffn_explorer.core.records import Bill
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.bill_formulas import BillFormula, bill_formulas, line_formula
from ffn_explorer.state.counters import SEGMENTS, STAGE_OF, Billed, Kind, Segment, bill_ends, portion, spent
from ffn_explorer.state.text import say
from ffn_explorer.widgets.bill_picture import Bar, Piece

Progress = tuple[tuple[Stage, float], ...]


@lru_cache(maxsize=8)
def bars_of(language: str, mine: Billed, *, theirs: Billed | None, before: Bill | None) -> tuple[Bar, Bar]:
    """Bars of A's parameters and FLOPs, those of B beside them; before: the bill before the last change."""
    formulas = bill_formulas(mine.settings, mine.lengths, ffn=mine.ffn)
    pairs = {
        "parameters": (("ffn", formulas.ffn), ("attention", formulas.attention)),
        "flops": (("ffn", formulas.ffn_flops), ("scores", formulas.scores)),
    }
    kinds: tuple[Kind, Kind] = ("parameters", "flops")
    one, other = (
        Bar(
            head=_head(language, of, mine.bill, None if theirs is None else theirs.bill),
            formula=_both(language, *pairs[of]),
            unit=_say(language, of),
            pieces=_pieces(language, mine, of),
            other=() if theirs is None else _pieces(language, theirs, of),
            before=() if before is None else bill_ends(before, of),
        )
        for of in kinds
    )
    return one, other


@lru_cache(maxsize=16)
def formula_of(language: str, run: Billed, segment: Segment | None) -> tuple[str, ...]:
    """Wordings of the formula of a segment, else of the whole FFN."""
    inside = [line for line in run.lines if line.segment == segment]
    if segment is None or not inside:
        formulas = bill_formulas(run.settings, run.lengths, ffn=run.ffn)
        pairs = zip(formulas.ffn.wordings, formulas.ffn_flops.wordings, strict=True)
        both = [_say(language, "formula_both", parameters=one, flops=other) for one, other in pairs]
        alone = (_say(language, "formula", parameters=words) for words in formulas.ffn.wordings)
        return (*both[:2], *alone)
    flops = numbers.count(sum(line.flops for line in inside))
    wordings = line_formula(run.settings, run.lines, segment, ffn=run.ffn).wordings
    name = _say(language, f"piece.{segment}")
    long = [_say(language, "matrix", name=name, parameters=words, flops=flops) for words in wordings]
    return (*long, *(_say(language, "named", name=name, n=words) for words in wordings[1:]))


@lru_cache(maxsize=8)
def counters_of(language: str, run: Billed, progress: Progress) -> tuple[str, ...]:
    """Wordings of what the pass has read and spent."""
    values = {name: numbers.count(n) for name, n in spent(run.lines, progress)._asdict().items()}
    plain, *short = (_say(language, f"counters{form}", **values) for form in ("", "_short", "_least"))
    if not run.settings.is_moe:
        return (plain, *short)
    experts = _say(language, "counters_experts", **values)
    return (experts, _say(language, "counters_visited", **values), *short)


@lru_cache(maxsize=8)
def rows_of(language: str, run: Billed, progress: Progress) -> tuple[tuple[str, ...], ...]:
    """Every matrix and bias, under a head: its parameters, those read so far, its FLOPs."""
    done = dict(progress)
    head = tuple(_say(language, f"table_{key}") for key in ("name", "parameters", "so_far", "flops"))
    counts = [(line, portion(line.weights, done.get(line.stage, 0.0))) for line in run.lines]
    return (head, *((n.name, *map(numbers.count, (n.weights, read, n.flops))) for n, read in counts))


def _pieces(language: str, run: Billed, of: Kind) -> tuple[Piece, ...]:
    """Segments of the FFN, then attention."""
    made = []
    for segment in SEGMENTS:
        inside = [line for line in run.lines if line.segment == segment]
        value = sum(line.weights if of == "parameters" else line.flops for line in inside)
        if value:
            made.append(_piece(language, segment, value, of))
    bill = run.bill
    rest = [("attention", bill.attention_weights)]
    if of == "flops":
        rest = [("projections", bill.projection_flops), ("scores", bill.score_flops)]
    return (*made, *(_piece(language, key, value, of) for key, value in rest))


def _piece(language: str, key: str, value: int, of: Kind) -> Piece:
    name, count = _say(language, f"piece.{key}"), numbers.count(value)
    words = (
        _say(language, "named", name=name, n=count),
        _say(language, "named", name=name, n=numbers.axis(value)),
        name,
    )
    tip = _say(language, "tip", name=name, n=count, unit=_say(language, of))
    return Piece(key, value, STAGE_OF.get(key), words, tip)


def _head(language: str, of: Kind, mine: Bill, theirs: Bill | None) -> tuple[str, ...]:
    """Exact count of the FFN and its share; with B, both counts and how far they are apart."""
    ours, whole = bill_ends(mine, of)
    if theirs is None:
        values = {
            "unit": _say(language, of),
            "n": numbers.count(ours),
            "total": numbers.count(whole),
            "share": numbers.percent(ours / whole),
        }
        return tuple(_say(language, key, **values) for key in ("head", "head_short", "head_least"))
    if of == "parameters":
        # Weights alone: this is the number that parameter matching makes equal.
        unit, a, b = "weights", mine.ffn_weights, theirs.ffn_weights
    else:
        unit, a, b = of, ours, bill_ends(theirs, of)[0]
    values = {
        "unit": _say(language, unit),
        "a": numbers.count(a),
        "b": numbers.count(b),
        "apart": _apart(language, a, b),
    }
    return (_say(language, "pair", **values), _say(language, "pair_short", **values))


def _apart(language: str, ours: int, theirs: int) -> str:
    """Difference of A from B in percent, never rounded to nothing."""
    if ours == theirs:
        return _say(language, "equal")
    percent = numbers.short(100.0 * (ours - theirs) / theirs)
    return _say(language, "percent", n=f"+{percent}" if ours > theirs else percent)


def _both(language: str, one: tuple[str, BillFormula], other: tuple[str, BillFormula]) -> tuple[str, ...]:
    """Two named formulas side by side, else the first alone."""
    first, second = _say(language, one[0]), _say(language, other[0])
    pairs = zip(one[1].wordings, other[1].wordings, strict=True)
    both = [_say(language, "side_by_side", first=first, one=a, second=second, other=b) for a, b in pairs]
    return (*both[:2], *(_say(language, "named", name=first, n=words) for words in one[1].wordings))


def _say(language: str, key: str, **values: Any) -> str:  # noqa: ANN401 - numbers and strings alike
    return say(language, f"panel.bill.{key}", **values)
