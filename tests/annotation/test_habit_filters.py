"""Answers given without looking: the same in every row, the same each time, the same position on the page."""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.models import AgreementReport, Annotation, Assignment, Campaign, Participation, WorkerVerdict
from annotation.parts import PARTS
from annotation.quality.habit_filters import ALWAYS_THE_SAME_OPTION, MARKS_EVERYTHING, MARKS_NOTHING, STRAIGHT_LINE
from annotation.quality.habits import AnswerPattern, beside_others
from annotation.quality.worker_filters import Concern, Strength, Work, WorkerRecord, look_at_workers
from annotation.services import assessing, assigning, submitting
from annotation.task_types import type_of
from annotation.task_types.own.description import OwnSettings
from annotation.task_types.own.reading import read_description
from annotation.task_types.own.type import OwnType
from annotation.task_types.showing import shown_to
from kernel.models import User
from tests.annotation.describing import make_description, make_own_campaign
from tests.make import make_participation
from tests.pages import shown

BOTH = (STRAIGHT_LINE, ALWAYS_THE_SAME_OPTION)


def rows(*answers: str) -> list[AnswerPattern]:
    """Return answers of one row for each letter."""
    return [AnswerPattern(rows=[*answer]) for answer in answers]


def says(*answers: str) -> list[AnswerPattern]:
    return [AnswerPattern(answers=[answer]) for answer in answers]


def chooses(*positions: int) -> list[AnswerPattern]:
    """Return choices at these positions, never twice of the same id in a row."""
    orders = ["ab" if number % 2 else "ba" for number in range(len(positions))]
    return [AnswerPattern(order=order, chosen=order[at - 1]) for order, at in zip(orders, positions, strict=True)]


def record(worker: str, patterns: list[AnswerPattern]) -> WorkerRecord:
    return WorkerRecord(worker, tuple(Work((), patterns={"own": pattern}) for pattern in patterns))


def concerns(dan: list[AnswerPattern], *others: list[AnswerPattern]) -> list[Concern]:
    records = [record("dan", dan), *(record(f"other {number}", own) for number, own in enumerate(others))]
    return [concern for concern in look_at_workers(records, BOTH) if concern.worker == "dan"]


def test_the_same_point_in_every_row_is_a_straight_line():
    [concern] = concerns(rows("33", "22", "44", "33", "55"), rows("33", *["34"] * 9), rows(*["21"] * 10))

    assert (concern.filter, concern.level) == ("straight_line", Strength.STRONG)
    line = "Gave the same answer in every row of “own” in 5 of 5 answers; the others in 5% of theirs."
    assert concern.evidence == line
    p = 20 / comb(25, 6)  # of all ways to place 6 lines in 25 answers, those with 5 in these 5
    assert concern.numbers == {"times": 5, "answers": 5, "share": 1.0, "usual": 0.05, "p": pytest.approx(p)}


def test_answers_of_a_single_row_draw_no_lines():
    assert concerns(rows(*["3"] * 8), rows(*["21"] * 40)) == []


def test_a_straight_line_that_the_others_draw_as_well_is_no_concern():
    assert concerns(rows(*["33"] * 8), rows(*["22"] * 19, "21")) == []


def test_four_answers_or_fewer_lines_than_most_are_no_concern():
    others = rows(*["21"] * 40)

    assert concerns(rows(*["33"] * 4), others) == []
    assert concerns(rows(*["33"] * 7, *["12"] * 3), others) == []
    assert concerns(rows(*["33"] * 8, *["12"] * 2), others) != []


def test_the_same_answer_nearly_always_is_a_concern():
    [concern] = concerns(says(*["3"] * 8), says(*"12345" * 4))

    assert (concern.filter, concern.level) == ("always_the_same_option", Strength.STRONG)
    assert concern.evidence == "Gave “3” for “own” in 8 of 8 answers; the others in 20% of theirs."
    p = 5 * comb(20, 4) / comb(28, 12)  # 12 of 28 answers say “3”; any of 5 answers could have been the most frequent
    assert concern.numbers["p"] == pytest.approx(p)


def test_what_most_people_say_is_no_concern_and_neither_is_five_times_heads():
    assert concerns(says(*["yes"] * 9), says(*["yes"] * 19, "no")) == []
    assert concerns(says(*["yes"] * 5), says(*["yes", "no"] * 20)) == []


