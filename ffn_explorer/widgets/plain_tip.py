"""Tooltips of names that a person typed: Qt would take a name with tags in it for a page to lay out."""

from html import escape

from PySide6.QtGui import Qt

LONG = 90
"""Letters from which on a line of a tooltip is wrapped: Qt wraps none of a plain text."""


def plain_tip(text: str) -> str:
    """The text as a tooltip that shows it letter by letter, long lines wrapped."""
    long = any(len(line) > LONG for line in text.splitlines())
    if not long and not Qt.mightBeRichText(text):
        return text
    return f'<p style="white-space: pre-wrap">{escape(text)}</p>'
