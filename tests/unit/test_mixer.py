"""The attention mixer against torch's own attention, and what it does to positions."""

import pytest
import torch
import torch.nn.functional as F

from ffn_explorer.core.mixer import mix, seeded_mixer
from ffn_explorer.core.seeding import seeded_hidden_states
from ffn_explorer.core.settings import Settings

BASE = Settings(d_model=32, d_ff=8, heads=4, kv_heads=2, mixer=True, dtype="float64")


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("norm", ["none", "layer", "rms"])
@pytest.mark.parametrize("sentences", [[["a", "b", "c", "d"]], [["a", "b", "c", "d"], ["b", "a"]]])
def test_equals_scaled_dot_product_attention(stack: str, norm: str, sentences: list[list[str]]) -> None:
    settings = BASE.with_(stack=stack, norm=norm)
    mixer = seeded_mixer(settings)
    x, mask = seeded_hidden_states(sentences, settings)
    normed = {
        "none": x,
        "layer": F.layer_norm(x, (32,), eps=1e-5),
        "rms": F.rms_norm(x, (32,), eps=1e-6),
    }[norm]

    def heads(weight: torch.Tensor, count: int) -> torch.Tensor:
        return F.linear(normed, weight).view(*x.shape[:2], count, 8).transpose(1, 2)

    readable = torch.ones(4, 4, dtype=torch.bool)
    readable = readable.tril() if stack == "decoder" else readable
    if mask is not None:
        readable = readable & mask[:, None, None, :]
    mixed = F.scaled_dot_product_attention(
        heads(mixer.query, 4), heads(mixer.key, 2), heads(mixer.value, 2), attn_mask=readable, enable_gqa=True
    )
    wanted = x + F.linear(mixed.transpose(1, 2).flatten(2), mixer.output)
    real = torch.ones(x.shape[:2], dtype=torch.bool) if mask is None else mask
    found = mix(mixer, x, mask)
    torch.testing.assert_close(found[real], wanted[real], rtol=0, atol=1e-12)
    assert not found[~real].any()


def test_some_positions_alone() -> None:
    mixer = seeded_mixer(BASE.with_(stack="decoder"))
    x, mask = seeded_hidden_states([["a", "b", "c"], ["d"]], BASE)
    whole = mix(mixer, x, mask)
    torch.testing.assert_close(mix(mixer, x, mask, at=slice(1, 2)), whole[:, 1:2], rtol=0, atol=1e-14)


def test_only_a_decoder_is_causal() -> None:
    x, _ = seeded_hidden_states([["a", "b", "c"]], BASE)
    changed, _ = seeded_hidden_states([["a", "b", "z"]], BASE)
    for stack, same in [("decoder", True), ("encoder", False)]:
        mixer = seeded_mixer(BASE.with_(stack=stack))
        assert torch.equal(mix(mixer, x)[0, 0], mix(mixer, changed)[0, 0]) == same


def test_shapes_of_explicit_head_width() -> None:
    mixer = seeded_mixer(BASE.with_(head_dim=5))
    assert mixer.query.shape == (20, 32)
    assert mixer.key.shape == mixer.value.shape == (10, 32)
    assert mixer.output.shape == (32, 20)
