"""Flash: what differs between two settings, and what a new run changed and by how much; in words."""

from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from ffn_explorer.core import sparsity
from ffn_explorer.core.activation_table import ACTIVATIONS
from ffn_explorer.core.edits import Edits
from ffn_explorer.core.settings import CHOICES, Settings
from ffn_explorer.core.stages import Stage
from ffn_explorer.state import numbers
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.text import Text, text

MOST_VALUES = 4_000_000
"""Values of a stage that are gone through for the flash; more would take longer than a frame."""

Words = Text | str
_UNLIMITED = {"capacity_factor": "control.no_limit", "head_dim": "control.head_dim_auto"}
"""What 0 means for these settings."""


class Delta(NamedTuple):
    """One thing that differs: its name, and how it was and is.

    before is "" where only the change counts, and after too where the name says it all.
    """

    name: Text
    before: Words
    after: Words

    @property
    def words(self) -> Text:
        """All of it in one phrase."""
        if not self.after:
            return self.name
        if not self.before:
            return text("flash.change", name=self.name, after=self.after)
        return text("flash.delta", name=self.name, before=self.before, after=self.after)


def setting_words(settings: Settings, field: str) -> Words:
    """A setting's value as the knobs show it."""
    value: Any = getattr(settings, field)
    if field == "activation":
        return ACTIVATIONS[value].label
    if field in CHOICES:
        return text(f"choice.{field}.{value}")
    if isinstance(value, bool):
        return text("flash.on" if value else "flash.off")
    if value == 0 and field in _UNLIMITED:
        return text(_UNLIMITED[field])
    if isinstance(value, int):
        return numbers.count(value)
    return numbers.short(value) if isinstance(value, float) else value.upper()


def edit_words(edits: Edits) -> tuple[tuple[str, Text], ...]:
    """Each edit that is on: the name of its field, and what it does."""
    found: list[tuple[str, Text]] = []
    if edits.keep:
        found.append(("keep", text("edit.keep", n=numbers.count(edits.keep))))
    if edits.banned:
        key = "edit.banned_one" if len(edits.banned) == 1 else "edit.banned"
        found.append(("banned", text(key, experts=", ".join(map(str, edits.banned)))))
    if edits.forced is not None:
        found.append(("forced", text("edit.forced", expert=edits.forced)))
    return tuple(found)


def differing(a: Settings, b: Settings, edits: tuple[Edits, Edits] = (Edits(), Edits())) -> tuple[Delta, ...]:
    """Settings and edits in which two differ, from a to b."""
    names = [field.name for field in fields(Settings) if getattr(a, field.name) != getattr(b, field.name)]
    found = [Delta(text(f"control.{name}"), setting_words(a, name), setting_words(b, name)) for name in names]
    here, there = _edit_values(edits[0]), _edit_values(edits[1])
    found += [
        Delta(text(f"edit.{name}_name"), here[name], there[name])
        for name in here
        if here[name] != there[name]
    ]
    return tuple(found)


def deltas(before: RunResult, now: RunResult, *, theta: float, relative: bool = False) -> tuple[Delta, ...]:
    """What a run changed against one before it: settings, size, cost, activity, and out.

    theta, relative: what counts as active, for both alike.
    """
    was, wanted = before.request, now.request
    kept = Edits(keep=was.edits.keep), Edits(keep=wanted.edits.keep)
    found = list(differing(was.settings, wanted.settings, kept))
    found += [Delta(words, "", "") for words in _experts_changed(was.edits, wanted.edits, wanted.settings)]
    found += _count(before, now, "flash.parameters", of="ffn_total")
    shares = [_active(run, theta, relative=relative) for run in (before, now)]
    if None not in shares and shares[0] != shares[1]:
        at = text("flash.theta_relative" if relative else "flash.theta", theta=numbers.axis(theta))
        found.append(Delta(text("flash.active", theta=at), str(shares[0]), str(shares[1])))
    moved = out_change(before, now)
    if moved:
        found.append(Delta(text("flash.out"), "", numbers.short(moved)))
    return (*found, *_count(before, now, "flash.flops", of="ffn_flops"))


def out_change(before: RunResult, now: RunResult) -> float | None:
    """||out now − out before|| / ||out before||; None for other sentences or widths, or where out was 0."""
    old, new = before.values.get(Stage.OUT), now.values.get(Stage.OUT)
    if old is None or new is None or old.shape != new.shape or before.request.source != now.request.source:
        return None
    if old.size > MOST_VALUES:
        return None
    size = float(np.linalg.norm(old.astype(np.float64)))
    return float(np.linalg.norm(new.astype(np.float64) - old)) / size if size else None


def _count(before: RunResult, now: RunResult, key: str, *, of: str) -> list[Delta]:
    """A number of the bill, where it is not the same."""
    was, is_now = (numbers.axis(getattr(run.bill, of)) for run in (before, now))
    return [] if was == is_now else [Delta(text(key), was, is_now)]


def _edit_values(edits: Edits) -> dict[str, Words]:
    none = text("edit.none")
    return {
        "keep": numbers.count(edits.keep) if edits.keep else text("edit.all"),
        "banned": ", ".join(map(str, edits.banned)) or none,
        "forced": none if edits.forced is None else str(edits.forced),
    }


def _experts_changed(was: Edits, now: Edits, settings: Settings) -> list[Text]:
    """What became of single experts: as "none → 6" their numbers would read like counts."""
    found: list[Text] = []
    # One that is gone altogether, with the knob, did not come back.
    there = range(settings.experts if settings.is_moe else 0)
    out, back = sorted({*now.banned} - {*was.banned}), sorted({*was.banned} & {*there} - {*now.banned})
    for key, experts in (("out", out), ("back", back)):
        if experts:
            which = "flash.expert_" if len(experts) == 1 else "flash.experts_"
            found.append(text(which + key, experts=", ".join(map(str, experts))))
    if was.forced != now.forced and (now.forced is not None or was.forced in there):
        key = "flash.expert_free" if now.forced is None else "flash.expert_forced"
        found.append(text(key, expert=was.forced if now.forced is None else now.forced))
    return found


def _active(run: RunResult, theta: float, *, relative: bool) -> str | None:
    hidden = run.values[run.enters_down]
    if hidden.size > MOST_VALUES:
        return None
    found = sparsity.fractions(hidden, theta, relative=relative, mask=run.computed)
    return numbers.percent(found.overall)
