"""Formulas of the bill: in symbols and with the real numbers (1 multiply-accumulate = 2 FLOPs).

D, F, S as everywhere (S: real tokens of all sentences); E experts, K of them per token, n shared ones, of
width F_s together where that is no multiple of F;
H heads of width h, H_kv of them for keys and values.
"""

from typing import NamedTuple

from ffn_explorer.core.architecture import FFNShape
from ffn_explorer.core.cost import bill
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.shape_of import ffn_shape
from ffn_explorer.state import numbers
from ffn_explorer.state.counters import Line, Segment


class BillFormula(NamedTuple):
    """One sum of the bill: "2·D·F", "2·512·2,048", 2,097,152."""

    symbols: str
    terms: str
    value: int

    @property
    def wordings(self) -> tuple[str, ...]:
        """The equation, longest first."""
        value = numbers.count(self.value)
        return (f"{self.symbols} = {self.terms} = {value}", f"{self.symbols} = {value}", value)


class BillFormulas(NamedTuple):
    """Formulas of every number of a Bill; `ffn` counts all experts, and biases too."""

    ffn: BillFormula
    ffn_flops: BillFormula
    attention: BillFormula
    projections: BillFormula
    scores: BillFormula


def bill_formulas(
    settings: Settings, lengths: tuple[int, ...], *, ffn: FFNShape | None = None
) -> BillFormulas:
    """Formulas of one layer on sentences of these lengths; ffn: that of an opened file."""
    s, tokens, shape = settings, sum(lengths), ffn or ffn_shape(settings)
    found = bill(s, lengths, ffn=shape)
    return BillFormulas(
        ffn=BillFormula(*_ffn(shape, s.d_model), found.ffn_total),
        ffn_flops=BillFormula(*_ffn_flops(shape, s.d_model, tokens), found.ffn_flops),
        attention=BillFormula(*_projections(s, "", 2), found.attention_weights),
        projections=BillFormula(*_projections(s, f"{tokens:,}", 4), found.projection_flops),
        scores=BillFormula(*_scores(s, lengths), found.score_flops),
    )


def line_formula(
    settings: Settings, lines: tuple[Line, ...], segment: Segment, *, ffn: FFNShape | None = None
) -> BillFormula:
    """Parameters of one segment of the bar: "D·F = 512·2,048"."""
    s, d = ffn or ffn_shape(settings), settings.d_model
    value = sum(line.weights for line in lines if line.segment == segment)
    times, count = ("E·", f"{s.experts}·") if s.is_moe else ("", "")
    if segment == "router":
        more = _beside_router(s, d)
        return BillFormula(f"E·D{more[0]}", f"{s.experts}·{d:,}{more[1]}", value)
    if segment == "bias":
        symbols, terms = _biases(s.biases, d, ("F", s.d_ff))
        if s.is_moe:
            symbols, terms = f"{times}({symbols})", f"{count}({terms})"
        if s.sum_bias:
            symbols, terms = f"{symbols} + D", f"{terms} + {d:,}"
        found = BillFormula(symbols, terms, value)
    else:
        found = BillFormula(f"{times}D·F", f"{count}{d:,}·{s.d_ff:,}", value)
    if s.receptance and segment in ("bias", "down"):
        more = ("2·D", f"2·{d:,}") if segment == "bias" else ("D²", f"{d:,}²")
        symbols, terms = _added((found.symbols, found.terms), more) if found.symbols else more
        return BillFormula(symbols, terms, value)
    shared = sum(line.weights for line in lines if line.segment == segment and line.shared)
    if not shared:
        return found
    return BillFormula(f"{found.symbols} + shared", f"{found.terms} + {shared:,}", value)


def _ffn(s: FFNShape, d: int) -> tuple[str, str]:
    symbols, terms = f"{s.matrices}·D·F", f"{s.matrices}·{d:,}·{s.d_ff:,}"
    if s.biases:
        symbols, terms = _added((symbols, terms), _biases(s.biases, d, ("F", s.d_ff)))
    if s.receptance:
        symbols, terms = f"{symbols} + D² + 2·D", f"{terms} + {d:,}² + 2·{d:,}"
    if not s.is_moe:
        return symbols, terms
    symbols, terms = f"E·({symbols} + D)", f"{s.experts}·({terms} + {d:,})"
    if s.shared_width:
        symbol, width = _shared(s)
        beside = f"{s.matrices}·D·{symbol}", f"{s.matrices}·{d:,}·{width}"
        symbols, terms = _added((symbols, terms), beside)
        if s.shared_biases:
            symbols, terms = _added((symbols, terms), _biases(s.shared_biases, d, (symbol, width)))
    if s.sum_bias:
        symbols, terms = f"{symbols} + D", f"{terms} + {d:,}"
    more = _beside_router(s, d)
    return symbols + more[0], terms + more[1]


