"""`cost` as people and scripts meet it: figures, tables that align, one sentence on a mistake."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any
from unicodedata import east_asian_width

import pytest

from ffn_explorer.__main__ import main
from ffn_explorer.cli.cost_report import MOST_FORMULA
from ffn_explorer.core.bill_row import Use
from ffn_explorer.core.cost import bill
from ffn_explorer.core.model_bill import model_bill
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.costing import MOST_TOKENS
from ffn_explorer.state.models import model, models
from ffn_explorer.state.text import say

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def plain_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def printed(capsys: Capture, *arguments: str) -> str:
    """What stands on standard output; nothing may stand beside it."""
    assert main(["cost", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def answer(capsys: Capture, *arguments: str) -> Any:
    return json.loads(printed(capsys, "--json", *arguments))


def refusal(capsys: Capture, *arguments: str) -> str:
    """The one sentence about a mistake."""
    assert main(["cost", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("ffn-explorer: ")
    return err


def width(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def test_llama_3_8b(capsys: Capture) -> None:
    found = answer(capsys, "--preset", "llama-3-8b", "--tokens", "8192")
    assert found["per_layer"]["ffn_weights"] == 176_160_768
    assert round(found["shares"]["ffn"], 3) == round(found["shares"]["ffn_active"], 3) == 0.808
    assert found["crossings"] == {"scores_equal_ffn": 21_504, "attention_equals_ffn": 16_384}
    assert found["crossings_causal"] == {"scores_equal_ffn": 43_007, "attention_equals_ffn": 32_767}
    assert found["totals"]["parameters"] == found["totals"]["active"] == 8_030_261_248
    assert found["use"] == {"tokens": 8_192, "cached": 0, "causal": True, "bits": 16, "cache_bits": 16}
    assert found["model"]["id"] == "llama-3-8b"
    assert found["model"]["published"] == "8.03B"


def test_mixtral(capsys: Capture) -> None:
    found = answer(capsys, "--preset", "mixtral-8x7b")
    assert round(found["shares"]["ffn"], 3) == 0.971
    assert round(found["shares"]["ffn_active"], 3) == 0.894
    assert found["totals"]["parameters"] > found["totals"]["active"]


def test_the_base_model_of_2017(capsys: Capture) -> None:
    found = answer(capsys, "--d-model", "512", "--d-ff", "2048")
    assert found["crossings"] == {"scores_equal_ffn": 2_048, "attention_equals_ffn": 1_024}
    assert found["model"] is None
    one = bill(Settings(), [8])
    assert found["per_layer"]["ffn_weights"] == one.ffn_weights == 2_097_152
    assert found["per_layer"]["attention_weights"] == one.attention_weights == 1_048_576
    flops = {"ffn": one.ffn_flops, "attention": one.projection_flops, "scores": one.score_flops}
    assert (found["use"]["tokens"], found["per_layer"]["flops"]) == (8, flops)


@pytest.mark.parametrize("name", ["gpt-3", "deepseek-v3", "gpt-oss-20b", "t5-small"])
@pytest.mark.parametrize("more", [["--tokens", "300"], ["--cached", "300", "--bits", "4"], ["--no-causal"]])
def test_rows_add_up(capsys: Capture, name: str, more: list[str]) -> None:
    found = answer(capsys, "--preset", name, *more)
    rows, totals, use = found["rows"], found["totals"], found["use"]
    whole = model_bill(model(name).shape, Use(**use))
    assert sum(row["count"] for row in rows) == totals["parameters"] == whole.count()
    assert sum(row["active"] for row in rows) == totals["active"] == whole.active()
    assert sum(row["flops"] for row in rows) == totals["flops"] == whole.flops()
    assert sum(row["bytes"] for row in rows) == totals["bytes"]
    assert totals["bytes"] == totals["weight_bytes"] + totals["cache_bytes"]
    assert totals["cache_bytes"] == whole.cached() * 2
    for row in rows:
        shown = row["count"] or whole.cached() * (row["name"] == "cache") or row["flops"]
        assert row["formula"].endswith(f"{shown:,}") or "cache" in row["name"]
        assert row["flops_formula"].endswith(f"{row['flops']:,}")


def test_decoding_and_bits(capsys: Capture) -> None:
    found = answer(capsys, "--preset", "Llama 3 8B", "--cached", "1000", "--bits", "8", "--cache-bits", "4")
    assert found["use"] == {"tokens": 1, "cached": 1_000, "causal": True, "bits": 8, "cache_bits": 4}
    assert found["totals"]["weight_bytes"] == found["totals"]["parameters"]
    assert found["totals"]["cache_bytes"] == 2 * 32 * 1_001 * 8 * 128 // 2
    whole = answer(capsys, "--preset", "llama-3-8b", "--tokens", "10", "--no-causal")
    skipped = answer(capsys, "--preset", "llama-3-8b", "--tokens", "10")
    assert whole["totals"]["flops"] - skipped["totals"]["flops"] == 32 * (4 * 100 - 2 * 110) * 4_096


def test_the_sentence_counts_where_no_number_is_given(capsys: Capture) -> None:
    assert answer(capsys, "--sentence", "a b c")["use"]["tokens"] == 3
    assert answer(capsys, "--preset", "gpt-3", "--sentence", "a b")["use"]["tokens"] == 2
    assert answer(capsys, "--tokens", str(MOST_TOKENS))["use"]["tokens"] == MOST_TOKENS


def test_the_list(capsys: Capture) -> None:
    found = answer(capsys, "--preset")
    assert [each["id"] for each in found] == [each.id for each in models()]
    for each in found:
        assert each["parameters"] == model_bill(model(each["id"]).shape, Use(1)).count()
        assert all(each[key] for key in ("name", "maker", "source", "published", "published_source"))
    assert [each["year"] for each in found] == sorted(each["year"] for each in found)
    lines = printed(capsys, "--preset").splitlines()
    assert len(lines) == len(found) + 1
    assert [line.split()[0] for line in lines[1:]] == [each["id"] for each in found]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    "arguments", [[], ["--preset", "deepseek-v3", "--cached", "5000"], ["--preset", "t5-11b"]]
)
def test_tables_align(capsys: Capture, language: str, arguments: list[str]) -> None:
    """Numbers end under each other and formulas begin there, counted in places of a terminal."""
    found = answer(capsys, *arguments)
    lines = printed(capsys, *arguments, "--lang", language).splitlines()
    head, *rows = lines[1 : 2 + len(found["rows"])]
    names = [say(language, f"cli.cost.column.{key}") for key in ("count", "flops", "bytes", "formula")]
    ends = [width(head[: head.index(name) + len(name)]) for name in names]
    ends[-1] -= width(names[-1])
    for line, row in zip(rows, found["rows"], strict=True):
        assert line.startswith(say(language, f"costs.row.{row['name']}"))
        cells, at = line, 0
        for key, end in zip(("count", "flops", "bytes"), ends, strict=False):
            number = f"{row[key]:,}"
            at = line.index(f" {number} ", at) + 1 + len(number)
            assert width(line[:at]) == end
        formula = cells[at:].strip()
        assert width(line) - width(formula) == ends[-1]
        assert len(formula) <= MOST_FORMULA
        assert row["formula"].startswith(formula.removesuffix("…"))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_list_aligns(capsys: Capture, language: str) -> None:
    head, *lines = printed(capsys, "--preset", "--lang", language).splitlines()
    name = say(language, "cli.cost.column.count")
    end = width(head[: head.index(name) + len(name)])
    for line, each in zip(lines, models(), strict=True):
        number = f"{model_bill(each.shape, Use(1)).count():,}"
        assert width(line[: line.index(f" {number} ") + 1 + len(number)]) == end


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_table_says_what_the_figures_are(capsys: Capture, language: str) -> None:
    out = printed(capsys, "--preset", "llama-3-8b", "--tokens", "8192", "--lang", language)
    for figure in ("176,160,768", "80.8", "21,504", "16,384", "43,007", "32,767", "8.03B", "8,030,261,248"):
        assert figure in out
    assert model("llama-3-8b").source in out
    assert say(language, model("llama-3-8b").reason) in out


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_length_lies_before_the_first_token(capsys: Capture, language: str) -> None:
    tiny = ["--d-model", "1", "--d-ff", "1"]
    out = printed(capsys, *tiny, "--lang", language)
    assert say(language, "cli.cost.never") in out
    assert re.search(r"S = -|S = 0|[^\d,]-\d", out) is None
    found = answer(capsys, *tiny)
    assert (
        found["crossings"]
        == found["crossings_causal"]
        == {"scores_equal_ffn": None, "attention_equals_ffn": None}
    )


def test_a_mistyped_preset_is_answered_with_the_nearest(capsys: Capture) -> None:
    assert "llama-3-8b" in refusal(capsys, "--preset", "lama-3-8b")
    assert "llama-3-8b" in refusal(capsys, "--preset", "lama-3-8b", "--json", "--lang", "ja")
    assert "transformer-base" in refusal(capsys, "--preset", "?\n?")


@pytest.mark.parametrize(
    "typed",
    ["0", "-1", "1e99", "\N{ARABIC-INDIC DIGIT THREE}", "\N{FULLWIDTH DIGIT ONE}", "²", "", " ", "8.0", "x",
     "9" * 5_000, str(MOST_TOKENS + 1)],
)  # fmt: skip
@pytest.mark.parametrize("option", ["--tokens", "--cached"])
def test_a_length_is_a_whole_number_in_range(capsys: Capture, option: str, typed: str) -> None:
    for language in ("en", "ja"):
        assert option in refusal(capsys, f"{option}={typed}", "--lang", language)


def test_options_that_contradict_each_other(capsys: Capture) -> None:
    said = refusal(capsys, "--tokens", "5", "--cached", "5")
    assert "--tokens" in said
    assert "--cached" in said
    for option in (
        "--d-model=4",
        "--d-ff=4",
        "--no-bias",
        "--stack=decoder",
        "--experts=2",
        "--activation=relu",
    ):
        name = option.partition("=")[0].replace("--no-", "--")
        assert name in refusal(capsys, "--preset", "llama-3-8b", option)
    # What says nothing of sizes may stand beside a preset.
    assert (
        answer(capsys, "--preset", "llama-3-8b", "--seed", "3", "--dtype", "float64")["model"]["year"] == 2024
    )


def test_other_mistakes(capsys: Capture) -> None:
    assert "--bits" in refusal(capsys, "--bits", "3")
    assert "--cache-bits" in refusal(capsys, "--cache-bits", "16.0")
    assert "--tokens" in refusal(capsys, "--tokens")
    assert "extra" in refusal(capsys, "--preset", "gpt-3", "extra")
    assert "--d-model" in refusal(capsys, "--d-model", "0")


def test_counting_needs_neither_torch_nor_qt() -> None:
    code = (
        "import sys; from ffn_explorer.__main__ import main; main(['cost', '--preset', 'gpt-3']); "
        "print([m for m in ('torch', 'PySide6', 'pyqtgraph') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]"
