"""Values inside sentences: no control character passes, nothing floods the screen."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.__main__ import main
from ffn_explorer.state.quoting import WIDEST, harmless, listed, quoted
from ffn_explorer.state.text import say, text

Capture = pytest.CaptureFixture[str]


@given(st.text(), st.integers(5, 200))
def test_quoted_values_are_printable_and_short(value: str, widest: int) -> None:
    shown = quoted(value, widest)
    assert not any(c in shown for c in "\x1b\n\r\x00\x7f\ud800\u202e")
    if len(value) <= widest and value.isascii() and value.isprintable() and value.strip():
        assert shown == value
    assert quoted("a" * 999, widest).count("a") == widest - 1


def test_values_inside_values_are_quoted_too() -> None:
    inner = text("state.why_entry", name="a\x1bb")
    outer = harmless(text("state.session_damaged", file="x\ny", reason=inner))
    shown = say("en", outer)
    assert "x<U+000A>y" in shown
    assert "a<U+001B>b" in shown


def test_numbers_and_our_own_lists_stay_whole() -> None:
    ours = text("error.choice", field="f", value="v" * 999, choices="c, " * 99)
    shown = dict(harmless(ours).values)
    assert shown["choices"] == "c, " * 99
    assert len(shown["value"]) == WIDEST
    kept = text("error.range", field="f", value=3, low=0, high=1)
    assert harmless(kept) == kept


def test_five_names_and_how_many_more() -> None:
    assert listed(["a", "b"]) == "a, b"
    more = listed([f"k{i}" for i in range(3_005)])
    assert not isinstance(more, str)
    assert say("en", more) == "k0, k1, k2, k3, k4 and 3,000 more"
    assert "3,000" in say("ja", more)


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--activation", "\x1b[31m\nred"],
        ["run", "--theta", "\x1b[31m\nred"],
        ["run", "--\x1b[31m\nred"],
        ["\x1b[31m\nred"],
        ["run", "--x", "\x1b[31m\nred"],
    ],
)
def test_what_was_typed_never_reaches_the_terminal_raw(capsys: Capture, arguments: list[str]) -> None:
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert "red" in err
    assert err.count("\n") == 1


def test_long_values_are_shortened(capsys: Capture, tmp_path: Path) -> None:
    assert main(["run", "--activation", "a" * 9_999]) == 2
    assert "a…a" in (err := capsys.readouterr().err)
    assert err.count("a") < 200
    for option in ("--x", "--npz"):
        assert main(["run", "--d-model", "16", option, str(tmp_path / ("a" * 9_999))]) == 2
        assert len(capsys.readouterr().err) < 500


def test_tokens_in_the_table_are_visible(capsys: Capture) -> None:
    assert main(["run", "--d-model", "16", "--sentence", "a\x1bb"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "<U+001B>" in out
