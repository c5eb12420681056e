"""Tiny random models of every naming family that transformers can build, and the input that runs them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from copy import deepcopy
from importlib import import_module
from types import MappingProxyType
from typing import Any

import torch
import transformers
from torch import Tensor, nn

from tests.golden.family_settings import BY_FAMILY, BY_TYPE, CLASSES, INPUTS, SIZES

AUTO = (
    "AutoModelForSeq2SeqLM", "AutoModelForCausalLM", "AutoModelForMaskedLM", "AutoModelForSpeechSeq2Seq",
    "AutoModelForImageTextToText", "AutoModelForMultimodalLM", "AutoModel",
)  # fmt: skip
"""Tried in turn: the classes whose files people publish have a head."""


def tiny(family: str, model_type: str, changes: Mapping[str, Any]) -> Any:
    """The tiny configuration of a model type, as the family's files have it."""
    kind = transformers.CONFIG_MAPPING[model_type]
    # A copy: some configurations write into the tables that they are given.
    return kind(**deepcopy(merged(merged(settings(kind, model_type), BY_FAMILY.get(family, {})), changes)))


def settings(kind: Any, model_type: str) -> dict[str, Any]:
    """What SIZES has for the configuration's own keys, its parts as small, and the type's own settings."""
    parts = getattr(kind, "sub_configs", {}) or {}
    found: dict[str, Any] = {key: value for key, value in SIZES.items() if key in known_keys(kind)}
    if parts:
        plain = kind()
        for name in parts:
            part = getattr(plain, name, None)
            if part is not None and hasattr(part, "model_type"):
                found[name] = settings(type(part), part.model_type)
                if (
                    name in ("text_config", "vision_config", "audio_config")
                    and part.model_type in transformers.CONFIG_MAPPING
                ):
                    found[name]["model_type"] = part.model_type
    return merged(found, BY_TYPE.get(model_type, {}))


def known_keys(kind: Any) -> set[str]:
    """Keys that the configuration takes and does not only pass on to another name."""
    taken = set(inspect.signature(kind.__init__).parameters)
    return {key for key in taken if key not in getattr(kind, "attribute_map", {})}


def merged(one: dict[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The first with the second's values over it, tables inside alike."""
    both = dict(one)
    for key, value in other.items():
        inner = both.get(key)
        both[key] = merged(inner, value) if isinstance(inner, dict) and isinstance(value, Mapping) else value
    return both


def build(family: str, model_type: str, changes: Mapping[str, Any] = MappingProxyType({})) -> Any:
    """A tiny model, its parameters and selection biases drawn anew so that nothing is nearly 0."""
    config = tiny(family, model_type, changes)
    config._experts_implementation = "eager"
    config._attn_implementation = "eager"
    if model_type == "dbrx":  # the class reads a key that its configuration lost
        config.attn_config.rope_theta = 1e4
    if model_type == "llama4":
        config.pad_token_id = None
    torch.manual_seed(0)
    return randomised(class_of(model_type, config)(config).eval())


def class_of(model_type: str, config: Any) -> Any:
    """The model class of a configuration."""
    if model_type in CLASSES:
        module, _, name = f"transformers.{CLASSES[model_type]}".rpartition(".")
        return getattr(import_module(module), name)
    for name in AUTO:
        auto = getattr(transformers, name, None)
        if auto is not None and type(config) in auto._model_mapping:
            found = auto._model_mapping[type(config)]
            return found[0] if isinstance(found, tuple | list) else found
    raise LookupError(f"no class for {model_type}")


def randomised(model: nn.Module) -> nn.Module:
    """The model with weights of unit gain and norms near 1."""
    draw = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
            if not tensor.is_floating_point():
                continue
            noise = torch.randn(tensor.shape, generator=draw)
            if name.endswith(("expert_bias", "correction_bias")):
                tensor.copy_(noise)
            elif tensor.dim() > 1 and isinstance(tensor, nn.Parameter):
                tensor.copy_(noise * tensor.shape[-1] ** -0.5 * 1.5)
            elif isinstance(tensor, nn.Parameter):
                tensor.copy_(tensor + noise * 0.1)
    return model


def inputs_for(model: Any, model_type: str) -> dict[str, Any]:
    """Random input that the model's forward takes."""
    draw = torch.Generator().manual_seed(2)
    if model_type in INPUTS:
        return {name: _drawn(shape, draw) for name, shape in INPUTS[model_type].items()}
    name = model.main_input_name
    ready: dict[str, Any] = {
        "input_ids": (1, 7), "pixel_values": (1.0, 3, 16, 16), "input_values": (1.0, 1600),
        "input_features": (1.0, 80, 64),
    }  # fmt: skip
    found: dict[str, Any] = {name: _drawn(ready[name], draw)}
    if "use_cache" in inspect.signature(model.forward).parameters:
        found["use_cache"] = False
    if model.config.is_encoder_decoder:
        found["decoder_input_ids"] = _drawn((1, 5), draw)
    return found


def _drawn(shape: tuple[float, ...], draw: torch.Generator) -> Tensor:
    """Word numbers for whole sizes, normal numbers where the first size is written as 1.0."""
    sizes = [int(size) for size in shape]
    words = isinstance(shape[0], int)
    return torch.randint(3, 60, sizes, generator=draw) if words else torch.randn(sizes, generator=draw)
