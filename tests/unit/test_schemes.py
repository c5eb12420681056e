"""From names, shapes and configuration to layers: what is found, what is doubtful, what is refused."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ffn_explorer.checkpoints.names import Names, Shape, unwrapped
from ffn_explorer.checkpoints.scheme import Scheme
from ffn_explorer.checkpoints.schemes import scheme_of
from ffn_explorer.core.errors import InputError

D, F = 16, 24
Tensors = dict[str, Shape]


def llama(layers: int = 2, *, prefix: str = "model.", d: int = D, f: int = F) -> Tensors:
    """Shapes of a Llama's layers."""
    found: Tensors = {f"{prefix}embed_tokens.weight": (50, d), f"{prefix}norm.weight": (d,)}
    for n in range(layers):
        head = f"{prefix}layers.{n}."
        found |= {
            head + "mlp.gate_proj.weight": (f, d),
            head + "mlp.up_proj.weight": (f, d),
            head + "mlp.down_proj.weight": (d, f),
            head + "post_attention_layernorm.weight": (d,),
        }
    return found


def config(**changes: Any) -> dict[str, Any]:
    return {"model_type": "llama", "hidden_size": D, "num_hidden_layers": 2, "hidden_act": "silu", **changes}


def keys(scheme: Scheme) -> set[str]:
    return {note.key for note in scheme.doubts}


