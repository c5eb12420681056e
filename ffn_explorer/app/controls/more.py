"""The popup with the knobs that are needed less often, in groups."""

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from ffn_explorer.app.controls.knobs import ChoiceKnob, Knob, make_knob
from ffn_explorer.app.controls.table import COLUMNS, Group, controls_in
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font


class MoreKnobs(QFrame):
    """All knobs outside the bar; opens under its button, closes with Escape or a click elsewhere."""

    requested = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        """Build one column of knobs per group."""
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popup")
        self.knobs: list[Knob] = []
        self._heads: dict[str, QLabel] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(18, 14, 18, 16)
        grid.setHorizontalSpacing(26)
        for column, groups in enumerate(COLUMNS):
            box = QVBoxLayout()
            box.setSpacing(9)
            for group in groups:
                self._fill(box, group)
            box.addStretch(1)
            grid.addLayout(box, 0, column)

    def _fill(self, box: QVBoxLayout, group: Group) -> None:
        if box.count():
            box.addSpacing(12)
        head = self._heads[group] = QLabel()
        head.setObjectName("popup-head")
        box.addWidget(head)
        for row in controls_in(group):
            knob = make_knob(row)
            knob.requested.connect(self.requested)
            self.knobs.append(knob)
            box.addWidget(knob)

    def show_scene(self, scene: Scene) -> None:
        """Show the scene's values and language."""
        for group, head in self._heads.items():
            head.setFont(font(scene.look, "body", bold=True))
            head.setText(say(scene.look.language, f"control.group_{group}"))
        for knob in self.knobs:
            knob.show_scene(scene)

    def set_devices(self, devices: tuple[str, ...]) -> None:
        """Offer these devices."""
        for knob in self.knobs:
            if isinstance(knob, ChoiceKnob):
                knob.devices = devices

    def open_under(self, button: QWidget) -> None:
        """Open below a button, kept inside its screen."""
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(button.width() - self.width(), button.height() + 4))
        room = button.screen().availableGeometry()
        corner.setX(max(room.left(), min(corner.x(), room.right() - self.width())))
        corner.setY(max(room.top(), min(corner.y(), room.bottom() - self.height())))
        self.move(corner)
        self.show()
        self.knobs[0].editor.setFocus(Qt.FocusReason.PopupFocusReason)
