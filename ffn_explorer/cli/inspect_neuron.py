"""What `inspect` says of one neuron: norms, cosines, slices, and the tokens that it reads and writes."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from ffn_explorer.checkpoints.catalog import Checkpoint
from ffn_explorer.checkpoints.reading.gains import Gain, final_gain, pre_gain
from ffn_explorer.checkpoints.reading.lens import Tokens, read_tokens, written_tokens
from ffn_explorer.checkpoints.reading.ranking import Ranked
from ffn_explorer.checkpoints.reading.vectors import NeuronVectors
from ffn_explorer.checkpoints.scheme import LayerScheme
from ffn_explorer.cli.inspect_report import sentence
from ffn_explorer.cli.messages import language, tell_share
from ffn_explorer.core.errors import ExplorerError, InputError
from ffn_explorer.state.quoting import harmless
from ffn_explorer.state.text import said, say


def card(found: NeuronVectors, layer: LayerScheme, place: int) -> dict[str, Any]:
    """Its place, norms, cosines (None where there is none) and where each number stands in the file."""
    return {
        "place": place,
        "layer": layer.index,
        "stack": layer.stack,
        "neuron": found.neuron,
        "expert": "shared" if found.shared else found.expert,
        "norms": {role: _plain(value) for role, value in found.norms.items()},
        "cosine": {pair: _plain(value) for pair, value in found.cosines.items()},
        "bias": {
            role: _plain(value) for role, value in (("gate", found.gate_bias), ("up", found.up_bias))
            if value is not None
        },
        "dtype": dict(found.stored_as),
        "slices": dict(found.slices),
    }  # fmt: skip


def tokens(opened: Checkpoint, layer: LayerScheme, vectors: NeuronVectors, *, count: int) -> dict[str, Any]:
    """Tokens that the reading row answers to, and those that the column promotes and suppresses.

    The lists have the norms' gains in them where the file has any; those under `plain` have not.
    notes: sentences on what is missing, or left out.
    """
    source, scheme = opened.source, opened.scheme
    lists = _Lists(opened)
    row, role = (vectors.up, "up") if vectors.gate is None else (vectors.gate, "gate")

    def reads() -> tuple[Tokens, ...]:
        gains = _gains(pre_gain(source, layer))
        return read_tokens(source, scheme.lens, row, gains=gains, count=count, told=_progress)

    def writes() -> tuple[Tokens, ...]:
        gains = _gains(final_gain(source, scheme))
        return written_tokens(source, scheme.lens, vectors.down, gains=gains, count=count, told=_progress)

    lists.add(("reads",), reads)
    lists.add(("promotes", "suppresses"), writes)
    return {"reads_with": role, **lists.found, "plain": lists.plain, "notes": lists.notes}


class _Lists:
    """Lists of tokens by key, with the norm's gain and without, and sentences on those that cannot be."""

    def __init__(self, opened: Checkpoint) -> None:
        self.found: dict[str, Any] = {}
        self.plain: dict[str, Any] = {}
        self.notes = [say(language(), sentence(note)) for note in opened.scheme.lens.doubts]
        self.name = self._names(opened)

    def add(self, keys: tuple[str, ...], read: Callable[[], tuple[Tokens, ...]]) -> None:
        """Largest first under the first key, smallest first under the second; None where there is none."""
        try:
            answers = read()
        except ExplorerError as error:
            self.notes.append(say(language(), harmless(said(error))))
            self.found |= dict.fromkeys(keys)
            return
        for key, side in zip(keys, ("most", "least")):
            self.found[key] = self._rows(getattr(answers[-1], side))
            self.plain[key] = self._rows(getattr(answers[0], side))
        self.found[f"{keys[0]}_by"] = {"tensor": answers[-1].tensor, "gain": answers[-1].gain}

    def _rows(self, ranked: Ranked) -> list[dict[str, Any]]:
        assert ranked.cosines is not None
        columns = zip(ranked.ids.tolist(), ranked.scores.tolist(), ranked.cosines.tolist())
        return [
            {"id": token, "text": self.name(token), "score": _plain(score), "cosine": _plain(cosine)}
            for token, score, cosine in columns
        ]

    def _names(self, opened: Checkpoint) -> Callable[[int], str]:
        """A token's text by its number; "" where the file tells of none."""
        from ffn_explorer.checkpoints.tokenizing.tokenizer import open_tokenizer

        try:
            tokenizer = open_tokenizer(opened.source)
        except InputError as error:
            self.notes.append(say(language(), harmless(said(error))))
            tokenizer = None
        if tokenizer is None:
            return lambda _token: ""
        known = tokenizer
        return lambda token: known.shown(token) if token < known.size else ""


def _gains(gain: Gain | None) -> Sequence[Gain | None]:
    return (None,) if gain is None else (None, gain)


def _progress(share: float) -> None:
    """How far it is, for who sits before a terminal."""
    tell_share("cli.inspect.progress", share)


def _plain(value: float) -> float | None:
    """JSON knows neither NaN nor infinity."""
    return value if math.isfinite(value) else None
