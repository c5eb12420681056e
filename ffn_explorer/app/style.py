"""Style: palette and style sheet of the application, made from a Theme."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from ffn_explorer.state.app_state import Appearance, ThemeName
from ffn_explorer.state.assets import asset
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.theme import LIGHT, Theme, blend, theme_of

SHEET = """
QMainWindow, QDialog {{ background: {background}; }}
QWidget#bar {{ background: {surface}; border-bottom: {line}px solid {border}; }}
QLabel#knob-label {{ color: {muted}; }}
QLabel#heading {{ color: {ink}; font-weight: bold; }}
QToolTip {{ color: {ink}; background: {surface}; border: {line}px solid {border}; padding: {pad}px; }}
QLineEdit, QComboBox, QAbstractSpinBox, QPlainTextEdit {{
    color: {ink}; background: {surface}; border: {line}px solid {border}; border-radius: {radius}px;
    padding: {pad_y}px {pad}px; selection-background-color: {accent}; selection-color: {on_accent};
}}
QComboBox {{ combobox-popup: 0; }}
QLineEdit:hover, QComboBox:hover, QAbstractSpinBox:hover {{ border-color: {muted}; }}
QLineEdit:focus, QComboBox:focus, QAbstractSpinBox:focus, QPlainTextEdit:focus {{
    border: {focus_line}px solid {focus}; padding: {focus_pad_y}px {focus_pad}px;
}}
QLineEdit:disabled, QComboBox:disabled, QAbstractSpinBox:disabled {{ color: {muted}; background: {sunken}; }}
QComboBox QLineEdit, QAbstractSpinBox QLineEdit {{ border: none; padding: 0; background: transparent; }}
QComboBox::drop-down, QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{
    subcontrol-origin: border; border: none; background: transparent; width: {side}px;
}}
QComboBox::drop-down {{ subcontrol-position: center right; }}
QAbstractSpinBox::up-button {{ subcontrol-position: top right; margin-top: {line}px; }}
QAbstractSpinBox::down-button {{ subcontrol-position: bottom right; margin-bottom: {line}px; }}
QComboBox::down-arrow, QAbstractSpinBox::down-arrow {{ image: url({chevron_down}); }}
QAbstractSpinBox::up-arrow {{ image: url({chevron_up}); }}
QComboBox::down-arrow, QAbstractSpinBox::down-arrow, QAbstractSpinBox::up-arrow {{
    width: {arrow}px; height: {arrow}px;
}}
QAbstractSpinBox {{ padding-right: 0; }}
QAbstractSpinBox:focus {{ padding-right: 0; }}
QComboBox QAbstractItemView, QListView, QTreeView {{
    color: {ink}; background: {surface}; border: {line}px solid {border};
    selection-background-color: {accent}; selection-color: {on_accent};
}}
QPushButton, QToolButton {{
    color: {ink}; background: transparent; border: {line}px solid transparent; border-radius: {radius}px;
    padding: {pad_y}px {pad}px;
}}
QPushButton {{ background: {surface}; border-color: {border}; padding: {pad_y}px {wide}px; }}
QPushButton:default {{ background: {accent}; color: {on_accent}; border-color: {accent}; }}
QPushButton:hover, QToolButton:hover {{ background: {sunken}; }}
QPushButton:default:hover {{ background: {accent_hover}; }}
QPushButton:pressed, QToolButton:pressed, QToolButton:checked {{ background: {pressed}; }}
QPushButton:focus, QToolButton:focus {{
    border: {focus_line}px solid {focus}; padding: {focus_pad_y}px {focus_pad}px;
}}
QPushButton:focus {{ padding: {focus_pad_y}px {focus_wide}px; }}
QPushButton:disabled, QToolButton:disabled {{ color: {muted}; }}
QToolButton::menu-indicator {{ image: none; }}
QToolButton#preset, QToolButton#more {{ background: {surface}; border-color: {border}; }}
QToolButton#preset {{ padding-right: {side}px; }}
QToolButton#preset::menu-indicator {{
    image: url({chevron_down}); width: {arrow}px; height: {arrow}px; right: {pad}px;
    subcontrol-origin: padding; subcontrol-position: center right;
}}
QFrame#popup {{ background: {surface}; border: {line}px solid {border}; }}
QCheckBox::indicator {{
    width: {box}px; height: {box}px;
    border: {line}px solid {muted}; border-radius: 3px; background: {surface};
}}
QCheckBox::indicator:checked {{ background: {accent}; border-color: {accent}; image: url({check}); }}
QCheckBox::indicator:disabled {{ border-color: {border}; }}
QCheckBox::indicator:checked:disabled {{ background: {muted}; }}
QCheckBox::indicator:focus {{ border: {focus_line}px solid {focus}; }}
QMenu {{ color: {ink}; background: {surface}; border: {line}px solid {border}; padding: {pad_y}px; }}
QMenu::item {{ padding: {pad}px {wide}px; border-radius: {radius}px; }}
QMenu::item:selected {{ background: {sunken}; }}
QMenu::item:disabled {{ color: {muted}; }}
QMenu::separator {{ height: {line}px; background: {border}; margin: {pad_y}px; }}
QFrame#flash {{ background: {sunken}; border-radius: {radius}px; }}
QFrame#flash QLabel {{ color: {ink}; background: transparent; }}
QFrame#notice {{ background: {ink}; border-radius: {radius}px; }}
QFrame#notice QLabel {{ color: {surface}; background: transparent; }}
QFrame#notice QPushButton {{ color: {surface}; background: transparent; border-color: {muted}; }}
QFrame#notice QPushButton:hover {{ background: {notice_hover}; }}
QFrame#notice QPushButton:focus {{ border-color: {surface}; }}
QListView::item, QTreeView::item {{ padding: {pad_y}px {pad}px; }}
QListView::item {{ border-radius: {radius}px; }}
QListView::item:selected, QTreeView::item:selected {{ background: {accent}; color: {on_accent}; }}
QScrollArea {{ background: transparent; border: none; }}
QScrollBar:vertical, QScrollBar:horizontal {{ background: transparent; border: none; margin: 0; }}
QScrollBar:vertical {{ width: {scroll}px; }}
QScrollBar:horizontal {{ height: {scroll}px; }}
QScrollBar::handle {{
    background: {thumb}; border-radius: {scroll_radius}px; min-height: {wide}px; min-width: {wide}px;
}}
QScrollBar::handle:hover {{ background: {muted}; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
    background: none; border: none; width: 0; height: 0;
}}
"""


def apply_style(application: QApplication, look: Appearance) -> None:
    """Give the whole application the palette, font and style sheet of a look; fonts of widgets come after."""
    if application.style().objectName().lower() != "fusion":
        application.setStyle("Fusion")
    application.setPalette(palette(theme_of(look)))
    application.setFont(font(look))
    made = sheet(theme_of(look), scale=look.scale)
    if application.styleSheet() == made:
        return
    application.setStyleSheet(made)
    # A widget polished after its font was set loses that font: all are polished now, fonts are set next.
    for widget in application.allWidgets():
        widget.ensurePolished()


def dress(widget: QWidget, look: Appearance) -> None:
    """Give one widget, with all that is in it, the same; the rest of the application keeps its own."""
    colours, face = palette(theme_of(look)), font(look)
    widget.setStyleSheet(sheet(theme_of(look), scale=look.scale))
    for inside in (widget, *widget.findChildren(QWidget)):
        inside.ensurePolished()
        # Where a style sheet is, neither goes on from parent to child: the application's would come instead.
        inside.setPalette(colours)
        inside.setFont(face)


def style_of_application() -> str:
    """The style sheet that all widgets have, but for those with one of their own."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    return application.styleSheet()


