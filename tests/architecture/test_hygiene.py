"""Small rules that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT_ENDINGS = {".py", ".toml", ".md", ".txt", ".json", ".svg", ".desktop", ".yml", ".cfg", ".ini", ""}
SOURCES = sorted(ROOT.glob("ffn_explorer/**/*.py"))
PICTURES = [
    path
    for path in SOURCES
    if path.relative_to(ROOT).parts[1] in ("panels", "widgets", "app", "board.py", "board")
]

MACHINE_PATH = re.compile(r"(?<![\w.~/])/(?:work|root|home|Users)/\w")
REGISTRY_HOST = re.compile(r"pypi\.org|pythonhosted\.|npmjs\.org|deb\.debian|/opt[/]pypi")
RANDOM = re.compile(
    r"^(?:random\.|np\.random|numpy\.random|torch\.(?:rand|normal|manual_seed|bernoulli))|default_rng$"
)
NEVER = {"eval", "exec", "compile_command", "processEvents"}


def tracked() -> list[Path]:
    """Return the text files of the repository, as git knows them, or of its folders where git is absent."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = done.stdout.split("\0") if done.returncode == 0 else []
    folders = ("ffn_explorer", "tests", "packaging", "docs", "assets")
    found = [ROOT / name for name in names if name] or [p for f in folders for p in (ROOT / f).rglob("*")]
    return [path for path in found if path.is_file() and path.suffix in TEXT_ENDINGS]


def lines_with(pattern: re.Pattern[str], path: Path) -> Iterator[str]:
    """Name the lines of a file that hold a pattern."""
    for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
        if pattern.search(line):
            yield f"{path.name}:{number} {line.strip()[:80]}"


def calls(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and dotted name of every call in a file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            yield node.lineno, ast.unparse(node.func)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and top-level package of every import in a file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, (node.module or "").split(".")[0]


def forbidden(path: Path) -> list[str]:
    """Name what no file of the program may do: run text as code, unpickle, run the event loop by hand."""
    found = [
        f"{line} {name}"
        for line, name in calls(path)
        if name.split(".")[-1] in NEVER and name != "re.compile"
    ]
    found = [item for item in found if not item.endswith((".exec", ".eval"))]  # QDialog.exec, torch's eval()
    return found + [
        f"{line} {name}" for line, name in imports(path) if name in ("pickle", "dill", "marshal", "shelve")
    ]


def invented(path: Path) -> list[str]:
    """Name the random generators a file uses: a picture shows what is there and invents nothing."""
    found = [f"{line} {name}" for line, name in calls(path) if RANDOM.search(name)]
    return found + [f"{line} {name}" for line, name in imports(path) if name in ("random", "secrets")]


def test_no_machine_paths() -> None:
    assert [hit for path in tracked() for hit in lines_with(MACHINE_PATH, path)] == []


def test_no_package_registry_hosts() -> None:
    assert [hit for path in tracked() for hit in lines_with(REGISTRY_HOST, path)] == []


def test_packaging_is_not_a_package() -> None:
    assert not (ROOT / "packaging" / "__init__.py").exists(), "it would shadow the packaging module"
    assert not (ROOT / "packaging" / "setup.py").exists()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_forbidden_is_called(path: Path) -> None:
    assert forbidden(path) == []


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pictures_invent_no_numbers(path: Path) -> None:
    assert invented(path) == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text("utf-8")))


def test_every_python_file_belongs_to_a_package() -> None:
    assert [path.parent.name for path in SOURCES if not (path.parent / "__init__.py").exists()] == []


@pytest.mark.parametrize(
    "line",
    [
        "eval('1')",
        "exec('1')",
        "app.processEvents()",
        "QApplication.processEvents()",
        "import pickle",
        "from pickle import loads",
    ],
)
def test_the_check_sees_what_is_forbidden(tmp_path: Path, line: str) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(line, "utf-8")
    assert len(forbidden(bad)) == 1


@pytest.mark.parametrize("line", ["dialog.exec()", "model.eval()", "re.compile('a')", "sys.exit(app.exec())"])
def test_the_check_leaves_the_rest_alone(tmp_path: Path, line: str) -> None:
    good = tmp_path / "good.py"
    good.write_text(line, "utf-8")
    assert forbidden(good) == []


@pytest.mark.parametrize(
    "line",
    [
        "np.random.rand(3)",
        "torch.randn(3)",
        "import random",
        "rng = numpy.random.default_rng(1)",
        "np.random.default_rng(2)",
    ],
)
def test_the_check_sees_a_random_number(tmp_path: Path, line: str) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(line, "utf-8")
    assert len(invented(bad)) == 1


def test_the_check_sees_paths_and_hosts(tmp_path: Path) -> None:
    bad = tmp_path / "bad.md"
    bad.write_text(
        "see /" + "home/ann/x\nfrom https://" + "pypi." + "org/simple\nhttps://example.org/" + "home/x\n",
        "utf-8",
    )
    assert len(list(lines_with(MACHINE_PATH, bad))) == 1
    assert len(list(lines_with(REGISTRY_HOST, bad))) == 1
