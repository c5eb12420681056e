"""Words of the shipped lecture: in both languages, short enough, and written as the glossary wants."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.unit.lecture_file import CHAPTERS, SCENES, TEXTS

DEPTHS = ("idea", "shapes", "mathematics")

QUESTIONS = [(name, scene["question"]) for name, scene in SCENES.items() if "question" in scene]
QUIZZES = [(chapter["letter"], question) for chapter in CHAPTERS for question in chapter["quiz"]]
EXPERIMENTS = [each for scene in SCENES.values() for each in scene.get("experiments", [])]

JAPANESE = "ぁ-ゖァ-ヺー一-鿿々"
FORMULA = re.compile(r"\w+\([ -~−′·²]*\)", re.ASCII)
"""A function and its argument, such as y(00)."""

ASCII_BESIDE = re.compile(rf"[{JAPANESE}] ?[()?!,;:.]|[()?!,;:.] ?[{JAPANESE}]")
FULL_WIDTH_LETTERS = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff0b\uff1d]")
SPACED = re.compile("[（）、。：「」] | [（）、。：「」]")

NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d+\.\d+|\d{3,}")
"""Numbers that no language writes as a word: with thousands, a decimal point, or three digits."""

AVOIDED_EN = re.compile(r"\bhidden layers?\b|\bfires?\b|\bfully (closed|open)\b|\bdense layer\b|[\"']|--| - ")
AVOIDED_JA = re.compile("アテンション|エンコーダー|デコーダー|訓練|隠れ層|パラメーター|[\"']")


def broken(rule: re.Pattern[str], language: int) -> list[tuple[str, str]]:
    """Places whose text has something that it should not have."""
    texts = {place: text[language].replace("\u00a0", " ") for place, text in TEXTS.items()}
    found = {place: rule.search(FORMULA.sub("f", text)) for place, text in texts.items()}
    return [(place, match.group()) for place, match in found.items() if match]


def test_there_are_texts_of_every_kind() -> None:
    kinds = {place.split(".")[-1].split("[")[0] for place in TEXTS}
    assert kinds >= {"title", *DEPTHS, "notes", "asks", "answers", "why", "claim", "truth", "name", "summary"}
    assert len(TEXTS) > 200


def test_every_text_is_written_in_both_languages() -> None:
    assert not [
        place for place, both in TEXTS.items() if not all(both) or both != tuple(map(str.strip, both))
    ]
    assert not broken(re.compile(rf"[{JAPANESE}、。]|  |…"), 0)
    assert not broken(re.compile("  |…"), 1)


def test_japanese_punctuation_is_full_width() -> None:
    assert not broken(ASCII_BESIDE, 1)
    assert not broken(FULL_WIDTH_LETTERS, 1)
    assert not broken(SPACED, 1)


def test_the_rule_for_punctuation_finds_what_is_wrong() -> None:
    wrong = ("行列です.", "値(単位なし)", "なぜ?", "幅, 高さ", "例: 2")
    right = ("値（単位なし）です。", "[1, 8, 512] です。", "y(00) と y(11) です。", "2,048 個、0.27 です。")
    assert all(ASCII_BESIDE.search(FORMULA.sub("f", text)) for text in wrong)
    assert not any(ASCII_BESIDE.search(FORMULA.sub("f", text)) for text in right)


def test_things_are_called_as_in_the_glossary() -> None:
    assert not broken(AVOIDED_EN, 0)
    assert not broken(AVOIDED_JA, 1)


def test_the_same_numbers_stand_in_both_languages() -> None:
    for place, both in TEXTS.items():
        en, ja = (set(NUMBER.findall(text)) for text in both)
        # A formula may leave out a number in Japanese, where there is less room; it never has another one.
        brief = place.endswith(("shapes", "mathematics"))
        assert ja <= en if brief else ja == en, (place, en ^ ja)


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_says_no_more_than_is_read(name: str) -> None:
    for depth in DEPTHS:
        words = SCENES[name][depth]
        assert 8 <= len(words["en"].split()) <= 40, depth
        assert 30 <= len(words["ja"]) <= 120, depth
        assert words["ja"].endswith("。"), depth


@pytest.mark.parametrize("name", SCENES)
def test_a_lecturer_has_something_to_say(name: str) -> None:
    notes = SCENES[name]["notes"]
    assert 40 <= len(notes["en"].split()) <= 90
    assert 120 <= len(notes["ja"]) <= 280
    assert notes["ja"].endswith("。")


def test_the_scenes_are_those_of_the_plan() -> None:
    plan = {
        "A": ["what", "place", "position"],
        "B": ["widths", "nonlinear", "activations", "sparsity", "gate"],
        "C": ["keys", "sum"],
        "D": ["parameters", "compute", "experts"],
    }
    assert {c["letter"]: [scene["name"] for scene in c["scenes"]] for c in CHAPTERS} == plan
    assert len(SCENES) == sum(map(len, plan.values()))  # a name that stands twice would be lost here


def test_it_fills_a_class() -> None:
    minutes = [scene["minutes"] for scene in SCENES.values()]
    assert 40 <= sum(minutes) <= 50
    assert 1 <= min(minutes) <= max(minutes) <= 5


@pytest.mark.parametrize("chapter", CHAPTERS, ids=[chapter["letter"] for chapter in CHAPTERS])
def test_a_chapter_ends_with_three_lines_and_three_questions(chapter: dict[str, Any]) -> None:
    assert len(chapter["summary"]) == len(chapter["quiz"]) == 3
    for line in chapter["summary"]:
        assert len(line["en"].split()) <= 28
        assert len(line["ja"]) <= 80


@pytest.mark.parametrize(("where", "question"), [*QUESTIONS, *QUIZZES])
def test_a_question_can_be_answered(where: str, question: dict[str, Any]) -> None:
    answers = question["answers"]
    assert 3 <= len(answers) <= 4, where
    assert 0 <= question["right"] < len(answers)
    for language in ("en", "ja"):
        assert len({answer[language] for answer in answers}) == len(answers)
    assert len(question["why"]["en"].split()) <= 42
    assert len(question["why"]["ja"]) <= 130


@pytest.mark.parametrize("questions", [QUESTIONS, QUIZZES], ids=["scenes", "quizzes"])
def test_the_right_answer_stands_at_every_place(questions: list[tuple[str, dict[str, Any]]]) -> None:
    right = [question["right"] for _, question in questions]
    assert all(right.count(place) >= len(right) // 4 for place in range(3))


def test_most_scenes_let_people_predict() -> None:
    assert len(QUESTIONS) >= 9


@pytest.mark.parametrize("each", EXPERIMENTS, ids=[each["name"]["en"] for each in EXPERIMENTS])
def test_an_experiment_changes_something_and_says_what_is_seen(each: dict[str, Any]) -> None:
    assert each["state"]
    most = {"name": (6, 20), "claim": (20, 50), "truth": (42, 120)}
    for what, (words, letters) in most.items():
        assert len(each[what]["en"].split()) <= words
        assert len(each[what]["ja"]) <= letters
