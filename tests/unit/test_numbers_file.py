"""Numbers as CSV and NPZ: every cell comes back exactly, and none does anything in a spreadsheet."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.errors import InputError
from ffn_explorer.export.numbers_file import WRITERS, csv_bytes, npz_bytes, write_table
from ffn_explorer.export.tsv import tsv

CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
FLOATS = st.floats(allow_nan=True, allow_infinity=True)


def read_csv(content: bytes) -> list[list[str]]:
    """The cells of a CSV file, as a spreadsheet reads them."""
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def read_npz(content: bytes) -> tuple[list[str], list[list[object]]]:
    """Names and columns of an NPZ file; nothing in it is a pickle."""
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        names = file["names"].tolist()
        return names, [file[f"column_{at}"].tolist() for at in range(len(names))]


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=2, max_size=6))
def test_words_come_back_from_csv(table: list[list[str]]) -> None:
    for before, after in zip(table, read_csv(csv_bytes(table)), strict=True):
        for cell, found in zip(before, after, strict=True):
            assert found in (cell, f"'{cell}")
            assert found[:1] not in ("=", "@", "\t", "\r") or len(found) == 1


@given(st.lists(FLOATS, min_size=1, max_size=8))
def test_floats_come_back_to_the_last_digit(values: list[float]) -> None:
    table = [["value"], *([repr(value)] for value in values)]
    rows = [float(row[0]) for row in read_csv(csv_bytes(table))[1:]]
    _, (column,) = read_npz(npz_bytes(table))
    for found in (rows, column):
        assert all(
            a == b or (math.isnan(a) and math.isnan(float(str(b))))
            for a, b in zip(values, found, strict=True)
        )


@given(st.lists(st.integers(-(10**17), 10**17), min_size=1, max_size=8))
def test_whole_numbers_stay_whole(values: list[int]) -> None:
    _, (column,) = read_npz(npz_bytes([["n"], *([str(value)] for value in values)]))
    assert column == values
    assert all(type(value) is int for value in column)


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_float32_as_numpy_writes_it_comes_back(values: list[float]) -> None:
    stored = np.array(values, np.float32)
    _, (column,) = read_npz(npz_bytes([["v"], *([str(value)] for value in stored)]))
    assert (np.array(column, np.float32) == stored).all()


def test_what_a_spreadsheet_would_run_is_only_text() -> None:
    harmless = ["-2.5", "+3", "-1e-05", "-inf", "-"]
    risky = ["=1+1", "@SUM(A1)", "+cmd", "-2+3", "\t=1"]
    table = [["a"], *([cell] for cell in (*harmless, *risky))]
    found = [row[0] for row in read_csv(csv_bytes(table))[1:]]
    assert found == [*harmless, *(f"'{cell}" for cell in risky)]


def test_csv_says_that_it_is_utf_8_and_ends_lines_as_the_standard_wants() -> None:
    content = csv_bytes([["名前", "値"], ["鍵, 机", "1"], ['a "b"\nc', "2"]])
    assert content.startswith(b"\xef\xbb\xbf")
    assert content.endswith(b'"a ""b""\nc",2\r\n')
    assert read_csv(content)[0] == ["名前", "値"]


def test_columns_of_an_npz_keep_their_kind() -> None:
    table = [["index", "value", "word", "gap"], ["0", "1.5", "a", ""], ["1", "nan", "2", "3"]]
    names, (index, value, word, gap) = read_npz(npz_bytes(table))
    assert names == ["index", "value", "word", "gap"]
    assert index == [0, 1]
    assert value[0] == 1.5
    assert word == ["a", "2"]
    assert [math.isnan(float(str(cell))) for cell in (value[1], gap[0])] == [True, True]
    assert gap[1] == 3.0


def test_short_rows_are_filled() -> None:
    names, columns = read_npz(npz_bytes([["a", "b"], ["1"], ["2", "3"]]))
    assert names == ["a", "b"]
    assert columns[0] == [1, 2]
    assert math.isnan(float(str(columns[1][0])))


def test_a_lone_surrogate_is_written_as_an_escape() -> None:
    table = [["token"], ["a\ud800"]]
    assert read_csv(csv_bytes(table))[1] == ["a\\ud800"]
    assert read_npz(npz_bytes(table))[1] == [["a\\ud800"]]
    assert tsv([["a\tb", "c\nd"]]) == "a b\tc d\n"


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_file_appears_whole_or_not_at_all(tmp_path: Path, suffix: str) -> None:
    table = [["a"], ["1"]]
    path = tmp_path / f"table{suffix.upper()}"
    write_table(table, path)
    assert path.read_bytes()
    with pytest.raises(InputError) as caught:
        write_table(table, tmp_path / "gone" / f"table{suffix}")
    assert caught.value.key == "export.write"
    assert list(tmp_path.iterdir()) == [path]
