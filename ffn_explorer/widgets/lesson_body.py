"""LessonBody: tabs at the top, buttons at the bottom, and between them what scrolls where it is too long."""

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.buttons import IconButton, WordButton
from ffn_explorer.widgets.choices import Choice, Choices
from ffn_explorer.widgets.mode_tabs import ModeTabs
from ffn_explorer.widgets.page import Page
from ffn_explorer.widgets.paragraphs import Paragraphs
from ffn_explorer.widgets.scroll_area import clear_area
from ffn_explorer.widgets.sizes import px

GAP_PX = 8
SLIDE_PX = 900
"""Width of words that stand alone: longer lines are hard to follow."""
SLIDE_TOP_PX = 24
MOST_ANSWERS, MOST_TRIES = 4, 6


class LessonBody(QWidget):
    """Places the parts; what they show is the panel's to say."""

    scrolled = Signal(int)
    """Pixels that a person scrolled to."""
    fitted = Signal()
    """The body has another size: larger or smaller type may be wanted."""

    def __init__(self, depths: int, parent: QWidget | None = None) -> None:
        """Build all parts."""
        super().__init__(parent)
        self.look = Appearance()
        self._measure: int | None = None
        self.tabs = ModeTabs(depths)
        self.page, self.after = Paragraphs(), Paragraphs()
        self.answers, self.tries = Choices(MOST_ANSWERS), Choices(MOST_TRIES)
        self.start, self.again = WordButton(strong=True), WordButton()
        self.back, self.on, self.list = IconButton("left"), IconButton("right"), WordButton()
        self.sheet = QWidget()
        self._inside = QVBoxLayout(self.sheet)
        self._inside.setContentsMargins(0, 0, 0, 0)
        for part in (self.page, self.answers, self.after, self.tries, self.start):
            self._inside.addWidget(part)
        for part in (self.page, self.after):
            self._inside.setAlignment(part, Qt.AlignmentFlag.AlignLeft)
        self._inside.addStretch(1)
        self.area = clear_area(self.sheet)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._outside = QVBoxLayout(self)
        self._outside.setContentsMargins(0, 0, 0, 0)
        self._outside.addWidget(self.tabs)
        self._outside.addWidget(self.area, 1)
        self._outside.addLayout(self._row())
        bar = self.area.verticalScrollBar()
        # Only what a person does: a picture that is shown anew moves the bar, too.
        bar.actionTriggered.connect(lambda _: self.scrolled.emit(bar.sliderPosition()))

    def _row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        for button in (self.back, self.on, self.list):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.again)
        return row

    def set_look(self, look: Appearance) -> None:
        """Take another look."""
        self.look = look
        for layout in (self._inside, self._outside):
            layout.setSpacing(px(look, GAP_PX))
        for button in (self.start, self.again, self.back, self.on, self.list):
            button.set_look(look)

    def set_measure(self, most: int | None, *, gap: bool) -> None:
        """Set words in a column in the middle, at most so wide at scale 1; None: as wide as the card.

        gap: some room above them.
        """
        self._measure = most
        aside = (self._room - self.wide) // 2
        down = px(self.look, SLIDE_TOP_PX) if gap else 0
        self._inside.setContentsMargins(aside, down, aside, 0)

    def show_texts(self, page: Page, after: Page) -> None:
        """Show what is said above and below the answers, each as high as it needs."""
        for part, shown in ((self.page, page), (self.after, after)):
            part.show_page(shown)
            part.setVisible(bool(shown.top))
            # The very width that it is measured at: else lines would break elsewhere, and leave a gap.
            part.setFixedSize(self.wide, max(1, part.height_for(self.wide)))

    def show_choices(
        self, answers: tuple[Choice, ...], tries: tuple[Choice, ...], *, role: str = "body"
    ) -> None:
        """Show answers and experiments.  role: of the answers' font."""
        self.answers.show_choices(answers, self.look, wide=self.wide, role=role)
        self.tries.show_choices(tries, self.look, wide=self.wide)

    @property
    def overflows(self) -> bool:
        """Whether what is shown would have to scroll."""
        # Tabs or buttons that have come or gone change the height that is left.
        self._outside.activate()
        parts = [part for part in (self.page, self.answers, self.after, self.tries) if not part.isHidden()]
        gaps = px(self.look, GAP_PX) * max(0, len(parts) - 1) + self._inside.contentsMargins().top()
        return sum(part.minimumHeight() for part in parts) + gaps > self.area.height()

    def scroll_to(self, y: int) -> None:
        """Show the texts from here on, as far as there are any."""
        layout = self.sheet.layout()
        assert layout is not None
        layout.activate()
        # Tab reaches what scrolls, and the arrows then move it.
        policy = Qt.FocusPolicy.TabFocus if self.overflows else Qt.FocusPolicy.NoFocus
        self.area.setFocusPolicy(policy)
        self.area.verticalScrollBar().setValue(y)

    @property
    def wide(self) -> int:
        """Width for texts."""
        return self._room if self._measure is None else min(self._room, px(self.look, self._measure))

    @property
    def _room(self) -> int:
        """Width of the sheet, with the scroll bar's left out, so that its coming moves no line."""
        return max(1, self.width() - self.area.verticalScrollBar().sizeHint().width())

    def below_list(self) -> QPoint:
        """Where a menu of the list's button opens."""
        return self.list.mapToGlobal(QPoint(0, 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell it."""
        super().resizeEvent(event)
        if event.size() != event.oldSize():
            self.fitted.emit()