def refused(tensors: Tensors, values: dict[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        scheme_of(tensors, values)
    return caught.value.key


def test_the_model_type_decides() -> None:
    scheme = scheme_of(llama(), config())
    assert (scheme.family, scheme.prefix, scheme.version, scheme.confidence) == (
        "llama",
        "model.",
        "hub",
        1.0,
    )
    assert [(layer.stack, layer.index, layer.kind) for layer in scheme.layers] == [
        ("decoder", 0, "dense"),
        ("decoder", 1, "dense"),
    ]
    layer = scheme.layers[1]
    assert (layer.d_model, layer.d_ff, layer.activation, layer.variant, layer.gated) == (
        D,
        F,
        "silu",
        "swiglu",
        True,
    )
    assert layer.pre_norm.weight == "model.layers.1.post_attention_layernorm.weight"
    assert scheme_of(llama(), config(model_type="gemma")).layers[0].spec.norm.weight_offset == 1.0


@pytest.mark.parametrize(
    "prefix",
    ["", "model.", "model.language_model.", "language_model.model.", "_orig_mod.model.", "module.model."],
)
def test_prefixes_and_wrappers(prefix: str) -> None:
    scheme = scheme_of(llama(prefix=prefix), config())
    assert len(scheme.layers) == 2
    assert scheme.layers[0].mlp.up.names == (f"{prefix}layers.0.mlp.up_proj.weight",)
    assert scheme.lens.embedding == f"{prefix}embed_tokens.weight"


def test_wrappers_are_dropped_anywhere() -> None:
    assert unwrapped("module.layers.0._fsdp_wrapped_module.mlp.up.weight") == "layers.0.mlp.up.weight"
    assert unwrapped("base_model.model.model.layers.0.up.base_layer.weight") == "model.layers.0.up.weight"
    assert unwrapped("submodule.up.weight") == "submodule.up.weight"


def test_text_and_vision_of_one_file() -> None:
    tower = {
        f"vision_tower.vision_model.encoder.layers.0.{name}": shape
        for name, shape in {
            "mlp.fc1.weight": (F, D), "mlp.fc1.bias": (F,), "mlp.fc2.weight": (D, F), "mlp.fc2.bias": (D,),
            "layer_norm2.weight": (D,), "layer_norm2.bias": (D,),
        }.items()
    }  # fmt: skip
    values = {
        "model_type": "llava",
        "text_config": config(),
        "vision_config": {
            "model_type": "clip_vision_model",
            "hidden_act": "quick_gelu",
            "num_hidden_layers": 1,
        },
    }
    scheme = scheme_of({**llama(prefix="language_model.model."), **tower}, values)
    assert [(layer.stack, layer.index) for layer in scheme.layers] == [
        ("decoder", 0),
        ("decoder", 1),
        ("vision", 0),
    ]
    assert [layer.activation for layer in scheme.layers] == ["silu", "silu", "quick_gelu"]
    assert scheme.layers[2].bias


def test_layers_past_the_count_are_no_part_of_the_stack() -> None:
    scheme = scheme_of(llama(3), config())
    assert len(scheme.layers) == 2
    assert keys(scheme) == {"checkpoint.doubt_beyond"}


def test_missing_layers_are_refused() -> None:
    assert refused(llama(2), config(num_hidden_layers=3)) == "checkpoint.layer_missing"
    holed = {name: shape for name, shape in llama(3).items() if "layers.1." not in name}
    assert refused(holed, config(num_hidden_layers=3)) == "checkpoint.layer_missing"


def test_incomplete_and_contradicting_layers_are_refused() -> None:
    without = {
        name: shape for name, shape in llama().items() if name != "model.layers.1.mlp.down_proj.weight"
    }
    assert refused(without, config()) == "checkpoint.layer_incomplete"
    wrong = {**llama(), "model.layers.0.mlp.down_proj.weight": (D, F + 1)}
    assert refused(wrong, config()) == "checkpoint.layer_shapes"
    turned = {
        **llama(),
        "model.layers.0.mlp.up_proj.weight": (D, F),
        "model.layers.0.mlp.down_proj.weight": (F, D),
    }
    assert refused(turned, config()) == "checkpoint.layer_shapes"


T5: Tensors = {
    "encoder.block.0.layer.1.DenseReluDense.wi_0.weight": (F, D),
    "encoder.block.0.layer.1.DenseReluDense.wi_1.weight": (F, D),
    "encoder.block.0.layer.1.DenseReluDense.wo.weight": (D, F),
    "encoder.block.0.layer.1.layer_norm.weight": (D,),
}


@pytest.mark.parametrize(
    ("tensors", "values", "function"),
    [
        (T5, {"model_type": "t5", "feed_forward_proj": "gated-gelu"}, "gelu_tanh"),
        (T5, {"model_type": "t5", "feed_forward_proj": "gated-silu"}, "silu"),
        (T5, {"model_type": "pop2piano", "feed_forward_proj": "gated-gelu", "dense_act_fn": "relu"}, "relu"),
        (llama(), config(model_type="gemma", hidden_act="gelu"), "gelu_tanh"),
        (llama(), config(hidden_act="gelu"), "gelu"),
    ],
)
def test_values_that_do_not_mean_what_they_say(
    tensors: Tensors, values: dict[str, Any], function: str
) -> None:
    assert scheme_of(tensors, values).layers[0].activation == function


def test_scales_around_the_ffn() -> None:
    granite = scheme_of(llama(), config(model_type="granite", residual_multiplier=0.22, logits_scaling=8.0))
    assert granite.layers[0].spec.residual_scale == 0.22
    assert granite.lens.logit_scale == 1 / 8
    minicpm = scheme_of(
        llama(), config(model_type="minicpm3", scale_depth=1.4, dim_model_base=4, scale_emb=12)
    )
    assert minicpm.layers[0].spec.residual_scale == pytest.approx(1.4 / 2**0.5)
    assert (minicpm.lens.embedding_scale, minicpm.lens.logit_scale) == (12.0, 4 / D)
    unsaid = scheme_of(llama(), config(model_type="granite")).layers[0]
    assert [note.key for note in unsaid.limits] == ["checkpoint.limit_scale"]
    assert not unsaid.spec.residual
    assert scheme_of(llama(), config(model_type="gemma")).lens.embedding_scale == D**0.5


def test_names_alone_choose_a_family_and_say_what_they_leave_open() -> None:
    scheme = scheme_of(llama(), {})
    assert scheme.family == "llama"
    assert scheme.confidence == 0.7
    assert {"checkpoint.doubt_names", "checkpoint.doubt_activation_of"} <= keys(scheme)


def test_an_unknown_type_keeps_its_own_activation() -> None:
    scheme = scheme_of(llama(), config(model_type="brand-new", hidden_act="relu"))
    assert scheme.confidence == 0.5
    assert "checkpoint.doubt_family" in keys(scheme)
    assert scheme.layers[0].activation == "relu"
    odd = scheme_of(llama(), config(model_type="brand-new", hidden_act="snake"))
    assert odd.layers[0].activation == ""
    assert odd.layers[0].said == "snake"


def gpt2(f: int) -> Tensors:
    found: Tensors = {"transformer.wte.weight": (50, D)}
    for n in range(2):
        head = f"transformer.h.{n}."
        found |= {
            head + "mlp.c_fc.weight": (D, f), head + "mlp.c_fc.bias": (f,),
            head + "mlp.c_proj.weight": (f, D), head + "mlp.c_proj.bias": (D,),
            head + "ln_2.weight": (D,), head + "ln_2.bias": (D,),
        }  # fmt: skip
    return found


def test_shapes_tell_conv1d_from_linear_unless_they_are_square() -> None:
    scheme = scheme_of(gpt2(F), {})
    assert scheme.layers[0].mlp.up.layout == "in_out"
    square = scheme_of(gpt2(D), {})
    assert "checkpoint.family_unsure" in {note.key for note in square.doubts}
    assert {note.key for layer in square.layers for note in layer.gaps} == {"checkpoint.gap_confirm"}
    assert scheme_of(gpt2(D), {"model_type": "gpt2"}).layers[0].mlp.up.layout == "in_out"
    assert scheme_of(gpt2(D), {"model_type": "gpt_bigcode"}).layers[0].mlp.up.layout == "out_in"


def test_halves_in_contradicting_order_are_not_built_without_a_word_on_it() -> None:
    halves = {
        "blocks.0.mlp.fc1.weight": (2 * F, D), "blocks.0.mlp.fc2.weight": (D, F),
        "blocks.0.norm2.weight": (D,),
    }  # fmt: skip
    (unsure,) = scheme_of(halves, {}).layers
    assert [note.key for note in unsure.gaps] == ["checkpoint.gap_order"]
    known = {"model_type": "timm_vit", "mlp_layer": "GluMlp"}
    gate = scheme_of(halves, known).layers[0].mlp.gate
    assert gate is not None
    assert gate.part == "half1"


def test_structure_finds_what_no_family_names() -> None:
    odd: Tensors = {"net.embed_tokens.weight": (50, D)}
    for n in range(2):
        odd |= {
            f"net.blk{n}.ff.w1.weight": (F, D), f"net.blk{n}.ff.w3.weight": (F, D),
            f"net.blk{n}.ff.w2.weight": (D, F),
        }  # fmt: skip
    scheme = scheme_of(odd, {"hidden_act": "silu"})
    assert (scheme.family, scheme.confidence) == ("", 0.3)
    assert [layer.variant for layer in scheme.layers] == ["swiglu", "swiglu"]
    assert scheme.layers[0].mlp.gate is not None
    assert scheme.layers[0].mlp.gate.names == ("net.blk0.ff.w1.weight",)
    assert {"checkpoint.doubt_structure", "checkpoint.doubt_norm"} <= keys(scheme)
    assert scheme_of(odd, {}).layers[0].activation == ""


def test_structure_reads_the_orientation_off_the_embedding() -> None:
    turned: Tensors = {
        "x.wte.weight": (50, D), "x.part.0.fc_in.weight": (D, F), "x.part.0.fc_out.weight": (F, D),
    }  # fmt: skip
    scheme = scheme_of(turned, {"activation": "relu"})
    assert scheme.layers[0].mlp.up.layout == "in_out"
    assert (scheme.layers[0].d_model, scheme.layers[0].d_ff) == (D, F)
    square: Tensors = {"x.part.0.fc_in.weight": (D, D), "x.part.0.fc_out.weight": (D, D)}
    assert "checkpoint.doubt_square" in keys(scheme_of(square, {"activation": "relu"}))


def test_structure_counts_layers_and_not_the_halves_of_a_conformer() -> None:
    macaron: Tensors = {}
    for n in range(3):
        for half in (1, 2):
            macaron |= {
                f"enc.layers.{n}.feed_forward{half}.linear1.weight": (F, D),
                f"enc.layers.{n}.feed_forward{half}.linear2.weight": (D, F),
            }
    scheme = scheme_of(macaron, {"hidden_size": D, "hidden_act": "silu", "model_type": "new"})
    assert [layer.index for layer in scheme.layers] == [0, 1, 2]
    assert scheme.layers[0].mlp.up.names == ("enc.layers.0.feed_forward1.linear1.weight",)


def test_mixtures_and_halves_of_unknown_types_are_listed_and_not_built() -> None:
    fused = {
        "model.layers.0.mlp.gate_up_proj.weight": (2 * F, D), "model.layers.0.mlp.down_proj.weight": (D, F),
        "model.layers.0.post_attention_layernorm.weight": (D,),
    }  # fmt: skip
    (layer,) = scheme_of(fused, {"model_type": "brand-new", "hidden_act": "silu"}).layers
    assert [note.key for note in layer.gaps] == ["checkpoint.gap_confirm"]
    scaled = scheme_of(llama(), config(model_type="brand-new", swiglu_limit=7.0))
    assert dict(scaled.layers[0].gaps[0].values) == {"said": "swiglu_limit"}


def test_a_file_without_an_ffn_is_refused() -> None:
    lstm: Tensors = {"lstm.weight_ih_l0": (64, 16), "lstm.weight_hh_l0": (64, 16), "lstm.bias_ih_l0": (64,)}
    assert refused(lstm, {}) == "checkpoint.no_ffn"
    assert refused({}, {}) == "checkpoint.no_ffn"


def test_an_adapter_alone_is_refused() -> None:
    head = "base_model.model.model.layers.0.mlp.up_proj."
    assert (
        refused({head + "lora_A.weight": (4, D), head + "lora_B.weight": (F, 4)}, {}) == "checkpoint.adapter"
    )


def test_a_merged_adapter_opens_by_its_base() -> None:
    inside = {f"base_model.model.{name}": shape for name, shape in llama().items()}
    inside["base_model.model.model.layers.0.mlp.up_proj.lora_A.weight"] = (4, D)
    assert len(scheme_of(inside, config()).layers) == 2


def test_the_router_must_find_all_of_its_experts() -> None:
    mixtral: Tensors = {"model.layers.0.post_attention_layernorm.weight": (D,)}
    mixtral["model.layers.0.block_sparse_moe.gate.weight"] = (10**12, D)
    for role, shape in (("w1", (F, D)), ("w3", (F, D)), ("w2", (D, F))):
        mixtral[f"model.layers.0.block_sparse_moe.experts.0.{role}.weight"] = shape
    values = {"model_type": "mixtral", "num_experts_per_tok": 1, "num_hidden_layers": 1}
    assert refused(mixtral, values) == "checkpoint.layer_incomplete"
    mixtral["model.layers.0.block_sparse_moe.gate.weight"] = (1, D)
    (layer,) = scheme_of(mixtral, values).layers
    assert (layer.kind, layer.experts) == ("moe", 1)
    (odd,) = scheme_of(mixtral, {**values, "num_experts_per_tok": 5}).layers
    assert {note.key for note in odd.doubts} == {"checkpoint.doubt_router"}


@pytest.mark.parametrize(
    ("ending", "parts", "method"),
    [
        (".weight_scale_inv", {"weight": (F, D)}, "fp8"),
        (".SCB", {"weight": (F, D)}, "int8"),
        (".qweight", {"qweight": (D // 8, F), "scales": (1, F), "qzeros": (1, F // 8)}, "gptq"),
        (".qweight", {"qweight": (D, F // 8), "scales": (1, F), "qzeros": (1, F // 8)}, "awq"),
        (".weight_packed", {"weight_packed": (F, D // 8), "weight_shape": (2,)}, "compressed-tensors"),
        (".weight_v", {"weight_g": (F, 1), "weight_v": (F, D)}, "weight_norm"),
    ],
)
def test_packed_weights_are_recognised(ending: str, parts: Tensors, method: str) -> None:
    tensors = llama(1)
    stem = "model.layers.0.mlp.up_proj"
    del tensors[f"{stem}.weight"]
    tensors |= {f"{stem}.{name}": shape for name, shape in parts.items()}
    tensors.setdefault(stem + ending, (F, 1))
    (layer,) = scheme_of(tensors, config(num_hidden_layers=1)).layers
    assert layer.mlp.up.quantised == method
    assert layer.mlp.up.shape == (F, D)


def test_mxfp4_is_outputs_first_whatever_its_twin_is() -> None:
    d, f, e = 64, 64, 2
    head = "model.layers.0."
    tensors: Tensors = {
        head + "mlp.experts.gate_up_proj_blocks": (e, 2 * f, d // 32, 16),
        head + "mlp.experts.gate_up_proj_scales": (e, 2 * f, d // 32),
        head + "mlp.experts.down_proj_blocks": (e, d, f // 32, 16),
        head + "mlp.experts.down_proj_scales": (e, d, f // 32),
        head + "mlp.router.weight": (e, d), head + "mlp.router.bias": (e,),
        head + "post_attention_layernorm.weight": (d,),
    }  # fmt: skip
    (layer,) = scheme_of(
        tensors, {"model_type": "gpt_oss", "num_experts_per_tok": 1, "hidden_size": d}
    ).layers
    gate = layer.mlp.gate
    assert gate is not None
    assert (gate.layout, gate.part, gate.quantised, gate.shape) == ("out_in", "even", "mxfp4", (f, d))


@given(
    st.dictionaries(
        st.text("ab.0159weightmlpup_{}", max_size=30) | st.sampled_from(sorted(llama(2))),
        st.lists(st.integers(0, 40) | st.just(2**60), max_size=4).map(tuple),
        max_size=12,
    ),
    st.dictionaries(
        st.sampled_from(
            ["model_type", "hidden_size", "num_hidden_layers", "hidden_act", "text_config", "rms_norm_eps"]
        ),
        st.none()
        | st.integers()
        | st.floats()
        | st.text(max_size=5)
        | st.just("llama")
        | st.just({"model_type": "gemma"}),
        max_size=5,
    ),
)
@settings(max_examples=60, deadline=None)
def test_hostile_names_shapes_and_values_end_in_layers_or_a_sentence(
    tensors: Tensors, values: dict[str, Any]
) -> None:
    with suppress(InputError):
        assert scheme_of(tensors, values).layers


def test_long_numbers_in_names_do_no_harm() -> None:
    name = f"model.layers.{'9' * 5000}.mlp.up_proj.weight"
    assert not Names({name: (2, 2)}).find("model.layers.{layer}.mlp.up_proj.weight")
