"""Files of weights that are open: opened once, by path and headers, and asked from every thread."""

import os
import threading
from collections import OrderedDict
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from ffn_explorer.checkpoints.as_settings import heads_of, settings_of
from ffn_explorer.checkpoints.catalog import Checkpoint, open_checkpoint
from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.checkpoints.scheme import LayerScheme, Note
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings
from ffn_explorer.state.app_state import Opened
from ffn_explorer.state.file_facts import FileFacts

if TYPE_CHECKING:
    from ffn_explorer.checkpoints.tokenizing.pieces import Pieces, Tokenizer
    from ffn_explorer.core.ffn import FFN
    from ffn_explorer.core.moe import MoE

MOST_OPEN = 8
"""Files that stay open; one that is asked for again is opened again."""

Stamp = tuple[tuple[str, int, int, int], ...]
"""Path, time of change, size and inode of every file that weights are read from."""

MOST_TEXTS = 256
"""Sentences of a file whose pieces are kept."""


class OpenFile:
    """One file, its layers and its tokenizer; what is read of it is read when asked for."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.pieces = lru_cache(MOST_TEXTS)(self._pieces)
        self.built: WeakValueDictionary[tuple[int, str, str], FFN | MoE] = WeakValueDictionary()
        """Layers in use, by their place, dtype and device; `opened_run` builds them."""

    @cached_property
    def _tokenizer(self) -> "tuple[Tokenizer | None, InputError | None]":
        try:
            return self.checkpoint.tokenizer, None
        except InputError as error:
            return None, error

    @property
    def tokenizer(self) -> "Tokenizer | None":
        """The file's own tokenizer, None where it has none or one that cannot be read."""
        return self._tokenizer[0]

    def _pieces(self, sentence: str) -> "Pieces":
        """A sentence as the file's tokenizer cuts it; InputError where it cannot."""
        assert self.tokenizer is not None
        return self.tokenizer.pieces(sentence)

    @cached_property
    def facts(self) -> FileFacts:
        """What the window shows of it."""
        checkpoint, source = self.checkpoint, self.checkpoint.source
        scheme, tokenizer = checkpoint.scheme, self.tokenizer
        trouble = self._tokenizer[1]
        embedding = source.tensors.get(scheme.lens.embedding)
        first = [source.tensors.get(layer.mlp.up.names[0]) for layer in scheme.layers]
        return FileFacts(
            name=source.path.name or str(source.path),
            path=str(source.path),
            format=source.format,
            family=scheme.family,
            confidence=scheme.confidence,
            layers=scheme.layers,
            lens=scheme.lens,
            doubts=scheme.doubts,
            dtypes=tuple("" if one is None else one.codec.name for one in first),
            places=tuple("" if one is None else one.path.name for one in first),
            sizes=tuple(self._bytes_of(layer) for layer in scheme.layers),
            nbytes=sum(stored.nbytes for stored in source.tensors.values()),
            tensors=len(source.tensors),
            tokenizer="" if tokenizer is None else tokenizer.said,
            trouble=None if trouble is None else Note(trouble.key, tuple(trouble.values.items())),
            vocabulary=0 if embedding is None else embedding.rows,
            unembedding=scheme.lens.unembedding in source.tensors,
            heads_known=heads_of(scheme, checkpoint.config, scheme.layers[0])["heads"] > 1,
        )

    def settings(self, layer: int, base: Settings) -> Settings:
        """Settings of one layer; InputError where there is none, SettingError beyond what can be shown."""
        last = len(self.checkpoint.layers) - 1
        if not 0 <= layer <= last:
            raise InputError("error.range", field="layer", value=layer, low=0, high=last)
        return settings_of(self.checkpoint.scheme, self.checkpoint.config, layer, base=base)

    def _bytes_of(self, layer: LayerScheme) -> int:
        tensors = self.checkpoint.source.tensors
        return sum(tensors[name].nbytes for name in layer.tensors if name in tensors)


class OpenFiles:
    """Open files by path, headers and reading; the least recently used are closed beyond MOST_OPEN."""

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[str, str, Correction | None], OpenFile] = OrderedDict()
        self._stamps: dict[str, Stamp] = {}
        self._renewed: set[str] = set()
        self._lock = threading.Lock()

    def open(self, path: Path | str, *, correction: Correction | None = None) -> Opened:
        """Open a file or folder anew, whatever is open; InputError with one sentence where that cannot be."""
        absolute = os.path.abspath(path)  # noqa: PTH100 - Path.resolve would follow links, which the hub's cache is made of
        checkpoint = open_checkpoint(absolute)
        try:
            read = checkpoint if correction is None else checkpoint.read_as(correction)
        except BaseException:
            checkpoint.close()
            raise
        opened, held = Opened(absolute, checkpoint.digest, correction), OpenFile(read)
        # All that the window will ask is found out here, on the worker's time.
        _ = held.facts
        self._hold(opened, held)
        return opened

    def take_renewed(self, path: str) -> bool:
        """Whether the file of this path was saved over between two openings; once told, it is forgotten."""
        with self._lock:
            found = path in self._renewed
            self._renewed.discard(path)
            return found

    def get(self, opened: Opened) -> OpenFile:
        """The file, opened again where need be; InputError where it is gone or is another one by now."""
        found = self.known(opened)
        if found is None:
            again = self.open(opened.path, correction=opened.correction)
            if again.digest != opened.digest:
                raise InputError("checkpoint.changed", file=Path(opened.path).name)
            found = self.known(again)
            assert found is not None
        return found

    def known(self, opened: Opened) -> OpenFile | None:
        """The file if it is open; never touches the disk, so that the window may ask."""
        key = (opened.path, opened.digest, opened.correction)
        with self._lock:
            found = self._held.get(key)
            if found is not None:
                self._held.move_to_end(key)
            return found

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            for held in self._held.values():
                held.checkpoint.close()
            self._held.clear()

    def _hold(self, opened: Opened, held: OpenFile) -> None:
        stamp = _stamp(held)
        with self._lock:
            if self._stamps.setdefault(opened.path, stamp) != stamp:
                self._stamps[opened.path] = stamp
                self._renewed.add(opened.path)
            self._held[(opened.path, opened.digest, opened.correction)] = held
            self._held.move_to_end((opened.path, opened.digest, opened.correction))
            while len(self._held) > MOST_OPEN:
                # A reader in the midst of it opens it again by itself.
                self._held.popitem(last=False)[1].checkpoint.close()


def _stamp(held: OpenFile) -> Stamp:
    """By what a file is known to be the one of before, though its headers, or its bytes, be the same."""
    paths = sorted({str(stored.path) for stored in held.checkpoint.source.tensors.values()})
    found = []
    for path in paths:
        with suppress(OSError):
            about = os.stat(path)  # noqa: PTH116 - as it is written in the source
            found.append((path, about.st_mtime_ns, about.st_size, about.st_ino))
    return tuple(found)


OPEN_FILES = OpenFiles()
"""Those of this program; the state names them, and workers and window find them here."""
