"""Every colour literal stands in widgets/theme.py, so that a theme is one table."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "ffn_explorer" / "widgets" / "theme.py"
SOURCES = [path for path in sorted(ROOT.glob("ffn_explorer/**/*.py")) if path != HOME]

IN_TEXT = re.compile(r"(?i)#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3})\b|\b(?:rgba?|hs[vl]a?)\(\s*\d")
MAKERS = {
    "QColor",
    "qRgb",
    "qRgba",
    "mkColor",
    "mkPen",
    "mkBrush",
    "fromRgb",
    "fromRgbF",
    "fromHsv",
    "fromHsvF",
}
NAMES = {
    "black", "white", "red", "darkRed", "green", "darkGreen", "blue", "darkBlue", "cyan", "darkCyan",
    "magenta", "darkMagenta", "yellow", "darkYellow", "gray", "darkGray", "lightGray",
}  # fmt: skip


def is_literal(node: ast.expr) -> bool:
    """Say whether an argument is a number or a text written out, alone or in a tuple."""
    if isinstance(node, ast.Tuple | ast.List):
        return any(is_literal(part) for part in node.elts)
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float | str)


def called(node: ast.Call) -> str:
    """Return the last part of the name that is called."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def colours(path: Path) -> Iterator[str]:
    """Name every colour literal of a file, with its line."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and IN_TEXT.search(node.value):
            yield f"{path.name}:{node.lineno} {node.value[:40]!r}"
        elif isinstance(node, ast.Call) and called(node) in MAKERS and any(map(is_literal, node.args)):
            yield f"{path.name}:{node.lineno} {called(node)}(...)"
        elif isinstance(node, ast.Attribute) and node.attr in NAMES:
            owner = ast.unparse(node.value)
            if owner.endswith(("Qt", "GlobalColor")):
                yield f"{path.name}:{node.lineno} {owner}.{node.attr}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_colour_literals_stand_only_in_the_theme(path: Path) -> None:
    assert list(colours(path)) == []


@pytest.mark.parametrize(
    "line",
    [
        "x = '#1f63b0'",
        "x = 'color: #abc;'",
        "x = QColor(1, 2, 3)",
        "x = pg.mkPen('r')",
        "x = pg.mkBrush((1, 2, 3))",
        "x = Qt.red",
        "x = Qt.GlobalColor.darkBlue",
        "x = 'rgb(10, 20, 30)'",
        "x = f'border: 1px solid #{a}; color: #112233'",
    ],
)
def test_the_check_sees_a_colour(tmp_path: Path, line: str) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(line, "utf-8")
    assert len(list(colours(bad))) == 1


@pytest.mark.parametrize(
    "line", ["x = QColor(theme.ink)", "x = '#12'", "x = pg.mkPen(pen)", "x = a.red", "x = 'issue #7'"]
)
def test_the_check_leaves_the_rest_alone(tmp_path: Path, line: str) -> None:
    good = tmp_path / "good.py"
    good.write_text(line, "utf-8")
    assert list(colours(good)) == []
