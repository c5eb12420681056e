"""How a person read files before, as the window remembers it; the command line reads them alike."""

from collections.abc import Mapping
from contextlib import suppress

from ffn_explorer.checkpoints.correction import Correction
from ffn_explorer.state.files import Damaged, read_json
from ffn_explorer.state.opened_json import DIGEST, correction_from_json
from ffn_explorer.state.storage import check_folder, preferences_path

MOST_CORRECTIONS = 50
"""Files whose reading is remembered; the one that was opened longest ago is forgotten first."""


def corrections_from_json(data: object) -> dict[str, Correction]:
    """Reading by the digest of its file, of plain values; whatever does not fit is left out."""
    found: dict[str, Correction] = {}
    if isinstance(data, Mapping):
        for digest, values in list(data.items())[-MOST_CORRECTIONS:]:
            with suppress(ValueError):
                if isinstance(digest, str) and DIGEST.fullmatch(digest):
                    found[digest] = correction_from_json(values)
    return found


def remembered_corrections() -> dict[str, Correction]:
    """Those in the preferences; none where there are none, and the preferences stay as they are."""
    with suppress(OSError, ValueError, Damaged):
        check_folder()
        layout = read_json(preferences_path()).get("layout")
        return corrections_from_json(layout.get("corrections") if isinstance(layout, Mapping) else None)
    return {}
