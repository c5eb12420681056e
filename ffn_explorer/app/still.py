"""Still pictures without a screen: the same Scene and the same board, everything computed in turn."""

from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication, QWidget

from ffn_explorer.app.director import Director
from ffn_explorer.app.style import apply_style
from ffn_explorer.app.window import FIRST_PX, Window
from ffn_explorer.board import Board
from ffn_explorer.core.errors import InputError
from ffn_explorer.export.png import check_size, lay_out
from ffn_explorer.export.table import export, exporter_of
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.compute import attempt, compute
from ffn_explorer.state.layouts import DEFAULT_LAYOUT, LAYOUTS, Layout, Slot, panels_of
from ffn_explorer.state.needs import needs
from ffn_explorer.state.requests import FileRequest
from ffn_explorer.state.resolver import Resolver
from ffn_explorer.state.results import Results
from ffn_explorer.state.session import Session

PANEL_PX = (960, 600)


def draw(
    state: AppState,
    path: Path,
    *,
    panel: str | None = None,
    size: tuple[int, int] | None = None,
    layout: str | None = None,
) -> None:
    """Write a picture of the window in one of LAYOUTS (None: the default), or of one panel, in this state.

    Raises InputError on an unknown panel, layout or format, a size outside 16..16384, or a file that cannot
    be written, and whatever computing the state raises.
    """
    exporter_of(path)
    if panel is not None and panel not in PANELS:
        raise InputError("export.panel", name=panel, choices=", ".join(PANELS))
    named = layout or DEFAULT_LAYOUT
    if named not in LAYOUTS:
        raise InputError("export.layout", name=named, choices=", ".join(LAYOUTS))
    wanted = QSize(*(size or (FIRST_PX if panel is None else PANEL_PX)))
    check_size(wanted)
    application = QApplication.instance() or QApplication([])
    assert isinstance(application, QApplication)
    inside: Layout = LAYOUTS[named] if panel is None else Slot(panel)
    state = changes.show_panels(frozenset(panels_of(inside))).to(state)
    results = computed(state)
    if panel is None:
        director = Director(Session(state), results)
        widget: QWidget = Window(director, layout_name=named)
        director.start()
    else:
        apply_style(application, state.appearance)
        board = Board(inside)
        board.show_scene(Resolver(results).resolve(state))
        widget = board
    widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    lay_out(widget, wanted)
    export(widget, path, state=state)
    widget.close()
    widget.deleteLater()


def computed(state: AppState) -> Results:
    """Everything that a state needs, computed here and now; raises what computing raises."""
    results = Results()
    while todo := needs(state, results):
        request = todo[0]
        if isinstance(request, FileRequest):
            # A file without an unembedding still has all the rest: its panel says what is missing.
            attempt(request, results)
        else:
            results.put(request, compute(request, results))
    return results
