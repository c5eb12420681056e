"""What the three pictures of sparsity show of a Scene, in words and numbers."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ffn_explorer.core import sparsity
from ffn_explorer.state import numbers
from ffn_explorer.state.result import Activity, RunResult, Spread
from ffn_explorer.state.scene import Scene
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.marks import Marked
from ffn_explorer.widgets.neuron_counts_picture import CountsPicture, CountWords
from ffn_explorer.widgets.row_scale import row_scale
from ffn_explorer.widgets.spread_picture import Sizes, SpreadPicture
from ffn_explorer.widgets.token_bars import TokenBar, TokenBarsPicture

Say = Callable[..., str]


class SparsityPictures:
    """Makes each picture; all of them count the same |hidden| > theta."""

    def __init__(self, say: Say, scene: Scene, run: RunResult, activity: Activity) -> None:
        """Take what to show."""
        self._speak, self.scene, self.run, self.activity = say, scene, run, activity
        self.stage = run.enters_down
        self.sentence = scene.selection.sentence
        self.tokens = run.tokens[self.sentence]
        self.computed = run.computed[self.sentence, : len(self.tokens)]
        self.width = run.values[self.stage].shape[2]
        self.progress = dict(scene.progress).get(self.stage, 1.0)

    def _say(self, key: str, **values: str) -> str:
        return self._speak(f"panel.sparsity.{key}", **values)

    # Tokens -------------------------------------------------------------------------------------------------

    def rows(self) -> tuple[TokenBar, ...]:
        """One bar per token of the sentence; nothing in them moves with the pass."""
        return tuple(self._bar(token) for token in range(len(self.tokens)))

    def bars(self, rows: tuple[TokenBar, ...], *, scroll: int) -> TokenBarsPicture:
        """The picture of these bars."""
        scene, other = self.scene, self.scene.other_activity
        pointed = scene.pointed.token
        inside = pointed is not None and 0 <= pointed < len(self.tokens)
        at = pointed if pointed is not None and inside else scene.selection.token
        return TokenBarsPicture(
            look=scene.look,
            stage=self.stage,
            rows=rows,
            progress=self.progress,
            chosen=scene.selection.token,
            pointed=pointed if inside else None,
            scroll=scroll,
            paired=other is not None,
            legend=self._bar_legend(),
            rows_name=self._say("token"),
            axis_name=self._say("of_neurons"),
            readout=self._token_words(at) if self.progress >= 1.0 else ("",),
            neuron=self._neuron_at_tokens,
        )

    @cached_property
    def _neuron_at_tokens(self) -> tuple[bool, ...]:
        """Where along the sentence the pointed neuron, else the chosen one, is active."""
        pointed, scene = self.scene.pointed.neuron, self.scene
        neuron = scene.selection.neuron if pointed is None else pointed
        if neuron is None or not 0 <= neuron < self.width or self.progress < 1.0:
            return ()
        rows = self.run.values[self.stage][self.sentence, : len(self.tokens)]  # [S, F]
        # Only a relative theta needs the whole row.
        rows, at = (rows, neuron) if scene.theta_relative else (rows[:, neuron : neuron + 1], 0)
        on = sparsity.active(rows, scene.theta, relative=scene.theta_relative)[:, at] & self.computed
        return tuple(on.tolist())

    def _bar(self, token: int) -> TokenBar:
        place = (self.sentence, token)
        label = shown_token(self.tokens[token], font(self.scene.look, "small"), whole=True)
        other = self.scene.other_activity
        beside, beside_zero = None, 0.0
        if other is not None and self.scene.other is not None and self.scene.other.computed[place]:
            beside, beside_zero = float(other.per_token[place]), float(other.zero_per_token[place])
        if not self.computed[token]:
            return TokenBar(label, None, 0.0, self._say("dropped_short"), beside, beside_zero)
        active = float(self.activity.per_token[place])
        zero = float(self.activity.zero_per_token[place])
        return TokenBar(label, active, zero, numbers.percent(active), beside, beside_zero)

    def _bar_legend(self) -> tuple[Marked, ...]:
        marks = [Marked("active", self._say("mark_active", theta=self.theta), self._say("mark_active_short"))]
        if self.scene.theta > 0.0:
            marks.append(Marked("small", self._say("mark_small"), self._say("mark_small_short")))
        marks.append(Marked("zero", self._say("mark_zero"), self._say("mark_zero_short")))
        if self.scene.other_activity is not None:
            marks.append(Marked("other", self._say("mark_other"), self._say("mark_other_short")))
        return tuple(marks)

    def _token_words(self, token: int) -> tuple[str, ...]:
        name = self._token_name(token)
        if not self.computed[token]:
            return (self._say("token_dropped", token=name), self._say("dropped_short"))
        place, row = (self.sentence, token), self._bar(token)
        active, zero = (
            round(float(x[place]) * self.width)
            for x in (self.activity.per_token, self.activity.zero_per_token)
        )
        values = {
            "token": name,
            "n": numbers.count(active),
            "total": numbers.count(self.width),
            "share": row.words,
            "zero": numbers.count(zero),
        }
        words = [self._say("token_words", **values), self._say("token_words_short", **values)]
        marks, pointed = self._neuron_at_tokens, self.scene.pointed.neuron
        if marks:
            neuron = self.scene.selection.neuron if pointed is None else pointed
            key = "neuron_active" if marks[token] else "neuron_silent"
            words.insert(0, words[0] + self._say(key, neuron=numbers.count(neuron or 0)))
        if row.other is not None:
            words.insert(0, words[0] + self._say("beside_b", share=numbers.percent(row.other)))
        return tuple(words)

    # Neurons ------------------------------------------------------------------------------------------------

    def counts(self) -> CountsPicture:
        """At how many of all computed tokens each neuron is active."""
        scene = self.scene
        count, most = self._counted(self.activity, self.run)
        other = None
        if scene.other_activity is not None and scene.other is not None:
            beside, beside_most = self._counted(scene.other_activity, scene.other)
            other = beside if beside_most == most else None
        return CountsPicture(
            look=scene.look,
            stage=self.stage,
            source=self.activity,
            count=count,
            other=other,
            most=most,
            progress=self.progress,
            chosen=scene.selection.neuron,
            pointed=scene.pointed.neuron,
            words=self._count_words(count, most, paired=other is not None),
        )

    def _counted(self, activity: Activity, run: RunResult) -> tuple[NDArray[np.int64], int]:
        most = int(run.computed.sum())
        return np.rint(activity.per_neuron * most).astype(np.int64), most

    def _count_words(self, count: NDArray[np.int64], most: int, *, paired: bool) -> CountWords:
        never, always = int((count == 0).sum()), int((count == most).sum())
        total = max(1, len(count))
        values = {"n": numbers.count(never), "share": numbers.percent(never / total)}
        legend = [Marked("silent", self._say("never", **values), self._say("never_short", **values))]
        values = {
            "n": numbers.count(always),
            "share": numbers.percent(always / total),
            "most": numbers.count(most),
        }
        legend.append(Marked("active", self._say("always", **values), self._say("always_short", **values)))
        if paired:
            legend.append(Marked("other", self._say("mark_other"), self._say("mark_other_short")))
        batch = "_batch" if len(self.run.tokens) > 1 else ""
        names = (f"count_axis{batch}", f"count_axis_short{batch}")
        return CountWords(
            neurons=self._say("neuron"),
            counted=self._say("counted"),
            tokens=tuple(self._say(name, most=numbers.count(most)) for name in names),
            legend=tuple(legend),
            readout=self._neuron_words(count, most),
        )

    def _neuron_words(self, count: NDArray[np.int64], most: int) -> tuple[str, ...]:
        scene, pointed = self.scene, self.scene.pointed.neuron
        neuron = scene.selection.neuron if pointed is None else pointed
        if neuron is None or not 0 <= neuron < len(count):
            return (self._say("choose_neuron"), "")
        token = scene.selection.token
        values = {
            "neuron": numbers.count(neuron),
            "n": numbers.count(int(count[neuron])),
            "most": numbers.count(most),
            "token": self._token_name(token),
            "value": numbers.short(float(self.run.values[self.stage][self.sentence, token, neuron])),
        }
        short = self._say("neuron_words", **values)
        return (self._say("neuron_words_value", **values), short) if self.computed[token] else (short,)

    # Values -------------------------------------------------------------------------------------------------

    def spread(self) -> SpreadPicture | None:
        """Histogram of sizes; None while it is being computed."""
        scene, made = self.scene, self.scene.spread
        if made is None:
            return None
        scale = row_scale(scene, self.run)
        known = self.progress >= 1.0
        shares = (self.activity.overall, max(0.0, 1.0 - self.activity.overall))
        above, below = (
            self._say(key, share=numbers.percent(x)) for key, x in zip(("above", "below"), shares)
        )
        return SpreadPicture(
            look=scene.look,
            stage=self.stage,
            edges=made.edges,
            every=sizes_of(made),
            token=self._token_sizes(made),
            other=None if made.other is None else sizes_of(made.other),
            progress=self.progress,
            theta=scene.theta * scale,
            movable=scale > 0.0,
            theta_words=self._theta_line(scale),
            above=above if known else "",
            below=below if known else "",
            legend=self._spread_legend(made),
            x_name=(self._say("size_axis"), self._say("size_axis_short")),
            y_name=self._say("share_axis"),
        )

    def _token_sizes(self, made: Spread) -> Sizes | None:
        token = self.scene.selection.token
        if not self.computed[token]:
            return None
        counts = made.token_counts[self.sentence, token]
        zero = float(self.activity.zero_per_token[self.sentence, token])
        return Sizes(100.0 * counts / max(1, self.width), 100.0 * zero)

    def _theta_line(self, scale: float) -> tuple[str, ...]:
        if not self.scene.theta_relative:
            return (self.theta_equation,)
        value = numbers.short(self.scene.theta * scale)
        name = self._token_name(self.scene.selection.token)
        at = self._say("theta_at", theta=self.theta_equation, value=value, token=name)
        return at, self.theta_equation, self._say("theta_is", theta=numbers.axis(self.scene.theta) + " × RMS")

    def _spread_legend(self, made: Spread) -> tuple[Marked, ...]:
        name = self._token_name(self.scene.selection.token)
        zero = numbers.percent(self.activity.zero_share)
        every = "every_batch" if len(self.run.tokens) > 1 else "every"
        marks = [Marked("every", self._say(every))]
        if self.computed[self.scene.selection.token]:
            marks.append(Marked("token", self._say("one", token=name)))
        marks.append(Marked("zero", self._say("zeros", share=zero), self._say("zeros_short", share=zero)))
        if made.other is not None:
            marks.append(Marked("other", self._say("mark_other_short")))
        if made.not_finite:
            marks.append(Marked("", self._say("not_finite", n=numbers.count(made.not_finite))))
        return tuple(marks)

    # Words and tables ---------------------------------------------------------------------------------------

    @cached_property
    def theta(self) -> str:
        """Theta as a number, with its kind."""
        kind = "relative_value" if self.scene.theta_relative else "absolute_value"
        return self._say(kind, theta=numbers.axis(self.scene.theta))

    @property
    def theta_equation(self) -> str:
        """The same as an equation: "θ = 0.1"."""
        return self._say("theta_is", theta=self.theta)

    def _token_name(self, token: int) -> str:
        return shown_token(self.tokens[token], font(self.scene.look, "small"))

    def table(self, mode: str) -> list[list[str]]:
        """Exact numbers of one of the pictures, names first."""
        if mode == "neurons":
            count, _ = self._counted(self.activity, self.run)
            head = [self._say("neuron"), self._say("column_tokens")]
            return [head, *([str(i), str(n)] for i, n in enumerate(count.tolist()))]
        made = self.scene.spread
        if mode == "values" and made is not None:
            head = [self._say("column_from"), self._say("column_to"), self._say("column_values")]
            edges = [repr(10.0**edge) for edge in made.edges.tolist()]
            # The first bar also counts what is smaller.
            sides = zip(("0", *edges[1:-1]), edges[1:], made.counts.tolist(), strict=True)
            rows = [[low, high, str(n)] for low, high, n in sides]
            return [head, ["0", "0", str(made.zeros)], *rows]
        head = [self._say(f"column_{name}") for name in ("position", "token", "active", "zero")]
        return [head, *(self._token_row(token) for token in range(len(self.tokens)))]

    def _token_row(self, token: int) -> list[str]:
        place = (self.sentence, token)
        if not self.computed[token]:
            return [str(token), self.tokens[token], "", ""]
        shares = (self.activity.per_token[place], self.activity.zero_per_token[place])
        return [str(token), self.tokens[token], *(repr(float(share)) for share in shares)]


def sizes_of(made: Spread) -> Sizes:
    """Counts as percent of all computed values."""
    total = max(1, int(made.counts.sum()) + made.zeros + made.not_finite)
    return Sizes(100.0 * made.counts / total, 100.0 * made.zeros / total)
