"""Sessions in pictures: found wherever the formats may hold them, bounded, and refused in one sentence."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ffn_explorer.core.edits import Edits
from ffn_explorer.core.errors import InputError
from ffn_explorer.core.settings import Settings
from ffn_explorer.export.films.table import MOVING
from ffn_explorer.export.notes import notes_of
from ffn_explorer.export.notes_xml import packet, writable
from ffn_explorer.export.svg_document import document
from ffn_explorer.state import sessions_in
from ffn_explorer.state.app_state import Appearance, AppState, Playback, Source
from ffn_explorer.state.changes import use_memory
from ffn_explorer.state.file_endings import PICTURES, holds_session
from ffn_explorer.state.sessions_in import MOST_BYTES, READERS_OF_SESSIONS, session_in
from tests.films import film_bytes

STATE = AppState(
    settings=Settings(d_model=8, d_ff=32, heads=2, kv_heads=2),
    source=Source(("鍵は <机> & \ud800 \x07の上。",), ((),)),
    edits=Edits(keep=3),
)
NOTES = notes_of(STATE)
START = b"\x89PNG\r\n\x1a\n"
END = b"\0\0\0\0IEND\xaeB`\x82"


def chunk(kind: bytes, content: bytes) -> bytes:
    """One chunk of a PNG."""
    return len(content).to_bytes(4, "big") + kind + content + zlib.crc32(kind + content).to_bytes(4, "big")


def png_with(*chunks: bytes) -> bytes:
    """The skeleton of a PNG: pixels are never looked at."""
    return START + chunk(b"IHDR", bytes(13)) + b"".join(chunks) + END


def texts_of(session: str) -> dict[str, bytes]:
    """A session in each chunk that PNG has for texts."""
    raw = session.encode()
    return {
        "tEXt": chunk(b"tEXt", b"Session\0" + raw),
        "zTXt": chunk(b"zTXt", b"Session\0\0" + zlib.compress(raw)),
        "iTXt": chunk(b"iTXt", b"Session\0\0\0en\0title\0" + raw),
        "iTXt packed": chunk(b"iTXt", b"Session\0\1\0\0\0" + zlib.compress(raw)),
    }


def svg_with(notes: dict[str, str]) -> bytes:
    """An SVG without shapes."""
    return document([], size=(20, 20), notes=notes)


def pdf_with(notes: dict[str, str], *, before: int = 0, after: int = 0) -> bytes:
    """What counts of a PDF: its packet, with other bytes around it."""
    return b"%PDF-1.4\n" + b"x" * before + packet(notes) + b"y" * after + b"\n%%EOF"


MAKERS: dict[str, Callable[[dict[str, str]], bytes]] = {
    ".png": lambda notes: png_with(texts_of(notes["Session"])["tEXt"]),
    ".svg": svg_with,
    ".pdf": pdf_with,
    **{suffix: partial(film_bytes, suffix) for suffix in MOVING},
}


def refusal(path: Path, content: bytes) -> InputError:
    """The sentence for a file of this content."""
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        session_in(path)
    return caught.value


def test_every_picture_has_a_reader() -> None:
    assert set(READERS_OF_SESSIONS) == set(PICTURES) == set(MAKERS)
    assert all(holds_session(f"a{suffix.upper()}") for suffix in PICTURES)
    assert not holds_session("a.jpg")


@pytest.mark.parametrize("suffix", PICTURES)
@pytest.mark.parametrize("state", [STATE, use_memory("xor").to(AppState())], ids=["edited", "by hand"])
def test_a_picture_gives_back_the_state(tmp_path: Path, suffix: str, state: AppState) -> None:
    path = tmp_path / f"picture{suffix.upper()}"
    path.write_bytes(MAKERS[suffix](notes_of(replace(state, appearance=Appearance("dark", "ja")))))
    found, note = session_in(path)
    assert note is None
    assert found == replace(state, playback=Playback())


@pytest.mark.parametrize("kind", ["tEXt", "zTXt", "iTXt", "iTXt packed"])
def test_each_kind_of_text_in_a_png_is_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.png"
    other = chunk(b"tEXt", b"Software\0something")
    path.write_bytes(png_with(other, chunk(b"IDAT", bytes(100_000)), texts_of(NOTES["Session"])[kind]))
    assert session_in(path)[0].settings == STATE.settings


def test_the_packet_of_a_pdf_is_found_at_either_end(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    for before, after in ((0, 0), (100, 2 * MOST_BYTES), (2 * MOST_BYTES, 100)):
        path.write_bytes(pdf_with(NOTES, before=before, after=after))
        assert session_in(path)[0].settings == STATE.settings


@pytest.mark.parametrize("suffix", PICTURES)
def test_a_picture_of_another_program_says_that_it_holds_no_session(tmp_path: Path, suffix: str) -> None:
    plain = {
        ".png": png_with(chunk(b"tEXt", b"Comment\0Session")),
        ".svg": b"<svg xmlns='http://www.w3.org/2000/svg'><Session>{}</Session></svg>",
        ".pdf": b"%PDF-1.7 without a packet",
        **{suffix: film_bytes(suffix, {}) for suffix in MOVING},
    }
    assert refusal(tmp_path / f"a{suffix}", plain[suffix]).key == "state.picture_without"


BOMB = b"<!DOCTYPE s [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><s>&b;</s>"
LONG = json.dumps({"version": 1, "kind": "x" * 1_100_000})
DAMAGED: dict[str, tuple[str, bytes]] = {
    "no PNG": (".png", b"GIF89a"),
    "an empty PNG": (".png", b""),
    "no zlib": (".png", png_with(chunk(b"zTXt", b"Session\0\0nonsense"))),
    "no UTF-8": (".png", png_with(chunk(b"iTXt", b"Session\0\0\0\0\0\xff\xfe"))),
    "no JSON": (".png", png_with(chunk(b"tEXt", b"Session\0{"))),
    "a list": (".png", png_with(chunk(b"tEXt", b"Session\0[]"))),
    "no settings": (".png", png_with(chunk(b"tEXt", b'Session\0{"settings": 3}'))),
    "deep JSON": (".png", png_with(chunk(b"tEXt", b"Session\0" + b"[" * 100_000))),
    "a long text": (".png", png_with(chunk(b"tEXt", b"Session\0" + LONG.encode()))),
    "a zlib bomb": (".png", png_with(chunk(b"zTXt", b"Session\0\0" + zlib.compress(bytes(50_000_000))))),
    "entities": (".svg", BOMB),
    "no XML": (".svg", b"<svg><g></svg>"),
    "an empty SVG": (".svg", b""),
    "a cut SVG": (".svg", svg_with(NOTES)[:700]),
    "a long note": (".svg", svg_with({"Session": LONG})),
    "entities in a packet": (".pdf", b"<?xpacket begin='' id=''?>" + BOMB + b"<?xpacket end='w'?>"),
    "a broken packet": (".pdf", b"<?xpacket begin='' id=''?><a><?xpacket end='w'?>"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_damaged_or_hostile_is_one_sentence(tmp_path: Path, name: str) -> None:
    suffix, content = DAMAGED[name]
    assert refusal(tmp_path / f"a{suffix}", content).key == "state.session_damaged"


@pytest.mark.parametrize("encoding", ["nonsense", "utf-16", "shift_jis", "idna"])
def test_odd_encodings_are_one_sentence(tmp_path: Path, encoding: str) -> None:
    content = f"<?xml version='1.0' encoding='{encoding}'?><svg/>".encode()
    assert refusal(tmp_path / "a.svg", content).key in ("state.session_damaged", "state.picture_without")


def test_no_more_than_a_bound_is_read(tmp_path: Path) -> None:
    class Counting(io.BytesIO):
        count = 0

        def read(self, size: int | None = -1, /) -> bytes:
            found = super().read(size)
            self.count += len(found)
            return found

    texts = chunk(b"tEXt", b"Comment\0" + bytes(999_000)) * 20
    far = texts_of(NOTES["Session"])["tEXt"]
    files = {
        ".png": Counting(png_with(texts, far)),
        ".svg": Counting(b"<svg>" + b"<g/>" * 5_000_000 + b"</svg>"),
        ".pdf": Counting(pdf_with(NOTES, before=3 * MOST_BYTES, after=3 * MOST_BYTES)),
    }
    for suffix, file in files.items():
        assert READERS_OF_SESSIONS[suffix](file) is None
        assert file.count <= MOST_BYTES + 100_000


def test_a_chunk_that_claims_gigabytes_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(START + (0xFFFFFFF0).to_bytes(4, "big") + b"tEXtComment\0" + END)
    with pytest.raises(InputError) as caught:
        session_in(path)
    assert caught.value.key == "state.picture_without"


def test_what_cannot_be_opened_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        session_in(tmp_path / "gone.png")
    assert caught.value.key == "state.session_missing"
    folder = tmp_path / "folder.svg"
    folder.mkdir()
    with pytest.raises(InputError) as caught:
        session_in(folder)
    assert caught.value.key in ("state.session_missing", "state.session_damaged")


def test_a_newer_version_is_named(tmp_path: Path) -> None:
    newer = json.dumps({**json.loads(NOTES["Session"]), "version": 99})
    assert refusal(tmp_path / "a.svg", svg_with({"Session": newer})).key == "state.session_newer"


@given(st.text(st.characters(), max_size=40))
def test_any_text_survives_xml(said: str) -> None:
    for content in (svg_with({"Session": said}), pdf_with({"Session": said})):
        read = READERS_OF_SESSIONS[".svg" if content.startswith(b"<?xml") else ".pdf"]
        # XML turns line ends into \n; a session is JSON, which has none outside of its escapes.
        assert read(io.BytesIO(content)) == writable(said).replace("\r\n", "\n").replace("\r", "\n")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(PICTURES), st.integers(0, 10_000), st.binary(max_size=3))
def test_a_picture_changed_anywhere_opens_or_is_refused(
    tmp_path: Path, suffix: str, place: int, bite: bytes
) -> None:
    content = MAKERS[suffix](NOTES)
    at = place % len(content)
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content[:at] + bite + content[at + 3 :])
    with suppress(InputError):  # whatever else comes out of it is a defect
        session_in(path)


def test_the_namespace_of_the_notes_stays() -> None:
    assert sessions_in.NAMESPACE == "urn:ffn-explorer:notes"
    assert f'xmlns:ffn="{sessions_in.NAMESPACE}"'.encode() in svg_with(NOTES)
    assert sessions_in.NAMESPACE.encode() in packet(NOTES)
