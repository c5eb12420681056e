"""A tokenizer: text -> pieces with their ids, ids -> what people see, what people type -> ids."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ffn_explorer.checkpoints.readers.json_text import writable
from ffn_explorer.checkpoints.tokenizing.spelling import Spelling, shown, typed
from ffn_explorer.checkpoints.tokenizing.watched import Clock
from ffn_explorer.core.errors import InputError

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Engine

MOST_LETTERS = 20_000
"""Longest text that is cut at once."""

MOST_TYPED = 1_000
"""Longest text that is looked up as one token."""

MOST_TOKENS = 2**20
"""Most tokens, and most merges, that are read; the largest published files have half as many."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text in pieces. ids: rows of the embedding.  shown: each as people see it."""

    ids: tuple[int, ...]
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Tokenizer:
    """The tokenizer of an opened file; nothing it was read from is run, and no network is used.

    size: one more than the highest id.  said: what it is, and from which file.  guessed: name of the rule for
    cutting text that the file asks for and that is not known, so that GPT-2's is taken; else "".
    texts: token of each id as the file writes it, None where it has none.  ids: the first id of each token.
    special: ids that stand for no text.  literal: ids whose tokens are text as it is, not in the spelling.
    """

    size: int
    said: str
    engine: "Engine" = field(repr=False)
    texts: tuple[str | None, ...] = field(repr=False)
    ids: Mapping[str, int] = field(repr=False)
    spelling: Spelling
    special: frozenset[int] = field(repr=False)
    literal: frozenset[int] = field(repr=False)
    guessed: str = ""
    clock: Clock = field(default_factory=Clock, repr=False, compare=False)

    def pieces(self, text: str, *, special: bool = False) -> Pieces:
        """A text as the model reads it; special: with the tokens that the file puts around every text.

        Raises InputError where the text is too long or no text, or takes too long to cut.
        """
        if len(text) > MOST_LETTERS:
            raise InputError("tokenizer.text_long", count=len(text), limit=MOST_LETTERS)
        if not writable(text):
            raise InputError("tokenizer.text_odd")
        self.clock.start()
        try:
            with guarded(InputError("tokenizer.failed", what=self.said)):
                ids = tuple(self.engine.encode(text, add_special_tokens=special).ids)
        except InputError as error:
            if self.clock.out:
                raise InputError("tokenizer.slow", what=self.said) from error
            raise
        if max(ids, default=0) >= self.size:  # what a file puts around texts may be no token of it
            raise InputError("tokenizer.failed", what=self.said)
        return Pieces(ids, self.shown_all(ids))

    def shown(self, token: int) -> str:
        """One token as people see it: `·` a space, `↵` a newline, `→` a tab, `<0xE2>` a byte alone.

        `#7` for an id that has no token.  Raises InputError past the vocabulary.
        """
        text = self._text(token)
        if text is None:
            return f"#{token}"
        if token in self.special and text.isprintable():
            return text
        return shown(self.raw(token)) if token in self.literal else self.spelling.shown(text)

    def shown_all(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Each token as people see it."""
        return tuple(self.shown(token) for token in ids)

    def raw(self, token: int) -> bytes:
        """The bytes that a token stands for, of a special one its name; InputError past the vocabulary."""
        text = self._text(token)
        if text is None:
            return b""
        if token in self.special or (token in self.literal and self.spelling.kind != "bar"):
            return text.encode("utf-8", "replace")
        return self.spelling.raw(text)

    def find(self, text: str) -> tuple[int, ...]:
        """Ids of the single tokens that a typed text may mean, the most literal first; `()` for none.

        Exact, with a leading space (also typed as `·`), and as the tokenizer normalises it; case as typed.
        """
        if not text or len(text) > MOST_TYPED or not writable(text):
            return ()
        found = [self.ids[text]] if self.ids.get(text) in self.literal else []
        written = (token for raw in typed(text) for token in self.spelling.written(raw))
        found += [self.ids[token] for token in written if token in self.ids]
        try:
            alone = self.pieces(text).ids
        except InputError:
            alone = ()
        if len(alone) == 1 and alone[0] not in self.special:  # as the one for what is unknown
            found.append(alone[0])
        return tuple(dict.fromkeys(found))

    def _text(self, token: int) -> str | None:
        if not 0 <= token < self.size:
            raise InputError("tokenizer.no_token", token=token, last=self.size - 1)
        return self.texts[token]


@contextmanager
def guarded(error: InputError) -> Iterator[None]:
    """Whatever the library raises becomes this one sentence: also its panics, which are no Exceptions."""
    try:
        yield
    except InputError:
        raise
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as other:
        raise error from other
