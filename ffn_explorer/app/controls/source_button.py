"""SourceButton: where the weights come from, by a word or a file's name, and the door to others."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from ffn_explorer.state.known_file import facts_of, file_name
from ffn_explorer.state.numbers import count
from ffn_explorer.state.quoting import WIDEST_PLACE, quoted
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.sizes import px

if TYPE_CHECKING:
    from ffn_explorer.state.file_facts import FileFacts

WIDEST_PX = 190
"""Width of a file's name; a longer one loses its middle, since its end tells the quantisation."""


class SourceButton(QToolButton):
    """A pure function of the Scene; whoever owns the window fills its menu."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build it with an empty menu."""
        super().__init__(parent)
        self.setObjectName("preset")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        # A click takes no keyboard from the pictures; Tab still reaches it.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.rows = QMenu(self)
        self.rows.setToolTipsVisible(True)
        self.setMenu(self.rows)
        self._whole = ""

    def show_scene(self, scene: Scene) -> None:
        """Name the source of a scene."""
        look, language, opened = scene.look, scene.look.language, scene.source.opened
        used = font(look, "body", bold=opened is not None)
        self.setFont(used)
        facts = facts_of(opened)
        if opened is not None:
            self._whole = file_name(opened.path)
            tip = quoted(opened.path, WIDEST_PLACE)
            tip = tip if facts is None else f"{tip}\n{facts_words(facts, language)}"
        else:
            kind = "random" if scene.source.memory is None else "memory"
            self._whole, tip = say(language, f"source.{kind}"), say(language, "source.tip")
        metrics = QFontMetrics(used)
        shown = metrics.elidedText(self._whole, Qt.TextElideMode.ElideMiddle, px(look, WIDEST_PX))
        self.setText(shown.replace("&", "&&"))
        self.setToolTip(tip)
        self.setAccessibleName(say(language, "source.name", source=self._whole))
        self.setAccessibleDescription(tip)
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        """The same: no letter is cut."""
        return self.sizeHint()


def facts_words(facts: "FileFacts", language: str) -> str:
    """Format, family, layers, size and tokenizer of a file, a line each."""
    family = facts.family or say(language, "source.no_family")
    lines = [
        say(
            language,
            "source.facts",
            format=facts.format,
            family=family,
            layers=count(len(facts.layers)),
            size=say(language, "source.bytes", n=count(facts.nbytes)),
        )
    ]
    if facts.confidence < 1.0:
        lines.append(say(language, "source.confidence", percent=count(round(100 * facts.confidence))))
    tokens = "source.tokenizer" if facts.tokenizer else "source.no_tokenizer"
    lines.append(say(language, tokens, name=facts.tokenizer))
    return "\n".join(lines)
