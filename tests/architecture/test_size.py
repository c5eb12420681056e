"""Files stay readable: at most 300 lines a file and 50 a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([*ROOT.glob("ffn_explorer/**/*.py"), *ROOT.glob("packaging/*.py")])
MOST_FILE_LINES = 300
MOST_FUNCTION_LINES = 50


def too_long(path: Path) -> Iterator[str]:
    """Name the file and the functions that are longer than allowed."""
    text = path.read_text("utf-8")
    lines = len(text.splitlines())
    if lines > MOST_FILE_LINES:
        yield f"{path.name}: {lines} lines, at most {MOST_FILE_LINES}"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            length = node.end_lineno - node.lineno + 1
            if length > MOST_FUNCTION_LINES:
                yield f"{path.name}:{node.lineno} {node.name}: {length} lines, at most {MOST_FUNCTION_LINES}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_and_functions_stay_short(path: Path) -> None:
    assert list(too_long(path)) == []


def test_the_check_sees_a_long_file_and_a_long_function(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("def f():\n" + "    x = 1\n" * 400, "utf-8")
    assert [line.split(":")[1].strip() for line in too_long(bad)] == ["401 lines, at most 300", "1 f"]
