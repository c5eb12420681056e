"""Small lectures for handouts, and what a PDF says, by another program than the one that wrote it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymupdf

from ffn_explorer.state.lectures.model import Lecture, Question, Words
from ffn_explorer.state.lectures.reading import lecture_of
from tests.unit.test_lectures import SMALL

POINT = 0.75
"""Boxes of words may touch by so much, in points: fonts claim more height than their letters have."""


@dataclass(frozen=True)
class Box:
    """A word on a page, and its place in points."""

    left: float
    top: float
    right: float
    bottom: float
    word: str


def plain(text: str) -> str:
    """A text without anything that a line break or a font could change."""
    return re.sub(r"\s+", "", text.replace("\u00a0", " "))


def opened(content: bytes | Path) -> Any:
    """A PDF; every warning of its reader is a failure of ours."""
    source = content.read_bytes() if isinstance(content, Path) else content
    read: Any = pymupdf.open
    document = read(stream=source, filetype="pdf")
    assert not document.is_repaired
    return document


def text_of(document: Any) -> str:
    """Everything that a PDF says, without spaces."""
    return plain("".join(page.get_text() for page in document))


def boxes(page: Any) -> list[Box]:
    """Every word of a page with its place."""
    return [Box(*word[:5]) for word in page.get_text("words")]


def overlapping(found: list[Box]) -> list[tuple[Box, Box]]:
    """Words that stand on each other: by more than a little in both directions."""

    def shared(a: Box, b: Box) -> tuple[float, float]:
        # The line of a font is higher than what is seen of it.
        inset = 0.25 * min(a.bottom - a.top, b.bottom - b.top)
        wide = min(a.right, b.right) - max(a.left, b.left)
        return wide, min(a.bottom, b.bottom) - max(a.top, b.top) - inset

    pairs = ((a, b) for n, a in enumerate(found) for b in found[n + 1 :])
    return [(a, b) for a, b in pairs if min(shared(a, b)) > POINT]


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
