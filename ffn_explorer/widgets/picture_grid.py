"""PictureGrid: several pictures of one panel, of which as many stand side by side as have room."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.sizes import px

LEAST_WIDTH_PX = 290
LEAST_HEIGHT_PX = 190
_GAP_PX = 18


class PictureGrid(QWidget):
    """One picture where there is little room, else two or all, in their order."""

    arranged = Signal()
    """Other pictures are in sight now."""

    def __init__(
        self,
        pictures: Sequence[QWidget | Callable[[], QWidget]],
        *,
        least: tuple[int, int] = (LEAST_WIDTH_PX, LEAST_HEIGHT_PX),
        parent: QWidget | None = None,
    ) -> None:
        """Take the pictures, in their order, and the room below which none shares the grid.

        One that is given by its maker is made when it first comes in sight.
        """
        super().__init__(parent)
        self._least = least
        self._given = tuple(pictures)
        self._made: dict[int, QWidget] = {}
        for index, picture in enumerate(self._given):
            if isinstance(picture, QWidget):
                self._take(index, picture)
        self._chosen = 0
        self._look = Appearance()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setMinimumSize(1, 1)

    @property
    def seen(self) -> tuple[int, ...]:
        """Which pictures are in sight."""
        across, down = self._fit()
        count = min(len(self._given), across * down)
        first = min(self._chosen, len(self._given) - count)
        return tuple(range(first, first + count))

    def show_pictures(self, chosen: int, look: Appearance) -> None:
        """Show the chosen picture, and others beside it where there is room."""
        self._chosen, self._look = chosen, look
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the pictures anew."""
        before = self._in_sight()
        super().resizeEvent(event)
        self._place()
        if before != self._in_sight():
            self.arranged.emit()

    def _take(self, index: int, picture: QWidget) -> None:
        before = max((known for known in self._made if known < index), default=None)
        picture.setParent(self)
        if before is not None:
            # A picture made later still comes after its neighbour for the Tab key.
            QWidget.setTabOrder(self._made[before], picture)
        self._made[index] = picture

    def _in_sight(self) -> list[int]:
        return [index for index, picture in self._made.items() if not picture.isHidden()]

    def _fit(self) -> tuple[int, int]:
        """Columns and rows of pictures that there is room for."""
        most = len(self._given)
        across = max(1, min(most, self.width() // px(self._look, self._least[0])))
        down = max(1, min(most, self.height() // px(self._look, self._least[1])))
        return (across, 1) if across > 1 else (1, down)

    def _place(self) -> None:
        seen, gap = self.seen, px(self._look, _GAP_PX)
        across = self._fit()[0] > 1
        room = self.width() if across else self.height()
        each = (room - gap * (len(seen) - 1)) / len(seen)
        for index, given in enumerate(self._given):
            if index in seen and index not in self._made and not isinstance(given, QWidget):
                self._take(index, given())
            picture = self._made.get(index)
            if picture is None:
                continue
            picture.setVisible(index in seen)
            if index in seen:
                at = seen.index(index)
                start, end = round(at * (each + gap)), round(at * (each + gap) + each)
                place = (
                    QRect(start, 0, end - start, self.height())
                    if across
                    else QRect(0, start, self.width(), end - start)
                )
                picture.setGeometry(place)
