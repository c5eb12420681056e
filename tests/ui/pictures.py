"""Panels on their own, shown one Scene after another, and a mouse to point at them with."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QGraphicsView

from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.panel import Panel
from tests.snapshots.pictures import Picture, picture_of, settle


def shown(make: Callable[[], Panel], scenes: Sequence[Scene], size: tuple[int, int]) -> Picture:
    """Picture `[H, W, 3]` of a new panel of a fixed size that was given these scenes one after the other."""
    panel = make()
    panel.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    panel.setFixedSize(QSize(*size))
    panel.show()
    for scene in scenes:
        panel.offer(scene)
        QApplication.processEvents()
        panel.grab()
    settle()
    found = picture_of(panel)
    panel.close()
    panel.deleteLater()
    settle()
    return found


def mouse(
    view: QGraphicsView,
    at: QPointF,
    *,
    kind: QMouseEvent.Type = QMouseEvent.Type.MouseMove,
    pressed: bool = False,
) -> None:
    """Send a mouse event to a view, where a real one would arrive."""
    widget = view.viewport()
    button = Qt.MouseButton.LeftButton if pressed else Qt.MouseButton.NoButton
    event = QMouseEvent(kind, at, widget.mapToGlobal(at), button, button, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(widget, event)
