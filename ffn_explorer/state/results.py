"""Results: a store of what was computed, bounded in bytes; whatever is missing is computed anew."""

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ffn_explorer.state.requests import Request, RooflineRequest, opened_in
from ffn_explorer.state.result import Result
from ffn_explorer.state.text import Text

DEFAULT_LIMIT_BYTES = 2 * 2**30
"""Room for results; those in use may exceed it."""

SMALL_BYTES = 1_024
"""What a result without arrays (a check, a proof, a failure) is counted as."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that cannot be fulfilled, with the sentence for the person."""

    message: Text


Entry = Result | Failure


def nbytes_of(entry: Entry) -> int:
    """Bytes that an entry is counted as."""
    return int(getattr(entry, "nbytes", SMALL_BYTES))


class Results:
    """Least recently used first out, once all entries together exceed the limit; entries in use always stay.

    May be used from several threads: workers put, the window gets.
    """

    def __init__(self, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self._limit = limit_bytes
        self._entries: OrderedDict[Request, Entry] = OrderedDict()
        self._sketches: dict[Request, Result] = {}
        self._in_use: frozenset[Request] = frozenset()
        self._nbytes = 0
        self._version = 0
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """Bytes of all entries."""
        return self._nbytes

    @property
    def version(self) -> int:
        """Grows whenever an entry comes or goes, so that readers know when to look again."""
        return self._version

    def get(self, request: Request) -> Entry | None:
        """What is known for a request, or None; it counts as a use."""
        with self._lock:
            entry = self._entries.get(request)
            if entry is not None:
                self._entries.move_to_end(request)
            return entry

    def put(self, request: Request, entry: Entry) -> None:
        """Keep an entry, and drop old ones not in use where room is needed."""
        with self._lock:
            self._remove(request)
            self._sketches.pop(request, None)
            self._entries[request] = entry
            self._nbytes += nbytes_of(entry)
            self._version += 1
            self._shrink(spare=request)

    def sketch(self, request: Request, result: Result) -> None:
        """Show what is found so far of a request under way; gone once its result is there."""
        with self._lock:
            if request not in self._entries:
                self._sketches[request] = result
                self._version += 1

    def sketched(self, request: Request) -> Result | None:
        """What is found so far of a request under way."""
        with self._lock:
            return self._sketches.get(request)

    def keep(self, requests: Iterable[Request]) -> None:
        """Say which entries are in use now (`needs` does); only the others may be dropped."""
        with self._lock:
            self._in_use = frozenset(requests)
            self._sketches = {key: made for key, made in self._sketches.items() if key in self._in_use}
            self._shrink()

    def forget_failures(self) -> None:
        """Drop the failures, so that they are tried again; a machine is measured only when a person asks."""
        with self._lock:
            for request in [key for key, entry in self._entries.items() if isinstance(entry, Failure)]:
                if not (isinstance(request, RooflineRequest) and request.measurement.serial):
                    self._remove(request)

    def forget_files(self, paths: Collection[str]) -> None:
        """Drop what was read of these files of weights or hidden states."""
        with self._lock:
            for request in list(self._entries):
                opened = opened_in(request)
                if opened is not None and (opened.path in paths or opened.x in paths):
                    self._remove(request)

    def _shrink(self, spare: Request | None = None) -> None:
        for request in list(self._entries):
            if self._nbytes <= self._limit:
                return
            if request not in self._in_use and request != spare:
                self._remove(request)

    def _remove(self, request: Request) -> None:
        entry = self._entries.pop(request, None)
        if entry is not None:
            self._nbytes -= nbytes_of(entry)
            self._version += 1
