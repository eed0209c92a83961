"""The descriptions to start from: what is true of each of them, and of a right-to-left description with emoji."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import jsonschema
import pytest
import yaml

from annotation.quality.series import Series, rows_of
from annotation.simulation.invented_people import crowd
from annotation.task_types.base import Level, PracticeQuestion, as_objections
from annotation.task_types.cleaned import CleanedAnswer
from annotation.task_types.own import library
from annotation.task_types.own.checking import checked_description, type_of_description
from annotation.task_types.own.description import OwnTask
from annotation.task_types.own.reading import InvalidDescription, json_schema
from annotation.task_types.own.type import OwnType
from corpus.items import ITEM_KINDS
from kernel.values import canonical_json
from tests.annotation.shapes import fits

PEOPLE = crowd(15, seed=4)
ODD = '<script>alert("1")</script> & <b>זה 🌧</b> '
RIGHT_TO_LEFT = """
name: تقييم الإجابات 🌧
items: rows
texts: {language: ar}
words: {language: he}
show: [{text: سؤال 🌧, label: "שאלה <b>"}]
parts:
  - name: choice
    kind: choice
    ask: אילו? 🌦️
    many: true
    none: "אף אחת <i>"
    other: "אחר & עוד"
    options: [{id: sun, label: مشمس ☀️}, {id: rain, label: "גשם 🌧"}, {id: snow, label: "\\u202eثلج\\u202c"}]
  - name: grid
    kind: choice
    ask: "؟"
    rows: [{id: a, text: أ, label: "א"}, {id: b, text: ب, label: "ב"}]
    options: [{id: "yes", label: כן}, {id: "no", label: לא}]
  - {name: rating, kind: rating, ask: "⭐؟", scale: [سيئ 👎, جيد 👍], targets: [{id: a, text: أ}, {id: b, text: ب}]}
  - name: better
    kind: ranking
    ask: "👉؟"
    ties: true
    tie: "אין הבדל"
    targets: [{id: a, text: أ}, {id: b, text: ب}]
  - {name: words, kind: text, ask: "למה? ✍️", show_when: {choice: [rain, other]}, longest: 40}
  - name: marks
    kind: spans
    ask: "🖍️؟"
    text: نص 🖍️
    overlap: nested
    labels: [{id: sky, label: "שמיים 🌤️", key: s}, {id: thing, label: "شيء <b>"}]
    attributes: [{name: sure, ask: "בטוח?", options: [{id: "yes", label: "כן 👍"}, "no"], required: true}]
skip: "لا أعرف 🤷"
instructions: {summary: "اقرأ 🌧", details: "- קראו", examples: "+ كذا"}
practice:
  - item: {"سؤال 🌧": "ما الطقس؟ 👨‍👩‍👧", أ: "مطر <b>", ب: "e\\u0301 & ثلج", "نص 🖍️": "مطر في القاهرة 👨‍👩‍👧 <b>"}
    answers: {choice: [rain], grid: {a: "yes", b: "no"}, rating: {a: 2, b: 1}, better: a, words: "كي\\u0301 🌧",
      marks: ["القاهرة # thing # sure=yes"]}
    reason: "כי 🌧"
  - item: {"سؤال 🌧": "؟", أ: "🌧", ب: "🌧🌧", "نص 🖍️": "لا e\\u0301"}
    answers: {choice: none, grid: {a: "no", b: "no"}, rating: {a: 1, b: 1}, better: tie, marks: []}
    reason: "🤷"
quiz:
  - {question: "؟", choices: [نعم, "לא"], right: نعم}