def styled(look: Appearance) -> bool:
    """Whether the application wears this look already."""
    return style_of_application() == sheet(theme_of(look), scale=look.scale)


def sheet(theme: Theme, *, scale: float) -> str:
    """Style sheet of a theme; lengths in pixels follow the scale (1 to 2) and the theme's type."""
    grown = scale * theme.body_px / LIGHT.body_px
    lengths = {
        "pad": 6,
        "pad_y": 3,
        "wide": 14,
        "radius": 6,
        "scroll": 10,
        "scroll_radius": 4,
        "side": 18,
        "arrow": 9,
        "box": 14,
    }
    line = max(1, round(theme.line_px * scale))
    focus_line = line + 1
    sizes = {name: round(px * grown) for name, px in lengths.items()}
    # A thicker border takes its pixels from the padding, so that nothing moves when the focus comes.
    inner = {f"focus_{name}": max(0, sizes[name] - 1) for name in ("pad", "pad_y", "wide")}
    return SHEET.format(
        **{name: getattr(theme, name) for name in COLOURS},
        accent_hover=blend(theme.accent, theme.muted, 0.85).name(),
        pressed=theme.border,
        thumb=blend(theme.muted, theme.background, 0.5).name(),
        notice_hover=blend(theme.surface, theme.ink, 0.15).name(),
        chevron_down=asset("icons/chevron-down.svg").as_posix(),
        chevron_up=asset("icons/chevron-up.svg").as_posix(),
        check=asset(f"icons/check-{'dark' if theme.name == 'dark' else 'light'}.svg").as_posix(),
        line=line,
        focus_line=focus_line,
        **sizes,
        **inner,
    )


COLOURS = ("background", "surface", "sunken", "border", "ink", "muted", "accent", "on_accent", "focus")


def palette(theme: Theme) -> QPalette:
    """Palette for what Fusion draws itself: check boxes, arrows, placeholders, Qt's own dialogs."""
    made = QPalette()
    role = QPalette.ColorRole
    rows = {
        role.Window: theme.background,
        role.WindowText: theme.ink,
        role.Base: theme.surface,
        role.AlternateBase: theme.sunken,
        role.Text: theme.ink,
        role.PlaceholderText: theme.muted,
        role.Button: theme.surface,
        role.ButtonText: theme.ink,
        role.BrightText: theme.error,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.on_accent,
        role.Accent: theme.focus,
        role.ToolTipBase: theme.surface,
        role.ToolTipText: theme.ink,
        role.Link: theme.focus,
        role.LinkVisited: theme.focus,
        role.Light: theme.surface,
        role.Midlight: theme.sunken,
        role.Mid: theme.border,
        role.Dark: theme.border,
    }
    for which, colour in rows.items():
        made.setColor(which, QColor(colour))
    made.setColor(role.Shadow, blend(theme.ink, theme.background, 0.3))
    for which in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, which, QColor(theme.muted))
    return made


def system_theme(application: QApplication) -> ThemeName:
    """Light or dark, as the desktop says; light where it says nothing."""
    scheme = application.styleHints().colorScheme()
    return "dark" if scheme == Qt.ColorScheme.Dark else "light"
