"""Which catalogue keys the program's sources use, read from their syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ffn_explorer.state.text import catalogue

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "ffn_explorer"
SOURCES = sorted(PACKAGE.glob("**/*.py"))
TABLES = {key.partition(".")[0] for key in catalogue("en")}
"""First parts of the keys."""

# Function -> position of the argument that is a key.
KEY_AT = {
    "say": 1,
    "_say": 1,
    "text": 0,
    "Text": 0,
    "tell": 0,
    "silent": 0,
    "Change": 0,
    "SettingError": 0,
    "InputError": 0,
    "MemoryRefusal": 0,
    "ExplorerError": 0,
}
TAKES_VALUES = KEY_AT.keys() - {"Text", "silent", "Change"}


@dataclass(frozen=True)
class Use:
    """One place where a key stands: its pattern, and the values given with it (None: unseen)."""

    where: str
    pattern: str
    values: frozenset[str] | None

    def matches(self, key: str) -> bool:
        """Say whether the key is, or can be, this one."""
        return re.fullmatch(self.pattern, key) is not None


def pattern_of(node: ast.expr) -> str | None:
    """Return a regular expression for what a literal or an f-string can be, None for other things."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    if isinstance(node, ast.JoinedStr):
        parts = (
            re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"[a-z0-9_.]+"
            for part in node.values
        )
        return "".join(parts)
    return None


def alternatives(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions that an argument can be: both sides of a condition, or itself."""
    if isinstance(node, ast.IfExp):
        yield from alternatives(node.body)
        yield from alternatives(node.orelse)
    else:
        yield node


def own_prefix(tree: ast.Module) -> str:
    """Return what a file puts before bare keys: "panel.<name>." for a Panel, or what its own `_say` says."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any("Panel" in ast.unparse(base) for base in node.bases):
            for line in node.body:
                given = re.match(r"name(?:: ClassVar\[str\])? = '(\w+)'", ast.unparse(line))
                if given:
                    return f"panel.{given[1]}."
        if isinstance(node, ast.FunctionDef) and node.name == "_say":
            for part in ast.walk(node):
                if isinstance(part, ast.JoinedStr) and isinstance(part.values[0], ast.Constant):
                    return str(part.values[0].value)
    return ""


def bare(pattern: str) -> bool:
    """Say whether a pattern begins without the name of a table."""
    return pattern.partition(r"\.")[0] not in TABLES or r"\." not in pattern


def uses_in(path: Path) -> Iterator[Use]:
    """Yield every key that a file hands to a function that takes keys."""
    tree = ast.parse(path.read_text("utf-8"))
    prefix = own_prefix(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        bound = isinstance(node.func, ast.Attribute) and name in ("say", "_say")
        at = 0 if bound else KEY_AT.get(name, -1)
        if not 0 <= at < len(node.args):
            continue
        seen = name in TAKES_VALUES and all(keyword.arg for keyword in node.keywords)
        values = frozenset(str(keyword.arg) for keyword in node.keywords) if seen else None
        for key in alternatives(node.args[at]):
            pattern = pattern_of(key)
            if pattern:
                # A panel's `say`, and a file's own `_say`, put the prefix before bare keys.
                prefixed = (bound or name == "_say") and bare(pattern)
                whole = f"(?:{re.escape(prefix)})?{pattern}" if prefixed else pattern
                yield Use(f"{path.relative_to(ROOT)}:{node.lineno}", whole, values)


def words_in(path: Path) -> Iterator[str]:
    """Yield every literal of a file, and every f-string with a literal part, as patterns."""
    tree = ast.parse(path.read_text("utf-8"))
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in inner:
            pattern = pattern_of(node)
            if pattern is not None and re.search(r"[a-z]", pattern.replace(r"[a-z0-9_.]+", "")):
                yield pattern
