"""Part: one kind of result that only some panels draw, and what the state asks of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ffn_explorer.core.stages import Stage
from ffn_explorer.state.app_state import AppState, Selection
from ffn_explorer.state.requests import PartRequest, RunRequest
from ffn_explorer.state.result import Detail, PartResult, RunResult

Known = Callable[[RunRequest], RunResult]
"""A run from the store with its tensors, computed anew where it is missing."""


class Asked(NamedTuple):
    """What a part's request is made from: the state, and what of it exists in the run on screen."""

    state: AppState
    run: RunResult
    chosen: Selection
    slot: int
    theta: float
    stage: Stage
    """The stage under way."""
    detail: Detail | None
    other: RunResult | None
    """B, once it is there and stands on the same sentences."""


@dataclass(frozen=True, slots=True)
class Part:
    """One row of PARTS.

    field: of Scene.  panels: that draw it; it is computed while one of them is in sight.
    request: what to compute now, None where the run has no such thing.
    compute: request and `known` -> result; heavy, on a worker; imports torch inside.
    Its words while it is computed are "job.<field>" in the catalogue.
    """

    field: str
    panels: frozenset[str]
    kind: type[PartRequest]
    request: Callable[[Asked], PartRequest | None]
    compute: Callable[[Any, Known], PartResult]


def neuron_in(asked: Asked) -> int:
    """The chosen neuron, else the one that writes most at the token, else the one of largest hidden value."""
    if asked.chosen.neuron is not None:
        return asked.chosen.neuron
    if asked.detail is not None and len(asked.detail.paths.neuron):
        return int(asked.detail.paths.neuron[0])
    hidden = asked.run.values[asked.run.enters_down]
    return largest(hidden[asked.chosen.sentence, asked.chosen.token])


def dim_in(asked: Asked) -> int:
    """The chosen dimension, else the one in which out is largest at the token."""
    if asked.chosen.dim is not None:
        return asked.chosen.dim
    return largest(asked.run.values[Stage.OUT][asked.chosen.sentence, asked.chosen.token])


def largest(row: Any) -> int:  # noqa: ANN401 - any array of numbers
    """Index of the largest magnitude of `[N]`; NaN counts as none."""
    return int(np.argmax(np.nan_to_num(np.abs(row), nan=-1.0)))
