"""Bodies of cards: a picture that fills what a row above it leaves."""

from PySide6.QtWidgets import QLayout, QVBoxLayout, QWidget

SPACING_PX = 4


def body_of(main: QWidget, *, above: QWidget | QLayout) -> QWidget:
    """A picture with a line of words or a row of controls above it."""
    body = QWidget()
    column = QVBoxLayout(body)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(SPACING_PX)
    if isinstance(above, QLayout):
        column.addLayout(above)
    else:
        column.addWidget(above)
    column.addWidget(main, 1)
    return body
