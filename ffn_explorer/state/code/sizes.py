"""Sizes that the program prints, and the settings that its lines depend on beyond the spec."""

from dataclasses import dataclass

from ffn_explorer.core.layer_parts import LayerParts, parts_of_settings
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.numbers import shape


@dataclass(frozen=True, slots=True)
class Sizes:
    """B, S, D, F as numbers, whether shapes are shown as [S, B, N], dropout, and which tensors there are."""

    batch: int
    tokens: int
    d_model: int
    d_ff: int
    transposed: bool
    dropout: float
    has: LayerParts

    @property
    def shared_name(self) -> str:
        """Function of the shared experts: that of all, unless other matrices of theirs have a bias."""
        same = not self.has.shared or self.has.shared_biases == self.has.biases
        return "expert" if same else "shared_expert"

    @property
    def narrow(self) -> str:
        """Shape of hidden states."""
        return self._shape(self.d_model)

    @property
    def wide(self) -> str:
        """Shape of the intermediate."""
        return self._shape(self.d_ff)

    def _shape(self, width: int) -> str:
        rows = (self.tokens, self.batch) if self.transposed else (self.batch, self.tokens)
        return shape((*rows, width))


def sizes_of(
    settings: Settings, lengths: tuple[int, ...], *, transposed: bool, parts: LayerParts | None = None
) -> Sizes:
    """Sizes of a pass of sentences of these lengths; parts: tensors of the layer, where not the settings'."""
    return Sizes(
        batch=len(lengths),
        tokens=max(lengths, default=0),
        d_model=settings.d_model,
        d_ff=settings.d_ff,
        transposed=transposed,
        dropout=settings.dropout if settings.training else 0.0,
        has=parts_of_settings(settings) if parts is None else parts,
    )
