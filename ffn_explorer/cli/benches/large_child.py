"""Child of `large`: a big FFN in the window, its frames and its choices in turn with a bare window."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from ffn_explorer.cli.benches import real_window
from ffn_explorer.cli.benches.frame_child import SIZE_PX, Bare, PaintCount, images_in
from ffn_explorer.cli.benches.timing import seconds
from ffn_explorer.core.settings import Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import changes
from ffn_explorer.state.app_state import Source
from ffn_explorer.state.change import Change

if TYPE_CHECKING:
    from ffn_explorer.app.window import Window

TOKENS = 64
LARGE = Settings(
    d_model=4_096,
    d_ff=11_008,
    activation="swiglu",
    norm="rms",
    bias=False,
    layers=1,
    heads=32,
    kv_heads=32,
    dtype="bfloat16",
)
FRAMES = 120
BLOCK = 15
CHOICES = 24


def measure(window: "Window") -> None:
    """Run the large FFN, then tell the seconds of frames and of choices, and those of the bare window."""
    director = window.director
    window.resize(*SIZE_PX)
    sentence = " ".join(f"w{i}" for i in range(TOKENS))
    wanted = replace(director.state, source=Source((sentence,), ((),)), settings=LARGE)
    director.request(changes.load_state(wanted))
    real_window.wait_until_computed(director)
    frames = real_window.Frames(director, per_pass=FRAMES)
    ours: list[float] = []
    theirs: list[float] = []
    painted = True
    for block in range(FRAMES // BLOCK):
        frames.go_to(block * BLOCK / FRAMES)
        ours += [seconds(frames.one) for _ in range(BLOCK)]
        bare = Bare(images_in(window))
        theirs += [seconds(bare.one) for _ in range(BLOCK)]
        painted = painted and bool(PaintCount(window).of(frames.one) and PaintCount(bare.view).of(bare.one))
        bare.view.close()
    director.request(changes.seek(1.0))
    chosen, beside, repainted = _choices(window)
    real_window.tell(
        {
            "frame": {"ours": ours, "bare": theirs, "painted": painted},
            "select": {"ours": chosen, "bare": beside, "painted": repainted},
        }
    )


def _choices(window: "Window") -> tuple[list[float], list[float], bool]:
    """Seconds from a choice to its picture, and of the same images set anew in the bare window."""
    director = window.director
    ours: list[float] = []
    theirs: list[float] = []
    painted = True
    bare = Bare(images_in(window))
    for change in _walk():
        counter = PaintCount(window)

        def choose(change: Change = change) -> None:
            director.request(change)
            director.show_now()
            QCoreApplication.sendPostedEvents()

        ours.append(seconds(choose))
        theirs.append(seconds(bare.one))
        painted = painted and bool(counter.of(window.board.repaint))
        # The next choice finds everything of this one computed, as a person's would.
        real_window.wait_until_computed(director)
    bare.view.close()
    return ours, theirs, painted


def _walk() -> Iterator[Change]:
    """Tokens and neurons all over the map, in turn."""
    for at in range(CHOICES):
        token, neuron = (at * 23) % TOKENS, (at * 2_377) % LARGE.d_ff
        yield changes.choose(token=token) if at % 2 else changes.choose(neuron=neuron, stage=Stage.HIDDEN)


if __name__ == "__main__":
    real_window.start(lambda window: real_window.later(lambda: measure(window)))
