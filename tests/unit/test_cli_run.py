"""`run` as people and scripts meet it: JSON, tables, NPZ, NPY input, exit codes, cold start."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ffn_explorer.__main__ import main
from ffn_explorer.cli import run as run_command

SHOW = ["run", "--json", "--d-model", "512", "--d-ff", "2048", "--activation", "relu"]
SMALL = ["--d-model", "16", "--d-ff", "24"]

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def plain_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def answer(capsys: Capture, *arguments: str) -> dict[str, Any]:
    assert main(["run", "--json", *arguments]) == 0
    out, err = capsys.readouterr()
    wrote = f"ffn-explorer: Wrote {arguments[arguments.index('--npz') + 1]}\n" if "--npz" in arguments else ""
    assert err == wrote
    found: dict[str, Any] = json.loads(out)
    return found


def refusal(capsys: Capture, *arguments: str) -> str:
    assert main(["run", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_the_show(capsys: Capture) -> None:
    assert main(SHOW) == 0
    first = capsys.readouterr().out
    assert main(SHOW) == 0
    assert capsys.readouterr().out == first
    found = json.loads(first)
    assert found["tokens"] == [["The", "keys", "on", "the", "table", "are", "lost", "."]]
    assert found["shapes"] == {
        "x": [1, 8, 512],
        "up": [1, 8, 2048],
        "gate": None,
        "hidden": [1, 8, 2048],
        "out": [1, 8, 512],
    }
    assert found["parameters"] == {
        "ffn_total": 2_099_712,
        "ffn_weights": 2_097_152,
        "attention_weights": 1_048_576,
    }
    assert found["flops"] == {
        "ffn": 33_554_432,
        "attention_projections": 16_777_216,
        "attention_scores": 131_072,
    }
    assert found["theta"] == 0
    assert found["active_fraction"]["overall"] == pytest.approx(0.5, abs=0.02)
    assert found["active_fraction"]["overall"] + found["exact_zero_fraction"] == pytest.approx(1)
    assert found["active_fraction"]["per_token"][0] == pytest.approx([0.5] * 8, abs=0.05)
    assert found["position_check"]["max_difference"] < 1e-5
    assert found["position_check"]["dtype"] == "float32"
    assert found["origin"]["weights"] == {"kind": "seeded", "seed": 7}


def test_batch_leaves_padding_out(capsys: Capture) -> None:
    both = answer(capsys, *SMALL, "--sentence", "a b c", "--sentence", "d")
    single = answer(capsys, *SMALL, "--sentence", "a b c")
    assert [len(row) for row in both["active_fraction"]["per_token"]] == [3, 1]
    assert both["active_fraction"]["per_token"][0] == pytest.approx(single["active_fraction"]["per_token"][0])
    assert both["flops"]["ffn"] == single["flops"]["ffn"] // 3 * 4


def test_odd_characters_are_shown(capsys: Capture) -> None:
    found = answer(capsys, *SMALL, "--sentence", "鍵👍🏽\ud800")
    assert found["tokens"] == [["鍵", "👍🏽", "\ud800"]]


@pytest.mark.parametrize(
    ("language", "words"), [("en", "position independence"), ("ja", "位置の独立性：成り立つ")]
)
def test_table(capsys: Capture, language: str, words: str) -> None:
    assert main(["run", *SMALL, "--lang", language]) == 0
    out = capsys.readouterr().out
    assert words in out
    assert "[1, 8, 24]" in out


def test_locale_chooses_the_language(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    assert "指定できません" in refusal(capsys, "--d-model", "0")
    assert "cannot be 0" in refusal(capsys, "--d-model", "0", "--lang", "en")


def test_npz(capsys: Capture, tmp_path: Path) -> None:
    made = tmp_path / "numbers.npz"
    for _ in range(2):
        answer(capsys, *SMALL, "--activation", "swiglu", "--norm", "none", "--npz", str(made))
    assert [path.name for path in tmp_path.glob("*.npz*")] == [made.name]
    with np.load(made) as found:
        assert sorted(found) == sorted(["x", "normed", "up", "gate", "act", "hidden", "out", "residual"])
        np.testing.assert_allclose(found["hidden"], found["act"] * found["up"], rtol=1e-6)
        np.testing.assert_allclose(found["residual"], found["x"] + found["out"], rtol=1e-6)


def test_npz_repeats_to_the_byte(capsys: Capture, tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        answer(capsys, *SMALL, "--npz", str(tmp_path / name))
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_npz_of_experts(capsys: Capture, tmp_path: Path) -> None:
    made = tmp_path / "numbers.npz"
    answer(capsys, *SMALL, "--experts", "4", "--top-k", "2", "--dtype", "bfloat16", "--npz", str(made))
    with np.load(made) as found:
        assert found["expert_hidden"].shape == (1, 8, 2, 24)
        assert found["expert_index"].shape == found["expert_weight"].shape == (1, 8, 2)
        assert found["router_logits"].shape == (1, 8, 4)
        assert found["hidden"].dtype == np.float32
        assert "gate" not in found


def test_npz_that_cannot_be_written_leaves_nothing(capsys: Capture, tmp_path: Path) -> None:
    assert "cannot be written" in refusal(capsys, *SMALL, "--npz", str(tmp_path / "no" / "x.npz"))
    (tmp_path / "folder.npz").mkdir()
    assert "cannot be written" in refusal(capsys, *SMALL, "--npz", str(tmp_path / "folder.npz"))
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == ["folder.npz"]


@pytest.mark.parametrize("dtype", ["<f2", "<f4", ">f4", "<f8"])
def test_x_from_a_file(capsys: Capture, tmp_path: Path, dtype: str) -> None:
    file, made = tmp_path / "x.npy", tmp_path / "y.npz"
    x = np.asfortranarray(np.arange(60).reshape(5, 12) / 8).astype(dtype)
    np.save(file, x)
    found = answer(capsys, "--x", str(file), "--d-ff", "24", "--npz", str(made))
    assert found["shapes"]["x"] == [1, 5, 12]
    assert found["tokens"] == [["0", "1", "2", "3", "4"]]
    assert found["origin"]["x"] == {"kind": "loaded", "file": str(file)}
    with np.load(made) as numbers:
        np.testing.assert_array_equal(numbers["normed"][0], x)  # ffn-input: no norm, no residual
        np.testing.assert_array_equal(numbers["residual"], numbers["out"])
    answer(capsys, "--x", str(file), "--x-is", "residual", "--d-ff", "24", "--npz", str(made))
    with np.load(made) as numbers:
        assert numbers["normed"][0].mean(axis=-1) == pytest.approx([0] * 5, abs=1e-5)
        np.testing.assert_allclose(numbers["residual"], numbers["x"] + numbers["out"], rtol=1e-5)


def test_x_with_values_that_are_not_finite(capsys: Capture, tmp_path: Path) -> None:
    x = np.ones((2, 12), np.float32)
    x[0, 0], x[1, 0] = np.nan, np.inf
    np.save(tmp_path / "x.npy", x)
    found = answer(capsys, "--x", str(tmp_path / "x.npy"), "--d-ff", "24")
    assert found["active_fraction"]["per_token"][0][0] == 0


def test_position_independence_is_not_claimed_for_values_that_are_not_finite(
    capsys: Capture, tmp_path: Path
) -> None:
    file = str(tmp_path / "x.npy")
    np.save(file, np.full((3, 16), np.nan, np.float32))
    found = answer(capsys, "--x", file, "--d-ff", "24")
    assert found["position_check"]["max_difference"] is None
    for language, words in (("en", "cannot be told: values are not finite"), ("ja", "判定できない")):
        assert main(["run", "--x", file, "--d-ff", "24", "--lang", language]) == 0
        assert words in capsys.readouterr().out


def test_the_token_is_one_of_the_file(capsys: Capture, tmp_path: Path) -> None:
    file = str(tmp_path / "x.npy")
    np.save(file, np.ones((12, 16), np.float32))
    answer(capsys, "--x", file, "--d-ff", "24", "--token", "11")
    assert "--token cannot be 12: give a number from 0 to 11" in refusal(capsys, "--x", file, "--token", "12")


def test_empty_names_of_files_are_refused(capsys: Capture) -> None:
    for option in ("--npz", "--x"):
        assert f"{option} has an empty value" in refusal(capsys, option, "")
    assert main(["render", "-o", ""]) == 2
    assert "--output has an empty value" in capsys.readouterr().err


class Trap:
    """An object whose unpickling would leave a trace."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, ("trapped",)


