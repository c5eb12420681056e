"""The page of a scene: its picture, its words, what is asked and can be tried, and the speaker’s notes."""

from dataclasses import replace

from PySide6.QtCore import QRectF

from ffn_explorer.export.handout.blocks import (
    Block,
    Row,
    Shape,
    beside,
    boxed,
    heading,
    in_order,
    indented,
    right,
    rows_of,
    space,
    width_of,
)
from ffn_explorer.export.handout.pages import Section
from ffn_explorer.export.handout.paper import BODY, FAINT, LABEL, LEAD, QUIET, SMALL, STRONG, TITLE
from ffn_explorer.export.handout.words import Draft, minutes_of, named
from ffn_explorer.state.app_state import Appearance
from ffn_explorer.state.layouts import Layout, stacked
from ffn_explorer.state.lectures.model import SIGNS, Chapter, Question, SceneOf
from ffn_explorer.state.lesson import Depth
from ffn_explorer.widgets.theme import LIGHT, theme_of

GAP, GUTTER, PAD = 130.0, 220.0, 80.0
"""Between blocks, between columns, and within boxes."""

PICTURE_PX = 980
"""Width at which the panels of a scene are laid out in the light theme, in logical pixels."""

HEIGHTS_PX = {1: (400, 600), 2: (540, 680), 3: (640, 760)}
"""Least and largest height of a picture, in the same pixels, by how many panels stand over each other."""

RULED = 760.0
"""Room that a picture leaves to ruled lines, where it need not be small for them."""

TRIED = 0.36
"""Share of the width that what is believed takes, beside what is seen."""


def shown_depth(wish_depth: Depth | None) -> Depth:
    """The depth whose panels are drawn."""
    return wish_depth or "idea"


def picture_px(look: Appearance) -> int:
    """Width at which panels are laid out in a look: a theme of larger type gets as much more room."""
    return round(PICTURE_PX * theme_of(look).body_px / LIGHT.body_px)


def scene_section(draft: Draft, number: int, chapter: Chapter) -> Section:
    """Everything of a scene, its picture as large as the page lets it be."""
    scene = draft.lecture.scenes[number]
    above = (*_head(draft, number), _lead(draft, scene))
    below = (
        *_deeper(draft, scene),
        *_asked(draft, number, scene),
        *_tried(draft, scene),
        *_notes(draft, scene),
    )
    taken = sum(block.height + block.gap for block in (*above, *below)) + GAP
    height = picture_height(
        scene.layout_at(shown_depth(draft.wish.depth)), draft.width, draft.wish.sheet.frame.height() - taken
    )
    picture = Block((Row(height),), gap=GAP, picture=number)
    return Section(
        (*above, picture, *below),
        named(draft, chapter),
        rows_of(draft.tell("handout.own"), LABEL, draft.width),
    )


def picture_height(layout: Layout, width: float, room: float) -> float:
    """Height of a picture: what is left of a page, within what its panels can be drawn at."""
    low, high = (width / PICTURE_PX * pixels for pixels in HEIGHTS_PX[min(3, max(1, stacked(layout)))])
    usual = (low + high) / 2
    if room < low:
        return usual
    return min(high, room - RULED if room - RULED >= usual else room)


def question_rows(draft: Draft, question: Question, width: float) -> tuple[Row, ...]:
    """What is asked, and a ring with its letter before each answer."""
    rows = [*rows_of(draft.words(question.asks), STRONG, width), *space(30.0)]
    for sign, answer in zip(SIGNS, question.answers):
        said = rows_of(draft.words(answer), BODY, width - 200.0, x=200.0, lane=1)
        ring = Shape("ring", QRectF(0.0, (BODY.step - 116.0) / 2, 116.0, 116.0), "muted")
        (letter,) = rows_of(sign, LABEL, width)
        line = letter.lines[0]
        x = 58.0 - width_of(sign, LABEL) / 2
        lettered = Row(
            BODY.step, (line._replace(x=x, base=line.base + (BODY.step - LABEL.step) / 2),), (ring,)
        )
        rows += [*in_order(beside((lettered,), said)), *space(16.0)]
    return tuple(rows[:-1])


def _head(draft: Draft, number: int) -> tuple[Block, ...]:
    scene = draft.lecture.scenes[number]
    where = draft.tell(
        "handout.scene", n=number + 1, count=len(draft.lecture.scenes), minutes=minutes_of(scene.minutes)
    )
    above = heading(where, FAINT, draft.width, gap=0.0, mark=f"scene {number}")
    title = rows_of(draft.words(scene.title), TITLE, draft.width)
    rule = Row(40.0, (), (Shape("bar", QRectF(0.0, 24.0, 320.0, 0.0), "focus"),))
    return above, Block((*title, rule), gap=10.0, leads=True)


def _lead(draft: Draft, scene: SceneOf) -> Block:
    words = scene.words(shown_depth(draft.wish.depth))
    return Block(rows_of(draft.words(words), LEAD, draft.width), gap=60.0)


def _deeper(draft: Draft, scene: SceneOf) -> tuple[Block, ...]:
    """The other two depths, beside each other."""
    if draft.wish.depth is not None:
        return ()
    width = (draft.width - GUTTER) / 2
    columns = [
        (*rows_of(draft.tell(f"handout.{name}"), LABEL, width), *rows_of(draft.words(words), BODY, width))
        for name, words in (("shapes", scene.shapes), ("mathematics", scene.mathematics))
    ]
    return (Block(beside(columns[0], indented(columns[1], width + GUTTER)), gap=GAP),)


def _asked(draft: Draft, number: int, scene: SceneOf) -> tuple[Block, ...]:
    if scene.question is None:
        return ()
    width = draft.width - 2 * (PAD + 20.0)
    page = draft.page(f"answer {number}")
    label = rows_of(draft.tell("handout.question"), LABEL, width)
    where = right(draft.tell("handout.answer_at", page=page), FAINT, width, lane=1)
    rows = (*beside(label, where), *space(16.0), *question_rows(draft, scene.question, width))
    return (boxed(rows, box=("frame", "border"), pad=PAD, gap=GAP),)


def _tried(draft: Draft, scene: SceneOf) -> tuple[Block, ...]:
    """Beliefs on the left, what is then seen on the right."""
    if not scene.experiments:
        return ()
    left = TRIED * draft.width
    wide = draft.width - left - GUTTER
    label = beside(
        rows_of(draft.tell("handout.claim"), LABEL, left),
        indented(rows_of(draft.tell("handout.truth"), LABEL, wide), left + GUTTER),
    )
    blocks = [replace(Block(label, gap=GAP), leads=True)]
    for at, tried in enumerate(scene.experiments):
        claim = (
            *rows_of(draft.words(tried.claim), BODY, left),
            *rows_of(draft.tell("handout.try", name=draft.words(tried.name)), QUIET, left),
        )
        truth = indented(rows_of(draft.words(tried.truth), BODY, wide), left + GUTTER)
        rule = Row(36.0, (), (Shape("line", QRectF(0.0, 10.0, draft.width, 0.0), "border"),))
        blocks.append(Block((rule, *beside(claim, truth)), gap=0.0 if at == 0 else 30.0))
    return tuple(blocks)


def _notes(draft: Draft, scene: SceneOf) -> tuple[Block, ...]:
    notes = draft.words(scene.notes)
    if not (draft.wish.notes and notes):
        return ()
    width = draft.width - 2 * (PAD + 20.0)
    rows = (*rows_of(draft.tell("handout.notes"), LABEL, width), *rows_of(notes, SMALL, width))
    return (boxed(rows, box=("ground", "sunken"), pad=PAD, gap=GAP),)
