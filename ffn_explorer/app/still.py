"""Still pictures without a screen: the same Scene and the same board, everything computed in turn."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication, QWidget

from ffn_explorer.app.director import Director
from ffn_explorer.app.style import apply_style, dress, styled
from ffn_explorer.app.window import FIRST_PX, Window
from ffn_explorer.board import Board
from ffn_explorer.core.errors import InputError
from ffn_explorer.export.png import check_size, lay_out, size_in
from ffn_explorer.export.table import export, exporter_of
from ffn_explorer.panels.table import PANELS
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Appearance, AppState
from ffn_explorer.state.compute import Asked, attempt, compute, never
from ffn_explorer.state.layouts import DEFAULT_LAYOUT, LAYOUTS, Layout, Slot, panels_of
from ffn_explorer.state.lectures.shown import scene_layout
from ffn_explorer.state.needs import needs
from ffn_explorer.state.requests import FileRequest
from ffn_explorer.state.resolver import Resolver
from ffn_explorer.state.results import Results
from ffn_explorer.state.session import Session

PANEL_PX = (960, 600)

Dress = Callable[[QWidget, Appearance], None]
"""Gives a widget that stands alone the palette, font and style sheet of a look."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a picture shows: a panel, some panels without a window, or (neither given) the window in a layout.

    arranged: what a person made of the layouts, as `Arrangement.to_json` tells it.  alone: the panel that
    fills the board.  scene: how the board stands while a lecture is given, in place of the layout.
    panels: how they stand where there is no window around them.  size: in logical pixels, None for the
    usual one.
    """

    panel: str | None = None
    layout: str = DEFAULT_LAYOUT
    arranged: Mapping[str, Any] = field(default_factory=dict)
    scene: Layout | None = None
    panels: Layout | None = None
    alone: str | None = None
    size: tuple[int, int] | None = None

    @property
    def size_px(self) -> QSize:
        """Size in logical pixels."""
        return QSize(*(self.size or (FIRST_PX if self.on_board is None else PANEL_PX)))

    @property
    def on_board(self) -> Layout | None:
        """What stands on a board that no window surrounds; None for the window."""
        return self.panels if self.panel is None else Slot(self.panel)

    @property
    def inside(self) -> Layout:
        """The panels that are drawn, as they stand."""
        return self.on_board or self.scene or LAYOUTS[self.layout]

    def check(self, *, pixels: float = 1.0) -> None:
        """Raise InputError on an unknown panel or layout, or a side that no picture can have."""
        if self.panel is not None and self.panel not in PANELS:
            raise InputError("export.panel", name=self.panel, choices=", ".join(PANELS))
        if self.layout not in LAYOUTS:
            raise InputError("export.layout", name=self.layout, choices=", ".join(LAYOUTS))
        for size in (self.size_px, size_in(self.size_px, pixels)):
            check_size(size)


def subject_in(
    state: AppState, *, panel: str | None, layout: str | None, size: tuple[int, int] | None
) -> Subject:
    """What a command line names: a panel, or the window in a layout, else as the state's scene stands."""
    scene = scene_layout(state) if panel is None and layout is None else None
    return Subject(panel, layout or DEFAULT_LAYOUT, scene=scene, size=size)


def draw(
    state: AppState,
    path: Path,
    *,
    panel: str | None = None,
    size: tuple[int, int] | None = None,
    layout: str | None = None,
    pixels: float = 1.0,
) -> None:
    """Write a picture of the window in one of LAYOUTS, or of one panel, in this state.

    layout: None for the scene's, where the state is one of a lecture, else the default.

    pixels: device pixels per logical pixel.  Raises InputError on an unknown panel, layout or format, a side
    outside 16..16384, or a file that cannot be written, and whatever computing the state raises.
    """
    exporter_of(path)
    subject = subject_in(state, panel=panel, layout=layout, size=size)
    subject.check(pixels=pixels)
    prepare_application(state.appearance)
    state = changes.show_panels(frozenset(panels_of(subject.inside))).to(state)
    results = computed(state)
    with still(state, results, subject, wear=whole_application) as widget:
        export(widget, path, state=state, pixels=pixels)


@contextmanager
def still(state: AppState, results: Results, subject: Subject, *, wear: Dress) -> Iterator[QWidget]:
    """A widget that shows a subject in this state, laid out at its size and on no screen, while this lasts.

    What `results` lacks is shown as still on its way.
    """
    state = resting(state)
    make = _window if subject.on_board is None else _board
    widget = make(state, results, subject, wear)
    try:
        widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        # The program ends with the last window that a person sees.
        widget.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)
        lay_out(widget, subject.size_px)
        yield widget
    finally:
        widget.close()
        widget.deleteLater()


def resting(state: AppState) -> AppState:
    """The state with nothing pointed at and nothing playing, as in every exported picture."""
    return replace(state, hover=None, point=None, playback=replace(state.playback, playing=False))


def prepare_application(look: Appearance) -> None:
    """Make the application where there is none, and dress it before anything is built.

    Lists are as wide as their words in the font they are built in: the first picture would differ from all
    later ones.
    """
    application = QApplication.instance() or QApplication([])
    assert isinstance(application, QApplication)
    apply_style(application, look)


def whole_application(_: QWidget, look: Appearance) -> None:
    """Dress a widget in a program that shows nothing else."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    apply_style(application, look)


def beside_others(widget: QWidget, look: Appearance) -> None:
    """Dress a widget in a running program, whose own windows keep their style."""
    if not styled(look):
        dress(widget, look)


def _board(state: AppState, results: Results, subject: Subject, wear: Dress) -> QWidget:
    assert subject.on_board is not None
    board = Board(subject.on_board)
    wear(board, state.appearance)
    board.show_scene(Resolver(results).resolve(state))
    return board


def _window(state: AppState, results: Results, subject: Subject, wear: Dress) -> QWidget:
    director = Director(Session(state), results)
    window = Window(director, layout_name=subject.layout, dress=wear)
    director.setParent(window)
    window.arrangement.restore(subject.arranged)
    if subject.scene is not None:
        window.arrangement.show_scene(subject.scene)
    window.board.fill(subject.alone)
    window.show_scene(Resolver(results).resolve(director.state))
    return window


def computed(state: AppState, *, cancelled: Asked = never) -> Results:
    """Everything that a state needs, computed here and now; raises what computing raises.

    cancelled: asked between steps; Cancelled is raised then.
    """
    results = Results()
    while todo := needs(state, results):
        request = todo[0]
        if isinstance(request, FileRequest):
            # A file without an unembedding still has all the rest: its panel says what is missing.
            attempt(request, results, cancelled=cancelled)
        else:
            results.put(request, compute(request, results, cancelled=cancelled))
    return results
