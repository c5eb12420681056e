"""Which devices this machine has, and which of them a run can use."""

import torch

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings


def available() -> tuple[str, ...]:
    """Devices that torch can use here, the CPU first: "cpu", "cuda:0", "cuda:1", "mps", "xpu:0"."""
    found = ["cpu"]
    found += [
        f"cuda:{number}" for number in range(torch.cuda.device_count() if torch.cuda.is_available() else 0)
    ]
    if torch.backends.mps.is_available():
        found.append("mps")
    found += [
        f"xpu:{number}" for number in range(torch.xpu.device_count() if torch.xpu.is_available() else 0)
    ]
    return tuple(found)


def check_device(settings: Settings) -> None:
    """InputError when the settings name a device that is not here, or a dtype that it cannot compute in."""
    found = available()
    wanted = settings.device
    kinds = {name.partition(":")[0] for name in found}
    if wanted not in found and wanted not in kinds and wanted not in ("cpu:0", "mps:0"):
        raise InputError("error.device", device=wanted, available=", ".join(found))
    if wanted == "mps:0" and "mps" not in kinds:
        raise InputError("error.device", device=wanted, available=", ".join(found))
    if wanted.startswith("mps") and settings.dtype == "float64":
        raise InputError("error.device_dtype", device=wanted, dtype=settings.dtype)