def _shared(s: FFNShape) -> tuple[str, str]:
    """Width of the shared experts: n·F where they are n whole ones, else F_s."""
    n, rest = divmod(s.shared_width, s.d_ff)
    return ("F_s", f"{s.shared_width:,}") if rest else ("n·F", f"{n}·{s.d_ff:,}")


def _beside_router(s: FFNShape, d: int) -> tuple[str, str]:
    """What stands beside the router's matrix: the shared expert's gate, biases."""
    symbols, terms = (" + D", f" + {d:,}") if s.shared_gate else ("", "")
    biases = int(s.router_bias) + int(s.selection_bias)
    if biases:
        twice = "2·" if biases > 1 else ""
        symbols, terms = f"{symbols} + {twice}E", f"{terms} + {twice}{s.experts}"
    return symbols, terms


def _added(one: tuple[str, str], other: tuple[str, str]) -> tuple[str, str]:
    return f"{one[0]} + {other[0]}", f"{one[1]} + {other[1]}"


def _biases(roles: tuple[str, ...], d: int, width: tuple[str, int | str]) -> tuple[str, str]:
    """Biases of these matrices; width: symbol and number of F."""
    wide = sum(role != "down" for role in roles)
    symbol, number = width[0], width[1] if isinstance(width[1], str) else f"{width[1]:,}"
    twice = "2·" if wide > 1 else ""
    parts = [(f"{twice}{symbol}", f"{twice}{number}")] if wide else []
    parts += [("D", f"{d:,}")] if "down" in roles else []
    return " + ".join(part[0] for part in parts), " + ".join(part[1] for part in parts)


def _ffn_flops(s: FFNShape, d: int, tokens: int) -> tuple[str, str]:
    each = 2 * s.matrices
    if not s.is_moe:
        more = (" + 2·S·D²", f" + 2·{tokens:,}·{d:,}²") if s.receptance else ("", "")
        return f"{each}·S·D·F{more[0]}", f"{each}·{tokens:,}·{d:,}·{s.d_ff:,}{more[1]}"
    gate = (" + 2·S·D", f" + 2·{tokens:,}·{d:,}") if s.shared_gate else ("", "")
    router = f" + 2·S·E·D{gate[0]}", f" + 2·{tokens:,}·{s.experts}·{d:,}{gate[1]}"
    n, rest = divmod(s.shared_width, s.d_ff)
    if rest:
        wide = "(K·F + F_s)", f"({s.top_k}·{s.d_ff:,} + {s.shared_width:,})"
        return f"{each}·S·D·{wide[0]}{router[0]}", f"{each}·{tokens:,}·{d:,}·{wide[1]}{router[1]}"
    symbols, count = ("(K + n)", f"({s.top_k} + {n})") if n else ("K", f"{s.top_k}")
    return (
        f"{each}·S·{symbols}·D·F{router[0]}",
        f"{each}·{tokens:,}·{count}·{d:,}·{s.d_ff:,}{router[1]}",
    )


def _projections(s: Settings, tokens: str, times: int) -> tuple[str, str]:
    """Four matrices of attention; tokens: "" for their weights, else S of the FLOPs."""
    h = s.head_width
    symbol, count = ("S·", f"{tokens}·") if tokens else ("", "")
    if s.heads == s.kv_heads and s.heads * h == s.d_model:
        return f"{2 * times}·{symbol}D·D", f"{2 * times}·{count}{s.d_model:,}·{s.d_model:,}"
    return (
        f"{times}·{symbol}D·h·(H + H_kv)",
        f"{times}·{count}{s.d_model:,}·{h:,}·({s.heads} + {s.kv_heads})",
    )


def _scores(s: Settings, lengths: tuple[int, ...]) -> tuple[str, str]:
    """Scores and mixing, sentence by sentence."""
    causal = s.stack == "decoder"
    times, symbols = (2, "S·(S + 1)") if causal else (4, "S·S")
    many = "Σ " if len(lengths) > 1 else ""
    if many:
        pairs = f"{sum(n * (n + causal) for n in lengths):,}"
    else:
        pairs = f"{lengths[0]:,}·{lengths[0] + causal:,}"
    return f"{many}{times}·{symbols}·H·h", f"{times}·{pairs}·{s.heads}·{s.head_width:,}"
