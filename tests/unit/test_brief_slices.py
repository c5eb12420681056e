"""Slices in fewer letters still name every tensor."""

from __future__ import annotations

import pytest

from ffn_explorer.state.tensor_slices import brief


@pytest.mark.parametrize(
    ("slices", "told"),
    [
        (
            ["blk.24.ffn_gate.weight[5, :]", "blk.24.ffn_up.weight[5, :]", "blk.24.ffn_down.weight[:, 5]"],
            "blk.24.ffn_{gate,up}.weight[5, :], …ffn_down.weight[:, 5]",
        ),
        (["h.1.mlp.c_fc.weight[:, 5]", "h.1.mlp.c_proj.weight[5, :]"],
         "h.1.mlp.c_fc.weight[:, 5], …c_proj.weight[5, :]"),
        (["a.b[1].T[0::2][5, :]", "a.b[1].T[1::2][5, :]"], "a.b[1].T[0::2][5, :], a.b[1].T[1::2][5, :]"),
        (["w"], "w"),
        ([], ""),
    ],
)  # fmt: skip
def test_what_names_share_is_said_once(slices: list[str], told: str) -> None:
    assert brief(slices) == told
