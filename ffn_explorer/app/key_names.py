"""Names of keys, as the platform writes them."""

from PySide6.QtGui import QKeySequence


def native(key: str) -> str:
    """A key as this platform writes it."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
