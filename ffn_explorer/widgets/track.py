"""StageTrack: the pass as a line with a dot per stage, and a knob at the present time."""

from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.flow_columns import Box
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.layers import Layers
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, theme_of

MAGNET_PX = 5.0
"""While dragging, a dot nearer than this holds the knob."""
CLICK_PX = 11.0
"""A press nearer than this to a dot, or on its name, goes exactly there."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One dot: where on the line (0..1), its name, its colour, and what its tooltip says."""

    time: float
    name: str
    colour: str
    tip: str


@dataclass(frozen=True, slots=True)
class TrackPicture:
    """All that the track draws."""

    look: Appearance
    stops: tuple[Stop, ...]
    current: int
    """Index of the stop whose name is bold."""
    time: float
    pointed: int | None = None
    """Index of the stop that another picture points at."""


class StageTrack(QWidget):
    """Line with dots; a press, a drag or a key asks for another time."""

    sought = Signal(float)
    """Time 0..1 that a person went to."""
    stepped = Signal(int)
    """+1 or -1: the next or the last stop."""
    pointed = Signal(object)
    """Index of the stop under the pointer, or None."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty track."""
        super().__init__(parent)
        self._picture = TrackPicture(Appearance(), (), 0, 0.0)
        self._dragging = False
        self._pointed: int | None = None
        self._layers = Layers()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        # It paints its own ground, so that a moving knob does not repaint everything behind it.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def show_picture(self, picture: TrackPicture) -> None:
        """Show another moment, other stages or another look."""
        before, self._picture = self._picture, picture
        if picture == before:
            return
        if picture.look != before.look:
            self.updateGeometry()
        if (picture.look, picture.stops) != (before.look, before.stops):
            self._layers.clear()
        if replace(picture, time=before.time) == before:
            # Only the knob moves: the names below the line stay.
            self.update(0, 0, self.width(), self._names_top())
        else:
            self.update()

    def sizeHint(self) -> QSize:
        """Height of the knob and of one line of names."""
        look = self._picture.look
        name = QFontMetrics(font(look, "small")).height()
        return QSize(px(look, 480), self._names_top() + name + px(look, 2))

    def minimumSizeHint(self) -> QSize:
        """Narrow is fine: names that do not fit are left out."""
        return QSize(px(self._picture.look, 160), self.sizeHint().height())

    # Geometry -----------------------------------------------------------------------------------------------

    def x_of(self, time: float) -> float:
        """Pixel of a time."""
        left, right = self._ends()
        return left + time * (right - left)

    def time_at(self, x: float) -> float:
        """Time under a pixel, 0..1."""
        left, right = self._ends()
        return min(1.0, max(0.0, (x - left) / max(1.0, right - left)))

    def names_shown(self) -> dict[int, QRectF]:
        """Place of each name that fits: the current one always, the others while none touches another."""
        stops = self._picture.stops
        placed: dict[int, QRectF] = {}
        gap = px(self._picture.look, 8)
        here = self._picture.current
        for index in sorted(range(len(stops)), key=lambda i: (abs(i - here), i)):
            place = self._name_place(index)
            free = all(not place.adjusted(-gap, 0, gap, 0).intersects(other) for other in placed.values())
            if index == here or free:
                placed[index] = place
        return placed

    def _ends(self) -> tuple[float, float]:
        margin = px(self._picture.look, 14)
        return float(margin), float(max(margin + 1, self.width() - margin))

    def _line_y(self) -> float:
        return px(self._picture.look, 14)

    def _names_top(self) -> int:
        return px(self._picture.look, 28)

    def _name_font(self, index: int) -> QFont:
        return font(self._picture.look, "small", bold=index == self._picture.current)

    def _name_place(self, index: int) -> QRectF:
        metrics = QFontMetrics(self._name_font(index))
        # Bold width for all, so that a name never gives way merely because it became the current one.
        bold = QFontMetrics(font(self._picture.look, "small", bold=True))
        stop = self._picture.stops[index]
        width = min(float(bold.horizontalAdvance(stop.name) + 2), float(self.width()))
        left = min(max(0.0, self.x_of(stop.time) - width / 2), self.width() - width)
        return QRectF(round(left), self._names_top(), width, metrics.height())

    def _stop_near(self, x: float, reach: float) -> int | None:
        near = [(abs(self.x_of(stop.time) - x), i) for i, stop in enumerate(self._picture.stops)]
        distance, index = min(near, default=(reach + 1.0, 0))
        return index if distance <= reach * self._picture.look.scale else None

    def _stop_at(self, point: QPointF) -> int | None:
        if point.y() >= self._names_top():
            return next((i for i, place in self.names_shown().items() if place.contains(point)), None)
        return self._stop_near(point.x(), CLICK_PX)

    # Acts ---------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the dot or name under the pointer, else to the time under it; the knob then follows."""
        if event.button() != Qt.MouseButton.LeftButton or not self._picture.stops:
            event.ignore()
            return
        self._dragging = True
        stop = self._stop_at(event.position())
        self.sought.emit(
            self.time_at(event.position().x()) if stop is None else self._picture.stops[stop].time
        )

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """While pressed: scrub, held by dots close by. Otherwise: mark the dot under the pointer."""
        if self._dragging:
            stop = self._stop_near(event.position().x(), MAGNET_PX)
            self.sought.emit(
                self.time_at(event.position().x()) if stop is None else self._picture.stops[stop].time
            )
            return
        self._point_at(self._stop_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of the knob."""
        self._dragging = False
        self._point_at(self._stop_at(event.position()))

    def leaveEvent(self, _event: QEvent) -> None:
        """Nothing is pointed at any more."""
        self._point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and Right step, Home and End go to the ends."""
        acts = {
            Qt.Key.Key_Left: lambda: self.stepped.emit(-1),
            Qt.Key.Key_Right: lambda: self.stepped.emit(1),
            Qt.Key.Key_Home: lambda: self.sought.emit(0.0),
            Qt.Key.Key_End: lambda: self.sought.emit(1.0),
        }
        act = acts.get(Qt.Key(event.key()))
        if act is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
        else:
            act()

    def event(self, event: QEvent) -> bool:
        """Tooltips of dots and names."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            stop = self._stop_at(QPointF(event.pos()))
            tip = "" if stop is None else self._picture.stops[stop].tip
            QToolTip.showText(event.globalPos() + QPoint(0, 4), tip, self)
            return True
        return super().event(event)

    def _point_at(self, stop: int | None) -> None:
        if stop != self._pointed:
            self._pointed = stop
            self.setCursor(Qt.CursorShape.ArrowCursor if stop is None else Qt.CursorShape.PointingHandCursor)
            self.pointed.emit(stop)
            self.update()

    # Picture ------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint line, dots, names and knob."""
        theme = theme_of(self._picture.look)
        painter = QPainter(self)
        names = event.rect().bottom() >= self._names_top()
        if names or not self._picture.stops:
            painter.fillRect(event.rect(), QColor(theme.surface))
        if self._picture.stops:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._draw_line(painter, theme)
            self._draw_knob(painter, theme)
            if names:
                self._draw_names(painter, theme)
        painter.end()

    def _draw_line(self, painter: QPainter, theme: Theme) -> None:
        """The line with its dots; up to the knob, which covers the seam, it is inked."""
        now = self._picture.time
        self._draw_layer(painter, theme, colours=(theme.sunken,))
        if now > 0.0:
            painter.setClipRect(0, 0, int(self.x_of(now)), self._names_top())
            self._draw_layer(painter, theme, colours=(theme.sunken, theme.ink))
            painter.setClipping(False)

    def _draw_layer(self, painter: QPainter, theme: Theme, *, colours: tuple[str, ...]) -> None:
        """The whole line, as far down as the names. Look and stops are not in the key: all layers go then."""
        done = tuple(stop.time <= self._picture.time for stop in self._picture.stops)
        key = (done, self._pointed, self._picture.pointed, self.width())
        box = Box(0.0, 0.0, self.width(), self._names_top())

        def paint(on: QPainter) -> None:
            (left, right), y, thick = self._ends(), self._line_y(), px(self._picture.look, 3.5)
            for colour in colours:
                on.setPen(QPen(QColor(colour), thick, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
                on.drawLine(QPointF(left, y), QPointF(right, y))
            for index in range(len(done)):
                self._draw_dot(on, theme, index=index)

        self._layers.draw_newest(painter, "-".join(colours), key, box=box, paint=paint, ground=theme.surface)

    def _draw_dot(self, painter: QPainter, theme: Theme, *, index: int) -> None:
        stop = self._picture.stops[index]
        done = stop.time <= self._picture.time
        width = line_px(self._picture.look, 2)
        radius = (
            px(self._picture.look, 6)
            + (2.5 if index in (self._pointed, self._picture.pointed) else 0.0)
            - width / 2
        )
        painter.setPen(QPen(QColor(stop.colour), width))
        painter.setBrush(QColor(stop.colour if done else theme.surface))
        painter.drawEllipse(QPointF(self.x_of(stop.time), self._line_y()), radius, radius)

    def _draw_knob(self, painter: QPainter, theme: Theme) -> None:
        centre = QPointF(self.x_of(self._picture.time), self._line_y())
        width = line_px(self._picture.look, 2.5)
        radius = px(self._picture.look, 9) - width / 2
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.focus), line_px(self._picture.look, 2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(centre, radius + width + 1.5, radius + width + 1.5)
        painter.setPen(QPen(QColor(theme.ink), width))
        painter.setBrush(QColor(theme.surface))
        painter.drawEllipse(centre, radius, radius)

    def _draw_names(self, painter: QPainter, theme: Theme) -> None:
        for index, place in self.names_shown().items():
            here = index == self._picture.current
            painter.setFont(self._name_font(index))
            strong = here or index in (self._pointed, self._picture.pointed)
            painter.setPen(QColor(theme.ink if strong else theme.muted))
            name = QFontMetrics(self._name_font(index)).elidedText(
                self._picture.stops[index].name, Qt.TextElideMode.ElideRight, int(place.width())
            )
            painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), name)
