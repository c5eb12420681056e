"""Machine: what the device that computes is called, so that a measurement says where it was taken."""

import os
import platform
import subprocess
from pathlib import Path


def device_name(device: str) -> str:
    """Name of a device: the processor with its threads, or the accelerator."""
    import torch

    kind = device.partition(":")[0]
    if kind == "cpu":
        return f"{_processor()}, {torch.get_num_threads()} threads"
    if kind in ("cuda", "xpu"):
        return str(torch.get_device_module(device).get_device_name(device))
    return f"{_processor()} ({device})"


def _processor() -> str:
    """Model of the processor as its maker calls it, else the architecture."""
    found = _from_proc() or _from_sysctl() or platform.processor() or platform.machine()
    return f"{found} x {os.cpu_count() or 1}"


def _from_proc() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "")


def _from_sysctl() -> str:
    if platform.system() != "Darwin":
        return ""
    command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=2, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
