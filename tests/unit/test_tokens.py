"""Sentence splitting: words, numbers, Japanese, emoji, odd input, limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.errors import InputError
from ffn_explorer.core.tokens import MAX_SENTENCES, MAX_TOKENS, split, tokenize

FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The keys on the table are lost.", "The|keys|on|the|table|are|lost|."),
        ("Don't stop, state-of-the-art!", "Don't|stop|,|state-of-the-art|!"),
        ("It’s 'quoted' boys'", "It’s|'|quoted|'|boys|'"),
        ("3.14 and 1,000 at 10:30", "3.14|and|1,000|at|10:30"),
        ("GPT-2 3rd snake_case 50% -5", "GPT-2|3rd|snake_case|50|%|-|5"),
        ("See https://example.com/a?b=1.", "See|https://example.com/a?b=1|."),
        ("https://example.comを見る", "https://example.com|を|見|る"),
        ("wait... what?! f(x)", "wait|...|what|?|!|f|(|x|)"),
        ("東京タワーで、人々がラーメンを食べた。", "東京|タワー|で|、|人々|が|ラーメン|を|食|べた|。"),
        ("らーめん〆切ｱｲﾎﾟﾝＡＩ２０１７年", "らーめん|〆切|ｱｲﾎﾟﾝ|ＡＩ２０１７|年"),  # noqa: RUF001
        ("か\u3099く e\u0301te\u0301", "か\u3099く|e\u0301te\u0301"),
        (f"{FAMILY}👍🏽🇯🇵🇺🇸1️⃣2️⃣x3️⃣❤️", f"{FAMILY}|👍🏽|🇯🇵|🇺🇸|1️⃣|2️⃣|x|3️⃣|❤️"),
        ("한국어 हिन्दी می‌خواهم", "한국어|हिन्दी|می‌خواهم"),
        ("a\u200bb\ufeffc\u00a0d\r\ne", "a|b|c|d|e"),
        ("a\x00b\ud800c", "a|\x00|b|\ud800|c"),
        ("", ""),
        (" \t\n\u3000", ""),
    ],
)
def test_splits(text: str, tokens: str) -> None:
    assert split(text) == tuple(part for part in tokens.split("|") if part)


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=60))
def test_keeps_everything_but_space(text: str) -> None:
    """Nothing typed is lost or changed, and no token is empty, whatever the characters."""
    tokens = split(text)
    assert all(tokens)
    spaces = "\u200b\u2060\ufeff"
    kept = "".join(c for c in text if not c.isspace() and c not in spaces)
    shown = "".join(c for c in "".join(tokens) if not c.isspace() and c not in spaces)
    assert shown == kept


@given(st.text(max_size=40), st.text(max_size=40))
def test_space_always_separates(left: str, right: str) -> None:
    assert split(f"{left} {right}") == split(left) + split(right)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("part", ["a", "\u0301", "-", "1,", "'", "👍🏽", "http://", "https://)"])
def test_long_input_takes_linear_time(part: str) -> None:
    assert split(part * 100_000)


def test_limits() -> None:
    assert len(tokenize(("a " * MAX_TOKENS,))[0]) == MAX_TOKENS
    for sentences, key in [
        (("a " * (MAX_TOKENS + 1),), "error.too_many_tokens"),
        (("a",) * (MAX_SENTENCES + 1), "error.too_many_sentences"),
        (("a", "  "), "error.empty_sentence"),
        ((), "error.empty_sentence"),
    ]:
        with pytest.raises(InputError) as caught:
            tokenize(sentences)
        assert caught.value.key == key
