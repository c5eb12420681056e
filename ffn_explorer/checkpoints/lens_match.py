"""Embedding, closing norm and unembedding of a family found among a checkpoint's names."""

from math import sqrt

from ffn_explorer.checkpoints.family import Family, Number
from ffn_explorer.checkpoints.names import Names
from ffn_explorer.checkpoints.place import BIAS_ENDS, WEIGHT_ENDS
from ffn_explorer.checkpoints.scheme import LensScheme, NormRef, Note
from ffn_explorer.checkpoints.settings_view import WIDTH_KEYS, View


def lens_of(family: Family, names: Names, view: View, *, prefix: str) -> LensScheme:
    """Tensors between tokens and stream; "" where the file has none."""
    lens = family.lens
    embedding = _first(names, lens.embedding, prefix)
    unembedding = _first(names, lens.unembedding, prefix)
    said = view.get("tie_word_embeddings")
    tied = said if isinstance(said, bool) else bool(lens.tied)
    # A head that is absent is the embedding, whatever the configuration says; a head that is there counts.
    shared = not unembedding and bool(embedding)
    bias = _first(names, (lens.unembedding_bias,) if lens.unembedding_bias else (), prefix)
    doubts: tuple[Note, ...] = ()
    if lens.transform and shared and not bias:
        doubts = (Note("checkpoint.doubt_headless", (("tensor", names.own[embedding]),)),)
    elif lens.transform:
        doubts = (Note("checkpoint.doubt_head", (("transform", lens.transform),)),)
    if lens.projection and _first(names, (lens.projection,), prefix):
        doubts += (Note("checkpoint.doubt_projection", (("tensor", lens.projection),)),)
    return LensScheme(
        names.own.get(embedding, ""),
        _norm(names, lens.final_norm, prefix),
        names.own.get(embedding if shared else unembedding, ""),
        names.own.get(bias, ""),
        "out_in" if shared else lens.unembedding_layout,
        shared,
        _norm(names, lens.embedding_norm, prefix),
        _scale(lens.embedding_scale, view),
        _logit_scale(family, view, tied=tied or shared),
        view.number(lens.logit_softcap) or 0.0,
        doubts,
    )


def _logit_scale(family: Family, view: View, *, tied: bool) -> float:
    """What multiplies the logits, or the stream before them: both are the same."""
    lens = family.lens
    multiply, divide = view.number(lens.logit_multiply), view.number(lens.logit_divide)
    scale = (1.0 if multiply is None else multiply) / (divide or 1.0)
    width = _width(view)
    if lens.hidden_scale.startswith("d_model") and tied and width and view.holds("scale_decoder_outputs"):
        scale /= sqrt(width)
    base = view.number("@dim_model_base")
    if lens.hidden_scale.startswith("dim_model_base") and base and width:
        scale *= base / width
    return scale


def _scale(value: Number | None, view: View) -> float:
    if not isinstance(value, str) or value.startswith("@"):
        found = view.number(value)
        return 1.0 if found is None else found
    wanted = value.partition(" if ")[2]
    width = _width(view)
    return sqrt(width) if width and (not wanted or view.holds(wanted)) else 1.0


def _width(view: View) -> int | None:
    return next((width for key in WIDTH_KEYS if (width := view.count(f"@{key}"))), None)


def _norm(names: Names, stem: str, prefix: str) -> NormRef:
    if not stem:
        return NormRef()
    weight = _first(names, tuple(stem + end for end in WEIGHT_ENDS), prefix)
    bias = _first(names, tuple(stem + end for end in BIAS_ENDS), prefix)
    return NormRef(names.own.get(weight, ""), names.own.get(bias, ""))


def _first(names: Names, wanted: tuple[str, ...], prefix: str) -> str:
    """The first of the names that is there, after the prefix or any of its parents."""
    parents = [prefix]
    while parents[-1]:
        parents.append(parents[-1].rstrip(".").rpartition(".")[0])
        parents[-1] += "." if parents[-1] else ""
    for name in wanted:
        starts = [parent for parent in parents if name.startswith("/")] or [prefix, *parents]
        for start in starts:
            if (full := start + name.lstrip("/")) in names.shapes:
                return full
    return ""
