"""Labels: the longest wording that fits is shown, and nothing rather than a piece where that is wished."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontMetrics
from pytestqt.qtbot import QtBot

from ffn_explorer.widgets.labels import ElidedLabel

WHOLE, SHORTER, SHORTEST = "one and two and three", "one and two", "one"


@pytest.mark.parametrize(
    ("room_for", "shown"), [(WHOLE, WHOLE), (SHORTER, SHORTER), (SHORTEST, SHORTEST), ("", "")]
)
def test_the_longest_wording_that_fits(qtbot: QtBot, room_for: str, shown: str) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.set_look(QFont(), "#000000")
    label.set_text(WHOLE, short=(SHORTER, SHORTEST, ""))
    label.resize(QFontMetrics(label.font()).horizontalAdvance(room_for) + 2, 20)
    label.show()
    assert label.shown() == shown
    assert label.accessibleName() == WHOLE
    assert label.toolTip() == ("" if shown == WHOLE else WHOLE)


def test_without_a_last_resort_the_shortest_is_elided(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.set_look(QFont(), "#000000")
    label.set_text("x" * 40, short="y" * 30)
    label.resize(QFontMetrics(label.font()).horizontalAdvance("y" * 20), 20)
    assert label.shown().startswith("yyyyyyyy")
    assert label.shown().endswith("…")
