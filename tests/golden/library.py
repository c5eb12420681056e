"""Bridges to the libraries that the golden tests compare with."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from ffn_explorer.core.ffn import FFN
from ffn_explorer.core.spec import FFNSpec

TOLERANCE = {torch.float64: 1e-12, torch.float32: 1e-6}
"""Largest difference relative to max(1, max|b|)."""

DTYPES = tuple(TOLERANCE)


def hf(module: str, name: str) -> Any:
    """Class or function `name` of transformers.models.`module`."""
    return getattr(import_module(f"transformers.models.{module}"), name)


def config(module: str, name: str, **values: Any) -> Any:
    """Tiny configuration whose experts run as the plain loop that everybody can read."""
    made = hf(f"{module}.configuration_{module}", name)(**values)
    made._experts_implementation = "eager"
    made._attn_implementation = "eager"
    return made


class WidenedCasts(TorchFunctionMode):
    """Turns the library's own casts to float32 into casts to float64, so that 1e-12 can be asked of it."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run func with every float32 argument replaced by float64."""
        if func is Tensor.float:
            return args[0].double()
        swap = [torch.float64 if a is torch.float32 else a for a in args]
        named = {k: torch.float64 if v is torch.float32 else v for k, v in (kwargs or {}).items()}
        return func(*swap, **named)


def reference(module: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What the library's module computes in evaluation, at the full precision of its inputs."""
    with torch.no_grad():
        if args[0].dtype != torch.float64:
            return module(*args, **kwargs)
        with WidenedCasts():
            return module(*args, **kwargs)


def randomised(module: nn.Module, dtype: torch.dtype, *, seed: int = 0) -> Any:
    """The module in evaluation, its parameters and real buffers drawn anew (seeded) in that dtype."""
    draw = torch.Generator().manual_seed(seed)
    module = module.to(dtype).eval()
    for tensor in [*module.parameters(), *module.buffers()]:
        if tensor.is_floating_point():
            fan = tensor.shape[-1] ** 0.5 if tensor.dim() > 1 else 2.0
            tensor.data = (torch.randn(tensor.shape, generator=draw, dtype=torch.float64) / fan).to(dtype)
    return module


def hidden_states(shape: tuple[int, ...], dtype: torch.dtype, *, seed: int = 1) -> Tensor:
    """Seeded standard normal input."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def assert_close(ours: Tensor, theirs: Tensor) -> None:
    """Agreement within TOLERANCE of the dtype, between results that are real and not all zero."""
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    assert torch.isfinite(theirs).all()
    size = theirs.abs().max().item()
    assert size > 1e-3
    difference = (ours - theirs).abs().max().item()
    assert difference <= TOLERANCE[theirs.dtype] * max(1.0, size), f"{difference:.3g} of {size:.3g}"


def gated(mlp: Any, spec: FFNSpec, **more: Any) -> FFN:
    """FFN with the tensors of a module that has gate_proj, up_proj and down_proj."""
    up, gate, down = mlp.up_proj, mlp.gate_proj, mlp.down_proj
    return FFN(spec, up.weight.data, down.weight.data, gate.weight.data, **more)


def halved(gate_up: Tensor, down: Tensor, spec: FFNSpec) -> tuple[FFN, ...]:
    """Experts of fused tensors `[E, 2F, D]`, gate first, and `[E, D, F]`."""
    halves = (both.chunk(2, dim=0) for both in gate_up.detach())
    return tuple(FFN(spec, up, d, gate) for (gate, up), d in zip(halves, down.detach(), strict=True))
