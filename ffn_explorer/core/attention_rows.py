"""Rows of one attention sublayer: projections, scores and cache; heads of any grouping, windows, latents."""

from dataclasses import replace
from typing import NamedTuple

from ffn_explorer.core.architecture import AttentionShape, LatentShape
from ffn_explorer.core.bill_row import Row, Use, matrix, vector
from ffn_explorer.core.sums import ZERO, Factor, Sum, term


class Reach(NamedTuple):
    """Which tokens meet in an attention.

    causal: whether the work on future tokens is skipped.  across: keys and values come from the encoder.
    idle: nothing is computed now, as in an encoder while its decoder goes on.  keeps: whether keys and values
    stay for later tokens.
    """

    use: Use
    causal: bool
    across: bool = False
    idle: bool = False
    keeps: bool = True

    @property
    def queries(self) -> int:
        """Tokens that ask."""
        return 0 if self.idle else self.use.tokens

    @property
    def keys(self) -> int:
        """Tokens whose keys and values are computed now."""
        return 0 if self.across and self.use.cached else self.queries


def projection_rows(a: AttentionShape, d_model: int, reach: Reach, *, tag: str = "") -> list[Row]:
    """Projections, biases, norms and sinks of one layer; tag stands behind symbols that differ."""
    D = Factor("D", d_model)
    matrices = _plain(a, D, reach, tag) if a.latent is None else _latent(a, a.latent, D, reach=reach, tag=tag)
    return _named([*matrices, *_vectors(a, D, tag)], reach)


def score_rows(a: AttentionShape, reach: Reach, *, tag: str = "") -> list[Row]:
    """Scores with mixing, and what is kept for later tokens, of one layer."""
    made = [Row("scores", "scores", flops=score_flops(a, reach, tag=tag))]
    cached = cached_numbers(a, reach, tag=tag)
    if cached.terms:
        made.append(Row("cache", "scores", cached=cached))
    return _named(made, reach)


