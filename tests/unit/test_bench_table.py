"""Benches: how measured values become rows; nothing here measures time."""

from __future__ import annotations

import argparse
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.cli import bench as command
from ffn_explorer.cli.benches import children, timing
from ffn_explorer.cli.benches.table import BENCHES, Bench, named, row_of
from ffn_explorer.cli.benches.timing import Measured, in_turn, middle
from ffn_explorer.core.errors import InputError
from ffn_explorer.state.text import say

FIELDS = ["name", "median", "p95", "unit", "ratio", "limit", "ok"]


def bench(kind: str = "ratio", limit: float = 2.0) -> Bench:
    return Bench("stall_use", lambda: Measured((1.0,)), "ratio" if kind == "ratio" else "value", limit, "ms")


def test_a_ratio_is_held_against_its_limit() -> None:
    row = row_of(bench(), Measured((3.0, 4.0, 5.0), rival=(2.0, 1.0, 3.0)))
    assert (row.median, row.ratio, row.ok) == (4.0, 2.0, True)
    assert not row_of(bench(), Measured((4.1, 4.1), rival=(2.0, 2.0))).ok


def test_a_value_is_held_against_its_limit() -> None:
    assert row_of(bench("value"), Measured((1.0, 2.0, 9.0))).ok
    row = row_of(bench("value"), Measured((1.0, 2.5, 9.0)))
    assert (row.median, row.p95, row.ratio, row.ok) == (2.5, 9.0, None, False)


def test_what_was_measured_wrongly_is_never_ok() -> None:
    assert not row_of(bench(), Measured((1.0,), rival=(1.0,), sound=False)).ok


def test_p95_is_one_of_the_values() -> None:
    assert Measured(tuple(float(n) for n in range(1, 101))).p95 == 95.0
    assert Measured((7.0,)).p95 == 7.0
    assert Measured((1.0, 2.0, 3.0)).p95 == 3.0


@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=40))
def test_the_middle_has_as_many_below_as_above(values: list[float]) -> None:
    at = middle(values)
    below, above = sum(v < at for v in values), sum(v > at for v in values)
    assert max(below, above) <= len(values) / 2
    assert Measured(tuple(values)).p95 in values


def test_rivals_take_turns_and_the_first_round_is_left_out() -> None:
    calls: list[str] = []
    ours, bare = in_turn(lambda: calls.append("a"), lambda: calls.append("b"), budget_s=0.0, most=40)
    assert len(ours) == len(bare) == timing.LEAST_ROUNDS
    assert "".join(calls) == "ab" + "abbaabbaab"


def test_rounds_end_at_the_most_wanted() -> None:
    ours, bare = in_turn(lambda: None, lambda: None, budget_s=60.0, most=3)
    assert len(ours) == len(bare) == 3


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_bench_is_described(language: str) -> None:
    assert all(say(language, f"bench.about.{row.name}") for row in BENCHES)


def test_names_are_unique_and_chosen_by_their_first_words() -> None:
    assert len({row.name for row in BENCHES}) == len(BENCHES)
    assert named([]) == BENCHES
    assert [row.name for row in named(["stall", "first_picture"])] == [
        "first_picture",
        "stall_torch_import",
        "stall_use",
    ]
    assert [row.name for row in named(["frame"])] == ["frame_playing"]
    with pytest.raises(ValueError, match=r"^nothing$"):
        named(["stall", "nothing"])


def test_json_holds_the_agreed_fields(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "named", lambda _: (bench(limit=0.5), bench("value")))
    assert command.main(argparse.Namespace(names=[], json=True)) == 0
    printed = capsys.readouterr()
    rows = json.loads(printed.out)
    assert [list(row) for row in rows] == [FIELDS, FIELDS]
    assert [row["ok"] for row in rows] == [False, True]
    assert "stall_use" in printed.err


def test_the_table_says_which_limit_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "named", lambda _: (bench(limit=0.5), bench("value")))
    assert command.main(argparse.Namespace(names=[], json=False)) == 0
    head, missed, kept = capsys.readouterr().out.splitlines()
    assert head.split() == ["bench", "median", "p95", "ratio", "limit", "result"]
    assert missed.endswith("LIMIT MISSED")
    assert kept.endswith("ok")


def test_an_unknown_bench_is_refused() -> None:
    with pytest.raises(InputError, match=r"bench\.unknown"):
        command.main(argparse.Namespace(names=["nothing"], json=True))


def test_a_child_that_fails_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "command", lambda *_: [sys.executable, "-c", "raise SystemExit('why')"])
    with pytest.raises(RuntimeError, match="why"):
        children.ask("frames_child")


def test_a_child_answers_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import os; print('{\"home\": ' + str(int('FFN_EXPLORER_HOME' in os.environ)) + '}')"
    monkeypatch.setattr(children, "command", lambda *_: [sys.executable, "-c", script])
    assert children.ask("frames_child") == {"home": 1}