def test_the_same_position_is_a_concern_whatever_stands_there():
    [concern] = concerns(chooses(*[1] * 20), chooses(*[1, 2] * 20))

    assert concern.level == Strength.STRONG
    place = "Chose what stood at position 1 for “own” in 20 of 20 answers; the others in 50% of theirs."
    assert concern.evidence == place


def test_while_nobody_else_has_answered_the_concern_is_weak():
    [concern] = concerns(rows(*["33"] * 5))

    assert (concern.level, concern.evidence) == (
        Strength.WEAK,
        "Gave the same answer in every row of “own” in 5 of 5 answers; nobody else has answered.",
    )


GRID = [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]


@pytest.mark.parametrize(
    ("kind", "options", "value", "order", "pattern"),
    [
        ("text", {}, "Rain, again!", (), AnswerPattern((), ("rain again",))),
        ("choice", {"options": ["yes_", "no_"]}, "no_", (), AnswerPattern((), ("no_",), (), "no_")),
        (
            "choice", {"options": ["x", "y", "z"], "shuffle": True}, "x", ("z", "y", "x"),
            AnswerPattern((), ("x",), ("z", "y", "x"), "x"),
        ),
        (
            "choice", {"options": ["x", "y", "z"], "many": True, "shuffle": True}, ["x", "z"], ("z", "y", "x"),
            AnswerPattern((), ("x", "z"), ("z", "y", "x"), ""),
        ),
        (
            "choice", {"options": ["x", "y"], "rows": GRID},
            [{"row": "a", "chosen": "x"}, {"row": "b", "chosen": "x"}], (), AnswerPattern(("x", "x"), ("x",)),
        ),
        ("rating", {}, {"rating": {"item": 4}}, (), AnswerPattern(("4",), ("4",), (), "item")),
        (
            "rating", {"targets": GRID, "shuffle": True}, {"rating": {"a": 2, "b": 5}}, ("b", "a"),
            AnswerPattern(("2", "5"), ("2, 5",), ("b", "a"), "b"),
        ),
        (
            "rating", {"targets": GRID, "no_opinion": "I cannot say", "shuffle": True},
            {"rating": {"a": 2, "b": None}}, ("b", "a"), AnswerPattern(("2", "I cannot say"), ("2, I cannot say",)),
        ),
        ("ranking", {"targets": GRID}, {"a": 2, "b": 1}, ("a", "b"), AnswerPattern((), ("b",), ("a", "b"), "b")),
        ("ranking", {"targets": GRID}, {"a": 1, "b": 1}, ("a", "b"), AnswerPattern((), ("a, b",), ("a", "b"), "")),
        ("ranking", {"targets": GRID}, {"b": 1}, ("a", "b"), AnswerPattern((), ("b",), ("b",), "b")),
    ],
)  # fmt: skip
def test_each_part_says_what_can_show_a_habit(kind: str, options: Any, value: Any, order: Any, pattern: AnswerPattern):
    made = PARTS[kind].pattern(PARTS[kind].options_model.model_validate(options), value, order)

    assert (*made.rows,) == pattern.rows
    assert (*made.answers,) == pattern.answers
    assert (*made.order,) == pattern.order
    assert made.chosen == pattern.chosen


def test_the_only_thing_there_is_has_no_position():
    assert AnswerPattern(order=["b"], chosen="b").position is None


DESCRIPTION = """\
name: Rain
parts:
  - {name: likes, kind: rating, ask: How good is it?, criteria: [clear, short]}
  - {name: which, kind: choice, ask: Which?, options: [sun, rain], shuffle: true}
practice:
ITEMS
instructions: {summary: Read., details: Choose., examples: + yes}
"""
ITEMS = "\n".join(
    f"  - {{item: {{title: Day {day}, text: It rained.}}, answers: {{which: rain}}, reason: It did.}}"
    for day in range(6)
)


