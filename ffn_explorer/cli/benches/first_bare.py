"""Child of `first_picture`: opens a bare pyqtgraph window and tells when it is painted."""

import os
import sys

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QTimer

SIZE_PX = (1_600, 1_000)


class Watch(QObject):
    """Tells of the first paint, once it has been flushed."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wait for the paint."""
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, _tell)
        return False


def _tell() -> None:
    print('{"torch": false}', flush=True)
    os._exit(0)


def _open() -> int:
    application = pg.mkQApp()
    plot = pg.PlotWidget()
    plot.resize(*SIZE_PX)
    plot.addItem(pg.ImageItem(np.arange(8 * 512, dtype=np.float32).reshape(8, 512), axisOrder="row-major"))
    watch = Watch()
    plot.viewport().installEventFilter(watch)
    plot.show()
    return int(application.exec())


if __name__ == "__main__":
    sys.exit(_open())
