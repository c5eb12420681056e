"""NeuronCounts: a strip of all neurons, and under it how many are active at 0, 1, 2 ... tokens."""

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from ffn_explorer.widgets.device_pixels import ratio_of
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.neuron_counts_paint import CountsPainter, bars_of
from ffn_explorer.widgets.neuron_counts_picture import CountPlaces, CountsPicture, CountWords, count_places
from ffn_explorer.widgets.picture_canvas import PictureCanvas
from ffn_explorer.widgets.pooling import lanes

__all__ = ["CountWords", "CountsPicture", "NeuronCounts"]


class NeuronCounts(PictureCanvas[CountsPicture]):
    """Shows a CountsPicture; pointer and clicks name neurons."""

    pointed = Signal(object)
    """Neuron under the pointer, or None; only when it changes."""
    chosen = Signal(int)
    """Neuron clicked; a click on a bar gives its next neuron."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty picture."""
        super().__init__(parent)
        self.places: CountPlaces | None = None
        self._layers = Layers()
        self.moved.connect(self._report)

    def lay_out(self) -> None:
        """Divide the widget."""
        super().lay_out()
        shown = self.picture
        self.places = None if shown is None else count_places(shown, self.width(), self.height())

    def paint_front(self, painter: QPainter) -> None:
        """Paint strip, bars and words."""
        if self.picture is not None and self.places is not None:
            CountsPainter(painter, self.picture, self.places).paint(self._layers)
        super().paint_front(painter)

    def neuron_at(self, at: QPointF) -> int | None:
        """Of the neurons on a pixel of the strip, the one that is active at most tokens."""
        shown, places = self.picture, self.places
        if shown is None or places is None or not places.strip.contains(at) or not len(shown.count):
            return None
        ratio = ratio_of(self)
        over = lanes(len(shown.count), max(1, int(places.strip.width() * ratio)))
        pixel = min(len(over.low) - 1, int((at.x() - places.strip.left()) * ratio))
        low, high = int(over.low[pixel]), int(over.high[pixel])
        return low + int(np.argmax(shown.count[low:high]))

    def neuron_of_bar(self, at: QPointF) -> int | None:
        """The next neuron, after the chosen one, of the bar at a position; None beside the bars."""
        shown, places = self.picture, self.places
        if shown is None or places is None or not places.area.contains(at):
            return None
        bars = bars_of(shown, places)
        bar = int((at.x() - places.area.left()) / max(1.0, places.area.width()) * len(bars.first))
        bar = min(len(bars.first) - 1, bar)
        inside = np.flatnonzero((shown.count >= bars.first[bar]) & (shown.count < bars.past[bar]))
        if not inside.size:
            return None
        after = inside[inside > (-1 if shown.chosen is None else shown.chosen)]
        return int(after[0] if after.size else inside[0])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a neuron of the strip, or the next one of a bar."""
        super().mousePressEvent(event)
        if event.button() != Qt.MouseButton.LeftButton:
            return
        neuron = self.neuron_at(event.position())
        neuron = self.neuron_of_bar(event.position()) if neuron is None else neuron
        if neuron is not None:
            self.chosen.emit(neuron)

    def _report(self, at: QPointF | None) -> None:
        self.tell_pointed(None if at is None else self.neuron_at(at))
