"""Characters that no font on this machine can draw, named by their code point instead of an empty box."""

from functools import lru_cache

from PySide6.QtGui import QFont, QTextLayout

from ffn_explorer.state.visible import visible

LONGEST_TOKEN = 24
"""Characters of a token in a sentence."""


def shown_token(token: str, font: QFont, *, whole: bool = False) -> str:
    """A token as every picture and sentence writes it: nothing invisible, no empty box, not endless.

    whole: keep all its characters, where the place itself cuts what is too long.
    """
    written = visible(token)
    return drawable(written if whole else brief(written), font)


@lru_cache(maxsize=16_384)
def drawable(text: str, font: QFont) -> str:
    """The text itself, or with `<U+1F600>` in place of each character that has no glyph in any font."""
    if _has_glyphs(text, font):
        return text
    return "".join(char if _has_glyphs(char, font) else f"<U+{ord(char):04X}>" for char in text)


def _has_glyphs(text: str, font: QFont) -> bool:
    layout = QTextLayout(text, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return all(0 not in run.glyphIndexes() for run in layout.glyphRuns())


def brief(token: str) -> str:
    """A token cut to `LONGEST_TOKEN` characters, for sentences that must leave room for numbers."""
    return token if len(token) <= LONGEST_TOKEN else token[: LONGEST_TOKEN - 1] + "…"
