"""TransportPanel: play, scrub and step through the pass, with the formula and shapes of the present stage."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes, numbers, timeline
from ffn_explorer.state.scene import Scene, StageInfo
from ffn_explorer.widgets.buttons import RoundButton, WordButton
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.labels import ElidedLabel
from ffn_explorer.widgets.last_shown import LastShown
from ffn_explorer.widgets.panel import PADDING_PX, Panel
from ffn_explorer.widgets.sizes import line_px, px
from ffn_explorer.widgets.track import StageTrack, Stop, TrackPicture

SPEEDS = (0.25, 0.5, 1.0, 2.0)
KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End)


class TransportPanel(Panel):
    """Playback of the pass and the caption of the stage under way."""

    name = "transport"
    reads = frozenset(
        {"stages", "playback", "current", "busy", "chips", "sentences", "selection", "hover", "point"}
    )
    framed = False

    def __init__(self, parent: QWidget | None = None) -> None:
        """Build buttons, track and caption."""
        super().__init__(parent)
        self.play = RoundButton(self)
        self.track = StageTrack(self)
        self.formula = ElidedLabel(self)
        self.chosen = ElidedLabel(self, align=Qt.AlignmentFlag.AlignRight)
        self.shapes = ElidedLabel(self)
        self.axes = WordButton(self, mono=True)
        self.speed = WordButton(self, mono=True)
        self._busy_line = False
        self._shown = LastShown()
        self._segments: tuple[timeline.Segment, ...] = ()
        self._stops: tuple[Stop, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._arrange()
        self.play.clicked.connect(self._toggle)
        self.track.sought.connect(lambda time: self.request(changes.seek(time)))
        self.track.stepped.connect(self._step)
        self.track.pointed.connect(self._point)
        self.axes.clicked.connect(lambda: self.request(changes.toggle_transposed()))
        self.speed.clicked.connect(self._next_speed)

    def _arrange(self) -> None:
        body = QWidget(self)
        self._row = QHBoxLayout(body)
        caption = QVBoxLayout()
        caption.setSpacing(0)
        caption.addStretch(1)
        first = QHBoxLayout()
        first.setSpacing(PADDING_PX)
        # The formula gives way last: the selection has what is left beside it.
        self.formula.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        first.addWidget(self.formula)
        first.addWidget(self.chosen, 1)
        caption.addLayout(first)
        caption.addWidget(self.shapes)
        caption.addStretch(1)
        self._row.addWidget(self.play)
        self._row.addWidget(self.track, 4)
        self._row.addSpacing(PADDING_PX)
        self._row.addLayout(caption, 3)
        self._row.addWidget(self.axes)
        self._row.addWidget(self.speed)
        self.set_body(body)

    def restyle(self, scene: Scene) -> None:
        """Fonts, sizes and the words that a language decides."""
        super().restyle(scene)
        look, theme = scene.look, self.theme
        self.formula.set_look(font(look, "body", mono=True), theme.ink)
        self.shapes.set_look(font(look, "small", mono=True), theme.muted)
        self.chosen.set_look(font(look, "small"), theme.muted)
        for button in (self.play, self.axes, self.speed):
            button.set_look(look)
        self._row.setContentsMargins(px(look, 20), px(look, 9), px(look, 20), px(look, 7))
        self._row.setSpacing(px(look, 14))
        self.track.setAccessibleName(self.say("track"))
        self.track.show_picture(TrackPicture(look, (), 0, 0.0))
        self.setFixedHeight(self._height(scene))

    def _height(self, scene: Scene) -> int:
        margins = self._row.contentsMargins()
        caption = self.formula.sizeHint().height() + self.shapes.sizeHint().height()
        tallest = max(self.play.sizeHint().height(), self.track.sizeHint().height(), caption)
        return tallest + margins.top() + margins.bottom() + round(line_px(scene.look))

    def render_scene(self, scene: Scene) -> None:
        """Draw the present moment."""
        playback = scene.playback
        if self._shown.differs("buttons", scene.look, playback.playing, playback.speed):
            self._render_buttons(scene)
        if self._shown.differs("stages", scene.look, scene.stages):
            self._segments = timeline.segments(self._stages(scene))
            self._stops = self._stops_of(scene)
        chosen = (scene.chips, scene.sentences, scene.selection, scene.hover, scene.point)
        if self._shown.differs("chosen", scene.look, *chosen):
            self.chosen.set_text(self._chosen(scene), short=self._chosen(scene, brief=True))
        here = self._segment_infos(scene)
        self.formula.set_text(here[0].formula if here else "")
        self.shapes.set_text(self._second_line(scene, here))
        self.shapes.set_look(font(scene.look, "small", mono=scene.busy is None), self.theme.muted)
        self.track.show_picture(self._track(scene))
        name = " · ".join(self.say(info.name) for info in here)
        done = numbers.percent(scene.playback.time)
        self.track.setAccessibleDescription(self.say("at", name=name, done=done))
        if self._busy_line != (scene.busy is not None):
            self._busy_line = scene.busy is not None
            self.update()

    def _render_buttons(self, scene: Scene) -> None:
        playing = scene.playback.playing
        self.play.set_icon("pause" if playing else "play")
        act = "pause" if playing else "play"
        self.play.explain(self.say(act), self.say(f"{act}_tip"))
        order = "S,B,D" if scene.look.transposed else "B,S,D"
        self.axes.set_word(order)
        self.axes.explain(self.say("axes", order=order), self.say("axes_tip"))
        speed = self._speed_word(scene.playback.speed)
        self.speed.set_word(speed, among=(*(self._speed_word(s) for s in SPEEDS), speed))
        self.speed.explain(self.say("speed", speed=speed), self.say("speed_tip"))

    def _stops_of(self, scene: Scene) -> tuple[Stop, ...]:
        """One per segment of the pass, whichever moment it is."""
        infos = {info.stage: info for info in scene.stages}
        stops = []
        for segment in self._segments:
            members = [infos[stage] for stage in segment.stages]
            name = " · ".join(self.say(info.name) for info in members)
            tip = "\n".join(f"{self.say(info.name)}:  {info.formula}" for info in members)
            stops.append(Stop(segment.end, name, self.theme.stage(segment.stages[0]).name(), tip))
        return tuple(stops)

    def _track(self, scene: Scene) -> TrackPicture:
        current, pointed, pointed_stage = 0, None, scene.pointed.stage
        for index, segment in enumerate(self._segments):
            if scene.current in segment.stages:
                current = index
            if pointed_stage in segment.stages:
                pointed = index
        return TrackPicture(scene.look, self._stops, current, scene.playback.time, pointed)

    def _segment_infos(self, scene: Scene) -> list[StageInfo]:
        for segment in self._segments:
            if scene.current in segment.stages:
                return [info for info in scene.stages if info.stage in segment.stages]
        return []

    def _chosen(self, scene: Scene, *, brief: bool = False) -> str:
        """What is chosen, or pointed at in its place: sentence, token, expert, neuron, dimension.

        brief: one letter each.
        """
        chosen, pointed = scene.selection, scene.pointed
        parts = [self._token(scene)]
        if len(scene.sentences) > 1:
            parts.insert(0, self.say("sentence", n=chosen.sentence + 1))
        for name in ("expert", "neuron", "dim"):
            at = getattr(chosen, name) if getattr(pointed, name) is None else getattr(pointed, name)
            if at is not None:
                parts.append(self.say(f"{name}_brief" if brief else name, n=numbers.count(at)))
        return " · ".join(part for part in parts if part)

    def _token(self, scene: Scene) -> str:
        token = scene.selection.token if scene.pointed.token is None else scene.pointed.token
        if not 0 <= token < len(scene.chips):
            return ""
        text = shown_token(scene.chips[token].text, font(scene.look, "small"))
        return self.say("token", token=text, position=token)

    def _second_line(self, scene: Scene, here: list[StageInfo]) -> str:
        if scene.busy is not None:
            return self.say(scene.busy)
        if not here:
            return ""
        first = here[0]
        if first.stage is Stage.INPUT:
            return numbers.shape(first.shape_out)
        shapes = f"{numbers.shape(first.shape_in)} → {numbers.shape(first.shape_out)}"
        # Gate and up run side by side: the second formula stands in front of the shapes they share.
        return "   ".join([*(info.formula for info in here[1:]), shapes])

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar itself: surface, a line above it, and a dashed one while something is computed."""
        super().paintEvent(event)
        if self.scene is None:
            return
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self.theme.surface))
        width = line_px(self.scene.look)
        painter.fillRect(QRectF(0, 0, self.width(), width), QColor(self.theme.border))
        if self._busy_line:
            pen = QPen(QColor(self.theme.muted), 2 * width)
            pen.setDashPattern([4, 4])
            painter.setPen(pen)
            painter.drawLine(0, round(width), self.width(), round(width))
        painter.end()

    # Acts ---------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Keys of this bar come before the window's shortcuts while it has the focus."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and _plain(event) in KEYS:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space plays or pauses; the other keys are the track's."""
        if _plain(event) == Qt.Key.Key_Space:
            self._toggle()
        elif _plain(event) in KEYS and not self.track.hasFocus():
            self.track.keyPressEvent(event)
        else:
            event.ignore()

    def sizeHint(self) -> QSize:
        """As wide as its parts like, at the one height."""
        return QSize(super().sizeHint().width(), self.height())

    def _toggle(self) -> None:
        if self.scene is not None:
            self.request(changes.pause() if self.scene.playback.playing else changes.play())

    def _point(self, stop: int | None) -> None:
        if self.scene is not None:
            segments = timeline.segments(self._stages(self.scene))
            known = stop is not None and stop < len(segments)
            self.request(changes.point(stage=segments[stop or 0].stages[0] if known else None))

    def _step(self, by: int) -> None:
        if self.scene is not None:
            self.request(changes.step_stage(by, self._stages(self.scene)))

    def _next_speed(self) -> None:
        if self.scene is not None:
            now = self.scene.playback.speed
            self.request(changes.set_speed(next((speed for speed in SPEEDS if speed > now), SPEEDS[0])))

    @staticmethod
    def _stages(scene: Scene) -> tuple[Stage, ...]:
        return tuple(info.stage for info in scene.stages)

    @staticmethod
    def _speed_word(speed: float) -> str:
        return f"{speed:g}×"


def _plain(event: QKeyEvent) -> int | None:
    """Key of an event without modifiers, else None."""
    return None if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier else event.key()