def answer(person: Participation, points: list[str], position: int | None = None) -> None:
    """Answer every task: these points in each row, and what stands at a position, or anything without one."""
    for number, pair in enumerate(points):
        turn = assigning.take_turn(person.secret).assignment
        assert isinstance(turn, Assignment)
        order = ["sun", "rain"]
        if position:
            type_ = type_of(person.campaign)
            seen: Any = shown_to(type_, turn.task.question, task=turn.task_id, person=person.pk)
            order = seen["order"]["which"]
        which = order[position - 1] if position else order[number % 2]
        form = {"a.likes.clear.item": pair[0], "a.likes.short.item": pair[1], "a.which": which}
        submitting.submit(person.secret, turn.pk, form)


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    """Return a campaign of twelve tasks; the first of four people gives straight lines and what is shown first."""
    row = make_description(DESCRIPTION.replace("ITEMS", ITEMS))
    made = make_own_campaign(row, tmp_path, redundancy=4)
    assert made.tasks_made == 12
    answer(make_participation(made, "ann"), ["33", "44"] * 6, position=1)
    for name in ("bob", "cid", "dan"):
        answer(make_participation(made, name), ["12", "35", "41"] * 4)
    list(assessing.assess(made))
    return made


@pytest.mark.django_db
def test_somebody_who_draws_straight_lines_is_noticed_in_a_campaign(campaign: Campaign):
    ann = campaign.participations.get(worker__external_id__startswith="ann")

    noticed = WorkerVerdict.objects.filter(filter="straight_line")

    assert [row.participation for row in noticed] == [ann]
    assert noticed[0].level == "strong"
    assert noticed[0].evidence == (
        "Gave the same answer in every row of “likes” in 12 of 12 answers; the others in 0% of theirs."
    )


@pytest.mark.django_db
def test_the_agreement_page_says_how_often_each_position_was_chosen(campaign: Campaign, ben: User, client: Client):
    first = sum(row.shown["order"]["which"][0] == row.answer["which"] for row in Annotation.objects.all())

    [effect] = AgreementReport.objects.get().value["positions"]

    assert (effect["part"], effect["answers"]) == ("which", 48)
    assert [own["chosen"] for own in effect["positions"]] == [first, 48 - first]
    page = shown(client.get(f"/campaigns/{campaign.pk}/agreement/"))
    assert f"“which”: Position 1 was chosen in {first} of 48 answers ({first / 48:.0%}); 50% were expected; p " in page


@pytest.mark.django_db
def test_where_everybody_sees_the_same_order_nothing_is_said_of_positions(tmp_path: Path, ben: User, client: Client):
    row = make_description(DESCRIPTION.replace("ITEMS", ITEMS).replace(", shuffle: true", ""))
    made = make_own_campaign(row, tmp_path, redundancy=1)
    answer(make_participation(made, "ann"), ["12"] * 12)
    list(assessing.assess(made))

    assert "positions" not in AgreementReport.objects.get().value
    assert "Position on the page" not in shown(client.get(f"/campaigns/{made.pk}/agreement/"))


# ---- Marks in texts


def marks(*shares: float, others: float | None = 1.0) -> list[AnswerPattern]:
    return [AnswerPattern(covered=share, others_mark=others) for share in shares]


def mark_concerns(dan: list[AnswerPattern], *others: list[AnswerPattern]) -> list[Concern]:
    records = [record("dan", dan), *(record(f"other {number}", own) for number, own in enumerate(others))]
    return [own for own in look_at_workers(records, (MARKS_NOTHING, MARKS_EVERYTHING)) if own.worker == "dan"]


def test_somebody_who_marks_nothing_where_most_others_do_is_noticed():
    [concern] = mark_concerns(marks(*[0.0] * 7, 0.2), marks(*[0.2] * 19, 0.0))

    assert (concern.filter, concern.level) == ("marks_nothing", Strength.STRONG)
    assert concern.evidence == (
        "Marked nothing for “own”, where most others did, in 7 of 8 answers; the others in 5% of theirs."
    )


def test_marking_nothing_where_others_mark_nothing_is_no_concern():
    assert mark_concerns(marks(*[0.0] * 8, others=0.5), marks(*[0.2] * 20)) == []
    assert mark_concerns(marks(*[0.0] * 8, others=None), marks(*[0.2] * 20)) == []


