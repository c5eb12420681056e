"""Measuring: what was measured comes back with its machine's name; a damaged file is as good as none."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core import roofline
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.machine import device_name
from ffn_explorer.core.roofline_records import Operating, Roof, Roofline
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.costing import Measurement, measurement_of
from ffn_explorer.state.files import LIMIT_BYTES, NotRegular
from ffn_explorer.state.measuring import (
    MOST_KEPT,
    file,
    fitting,
    keep_roofline,
    known_or_measured,
    load_rooflines,
)
from ffn_explorer.state.storage import HOME

KEPT = Roofline(
    machine="A processor, 8 threads",
    device="cpu",
    dtype="float32",
    d_model=64,
    d_ff=256,
    activation="relu",
    roof=Roof(1.25e12, 3.5e10),
    points=(Operating(1, 65_536, 131_584, 1.5e-5), Operating(2, 131_072, 132_096, 2e-5)),
)
WANTED = Measurement("cpu", "float32", 64, 256, "relu")
ABSENT = object()
"""Stands for an entry that is left out."""

numbers = st.integers(1, 2**62)
amounts = st.floats(1e-9, 1e20)
rooflines = st.builds(
    Roofline,
    machine=st.text(max_size=30),
    device=st.sampled_from(["cpu", "cuda:0"]),
    dtype=st.sampled_from(["float32", "bfloat16"]),
    d_model=st.integers(1, 3),
    d_ff=st.integers(1, 3),
    activation=st.sampled_from(["relu", "silu"]),
    roof=st.builds(Roof, amounts, amounts),
    points=st.lists(st.builds(Operating, numbers, numbers, numbers, amounts), min_size=1, max_size=3).map(
        tuple
    ),
)


def kind(of: Roofline) -> tuple[object, ...]:
    return of.machine, of.device, of.dtype, of.d_model, of.d_ff, of.activation


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """Settings that were measured, by a stand-in that measures nothing."""
    asked: list[Settings] = []

    def measure(settings: Settings, told: Callable[[float], None]) -> Roofline:
        told(1.0)
        asked.append(settings)
        return replace(KEPT, machine=device_name("cpu"), roof=Roof(1e12 + len(asked), 3e10))

    monkeypatch.setattr(roofline, "measure", measure)
    return asked


def quiet(_share: float) -> None:
    """Hear nothing."""


@given(st.lists(rooflines, max_size=6))
def test_what_is_kept_comes_back_the_newest_of_each_kind(
    tmp_path_factory: pytest.TempPathFactory, kept: list[Roofline]
) -> None:
    path = tmp_path_factory.mktemp("kept") / "new folder" / "rooflines.json"
    for one in kept:
        keep_roofline(path, one)
    newest = [one for at, one in enumerate(kept) if kind(one) not in map(kind, kept[at + 1 :])]
    assert load_rooflines(path) == newest


def test_the_oldest_make_room(tmp_path: Path) -> None:
    path = tmp_path / "rooflines.json"
    for width in range(1, MOST_KEPT + 3):
        keep_roofline(path, replace(KEPT, d_model=width))
    assert [one.d_model for one in load_rooflines(path)] == list(range(3, MOST_KEPT + 3))
    # Measured again, one is the newest.
    keep_roofline(path, replace(KEPT, d_model=3))
    assert [one.d_model for one in load_rooflines(path)] == [*range(4, MOST_KEPT + 3), 3]
    assert path.stat().st_size < LIMIT_BYTES


def test_nothing_is_kept_at_first(tmp_path: Path) -> None:
    assert file() == tmp_path / "home" / "rooflines.json"
    assert load_rooflines(file()) == []
    assert not file().parent.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"version": 1}',
        b'{"rooflines": {}}',
        b'{"rooflines": 3}',
        b'{"rooflines": ' + b"9" * 5_000 + b"}",
    ],
)
def test_a_damaged_file_is_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "rooflines.json"
    path.write_bytes(content)
    assert load_rooflines(path) == []
    keep_roofline(path, KEPT)
    assert load_rooflines(path) == [KEPT]


def entry(place: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """A kept measurement with one value given anew."""
    made: dict[str, Any] = json.loads(json.dumps(asdict(KEPT)))
    *way, last = place
    inner: Any = made
    for step in way:
        inner = inner[step]
    if value is ABSENT:
        del inner[last]
    else:
        inner[last] = value
    return made


COUNTS = (("d_model",), ("d_ff",), ("points", 0, "tokens"), ("points", 1, "flops"), ("points", 0, "bytes"))
AMOUNTS = (("roof", "flops_per_s"), ("roof", "bytes_per_s"), ("points", 1, "seconds"))
NONE_OF_BOTH: tuple[object, ...] = (
    0,
    -1,
    10**400,
    float("nan"),
    float("inf"),
    "7",
    None,
    [],
    {},
    [1],
    ABSENT,
)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        *((place, value) for place in COUNTS for value in (*NONE_OF_BOTH, 1.0, 2**63)),
        *((place, value) for place in AMOUNTS for value in (*NONE_OF_BOTH, 1e300, -1e-9)),
        *(((key,), value) for key in ("roof", "points") for value in (3, "ab", None, {}, [3], ABSENT)),
        *(((key,), ABSENT) for key in ("machine", "device", "dtype", "activation")),
        (("points",), []),
        # Numbers that no machine has, from which infinity or 0 would follow.
        (("roof", "flops_per_s"), 5e-324),
        (("roof", "bytes_per_s"), 5e-324),
        (("points", 0, "seconds"), 5e-324),
    ],
)  # fmt: skip
def test_what_cannot_be_is_left_out(tmp_path: Path, place: tuple[str | int, ...], value: object) -> None:
    path = tmp_path / "rooflines.json"
    other = replace(KEPT, d_model=65)
    path.write_text(
        json.dumps({"version": 1, "rooflines": [entry(place, value), 3, None, "x", asdict(other)]})
    )
    assert load_rooflines(path) == [other]


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "rooflines.json"
    path.write_text(json.dumps({"rooflines": [asdict(KEPT)], "filling": "x" * 2_000_000}))
    assert load_rooflines(path) == []
    path.write_text(json.dumps({"rooflines": [entry(("machine",), "x" * 900_000)]}))
    (found,) = load_rooflines(path)
    assert len(found.machine) == 200


@pytest.mark.timeout(20)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes there")
def test_what_is_no_file_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    pipe, endless, folder = tmp_path / "pipe", tmp_path / "endless", tmp_path / "folder"
    os.mkfifo(pipe)
    endless.symlink_to("/dev/zero")
    folder.mkdir()
    assert [load_rooflines(path) for path in (pipe, endless, folder)] == [[], [], []]
    for path, why in ((pipe, NotRegular), (folder, IsADirectoryError)):
        with pytest.raises(why):
            keep_roofline(path, KEPT)
    assert pipe.is_fifo()
    assert folder.is_dir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real.json")
    keep_roofline(link, KEPT)
    assert link.is_symlink()
    assert load_rooflines(tmp_path / "real.json") == [KEPT]


def test_a_measurement_is_kept_and_then_known(measured: list[Settings]) -> None:
    settings = Settings(d_model=64, d_ff=256, seed=3)
    wanted = measurement_of(settings)
    assert known_or_measured(wanted, quiet).roofline is None
    first = known_or_measured(replace(wanted, serial=1), quiet).roofline
    assert known_or_measured(wanted, quiet).roofline == first
    second = known_or_measured(replace(wanted, serial=2), quiet).roofline
    assert second != first
    assert known_or_measured(wanted, quiet).roofline == second
    assert len(measured) == 2
    (asked,) = {(s.d_model, s.d_ff, s.activation, s.seed, s.dtype, s.device) for s in measured}
    assert asked == (64, 256, "relu", 3, "float32", "cpu")


def test_what_stops_a_measurement_comes_through(measured: list[Settings]) -> None:
    def stop(_share: float) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        known_or_measured(replace(WANTED, serial=1), stop)
    assert load_rooflines(file()) == []


@pytest.mark.parametrize("place", ["~nosuchuser/x", "/" + "a" * 999, "/dev/null/x"])
def test_a_folder_that_cannot_be_is_no_error(
    measured: list[Settings], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(HOME, place)
    assert known_or_measured(replace(WANTED, serial=1), quiet).roofline is not None
    assert known_or_measured(WANTED, quiet).roofline is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("device", ["cuda:63", "xpu:63"])
def test_a_device_that_is_missing_is_no_fault(device: str) -> None:
    """A session of another machine may name one: nothing is known of it, or a sentence says so."""
    with suppress(InputError):
        assert known_or_measured(replace(WANTED, device=device), quiet).roofline is None


def test_the_same_ffn_fits_best_and_the_newest_of_all() -> None:
    here = KEPT.machine
    wide, narrow = replace(KEPT, d_ff=512), replace(KEPT, d_ff=128)
    foreign = [replace(KEPT, machine="other"), replace(KEPT, device="cuda:0"), replace(KEPT, dtype="float64")]
    again = replace(KEPT, roof=Roof(2e12, 4e10))
    assert fitting([], WANTED, machine=here) is None
    assert fitting(foreign, WANTED, machine=here) is None
    assert fitting([KEPT, wide, *foreign], WANTED, machine=here) is KEPT
    assert fitting([KEPT, again, wide], WANTED, machine=here) is again
    assert fitting([wide, narrow, *foreign], WANTED, machine=here) is narrow
    assert fitting([KEPT, wide], replace(WANTED, activation="silu"), machine=here) is wide
    assert fitting([KEPT, wide], WANTED, machine="other") is None
    assert fitting([KEPT], replace(WANTED, seed=9, serial=4), machine=here) is KEPT
