"""Notes in films: nothing that stands in a file makes reading fail, run on, or take memory."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_explorer.core.errors import InputError
from ffn_explorer.export.films.table import MOVING
from ffn_explorer.export.notes import notes_of
from ffn_explorer.state import film_notes
from ffn_explorer.state.app_state import AppState
from ffn_explorer.state.file_endings import holds_session
from ffn_explorer.state.files import Damaged
from ffn_explorer.state.film_notes import comment_of_mp4, xmp_of_gif, xmp_of_webp
from ffn_explorer.state.sessions_in import READERS_OF_SESSIONS, session_in
from tests.films import film_bytes

READERS: dict[str, Callable[[io.BytesIO], bytes | None]] = {
    ".mp4": comment_of_mp4,
    ".gif": xmp_of_gif,
    ".webp": xmp_of_webp,
}


@pytest.fixture(scope="module")
def films() -> dict[str, bytes]:
    """One film of each format, as bytes."""
    return {suffix: film_bytes(suffix, notes_of(AppState())) for suffix in MOVING}


def box(kind: bytes, content: bytes = b"", *, size: int | None = None) -> bytes:
    return struct.pack(">I", 8 + len(content) if size is None else size) + kind + content


FTYP = box(b"ftyp", b"isom")


@pytest.mark.parametrize("suffix", MOVING)
@given(data=st.data())
def test_a_film_cut_or_changed_anywhere_is_a_session_or_one_sentence(
    suffix: str, films: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = bytearray(films[suffix])
    del content[data.draw(st.integers(0, len(content))) :]
    for at, value in data.draw(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=6)):
        if content:
            content[at % len(content)] = value
    path = tmp_path_factory.mktemp("cut") / f"film{suffix}"
    path.write_bytes(content)
    try:
        found: object = session_in(path)[0]
    except InputError as error:
        found = error
    assert isinstance(found, AppState) or str(found).startswith("state.")


@pytest.mark.parametrize("suffix", READERS)
@given(junk=st.binary(max_size=300))
def test_anything_may_stand_behind_the_first_bytes(suffix: str, films: dict[str, bytes], junk: bytes) -> None:
    reader, start = READERS[suffix], {".mp4": FTYP, ".gif": b"GIF89a", ".webp": b"RIFF\0\0\0\0WEBP"}[suffix]
    try:
        found = reader(io.BytesIO(start + junk))
    except Damaged:
        return
    assert found is None or len(found) <= len(junk)


@pytest.mark.parametrize("suffix", MOVING)
@pytest.mark.parametrize("other", MOVING)
def test_a_film_under_another_name_is_no_session(
    tmp_path: Path, films: dict[str, bytes], suffix: str, other: str
) -> None:
    if suffix == other:
        return
    path = tmp_path / f"film{suffix}"
    path.write_bytes(films[other])
    with pytest.raises(InputError) as caught:
        session_in(path)
    assert caught.value.key == "state.session_damaged"


@pytest.mark.parametrize("suffix", MOVING)
def test_a_film_without_notes_says_so(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"film{suffix}"
    path.write_bytes(film_bytes(suffix, {}))
    with pytest.raises(InputError) as caught:
        session_in(path)
    assert caught.value.key == "state.picture_without"


def test_the_comment_of_another_film_is_no_session(tmp_path: Path) -> None:
    value = box(b"data", b"\0\0\0\1\0\0\0\0a holiday in 2019")
    found = box(b"meta", b"\0\0\0\0" + box(b"hdlr", b"x" * 20) + box(b"ilst", box(b"\xa9cmt", value)))
    path = tmp_path / "film.mp4"
    path.write_bytes(FTYP + box(b"moov", box(b"udta", found)))
    assert comment_of_mp4(io.BytesIO(path.read_bytes())) == b"a holiday in 2019"
    with pytest.raises(InputError) as caught:
        session_in(path)
    assert caught.value.key == "state.picture_without"


@pytest.mark.parametrize(
    "boxes",
    [
        box(b"moov", size=4),
        box(b"moov", size=2**32 - 1),
        box(b"moov", struct.pack(">Q", 3), size=1),
        box(b"moov", struct.pack(">Q", 2**63), size=1),
        box(b"moov", b"", size=0),
        box(b"moov", box(b"udta", box(b"meta", b"\0"))),
        box(b"free") * 50 + box(b"moov"),
    ],
)
def test_sizes_that_lie_end_the_search(boxes: bytes) -> None:
    assert comment_of_mp4(io.BytesIO(FTYP + boxes)) is None


def test_long_rows_of_parts_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(film_notes, "MOST_PARTS", 10)
    packet = b"XMP " + struct.pack("<I", 2) + b"<>"
    part = b"ANMF" + struct.pack("<I", 0)
    head = b"RIFF\0\0\0\0WEBP"
    assert xmp_of_webp(io.BytesIO(head + part * 9 + packet)) == b"<>"
    assert xmp_of_webp(io.BytesIO(head + part * 10 + packet)) is None
    assert comment_of_mp4(io.BytesIO(FTYP + box(b"free") * 11 + box(b"moov"))) is None
    gif = b"GIF89a" + bytes(7)
    assert xmp_of_gif(io.BytesIO(gif + b"\x21\xfe\0\0" * 12)) is None


def test_notes_are_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(film_notes, "MOST_BYTES", 5)
    assert (
        xmp_of_webp(io.BytesIO(b"RIFF\0\0\0\0WEBPXMP " + struct.pack("<I", 2**32 - 1) + b"123456789"))
        == b"12345"
    )
    value = box(
        b"moov",
        box(
            b"udta",
            box(b"meta", b"\0\0\0\0" + box(b"ilst", box(b"\xa9cmt", box(b"data", b"12345678abcdefgh")))),
        ),
    )
    assert comment_of_mp4(io.BytesIO(FTYP + value)) == b"abcde"


def test_every_film_may_hold_a_session() -> None:
    assert all(holds_session(f"A{suffix.upper()}") and suffix in READERS_OF_SESSIONS for suffix in MOVING)