"""
TEXTS = {name: library.text_of(name) for name in library.NAMES} | {"right to left": RIGHT_TO_LEFT}


@cache
def type_of_text(text: str) -> OwnType:
    return type_of_description(checked_description(text))


@pytest.fixture(params=[*TEXTS])
def type_(request: pytest.FixtureRequest) -> OwnType:
    return type_of_text(TEXTS[request.param])


def confirmed(type_: OwnType, question: Any, form: dict[str, str]) -> dict[str, str]:
    """Return the form with everything confirmed that people can confirm."""
    asked = [own for own in type_.checks(question, form) if own.remark.level == Level.ASK]
    return {**form, "confirmed": " ".join(as_objections(asked))}


def invented(type_: OwnType) -> Iterator[tuple[PracticeQuestion, dict[str, Any]]]:
    """Yield the answers of invented people to the practice questions."""
    for lesson in type_.practice:
        question, reading = type_.question(lesson.item), type_.crowd.read_item(lesson.item)
        for person in PEOPLE:
            form = type_.crowd.invent(reading, person, Random(person.number))
            yield lesson, type_.parse(question, confirmed(type_, question, form))


def item_of(type_: OwnType, texts: dict[str, str]) -> Any:
    return ITEM_KINDS[type_.item_kind].from_row({**texts})


# ---- Descriptions


@pytest.mark.parametrize("name", [*TEXTS])
def test_the_schema_for_editors_accepts_it(name: str):
    jsonschema.validate(yaml.safe_load(TEXTS[name]), json_schema())


@pytest.mark.parametrize(
    "wrong", ["parts: []", "items: pictures", "parts: [{name: a, kind: film, ask: b}]", "unknown: 1"]
)
def test_the_schema_for_editors_refuses_what_the_server_refuses(wrong: str):
    value = yaml.safe_load(TEXTS["sentiment"]) | yaml.safe_load(wrong)

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value, json_schema())
    with pytest.raises(InvalidDescription):
        checked_description(yaml.safe_dump(value))


def test_the_library_has_a_description_for_each_usual_task():
    assert {*library.NAMES} == {
        "acceptability",
        "best_worst",
        "claim_check",
        "likert_grid",
        "named_things",
        "pairwise_preference",
        "paraphrase_writing",
        "post_editing",
        "relevance",
        "sentiment",
        "summary_rating",
        "topics",
        "toxicity",
    }


@pytest.mark.parametrize(("name", "title", "about"), library.entries())
def test_each_says_what_it_asks_and_is_complete(name: str, title: str, about: str):
    task: Any = checked_description(library.text_of(name))

    assert task.name == title
    assert about.endswith(".")
    assert len(task.practice) >= 2
    assert all(lesson.reason.strip() for lesson in task.practice)
    assert task.quiz
    assert all(question.explanation for question in task.quiz)
    assert task.skip


@pytest.mark.parametrize("sort_keys", [False, True])
def test_a_description_is_the_same_after_it_was_stored(type_: OwnType, sort_keys: bool):
    stored = json.loads(json.dumps(type_.task.model_dump(mode="json"), sort_keys=sort_keys))
    again: Any = OwnTask.model_validate(stored)

    assert again == type_.task
    assert type_of_description(again).practice == type_.practice
    for lesson in type_.practice:
        question = type_.question(lesson.item)
        shown = type_of_description(again).asked(question, {}, {})
        assert str(shown) == str(type_.asked(question, {}, {}))
        assert [*type_of_description(again).page_texts(lesson.item)] == [*type_.page_texts(lesson.item)]


@pytest.mark.parametrize("name", library.NAMES)
def test_other_programs_read_the_library_too(name: str):
    assert yaml.load(library.text_of(name), Loader=yaml.SafeLoader)["name"]


def test_a_known_answer_that_nobody_can_give_is_refused_with_its_line():
    text = library.text_of("sentiment").replace("{sentiment: negative}", "{sentiment: sad}")

    with pytest.raises(InvalidDescription) as refused:
        checked_description(text)

    (problem,) = refused.value.problems
    assert problem.line == text[: text.index("{sentiment: sad}")].count("\n") + 1
    assert problem.sentence.endswith("practice 1, answers: “sad” is not one of the options.")


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("{topics: none}", "{topics: {chosen: [], words: ''}}"),
        ("{topics: [economy, travel]}", "{topics: {chosen: [economy, travel], words: ''}}"),
        ("{better: second}", "{better: {first: 2, second: 1}}"),
        ("{better: tie}", "{better: {second: 1, first: 1}}"),
        ("{best: b, worst: c}", "{a: 2, b: 1, c: 4, d: 2}"),
        ("{natural: 1}", "{natural: {rating: {item: 1}}}"),
        ("{clear: 1, organised: 1,", "{clear: {item: 1}, organised: {item: 1},"),
        ("reasons: insult}", "reasons: {chosen: [insult], words: ''}}"),
    ],
)
def test_a_short_form_of_a_known_answer_and_the_full_form_are_stored_alike(short: str, full: str):
    text = next(text for text in TEXTS.values() if short in text)
    if "clear:" in full:
        full += " friendly: {item: 1}, useful: {item: 1}}"
        short += " friendly: 1, useful: 1}"

    written_in_full = text.replace(short, full)
    assert written_in_full != text
    assert type_of_text(written_in_full).practice == type_of_text(text).practice


# ---- Practice


def test_the_known_answer_of_a_practice_question_is_right_and_skipping_is_not(type_: OwnType):
    for lesson in type_.practice:
        question, (known,) = type_.question(lesson.item), lesson.gold.accepted

        assert type_.judge(known, lesson.gold, question).is_hit
        judged = type_.judge(dict.fromkeys(known), lesson.gold, question)
        assert (judged.is_hit, judged.score) == (False, 0)


def test_who_answers_something_else_reads_what_would_have_been_right(type_: OwnType):
    missed = 0
    for lesson, answer in invented(type_):
        judged = type_.judge(answer, lesson.gold, type_.question(lesson.item))
        if not judged.is_hit and not type_.is_skip(answer):
            missed += 1
            assert judged.score < 1
            assert all("We " in sentence for sentence in judged.feedback)
    assert missed


def test_a_part_that_the_known_answer_leaves_out_does_not_make_an_answer_wrong():
    type_ = type_of_text(library.text_of("pairwise_preference"))
    lesson = type_.practice[0]
    question, (known,) = type_.question(lesson.item), lesson.gold.accepted

    assert known["why"] is None
    assert type_.judge({**known, "why": "It says how long."}, lesson.gold, question).is_hit
    assert not type_.judge({"better": {"first": 2, "second": 1}, "why": None}, lesson.gold, question).is_hit


def test_a_text_that_is_right_as_it_is_may_be_a_known_answer():
    type_ = type_of_text(library.text_of("post_editing"))
    lesson = type_.practice[1]

    assert lesson.gold.accepted[0]["corrected"] == lesson.item.columns["translation"]


# ---- Answers


def test_pages_load_the_script_of_parts_that_wait_for_others_only_where_there_are_such_parts():
    waiting = {name for name in library.NAMES if "annotation/own/form.js" in type_of_text(TEXTS[name]).scripts}
    assert waiting == {name for name in library.NAMES if "show_when" in TEXTS[name]} == {"claim_check", "toxicity"}


def test_people_read_the_item_on_its_page(type_: OwnType):
    for lesson in type_.practice:
        texts = type_.crowd.read_item(lesson.item).texts
        on_page = type_.crowd.read_page(type_.html(lesson.item)).texts

        assert on_page.items() <= texts.items()
        assert texts.keys() - on_page.keys() <= {*type_.needed}
        assert texts


def test_people_who_read_the_page_alone_give_the_same_answers_as_those_who_read_the_item(type_: OwnType):
    for lesson in type_.practice:
        item, page = type_.crowd.read_item(lesson.item), type_.crowd.read_page(type_.html(lesson.item))
        if item.texts.keys() == page.texts.keys():  # otherwise the form shows the rest
            for person in PEOPLE:
                forms = [type_.crowd.invent(reading, person, Random(7)) for reading in (item, page)]
                assert forms[0] == forms[1]


def test_what_most_people_answer_depends_on_the_item(type_: OwnType):
    texts = type_.page_texts(type_.practice[0].item)
    usual = set()
    for number in range(12):
        item = item_of(type_, {name: f"{text} {number}" for name, text in texts.items()})
        reading = type_.crowd.read_item(item)
        sent = [canonical_json({**type_.crowd.invent(reading, person, Random(person.number))}) for person in PEOPLE]
        usual.add(Counter(sent).most_common(1)[0][0])

    assert len(usual) > 1


def test_invented_people_give_answers_that_are_accepted_and_survive_their_form(type_: OwnType):
    for lesson, answer in invented(type_):
        question = type_.question(lesson.item)
        form = type_.form(question, answer)
        again = type_.parse(question, confirmed(type_, question, form))

        assert again == answer
        assert type_.form(question, again) == form
        assert json.loads(json.dumps(answer)) == answer
        assert [*answer] == [use.name for use in type_.uses]


def test_an_answer_is_a_line_in_lists_and_pieces_in_review(type_: OwnType):
    for lesson, answer in invented(type_):
        question = type_.question(lesson.item)
        summary = type_.summary(question, answer)

        assert summary.strip()
        assert "\n" not in summary
        if not type_.is_skip(answer):
            assert [ask for ask, pieces in type_.pieces(question, answer, [answer]) if pieces]


def test_answers_have_the_shape_that_files_describe(type_: OwnType):
    fields = {field.name: field for field in type_.answer_fields}
    for lesson, answer in invented(type_):
        assert answer.keys() == fields.keys()
        assert all(fits(value, fields[name]) for name, value in answer.items())
        cells = type_.answer_cells(type_.question(lesson.item), answer)
        assert tuple(cells) == type_.raw_columns.answer
        assert all(not isinstance(cell, list | dict) for cell in cells.values())


def test_what_people_say_together_has_the_shape_that_files_describe(type_: OwnType):
    fields = {field.name: field for field in type_.consensus_fields}
    for lesson in type_.practice:
        agreed = type_.agreed([answer for own, answer in invented(type_) if own is lesson])

        assert agreed.keys() == fields.keys()
        assert all(fits(value, fields[name]) for name, value in agreed.items())
        assert json.loads(json.dumps(agreed)) == agreed
        assert all(ask and line for ask, line in type_.agreed_lines(agreed, type_.question(lesson.item)))
    assert type_.agreed([]) == dict.fromkeys(fields)


def test_agreement_gets_labels_of_the_scales_that_it_knows(type_: OwnType):
    scales = {own.part: own for own in type_.scales}
    rows: dict[str, list[Any]] = {name: [] for name in scales}
    for number, (lesson, answer) in enumerate(invented(type_)):
        cleaned = type_.cleaning.clean(type_.question(lesson.item), answer)
        for name, label in type_.labels_of(cleaned).items():
            rows[name] += rows_of(lesson.item.key, f"w{number % len(PEOPLE)}", label)

    assert all(rows.values())
    for name, labelled in rows.items():
        own = scales[name]
        assert Series(name, own.unit, own.scale, labelled, own.order).rows
    assert type_.labels_of(CleanedAnswer({})) == {}


def test_closeness_is_symmetric_and_one_with_itself(type_: OwnType):
    cleaned = [type_.cleaning.clean(type_.question(lesson.item), answer) for lesson, answer in invented(type_)]

    for left in cleaned[:12]:
        assert type_.closeness(left, left) == pytest.approx(1)
        for right in cleaned[:12]:
            assert 0 <= type_.closeness(left, right) <= 1
            assert type_.closeness(left, right) == pytest.approx(type_.closeness(right, left))


# ---- The page


def test_words_of_an_item_are_no_html(type_: OwnType):
    names = type_.page_texts(type_.practice[0].item)
    item = item_of(type_, {name: f"{ODD}{name}" for name in names})
    html = type_.html(item)
    texts = type_.crowd.read_page(html).texts

    assert "<script" not in html
    assert "<b>" not in html
    assert all(text == f"{ODD}{name}" for name, text in texts.items())
    assert texts.items() <= type_.crowd.read_item(item).texts.items()


def test_texts_and_words_are_written_in_the_directions_of_their_languages():
    type_ = type_of_text(RIGHT_TO_LEFT)

    assert 'lang="ar" dir="rtl"' in type_.html(type_.practice[0].item)
    assert "שאלה &lt;b&gt;" in type_.html(type_.practice[0].item)
    assert type_.task.words.written == "rtl"
