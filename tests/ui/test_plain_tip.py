"""Names with tags in them are shown letter by letter in tooltips."""

import pytest
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.plain_tip import plain_tip


@pytest.mark.parametrize(
    "text", ["plain", "a < b", "<b>bold</b> & more", "<img src='x.png'>", "one\n<i>two</i>"]
)
def test_every_letter_is_shown(qtbot: QtBot, text: str) -> None:
    tip = plain_tip(text)
    if tip != text:
        page = QTextDocument()
        page.setHtml(tip)
        assert page.toPlainText() == text
    else:
        assert "<b" not in text
        assert "<i" not in text.partition("\n")[0]


def test_a_label_cut_short_tells_its_tags(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.resize(20, 20)
    label.set_text("<b>a long name</b>")
    assert "&lt;b&gt;" in label.toolTip()
