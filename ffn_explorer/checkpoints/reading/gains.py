"""Norms seen as linear maps: the centring of LayerNorm and the gain, the division by the length left out."""

from dataclasses import dataclass

import numpy as np

from ffn_explorer.checkpoints.codec import Floats
from ffn_explorer.checkpoints.reading.products import Wide, wide
from ffn_explorer.checkpoints.scheme import LayerScheme, NormRef, Scheme
from ffn_explorer.checkpoints.tensors import Source
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.spec import NormSpec


@dataclass(frozen=True, slots=True, eq=False)
class Gain:
    """What a norm does to every vector alike: P, then g.

    values: g `[D]`, the stored weight plus its offset (1 for norms that store w of 1 + w); None where the
    model stores none.  centred: P takes the mean away (LayerNorm); else P is the identity (RMSNorm).
    tensor: name of the weight, "" where there is none.  The norm also divides by a number that depends on its
    whole input, and may add a bias: both are left out, and both are the same for every neuron and token.
    """

    values: Floats | None
    centred: bool
    tensor: str

    def after(self, vector: Wide) -> Wide:
        """Give g ⊙ P v: what becomes of vectors `[..., D]` that neurons write."""
        found = vector - vector.mean(-1, keepdims=True) if self.centred else vector
        return found if self.values is None else found * self.values

    def before(self, row: Wide) -> Wide:
        """Give P (g ⊙ r): what rows `[..., D]` that read behind the norm read from the stream before it."""
        found = row if self.values is None else row * self.values
        return found - found.mean(-1, keepdims=True) if self.centred else found


def pre_gain(source: Source, layer: LayerScheme) -> Gain | None:
    """The norm that the layer's FFN reads through; None where it reads the stream as it is (post-norm)."""
    if not layer.spec.normalises_input:
        return None
    return _gain(source, layer.pre_norm, layer.spec.norm)


def final_gain(source: Source, scheme: Scheme) -> Gain | None:
    """The norm between the last layer and the unembedding; None where the file tells of none.

    Its kind is that of the norms in the layers, as in every family here; where they tell nothing, a bias
    means LayerNorm.
    """
    ref = scheme.lens.final_norm
    known = next((layer.spec.norm for layer in scheme.layers if layer.spec.norm.kind != "none"), None)
    if not ref.weight:
        bare = known is not None and known.placement == "pre" and not scheme.layers[0].pre_norm.weight
        return Gain(None, known.kind == "layer", "") if bare and known is not None else None
    if known is None:
        known = NormSpec("layer" if ref.bias else "rms", "pre")
    return _gain(source, ref, known)


def _gain(source: Source, ref: NormRef, spec: NormSpec) -> Gain:
    centred = spec.kind == "layer"
    if not ref.weight:
        return Gain(None, centred, "")
    stored = source.stored(ref.weight)
    if len(stored.shape) != 1:
        raise InputError(
            "checkpoint.layer_shapes", tensor=ref.weight, shapes=str(list(stored.shape)), d_model=0
        )
    with np.errstate(all="ignore"):
        return Gain(wide(source.whole(ref.weight)) + spec.weight_offset, centred, ref.weight)
