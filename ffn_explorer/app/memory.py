"""Memory: what the window remembers between launches, saved shortly after each change and when it closes."""

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from PySide6.QtCore import QByteArray, QObject, QPoint, QTimer
from PySide6.QtWidgets import QApplication

from ffn_explorer.app.system_look import BOTH, as_system
from ffn_explorer.app.window import Window
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import AppState, ThemeName
from ffn_explorer.state.asked import chosen_in
from ffn_explorer.state.files import kind_of
from ffn_explorer.state.layouts import DEFAULT_LAYOUT, LAYOUTS
from ffn_explorer.state.storage import Preferences, load_preferences, preferences_path, save_preferences
from ffn_explorer.state.text import Text

SAVE_MS = 1_000
MISSED, WAITS = "missed", "waits"
"""Entries of a lecture's place: its file could not be read last time; a person has begun something else."""
TITLE_BAR_PX = 36
"""Height left for the title bar, which belongs to the screen's owner and not to the window."""


class Memory(QObject):
    """Reads the preferences once, and writes them while a window is watched."""

    def __init__(self, application: QApplication) -> None:
        """Read the preferences; on the first launch, language and light or dark follow the system."""
        super().__init__(application)
        self._first_launch = kind_of(preferences_path()) == "nothing"
        self._preferences, self._note = load_preferences()
        look = as_system(self._preferences.appearance, self._follows())
        self._preferences = replace(self._preferences, appearance=look)
        self._place: dict[str, Any] = self._layout("lecture", dict, {})
        """Kept until a lecture is on: launches that show none do not forget it."""
        self._window: Window | None = None
        self._given: frozenset[str] = frozenset()
        """What the command line chose."""
        self._unwritable: Text | None = None
        self._save_soon = QTimer(self)
        self._save_soon.setSingleShot(True)
        self._save_soon.setInterval(SAVE_MS)
        self._save_soon.timeout.connect(self.save)

    @property
    def layout_name(self) -> str:
        """Name of the layout that was in use."""
        name = self._layout("name", str, DEFAULT_LAYOUT)
        return name if name in LAYOUTS else DEFAULT_LAYOUT

    def first_state(self, state: AppState | None, given: frozenset[str]) -> AppState:
        """State to open with: the command line's, else the last one; looks as remembered unless given."""
        look = self._preferences.appearance
        if state is None:
            last = self._preferences.last
            fresh = AppState(appearance=look)
            # The file of the last session is opened again once the window is there.
            if last is None or last.source.opened is not None:
                return fresh
            return changes.load_state(last).to(fresh)
        if "lang" in given:
            look = replace(look, language=state.appearance.language)
            self._given |= {"language"}
        if "theme" in given:
            look = replace(look, theme=state.appearance.theme)
            self._given |= {"theme"}
        return replace(state, appearance=look)

    @property
    def last_opened(self) -> AppState | None:
        """State of the last session, where that looked at a file of weights."""
        last = self._preferences.last
        return None if last is None or last.source.opened is None else last

    @property
    def place(self) -> dict[str, Any]:
        """Where a lecture was left; empty without one."""
        return self._place

    @property
    def goes_on(self) -> bool:
        """Whether it is taken up unasked: not where a file of weights or other work has come in between."""
        return bool(self._place) and self.last_opened is None and not self._place.get(WAITS)

    def miss_place(self) -> None:
        """The lecture could not be read: its place stays, to be tried again at the next launch."""
        self._place = {**self._place, MISSED: True}
        self._save_soon.start()

    def watch(self, window: Window) -> None:
        """Give a window its remembered place and shares, and remember from now on what becomes of it."""
        self._window = window
        geometry = self._layout("geometry", str, "")
        if not window.restoreGeometry(QByteArray.fromBase64(geometry.encode("ascii", "replace"))):
            fit(window)
        window.arrangement.restore(self._layout("layouts", dict, {}))
        window.hints.recall(self._layout("hints", list, []))
        folder = Path(self._layout("folder", str, ""))
        window.folder = folder if folder.is_absolute() and kind_of(folder) == "folder" else window.folder
        room = self._layout("room_theme", str, window.room_theme)
        window.room_theme = room if room in get_args(ThemeName) and room != "projector" else "light"
        window.system_look.recall(self._follows() - self._given)
        window.exporting.recall(self._layout("export", dict, {}))
        window.opener.recent.recall(self._layout("recent", list, []))
        corrections = self._layout("corrections", dict, {})
        if corrections:
            window.opener.corrections.recall(corrections)
        if self._note is not None:
            window.director.tell(self._note)
        window.director.state_changed.connect(self._changed)
        window.arrangement.changed.connect(self._save_soon.start)
        window.hints.changed.connect(self._save_soon.start)
        window.system_look.changed.connect(self._save_soon.start)
        window.opener.recent.changed.connect(self._save_soon.start)
        window.exporting.changed.connect(self._save_soon.start)
        window.opener.corrections.changed.connect(self._save_soon.start)
        window.closing.connect(self.save)

    def save(self) -> None:
        """Write now; where that cannot be, the window says so once."""
        window = self._window
        if window is None:
            return
        self._save_soon.stop()
        state = window.director.state
        note = save_preferences(
            Preferences(
                appearance=state.appearance,
                layout={
                    "name": window.arrangement.name,
                    "layouts": window.arrangement.to_json(),
                    "hints": window.hints.done,
                    "geometry": bytes(window.saveGeometry().toBase64().data()).decode("ascii"),
                    "folder": str(window.folder),
                    "room_theme": window.room_theme,
                    "follows": sorted(window.system_look.follows),
                    "export": window.exporting.choices,
                    "recent": list(window.opener.recent.paths),
                    "lecture": self._place or _place_in(state),
                    "corrections": window.opener.corrections.to_json(),
                },
                # A last session that is still being opened is not given up for what stands in its place.
                last=window.opener.awaited or state,
            )
        )
        if note is not None and note != self._unwritable:
            window.director.tell(note)
        self._unwritable = note

    def _changed(self, old: AppState, new: AppState) -> None:
        """Playback and what is pointed at or in sight are not worth a write."""
        if new.lesson is not None:
            self._place = {}
        elif self._place and chosen_in(old) != chosen_in(new):
            self._place = {**self._place, WAITS: True}
        if replace(old, playback=new.playback, hover=new.hover, point=new.point, shown=new.shown) != new:
            self._save_soon.start()

    def _follows(self) -> frozenset[str]:
        """What of the looks follows the system: all, until a person has chosen."""
        known = self._layout("follows", list, sorted(BOTH) if self._first_launch else [])
        return frozenset(name for name in known if name in BOTH)

    def _layout(self, name: str, kind: type, default: Any) -> Any:  # noqa: ANN401 - plain values of a file
        value = self._preferences.layout.get(name, default)
        return value if isinstance(value, kind) else default


def _place_in(state: AppState) -> dict[str, Any]:
    if state.lesson is None:
        return {}
    from ffn_explorer.state.lectures.places import place_to_json  # the first picture needs none of it

    return place_to_json(state)


def fit(window: Window) -> None:
    """Give a new window the middle of its screen, and no more room than there is."""
    room = window.screen().availableGeometry().adjusted(0, TITLE_BAR_PX, 0, 0)
    window.resize(window.size().boundedTo(room.size()))
    window.move(room.center() - window.rect().center() - QPoint(0, TITLE_BAR_PX // 2))
