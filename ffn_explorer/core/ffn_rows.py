"""Rows of one FFN sublayer: its matrices, biases and router."""

from ffn_explorer.core.architecture import FFNShape
from ffn_explorer.core.bill_row import Row, matrix, vector
from ffn_explorer.core.sums import ZERO, Factor, Sum, term


def ffn_rows(ffn: FFNShape, d_model: int, *, tokens: int, tag: str = "") -> list[Row]:
    """Gate, up, down, biases and router of one layer for S tokens; each token pays its K experts.

    tag: stands behind the symbols that differ between kinds of layers.
    """
    D, F = Factor("D", d_model), Factor(f"F{tag}", ffn.d_ff)
    E, K = Factor(f"E{tag}", ffn.experts), Factor(f"K{tag}", ffn.top_k)
    shared = Factor(f"F_s{tag}", ffn.shared_width)

    def all_of(one: Sum) -> Sum:
        return one.times(E) if ffn.is_moe else one

    def used(one: Sum) -> Sum:
        return one.times(K) if ffn.is_moe else one

    names = ("gate", "up", "down") if ffn.gated else ("up", "down")
    made = []
    for name in names:
        one, beside = term(D, F), term(D, shared)
        row = matrix(f"ffn.{name}", "ffn", all_of(one) + beside, tokens=tokens, active=used(one) + beside)
        made.append(row)
    if ffn.bias:
        one = _biases(ffn, D, F)
        beside = _biases(ffn, D, shared) if shared.value else ZERO
        made.append(vector("ffn.bias", "ffn", all_of(one) + beside, active=used(one) + beside))
    return [*made, *_router(ffn, D, E, tokens=tokens)]


def _biases(ffn: FFNShape, D: Factor, F: Factor) -> Sum:
    return term(ffn.matrices - 1, F) + term(D)


def _router(ffn: FFNShape, D: Factor, E: Factor, *, tokens: int) -> list[Row]:
    if not ffn.is_moe:
        return []
    gate = term(D) if ffn.shared_gate else ZERO
    made = [matrix("ffn.router", "router", term(E, D) + gate, tokens=tokens)]
    biases = (int(ffn.router_bias) + int(ffn.selection_bias), E)
    if biases[0]:
        made.append(vector("ffn.router_bias", "router", term(*biases)))
    return made
