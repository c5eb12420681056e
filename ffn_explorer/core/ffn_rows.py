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

    made = []
    for name in ffn.roles:
        one, beside = term(D, F), term(D, shared)
        row = matrix(f"ffn.{name}", "ffn", all_of(one) + beside, tokens=tokens, active=used(one) + beside)
        made.append(row)
    one = _biases(ffn.biases, D, F)
    beside = _biases(ffn.shared_biases, D, shared) if shared.value else ZERO
    beside += term(D) if ffn.sum_bias else ZERO
    if one.terms or beside.terms:
        made.append(vector("ffn.bias", "ffn", all_of(one) + beside, active=used(one) + beside))
    if ffn.receptance:
        made += [
            matrix("ffn.receptance", "ffn", term(D, D), tokens=tokens),
            vector("ffn.mix", "ffn", term(2, D)),
        ]
    return [*made, *_router(ffn, D, E, tokens=tokens)]


def _biases(roles: tuple[str, ...], D: Factor, F: Factor) -> Sum:
    wide = sum(role != "down" for role in roles)
    return term(wide, F) + (term(D) if "down" in roles else ZERO)


def _router(ffn: FFNShape, D: Factor, E: Factor, *, tokens: int) -> list[Row]:
    if not ffn.is_moe:
        return []
    gate = term(D) if ffn.shared_gate else ZERO
    made = [matrix("ffn.router", "router", term(E, D) + gate, tokens=tokens)]
    biases = (int(ffn.router_bias) + int(ffn.selection_bias), E)
    if biases[0]:
        made.append(vector("ffn.router_bias", "router", term(*biases)))
    return made