def score_flops(a: AttentionShape, reach: Reach, *, tag: str = "") -> Sum:
    """Scores and mixing of one layer: 2 FLOPs for each pair of tokens, head and number of q·k and of p·v.

    `4 S² H h` where keys and values are equally wide, half of it (and the diagonal) without the future.
    """
    if not reach.queries:
        return ZERO
    met, halved = _pairs(reach, a.window, tag)
    H = Factor(f"H{tag}", a.heads)
    if a.latent is not None:
        return term(
            2 // (1 + halved), *met, H, _latent_width(a, a.latent, decoding=bool(reach.use.cached), tag=tag)
        )
    h = Factor(f"h{tag}", a.head_dim)
    if a.value_width == a.head_dim:
        return term(4 // (1 + halved), *met, H, h)
    both = Factor(f"(h{tag} + h_v{tag})", a.head_dim + a.value_width)
    return term(2 // (1 + halved), *met, H, both)


def cached_numbers(a: AttentionShape, reach: Reach, *, tag: str = "") -> Sum:
    """Numbers of one layer that later tokens need: keys and values, or the latent of both."""
    if not reach.keeps:
        return ZERO
    tokens = _kept(reach, a.window, tag)
    if a.latent is not None:
        width = a.latent.kv_rank + a.latent.rope_dim
        return term(tokens, Factor(f"(r_kv{tag} + h_rope{tag})", width))
    heads, h = Factor(f"H_kv{tag}", a.kv_heads), Factor(f"h{tag}", a.head_dim)
    if a.value_width == a.head_dim:
        return term(2, tokens, heads, h)
    return term(tokens, heads, Factor(f"(h{tag} + h_v{tag})", a.head_dim + a.value_width))


def _pairs(reach: Reach, window: int, tag: str) -> tuple[tuple[Factor, ...], bool]:
    """Pairs of a query and a key that are scored, as factors, and whether their product is twice that."""
    S, T = reach.queries, reach.use.cached
    w = Factor(f"w{tag}", window)
    if T:
        keys = T if reach.across else T + 1
        met = Factor("T", T) if reach.across else Factor("(T + 1)", T + 1)
        return ((Factor("S", S), w) if window and keys > window else (Factor("S", S), met)), False
    if not reach.causal:
        return (Factor("S", S), w if 0 < window < S else Factor("S", S)), False
    if 0 < window < S:
        # Twice Σ min(t, w) over t = 1 … S.
        return (w, Factor(f"(2·S − w{tag} + 1)", 2 * S - window + 1)), True
    return (Factor("S", S), Factor("(S + 1)", S + 1)), True


def _kept(reach: Reach, window: int, tag: str) -> Factor:
    """Tokens whose keys and values stay."""
    S, T = reach.use.tokens, reach.use.cached
    every = Factor("S", S) if not T else Factor("T", T) if reach.across else Factor("(T + 1)", T + 1)
    return Factor(f"w{tag}", window) if window and every.value > window else every


def _plain(a: AttentionShape, D: Factor, reach: Reach, tag: str) -> list[Row]:
    H, kv, h = Factor(f"H{tag}", a.heads), Factor(f"H_kv{tag}", a.kv_heads), Factor(f"h{tag}", a.head_dim)
    values = h if a.value_width == a.head_dim else Factor(f"h_v{tag}", a.value_width)
    return [
        matrix("attention.q", "attention", term(D, H, h), tokens=reach.queries),
        matrix("attention.k", "attention", term(D, kv, h), tokens=reach.keys),
        matrix("attention.v", "attention", term(D, kv, values), tokens=reach.keys),
        matrix("attention.o", "attention", term(D, H, values), tokens=reach.queries),
    ]


def _latent(a: AttentionShape, latent: LatentShape, D: Factor, *, reach: Reach, tag: str) -> list[Row]:
    """Matrices down to the latents and up from them.

    While tokens are cached as latents, the matrix up from them acts on queries and outputs instead: as many
    multiplications for one token.
    """
    H, values = Factor(f"H{tag}", a.heads), Factor(f"h_v{tag}", a.value_width)
    r_q, r_kv = Factor(f"r_q{tag}", latent.q_rank), Factor(f"r_kv{tag}", latent.kv_rank)
    rope = Factor(f"h_rope{tag}", latent.rope_dim)
    query = Factor(f"(h{tag} + {rope.symbol})", a.head_dim + latent.rope_dim)
    both = Factor(f"(h{tag} + h_v{tag})", a.head_dim + a.value_width)
    down = Factor(f"({r_kv.symbol} + {rope.symbol})", latent.kv_rank + latent.rope_dim)
    q = [("attention.q", term(D, H, query))]
    if latent.q_rank:
        q = [("attention.q_down", term(D, r_q)), ("attention.q_up", term(r_q, H, query))]
    counts = [*q, ("attention.kv_down", term(D, down)), ("attention.kv_up", term(r_kv, H, both))]
    counts.append(("attention.o", term(H, values, D)))
    return [matrix(name, "attention", count, tokens=reach.queries) for name, count in counts]


def _latent_width(a: AttentionShape, latent: LatentShape, *, decoding: bool, tag: str) -> Factor:
    """Numbers of q·k and p·v of one pair and head: in full width, or in that of the cached latent."""
    if decoding:
        return Factor(f"(2·r_kv{tag} + h_rope{tag})", 2 * latent.kv_rank + latent.rope_dim)
    width = a.head_dim + latent.rope_dim + a.value_width
    return Factor(f"(h{tag} + h_rope{tag} + h_v{tag})", width)


def _vectors(a: AttentionShape, D: Factor, tag: str) -> list[Row]:
    """Biases, scales of norms inside, and sinks."""
    H, kv, h = Factor(f"H{tag}", a.heads), Factor(f"H_kv{tag}", a.kv_heads), Factor(f"h{tag}", a.head_dim)
    made = []
    biases = (term(H, h) + term(2, kv, h) if a.qkv_bias else ZERO) + (term(D) if a.out_bias else ZERO)
    if biases.terms:
        made.append(vector("attention.bias", "attention", biases))
    if a.sinks:
        made.append(vector("attention.sinks", "attention", term(H)))
    norms = {"": ZERO, "head": term(2, h), "all": term(H, h) + term(kv, h)}[a.qk_norm]
    if a.latent is not None:
        norms = term(Factor(f"r_q{tag}", a.latent.q_rank)) + term(Factor(f"r_kv{tag}", a.latent.kv_rank))
    if norms.terms:
        made.append(vector("attention.norms", "norms", norms))
    return made


def _named(rows: list[Row], reach: Reach) -> list[Row]:
    return [replace(row, name=f"cross.{row.name}") for row in rows] if reach.across else rows