def forged(header: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


def hostile() -> dict[str, bytes]:
    """Files that are not what they claim, by name."""

    def saved(array: Any, **options: Any) -> bytes:
        file = io.BytesIO()
        np.save(file, array, **options)
        return file.getvalue()

    archive = io.BytesIO()
    np.savez(archive, x=np.zeros((2, 3)))
    good = saved(np.zeros((4, 16), np.float32))
    dictionary = "{{'descr': '<f4', 'fortran_order': False, 'shape': {}}}\n"
    return {
        "empty": b"",
        "text": b"hello",
        "cut": good[:-8],
        "cut_header": good[:40],
        "pickle": saved(np.array([Trap()]), allow_pickle=True),
        "archive": archive.getvalue(),
        "huge": forged(dictionary.format("(99999999999, 99999999999)").encode()),
        "negative": forged(dictionary.format("(-1, 16)").encode()),
        "deep": forged(dictionary.format("(" * 5000).encode()),
        "code": forged(b"__import__('os').mkdir('trapped')\n"),
        "integers": saved(np.zeros((4, 16), np.int64)),
        "complex": saved(np.zeros((4, 16), np.complex64)),
        "records": saved(np.zeros(4, dtype=[("a", "<f4")])),
        "text_array": saved(np.array([["a"]])),
        "scalar": saved(np.float32(3)),
        "vector": saved(np.zeros(16, np.float32)),
        "four_axes": saved(np.zeros((1, 1, 2, 16), np.float32)),
        "no_tokens": saved(np.zeros((0, 16), np.float32)),
        "long": saved(np.zeros((2049, 1), np.float16)),
        "batch": saved(np.zeros((33, 1, 1), np.float16)),
        "wide": saved(np.zeros((1, 32_769), np.float16)),
    }


@pytest.mark.parametrize("name", list(hostile()))
def test_hostile_files(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.npy").write_bytes(hostile()[name])
    refusal(capsys, "--x", "x.npy")
    assert not Path("trapped").exists()


@pytest.mark.timeout(20)
def test_things_that_are_not_files(capsys: Capture, tmp_path: Path) -> None:
    assert "no file" in refusal(capsys, "--x", str(tmp_path / "nosuch.npy"))
    assert "no file" in refusal(capsys, "--x", str(tmp_path))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert "no file" in refusal(capsys, "--x", str(tmp_path / "pipe"))


def test_x_must_fit_what_else_is_given(capsys: Capture, tmp_path: Path) -> None:
    file = str(tmp_path / "x.npy")
    np.save(file, np.zeros((2, 12), np.float32))
    assert "[1, 2, 16]" in refusal(capsys, "--x", file, "--d-model", "16")
    assert "--sentence" in refusal(capsys, "--x", file, "--sentence", "a")
    assert "ffn-input" in refusal(capsys, "--x", file, "--x-is", "nosuch")
    assert "--x" in refusal(capsys, "--x-is", "residual")


def test_refusals_are_one_sentence(capsys: Capture) -> None:
    assert "half" in refusal(capsys, "--d-model", "16384", "--d-ff", "65536", "--experts", "256")
    assert "cpu" in refusal(capsys, "--device", "xpu:63")
    assert "no token" in refusal(capsys, "--sentence", " ")
    assert "2,049" in refusal(capsys, "--sentence", "a " * 2049)


def test_our_own_faults(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> int:
        raise RuntimeError("first line\nsecond line")

    monkeypatch.setattr(run_command, "main", broken)
    assert main(["run"]) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "RuntimeError: first line" in err
    assert "--debug" in err
    assert main(["run", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_version_and_help(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("ffn-explorer ")
    for arguments in (["--help"], ["run", "--help"], ["run", "-h", "--lang", "ja"]):
        assert main(arguments) == 0
        assert "--d-model" in capsys.readouterr().out


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )


def test_reading_the_command_line_imports_nothing_heavy() -> None:
    code = (
        "import sys; from ffn_explorer.__main__ import main; "
        "main(['--help']); main(['run', '--d-model', '0']); "
        "print([m for m in ('torch', 'numpy', 'PySide6', 'pyqtgraph') if m in sys.modules])"
    )
    done = python(code)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break differently there")
def test_a_reader_that_leaves_early_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "ffn_explorer", "run", "--json", *SMALL],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")
