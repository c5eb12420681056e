"""Buttons drawn by the kit: a round one, a small one with a word, and a small one with an icon."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.icons import draw_icon
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.theme import Theme, blend, theme_of


class DrawnButton(QAbstractButton):
    """Base: keyboard, focus ring, pointer and pressed states; subclasses draw the face."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build a button that waits for its look."""
        super().__init__(parent)
        self.look = Appearance()
        # Tab reaches it, a click does not take the keyboard from the picture: Space goes on playing the pass.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_look(self, look: Appearance) -> None:
        """Take another look."""
        if look != self.look:
            self.look = look
            self.updateGeometry()
            self.update()

    def explain(self, name: str, tip: str) -> None:
        """Say what it is, to screen readers and in the tooltip."""
        self.setAccessibleName(name)
        self.setToolTip(tip)

    def draw_face(self, painter: QPainter, theme: Theme) -> None:
        """Draw the button without its focus ring."""
        raise NotImplementedError

    def ring_radius(self) -> float:
        """Corner radius of the focus ring in pixels."""
        return px(self.look, 7)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses too; arrows belong to whatever the button stands in."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint face and focus ring."""
        theme = theme_of(self.look)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.draw_face(painter, theme)
        if self.hasFocus():
            width = line_px(self.look, 2)
            painter.setPen(QPen(QColor(theme.focus), width))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inset = width / 2
            ring = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
            painter.drawRoundedRect(ring, self.ring_radius(), self.ring_radius())
        painter.end()

    def fill(self, theme: Theme, *, rest: str) -> QColor:
        """Colour of the face: `rest`, and a step towards the ink under the pointer or when pressed."""
        share = 0.16 if self.isDown() else 0.08 if self.underMouse() and self.isEnabled() else 0.0
        return blend(theme.ink if rest != theme.ink else theme.surface, rest, share)


class RoundButton(DrawnButton):
    """A filled disc with an icon; for the one main act of a picture."""

    icon_name = "play"

    def set_icon(self, name: str) -> None:
        """Show another icon of ICONS."""
        if name != self.icon_name:
            self.icon_name = name
            self.update()

    def sizeHint(self) -> QSize:
        """Disc and room for the focus ring around it."""
        side = px(self.look, 44)
        return QSize(side, side)

    def ring_radius(self) -> float:
        """A circle."""
        return self.width() / 2

    def draw_face(self, painter: QPainter, theme: Theme) -> None:
        """Disc and icon."""
        gap = line_px(self.look, 2) + 1.0
        disc = QRectF(self.rect()).adjusted(gap, gap, -gap, -gap)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.fill(theme, rest=theme.accent))
        painter.drawEllipse(disc)
        side = disc.width() * 0.5
        place = QRectF(0, 0, side, side)
        place.moveCenter(disc.center())
        ink = QColor(theme.on_accent)
        draw_icon(painter, self.icon_name, place=place, colour=ink, line=line_px(self.look))


class WordButton(DrawnButton):
    """A small bordered button with a word; as wide as the widest of the words it may show."""

    def __init__(
        self, parent: QWidget | None = None, *, mono: bool = False, strong: bool = False, flat: bool = False
    ) -> None:
        """Build it; strong fills it with the accent; flat ones are no taller than a title beside them."""
        super().__init__(parent)
        self._mono = mono
        self._strong = strong
        self._flat = flat
        self._words: tuple[str, ...] = ()

    def set_look(self, look: Appearance) -> None:
        """Take another look, and its font: whoever measures the button finds what it draws with."""
        super().set_look(look)
        self.ensurePolished()  # a font that is set before the first polish is lost with the next style sheet
        self.setFont(font(look, "small", mono=self._mono))

    def set_word(self, word: str, *, among: Sequence[str] = ()) -> None:
        """Show a word; `among` keeps the width steady while the word changes."""
        words = tuple(among) or (word,)
        if (word, words) != (self.text(), self._words):
            self._words = words
            self.setText(word)
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Room for the widest word."""
        metrics = QFontMetrics(font(self.look, "small", mono=self._mono))
        widest = max((metrics.horizontalAdvance(word) for word in self._words), default=0)
        above = px(self.look, 3 if self._flat else 6)
        return QSize(widest + 2 * px(self.look, 10), metrics.height() + 2 * above)

    def draw_face(self, painter: QPainter, theme: Theme) -> None:
        """Rounded rectangle and word."""
        width = line_px(self.look)
        face = QRectF(self.rect()).adjusted(width, width, -width, -width)
        rest = theme.accent if self._strong and self.isEnabled() else theme.surface
        painter.setPen(QPen(QColor(rest if self._strong and self.isEnabled() else theme.border), width))
        painter.setBrush(self.fill(theme, rest=rest))
        painter.drawRoundedRect(face, px(self.look, 6), px(self.look, 6))
        ink = theme.muted if not self.isEnabled() else theme.on_accent if self._strong else theme.ink
        painter.setPen(QColor(ink))
        painter.setFont(font(self.look, "small", mono=self._mono))
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), self.text())


class IconButton(DrawnButton):
    """A small button with an icon and no border."""

    def __init__(self, icon: str, parent: QWidget | None = None, *, flat: bool = False) -> None:
        """Build it with an icon of ICONS; flat ones are half as high, to stand in pairs."""
        super().__init__(parent)
        self._icon = icon
        self._flat = flat

    @property
    def icon_name(self) -> str:
        """Icon shown."""
        return self._icon

    def set_icon(self, name: str) -> None:
        """Show another icon of ICONS."""
        if name != self._icon:
            self._icon = name
            self.update()

    def sizeHint(self) -> QSize:
        """A square, or half of one."""
        return QSize(px(self.look, 26), px(self.look, 18 if self._flat else 26))

    def draw_face(self, painter: QPainter, theme: Theme) -> None:
        """Icon, on a quiet ground while pointed at."""
        if self.isEnabled() and (self.isDown() or self.underMouse()):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.sunken))
            painter.drawRoundedRect(QRectF(self.rect()), px(self.look, 6), px(self.look, 6))
        side = px(self.look, 14)
        place = QRectF(0, 0, side, side)
        place.moveCenter(QRectF(self.rect()).center())
        colour = QColor(theme.muted) if self.isEnabled() else blend(theme.muted, theme.background, 0.4)
        draw_icon(painter, self._icon, place=place, colour=colour, line=line_px(self.look, 1.5))


class MenuButton(IconButton):
    """The three dots in the header of a card; left out of pictures of the card."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build it."""
        super().__init__("dots", parent)
        self.left_out = False
        """While True it keeps its place and paints nothing."""

    def sizeHint(self) -> QSize:
        """No taller than the title beside it."""
        return QSize(px(self.look, 24), px(self.look, 22))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The down arrow opens the menu too."""
        if event.key() == Qt.Key.Key_Down:
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the dots, unless they are left out."""
        if not self.left_out:
            super().paintEvent(event)
