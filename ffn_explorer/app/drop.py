"""Drop: files, folders and links dragged onto the window, wherever the pointer is, with a hint over it."""

from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPen,
    QWindow,
)
from PySide6.QtWidgets import QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.quoting import quoted
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import theme_of

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

GROUND_SHARE = 0.82
"""How much of the picture the ground of the hint covers."""
WIDEST_PX = 640


class DropHint(QWidget):
    """Covers the window while something is dragged over it, and says what letting go would do."""

    def __init__(self, parent: QWidget) -> None:
        """Build it hidden."""
        super().__init__(parent)
        self._over = parent
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.look = Appearance()
        self.sentence = ""
        self.hide()

    def tell(self, sentence: str, look: Appearance) -> None:
        """Show a sentence over the whole window."""
        self.sentence, self.look = sentence, look
        self.setAccessibleName(sentence)
        self.setGeometry(self._over.rect())
        self.raise_()
        self.show()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Veil, frame and sentence."""
        theme, look = theme_of(self.look), self.look
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(theme.background)
        veil.setAlphaF(GROUND_SHARE)
        painter.fillRect(self.rect(), veil)
        gap = px(look, 14)
        frame = QRectF(self.rect()).adjusted(gap, gap, -gap, -gap)
        painter.setPen(QPen(QColor(theme.focus), line_px(look, 2), Qt.PenStyle.DashLine))
        painter.drawRoundedRect(frame, px(look, 10), px(look, 10))
        used = font(look, "title", bold=True)
        painter.setFont(used)
        metrics = QFontMetrics(used)
        room = min(px(look, WIDEST_PX), int(frame.width()) - 4 * gap)
        shown = metrics.elidedText(self.sentence, Qt.TextElideMode.ElideMiddle, room)
        card = QRectF(0, 0, metrics.horizontalAdvance(shown) + 4 * gap, metrics.height() + 2 * gap)
        card.moveCenter(QPointF(self.rect().center()))
        painter.setPen(QPen(QColor(theme.border), line_px(look)))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(card, px(look, 8), px(look, 8))
        painter.setPen(QColor(theme.ink))
        painter.drawText(card, int(Qt.AlignmentFlag.AlignCenter), shown)
        painter.end()


class Drops(QObject):
    """Hears of drags before any widget does: a field under the pointer would take a file for text."""

    def __init__(self, window: "Window") -> None:
        """Watch over a window, once the system has given it a place on the screen."""
        super().__init__(window)
        self._window = window
        self.hint = DropHint(window)
        self._watching = False

    def watch(self) -> None:
        """Begin, now that the window is on screen."""
        handle: QWindow | None = self._window.windowHandle()
        if handle is not None and not self._watching:
            self._watching = True
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take what can be opened, and leave everything else to the widgets."""
        kind = event.type()
        if isinstance(event, QDropEvent):
            return self._dropped(event) if kind is QEvent.Type.Drop else self._over(event)
        if kind is QEvent.Type.DragLeave and self.hint.isVisible():
            self.hint.hide()
            return True  # no widget has heard of the drag that leaves
        return super().eventFilter(watched, event)

    def _over(self, event: QDropEvent) -> bool:
        language = self._window.look.language
        names = names_in(event.mimeData())
        if not names:
            return False
        if len(names) > 1:
            event.ignore()
        else:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
        if isinstance(event, QDragEnterEvent) or self.hint.isHidden():
            one = say(language, "open.drop", name=quoted(names[0]))
            self.hint.tell(say(language, "open.drop_one") if len(names) > 1 else one, self._window.look)
        return True

    def _dropped(self, event: QDropEvent) -> bool:
        self.hint.hide()
        what = wanted_in(event.mimeData())
        if what is None:
            return bool(names_in(event.mimeData()))
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        # Whoever drags waits for the end of this event.
        QTimer.singleShot(0, self, lambda: self._open(what))
        return True

    def _open(self, what: str) -> None:
        from ffn_explorer.state.links import is_link

        opener = self._window.opener
        (opener.open_text if is_link(what) else opener.open_path)(what)


def wanted_in(data: QMimeData) -> str | None:
    """The one path or link that is dragged; None where there is none, or several."""
    found = _found_in(data)
    return found[0] if len(found) == 1 else None


def names_in(data: QMimeData) -> list[str]:
    """What is dragged, as people call it: names of files, or of the file that a link leads to."""
    from ffn_explorer.state.links import is_link  # not wanted before the first picture

    places = (unquote(what.partition("?")[0]) if is_link(what) else what for what in _found_in(data))
    return [PurePath(place).name or place for place in places]


def _found_in(data: QMimeData) -> list[str]:
    from ffn_explorer.state.links import is_link  # not wanted before the first picture

    if data.hasUrls():
        urls = data.urls()
        local = [url.toLocalFile() for url in urls if url.isLocalFile()]
        written = [bytes(url.toEncoded().data()).decode("ascii", "replace") for url in urls]
        return local or [link for link in written if is_link(link)]
    return [data.text().strip()] if data.hasText() and is_link(data.text()) else []
