"""Formulas of the bill: in symbols and with the real numbers (1 multiply-accumulate = 2 FLOPs).

D, F, S as everywhere (S: real tokens of all sentences); E experts, K of them per token, n shared ones;
H heads of width h, H_kv of them for keys and values.
"""

from typing import NamedTuple

from ffn_explorer.core.cost import bill, matrices_of
from ffn_explorer.core.settings import Settings
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


def bill_formulas(settings: Settings, lengths: tuple[int, ...]) -> BillFormulas:
    """Formulas of one layer on sentences of these lengths."""
    s, tokens = settings, sum(lengths)
    found = bill(s, lengths)
    return BillFormulas(
        ffn=BillFormula(*_ffn(s), found.ffn_total),
        ffn_flops=BillFormula(*_ffn_flops(s, tokens), found.ffn_flops),
        attention=BillFormula(*_projections(s, "", 2), found.attention_weights),
        projections=BillFormula(*_projections(s, f"{tokens:,}", 4), found.projection_flops),
        scores=BillFormula(*_scores(s, lengths), found.score_flops),
    )


def line_formula(settings: Settings, lines: tuple[Line, ...], segment: Segment) -> BillFormula:
    """Parameters of one segment of the bar: "D·F = 512·2,048"."""
    s = settings
    value = sum(line.weights for line in lines if line.segment == segment)
    times, count = ("E·", f"{s.experts}·") if s.is_moe else ("", "")
    if segment == "router":
        more = (" + E", f" + {s.experts}") if s.routing == "sigmoid_bias" else ("", "")
        return BillFormula(f"E·D{more[0]}", f"{s.experts}·{s.d_model:,}{more[1]}", value)
    if segment == "bias":
        symbols, terms = _biases(s)
        if s.is_moe:
            symbols, terms = f"{times}({symbols})", f"{count}({terms})"
        found = BillFormula(symbols, terms, value)
    else:
        found = BillFormula(f"{times}D·F", f"{count}{s.d_model:,}·{s.d_ff:,}", value)
    shared = sum(line.weights for line in lines if line.segment == segment and line.shared)
    if not shared:
        return found
    return BillFormula(f"{found.symbols} + shared", f"{found.terms} + {shared:,}", value)


def _ffn(s: Settings) -> tuple[str, str]:
    matrices = matrices_of(s)
    symbols, terms = f"{matrices}·D·F", f"{matrices}·{s.d_model:,}·{s.d_ff:,}"
    biases = _biases(s) if s.bias else ("", "")
    if s.bias:
        symbols, terms = f"{symbols} + {biases[0]}", f"{terms} + {biases[1]}"
    if not s.is_moe:
        return symbols, terms
    symbols, terms = f"E·({symbols} + D)", f"{s.experts}·({terms} + {s.d_model:,})"
    if s.shared_experts:
        n, twice = s.shared_experts, "2·" if s.gated else ""
        symbols, terms = f"{symbols} + {matrices}·D·n·F", f"{terms} + {matrices}·{s.d_model:,}·{n}·{s.d_ff:,}"
        if s.bias:
            symbols, terms = f"{symbols} + {twice}n·F + D", f"{terms} + {twice}{n}·{s.d_ff:,} + {s.d_model:,}"
    if s.routing == "sigmoid_bias":
        symbols, terms = f"{symbols} + E", f"{terms} + {s.experts}"
    return symbols, terms


def _biases(s: Settings) -> tuple[str, str]:
    twice = "2·" if s.gated else ""
    return f"{twice}F + D", f"{twice}{s.d_ff:,} + {s.d_model:,}"


def _ffn_flops(s: Settings, tokens: int) -> tuple[str, str]:
    each = 6 if s.gated else 4
    if not s.is_moe:
        return f"{each}·S·D·F", f"{each}·{tokens:,}·{s.d_model:,}·{s.d_ff:,}"
    symbols, count = (
        ("(K + n)", f"({s.top_k} + {s.shared_experts})") if s.shared_experts else ("K", f"{s.top_k}")
    )
    return (
        f"{each}·S·{symbols}·D·F + 2·S·E·D",
        f"{each}·{tokens:,}·{count}·{s.d_model:,}·{s.d_ff:,} + 2·{tokens:,}·{s.experts}·{s.d_model:,}",
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
