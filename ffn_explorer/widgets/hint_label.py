"""HintLabel: one line that is shown whole or not at all."""

from PySide6.QtGui import QPaintEvent

from ffn_explorer.widgets.labels import ElidedLabel


class HintLabel(ElidedLabel):
    """A line that a picture can do without: where it does not fit, half of it would only disturb."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text where there is room for all of it."""
        if self.sizeHint().width() <= self.width():
            super().paintEvent(event)
