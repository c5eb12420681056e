"""Tokens that memories promote and suppress, as the words of a list's rows."""

from dataclasses import dataclass
from typing import Any

from ffn_explorer.core.readings import Memories
from ffn_explorer.state.file_results import MemoryTokens
from ffn_explorer.state.result import RunResult
from ffn_explorer.state.scene import Scene
from ffn_explorer.state.text import say
from ffn_explorer.state.visible import visible
from ffn_explorer.widgets.file_words import refused
from ffn_explorer.widgets.fonts import font
from ffn_explorer.widgets.glyphs import shown_token
from ffn_explorer.widgets.worded_list import WordHead


@dataclass(frozen=True, slots=True)
class TokenWords:
    """By neuron: what it promotes, what it suppresses, in tokens as shown."""

    promotes: dict[int, tuple[str, ...]]
    suppresses: dict[int, tuple[str, ...]]
    gain: str | None

    def of(self, neuron: int) -> tuple[tuple[str, ...], ...]:
        """Both, () where the neuron is not among the strongest."""
        if neuron not in self.promotes and neuron not in self.suppresses:
            return ()
        return self.promotes.get(neuron, ()), self.suppresses.get(neuron, ())


def _say(language: str, key: str, /, **values: Any) -> str:  # noqa: ANN401 - numbers and strings alike
    return say(language, f"panel.memory.{key}", **values)


def heads_of(words: TokenWords, language: str) -> tuple[WordHead, ...]:
    """Heads of what memories promote and suppress."""
    gain = _say(language, "gain_none")
    if words.gain is not None:
        gain = _say(language, "gain", gain=visible(words.gain))
    return tuple(
        WordHead(
            (_say(language, f"{name}_signed"), _say(language, name)),
            _say(language, f"{name}_tip", gain=gain),
        )
        for name in ("promotes", "suppresses")
    )


def tokens_in(scene: Scene, run: RunResult, found: Memories) -> TokenWords | None:
    """Words of the memories; without any while they are read, None where there can be none."""
    file = scene.file
    if file is None or not file.unembedding or run.expert_index is not None or found.expert is not None:
        return None
    if refused(scene, "memory_tokens"):
        return None
    read = scene.memory_tokens
    if read is None or read.layer != run.request.settings.layer:
        return TokenWords({}, {}, None)
    return _words(scene, read)


def _words(scene: Scene, read: MemoryTokens) -> TokenWords:
    face = font(scene.look, "body")

    def shown(rows: tuple[tuple[int, tuple[str, ...]], ...]) -> dict[int, tuple[str, ...]]:
        return {neuron: tuple(shown_token(word, face) for word in words) for neuron, words in rows}

    return TokenWords(shown(read.promotes), shown(read.suppresses), read.gain)
