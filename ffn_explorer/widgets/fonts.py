"""Bundled fonts, so that every machine shows the same glyphs, Japanese included."""

from functools import cache, lru_cache

from PySide6.QtGui import QFont, QFontDatabase

from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.assets import asset
from ffn_explorer.widgets.theme import theme_of

SANS = "FFN Explorer Sans"
MONO = "FFN Explorer Mono"


@cache
def load_fonts() -> None:
    """Register the bundled font files with Qt, once."""
    for path in sorted(asset("fonts").glob("*.[ot]tf")):
        QFontDatabase.addApplicationFont(str(path))


def font(look: Appearance, role: str = "body", *, bold: bool = False, mono: bool = False) -> QFont:
    """Font of a role ("small", "body", "title", "slide") at this look's size, in whole pixels.

    The same object each time, with what Qt has found out about it: never to be changed.
    """
    theme = theme_of(look)
    size: float = getattr(theme, f"{role}_px")
    return _made(max(1, round(size * look.scale)), bold, mono)


def sized(pixels: int, *, bold: bool = False, mono: bool = False) -> QFont:
    """A font at a size in units of what is painted on, which has no look; never to be changed."""
    return _made(pixels, bold, mono)


@lru_cache(maxsize=256)
def _made(pixels: int, bold: bool, mono: bool) -> QFont:
    load_fonts()
    made = QFont(MONO if mono else SANS)
    made.setPixelSize(pixels)
    made.setBold(bold)
    # Hinting and subpixel rules of the desktop would make one Scene look different on two machines.
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    # Whoever searches a PDF for "Dff" must find it, where Qt writes a ligature as one unknown letter.
    made.setFeature(QFont.Tag("liga"), 0)
    return made
