"""Small lectures for handouts, and what a PDF says, by another program than the one that wrote it."""

from __future__ import annotations

import ctypes
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pypdfium2  # type: ignore[import-untyped]

from ffn_explorer.state.lectures.model import Lecture, Question, Words
from ffn_explorer.state.lectures.reading import lecture_of
from tests.unit.test_lectures import SMALL

SLACK = 0.75
"""Boxes of letters may touch by so much, in points."""


class Box(NamedTuple):
    """Some letters of a page, and their place in points from its lower left corner."""

    left: float
    bottom: float
    right: float
    top: float
    text: str


class Sheet(NamedTuple):
    """A page: its size in points, what it says, its words with their places, and how many shapes it has."""

    width: float
    height: float
    text: str
    words: tuple[Box, ...]
    shapes: int
    fonts: frozenset[str]
    corner: tuple[int, ...]


class Document(NamedTuple):
    """A PDF. marks: level, title and page, from 0, of its bookmarks."""

    pages: tuple[Sheet, ...]
    title: str
    language: str
    marks: tuple[tuple[int, str, int], ...]

    @property
    def text(self) -> str:
        """Everything it says, without spaces."""
        return plain("".join(page.text for page in self.pages))


def plain(text: str) -> str:
    """A text without anything that a line break could change."""
    return re.sub(r"\s+", "", text)


def opened(content: bytes | Path) -> Document:
    """A PDF as PDFium reads it."""
    document = pypdfium2.PdfDocument(content)
    try:
        buffer = (ctypes.c_ushort * 20)()
        pypdfium2.raw.FPDFCatalog_GetLanguage(document, buffer, 40)
        marks = tuple(
            (mark.level, mark.get_title(), mark.get_dest().get_index()) for mark in document.get_toc()
        )
        return Document(
            tuple(_sheet(document[at]) for at in range(len(document))),
            document.get_metadata_dict()["Title"],
            bytes(buffer).decode("utf-16-le").rstrip("\0"),
            marks,
        )
    finally:
        document.close()


def _sheet(page: Any) -> Sheet:
    text, raw = page.get_textpage(), pypdfium2.raw
    fonts, shapes = set(), 0
    for each in page.get_objects(max_depth=4):
        shapes += each.type == raw.FPDF_PAGEOBJ_PATH
        if each.type == raw.FPDF_PAGEOBJ_TEXT:
            name = ctypes.create_string_buffer(80)
            raw.FPDFFont_GetBaseFontName(raw.FPDFTextObj_GetFont(each), name, 80)
            fonts.add(name.value.decode())
    corner = page.render(scale=0.1).to_pil().convert("RGB").getpixel((1, 1))
    words = tuple(_words(text))
    width, height = page.get_size()
    return Sheet(width, height, text.get_text_range(), words, shapes, frozenset(fonts), corner)


def _words(text: Any) -> Iterator[Box]:
    """Letters that follow each other on a line, put together."""
    word: Box | None = None
    for at in range(text.count_chars()):
        letter = chr(pypdfium2.raw.FPDFText_GetUnicode(text, at))
        if letter.isspace() or not letter.isprintable():
            if word is not None:
                yield word
            word = None
            continue
        left, bottom, right, top = text.get_charbox(at)
        if word is not None and abs(left - word.right) < 3 and min(top, word.top) > max(bottom, word.bottom):
            word = Box(
                min(word.left, left),
                min(word.bottom, bottom),
                max(word.right, right),
                max(word.top, top),
                word.text + letter,
            )
            continue
        if word is not None:
            yield word
        word = Box(left, bottom, right, top, letter)
    if word is not None:
        yield word


def overlapping(found: list[Box]) -> list[tuple[Box, Box]]:
    """Words that stand on each other, by more than a little in both directions."""

    def shared(a: Box, b: Box) -> float:
        wide = min(a.right, b.right) - max(a.left, b.left)
        return min(wide, min(a.top, b.top) - max(a.bottom, b.bottom))

    pairs = ((a, b) for n, a in enumerate(found) for b in found[n + 1 :])
    return [(a, b) for a, b in pairs if shared(a, b) > SLACK]


def words_of(lecture: Lecture, *, notes: bool = True) -> Iterator[Words]:
    """Every text of a lecture that a handout prints."""
    yield lecture.title
    for chapter in lecture.chapters:
        yield chapter.title
        yield from chapter.summary
        for question in chapter.quiz:
            yield from _of_question(question)
        for scene in chapter.scenes:
            yield from (scene.title, scene.idea, scene.shapes, scene.mathematics)
            if notes:
                yield scene.notes
            if scene.question is not None:
                yield from _of_question(scene.question)
            for tried in scene.experiments:
                yield from (tried.name, tried.claim, tried.truth)


def _of_question(question: Question) -> Iterator[Words]:
    yield from (question.asks, *question.answers, question.why)


def small(**over: Any) -> Lecture:
    """The lecture of two small scenes; over: entries of its first scene."""
    data = tomllib.loads(SMALL)
    data["chapters"][0]["scenes"][0].update(over)
    found, problems = lecture_of(data, path="")
    assert problems == ()
    assert found is not None
    return found
