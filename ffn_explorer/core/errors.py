"""Errors that a person can act on: a sentence key and its values, translated only where it is shown."""

from typing import Any


class ExplorerError(Exception):
    """One clear sentence for the person, as a catalogue key and its values."""

    def __init__(self, key: str, **values: Any) -> None:  # noqa: ANN401 - numbers and strings alike
        super().__init__(key, values)
        self.key = key
        self.values = values

    def __str__(self) -> str:
        """Key and values, for logs; what people read comes from the catalogue."""
        return f"{self.key} {self.values}"


class SettingError(ExplorerError):
    """A setting outside its allowed values."""


class MemoryRefusal(ExplorerError):
    """A request that needs more than half of the free memory."""


class InputError(ExplorerError):
    """A sentence, file or array that cannot be used."""
