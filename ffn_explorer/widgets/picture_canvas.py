"""PictureCanvas: a canvas that shows one picture, or else a sentence that says why there is none."""

from typing import Generic, Protocol, TypeVar

from PySide6.QtWidgets import QWidget

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.widgets.canvas import Canvas


class Looked(Protocol):
    """A picture, in the terms of its canvas, that knows how it is to look."""

    @property
    def look(self) -> Appearance:
        """Theme, language and sizes."""
        ...


P = TypeVar("P", bound=Looked)


class PictureCanvas(Canvas, Generic[P]):
    """Base of canvases that draw a picture; subclasses lay it out and paint it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build an empty canvas."""
        super().__init__(parent)
        self.picture: P | None = None

    def show_picture(self, picture: P) -> None:
        """Draw a picture."""
        self._show(picture, "", look=picture.look)

    def show_sentence(self, sentence: str, look: Appearance) -> None:
        """Draw nothing but a sentence."""
        self._show(None, sentence, look=look)

    def _show(self, picture: P | None, sentence: str, *, look: Appearance) -> None:
        self.picture, self.sentence = picture, sentence
        self.set_look(look)
        self.lay_out()
