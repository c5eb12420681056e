"""Scroll areas without a frame or a ground of their own."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


def clear_area(inside: QWidget) -> QScrollArea:
    """An area that scrolls a widget where it has too little room, and that takes no keyboard itself."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidgetResizable(True)
    area.setWidget(inside)
    # What stands under it shows through: a ground of its own would be another colour in the dark.
    for widget in (area.viewport(), inside):
        widget.setAutoFillBackground(False)
    return area
