"""Notes: what a picture was made from, as words that stand inside its file."""

import json
from pathlib import Path

from ffn_explorer import __version__
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.storage import session_to_json


def notes_of(state: AppState) -> dict[str, str]:
    """What a picture of this state was made from, by name.

    Software, Settings (JSON, see `Settings.to_json`), Sentences (JSON; none beside a hand-built memory or
    rows of an NPY file, which do not read them), File (JSON, of an opened file: its name, the layer by stack
    and number, the digest of its headers, the NPY file that flows in), Session (JSON, what a session file
    holds, and the time), Time (0..1 of the pass).
    """
    sentences = json.dumps(state.source.sentences, ensure_ascii=False)
    return {
        "Software": f"FFN Explorer {__version__}",
        "Settings": json.dumps(state.settings.to_json()),
        **({"Sentences": sentences} if _reads_sentences(state) else {}),
        **_file_of(state),
        # Edits, a hand-built memory and the comparison are in the picture too.
        "Session": json.dumps({**session_to_json(state), "time": state.playback.time}),
        "Time": f"{state.playback.time:g}",
    }


def _reads_sentences(state: AppState) -> bool:
    opened = state.source.opened
    return state.source.memory is None and (opened is None or not opened.x)


def _file_of(state: AppState) -> dict[str, str]:
    """The opened file by its name, and its layer by stack and number where it is open."""
    opened = state.source.opened
    if opened is None:
        return {}
    from ffn_explorer.state.open_files import OPEN_FILES

    held, place = OPEN_FILES.known(opened), state.settings.layer
    layer = None if held is None else held.checkpoint.layers[place]
    named = {} if layer is None else {"stack": layer.stack, "index": layer.index}
    rows = {"x": Path(opened.x).name, "x_is": opened.x_is} if opened.x else {}
    found = {"name": Path(opened.path).name, "layer": place, **named, "digest": opened.digest, **rows}
    return {"File": json.dumps(found, ensure_ascii=False)}