def test_somebody_who_marks_nearly_every_word_is_noticed_unless_the_others_do_it_too():
    [concern] = mark_concerns(marks(*[0.95] * 6), marks(*[0.2] * 20))

    assert (concern.filter, concern.level) == ("marks_everything", Strength.STRONG)
    assert concern.evidence == ("Marked nearly the whole text for “own” in 6 of 6 answers; the others in 0% of theirs.")
    assert mark_concerns(marks(*[1.0] * 6), marks(*[1.0] * 20)) == []
    assert mark_concerns(marks(*[1.0] * 4), marks(*[0.2] * 20)) == []


def test_each_answer_knows_how_many_of_the_others_marked_something():
    answers = [{"own": AnswerPattern(covered=share)} for share in (0.0, 0.3, 1.0)]

    assert [own["own"].others_mark for own in beside_others(answers)] == [1.0, 0.5, 0.5]
    assert beside_others(answers[:1]) == answers[:1]
    assert beside_others([{"own": AnswerPattern()}] * 2) == [{"own": AnswerPattern()}] * 2


@pytest.mark.parametrize(
    ("spans", "covered"),
    [([], 0.0), ([(0, 3)], 0.25), ([(0, 7), (4, 7)], 0.5), ([(0, 17)], 1.0), ([(0, 7), (4, 17)], 1.0)],
)
def test_the_share_of_a_text_that_marks_cover_counts_its_words(spans: list[tuple[int, int]], covered: float):
    options = PARTS["spans"].options_model.model_validate({"text": "report", "labels": ["person"]})
    value = [{"start": start, "end": end, "label": "person"} for start, end in spans]

    pattern = PARTS["spans"].pattern(options, value, (), {"report": "Ada met Bo  today "})

    assert pattern.covered == covered
    assert PARTS["spans"].pattern(options, value, ()).covered is None


MARKED = """\
name: Names
parts:
  - {name: names, kind: spans, ask: Mark every name., text: text, labels: [person]}
practice:
ITEMS
instructions: {summary: Read., details: Mark., examples: + Ada}
"""


@pytest.mark.django_db
def test_people_who_mark_nothing_or_everything_are_noticed_in_a_campaign(tmp_path: Path):
    items = "\n".join(f"  - {{item: {{text: Ada met Bo at {n} in Arden}}, answers: {{names: []}}}}" for n in range(6))
    row = make_description(MARKED.replace("ITEMS", items))
    made = make_own_campaign(row, tmp_path, redundancy=5)
    everything = {"ann": "", "bob": "ALL", "cid": "Ada # person", "dan": "Ada # person", "eve": "Bo # person"}
    for name, lines in everything.items():
        person = make_participation(made, name)
        while turn := assigning.take_turn(person.secret).assignment:
            text = turn.task.question["texts"]["text"]
            sent = lines.replace("ALL", f"{text} # person")
            form = {"a.names": sent} if sent else {"a.names.none": "yes"}
            submitting.submit(person.secret, turn.pk, form)

    list(assessing.assess(made))

    noticed = WorkerVerdict.objects.filter(filter__startswith="marks_").order_by("filter")
    assert [(own.filter, own.participation.worker.external_id[:3]) for own in noticed] == [
        ("marks_everything", "bob"), ("marks_nothing", "ann"),
    ]  # fmt: skip


def test_a_task_lists_the_checks_that_its_parts_need():
    def own_checks(*parts: str) -> tuple[Any, ...]:
        lines = "\n".join(f"  - {{name: part_{n}, ask: What?, {part}}}" for n, part in enumerate(parts))
        text = f"name: Own\nparts:\n{lines}\ninstructions: {{summary: Read., details: Choose., examples: + yes}}\n"
        settings = OwnSettings(version="own-1@1", description=read_description(text))
        return tuple(own for own in OwnType(settings).worker_filters if own not in OwnType().worker_filters)

    assert own_checks("kind: text") == (ALWAYS_THE_SAME_OPTION,)
    assert own_checks("kind: rating", "kind: choice, options: [sun, rain]") == (ALWAYS_THE_SAME_OPTION,)
    assert own_checks("kind: text", "kind: rating, criteria: [clear, short]") == BOTH
    assert own_checks("kind: spans, text: text, labels: [sun]") == (
        ALWAYS_THE_SAME_OPTION, MARKS_NOTHING, MARKS_EVERYTHING,
    )  # fmt: skip
    assert own_checks("kind: choice, options: [sun, rain], rows: {lines: text}") == BOTH
