"""Icons, drawn from points in a unit square, so that no font decides how a button looks."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Icon:
    """Shapes in the unit square (x right, y down): filled polygons, or open lines."""

    shapes: tuple[Points, ...]
    filled: bool = False


ICONS: Mapping[str, Icon] = MappingProxyType(
    {
        "play": Icon((((0.28, 0.14), (0.90, 0.50), (0.28, 0.86)),), filled=True),
        "pause": Icon(
            (
                ((0.22, 0.16), (0.42, 0.16), (0.42, 0.84), (0.22, 0.84)),
                ((0.58, 0.16), (0.78, 0.16), (0.78, 0.84), (0.58, 0.84)),
            ),
            filled=True,
        ),
        "holds": Icon((((0.12, 0.54), (0.38, 0.80), (0.88, 0.22)),)),
        "breaks": Icon((((0.20, 0.20), (0.80, 0.80)), ((0.80, 0.20), (0.20, 0.80)))),
        "waits": Icon((((0.22, 0.50), (0.78, 0.50)),)),
        "up": Icon((((0.18, 0.66), (0.50, 0.34), (0.82, 0.66)),)),
        "down": Icon((((0.18, 0.34), (0.50, 0.66), (0.82, 0.34)),)),
        "left": Icon((((0.64, 0.18), (0.36, 0.50), (0.64, 0.82)),)),
        "right": Icon((((0.36, 0.18), (0.64, 0.50), (0.36, 0.82)),)),
        "copy": Icon(
            (
                ((0.36, 0.36), (0.88, 0.36), (0.88, 0.90), (0.36, 0.90), (0.36, 0.36)),
                ((0.22, 0.66), (0.12, 0.66), (0.12, 0.10), (0.64, 0.10), (0.64, 0.22)),
            )
        ),
        "edit": Icon(
            (
                ((0.14, 0.86), (0.20, 0.62), (0.68, 0.14), (0.86, 0.32), (0.38, 0.80), (0.14, 0.86)),
                ((0.58, 0.24), (0.76, 0.42)),
            )
        ),
        "dots": Icon(
            (
                (
                    (0.24, 0.50),
                    (0.22, 0.56),
                    (0.16, 0.58),
                    (0.10, 0.56),
                    (0.08, 0.50),
                    (0.10, 0.44),
                    (0.16, 0.42),
                    (0.22, 0.44),
                ),
                (
                    (0.58, 0.50),
                    (0.56, 0.56),
                    (0.50, 0.58),
                    (0.44, 0.56),
                    (0.42, 0.50),
                    (0.44, 0.44),
                    (0.50, 0.42),
                    (0.56, 0.44),
                ),
                (
                    (0.92, 0.50),
                    (0.90, 0.56),
                    (0.84, 0.58),
                    (0.78, 0.56),
                    (0.76, 0.50),
                    (0.78, 0.44),
                    (0.84, 0.42),
                    (0.90, 0.44),
                ),
            ),
            filled=True,
        ),
        "contrast": Icon(
            (
                (
                    (0.50, 0.90),
                    (0.40, 0.89),
                    (0.30, 0.85),
                    (0.22, 0.78),
                    (0.15, 0.70),
                    (0.11, 0.60),
                    (0.10, 0.50),
                    (0.11, 0.40),
                    (0.15, 0.30),
                    (0.22, 0.22),
                    (0.30, 0.15),
                    (0.40, 0.11),
                    (0.50, 0.10),
                ),
                (
                    (0.50, 0.10),
                    (0.60, 0.11),
                    (0.70, 0.15),
                    (0.78, 0.22),
                    (0.85, 0.30),
                    (0.89, 0.40),
                    (0.90, 0.50),
                    (0.89, 0.60),
                    (0.85, 0.70),
                    (0.78, 0.78),
                    (0.70, 0.85),
                    (0.60, 0.89),
                    (0.50, 0.90),
                    (0.50, 0.81),
                    (0.58, 0.80),
                    (0.66, 0.77),
                    (0.72, 0.72),
                    (0.77, 0.66),
                    (0.80, 0.58),
                    (0.81, 0.50),
                    (0.80, 0.42),
                    (0.77, 0.35),
                    (0.72, 0.28),
                    (0.66, 0.23),
                    (0.58, 0.20),
                    (0.50, 0.19),
                ),
            ),
            filled=True,
        ),
    }
)


def draw_icon(painter: QPainter, name: str, *, place: QRectF, colour: QColor, line: float) -> None:
    """Draw an icon of ICONS into a square; `line` is the thickness of its strokes in pixels."""
    icon = ICONS[name]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    round_pen = QPen(colour, line, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    painter.setPen(Qt.PenStyle.NoPen if icon.filled else round_pen)
    painter.setBrush(colour if icon.filled else Qt.BrushStyle.NoBrush)
    for shape in icon.shapes:
        points = [QPointF(place.x() + x * place.width(), place.y() + y * place.height()) for x, y in shape]
        if icon.filled:
            painter.drawPolygon(QPolygonF(points))
        else:
            painter.drawPolyline(QPolygonF(points))
    painter.restore()
