"""Damaged checkpoints for minutes, from a start that is never the same: opened or refused, nothing else."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.unit.guarded import MOST_BYTES, SECONDS
from tests.unit.specimens import SPECIMENS
from tests.unit.test_mutated_files import results_of

pytestmark = pytest.mark.soak

MINUTE = float(os.environ.get("FFN_SOAK_SECONDS", "60"))


@pytest.mark.parametrize("form", SPECIMENS)
def test_nothing_but_sentences(form: str, tmp_path: Path) -> None:
    first = random.SystemRandom().randrange(10**6, 10**9)
    found = results_of(form, tmp_path, first=first, count=10**6, seconds=MINUTE)
    assert isinstance(found["longest"], float)
    assert found["longest"] < SECONDS
    assert isinstance(found["growth"], int)
    assert found["growth"] < MOST_BYTES
