"""Tooltips of names that a person typed: Qt would take a name with tags in it for a page to lay out."""

from html import escape

from PySide6.QtGui import Qt


def plain_tip(text: str) -> str:
    """The text as a tooltip that shows it letter by letter."""
    if not Qt.mightBeRichText(text):
        return text
    return f'<p style="white-space: pre-wrap">{escape(text)}</p>'
