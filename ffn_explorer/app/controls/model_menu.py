"""ModelMenu: public models by year, whose sizes become the settings."""

from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from ffn_explorer.state.changes import load_model
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font

if TYPE_CHECKING:
    from ffn_explorer.state.models import PublicModel


class ModelMenu(QMenu):
    """A menu of menus, filled when it is first opened in a language."""

    requested = Signal(object)
    """The change that a person chose."""

    def __init__(self, parent: QWidget) -> None:
        """Build it empty."""
        super().__init__(parent)
        self._scene: Scene | None = None
        self._filled: object = None
        self.aboutToShow.connect(self._fill)

    def show_scene(self, scene: Scene) -> None:
        """Load with these settings and sentences."""
        self._scene = scene
        self.setTitle(say(scene.look.language, "preset.public"))
        self.setEnabled(scene.source.plain)

    def _fill(self) -> None:
        scene = self._scene
        if scene is None or self._filled == scene.look:
            return
        from ffn_explorer.state.models import models  # the first picture needs none of them

        self._filled = scene.look
        self.clear()
        for year, found in groupby(models(), key=lambda model: model.year):
            under = self.addMenu(str(year))
            under.setFont(font(scene.look, "body"))
            for model in found:
                under.addAction(self._words(model)).triggered.connect(
                    lambda _=False, name=model.id: self.requested.emit(load_model(name))
                )

    def _words(self, model: "PublicModel") -> str:
        assert self._scene is not None
        shape = model.shape
        sizes = {"d_model": f"{shape.d_model:,}", "d_ff": f"{shape.usual_layer.ffn.d_ff:,}"}
        return say(self._scene.look.language, "preset.public_model", name=model.name, **sizes)
