"""How doubtful answers are: between 0 and 1, in any order, and never less for a further reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.doubt import Doubt, WeighedAnswer, doubt_of, needs_another
from annotation.task_types import TASK_TYPES
from annotation.task_types.cleaned import CleanedAnswer, CleanedPart, Mark
from tests.annotation.graded import MARKED_TYPE, STARS_TYPE, marking, stars

TESA = TASK_TYPES["aggregation"]
OFFENCE, NOTE = Mark("list", "A list of names."), Mark("short", "Only one word.", discards=False)


def cleaned(*phrases: str, offences: int = 0, notes: int = 0) -> CleanedAnswer:
    kept = [CleanedPart(phrase, phrase, phrase) for phrase in phrases]
    marked = [CleanedPart("a, b", "a, b", None, marks=(mark,)) for mark in [OFFENCE] * offences + [NOTE] * notes]
    return CleanedAnswer.of_parts("phrases", (*kept, *marked))


def weighed(*phrases: str, offences: int = 0, notes: int = 0, strong: int = 0, weak: int = 0) -> WeighedAnswer:
    return WeighedAnswer(cleaned(*phrases, offences=offences, notes=notes), strong, weak)


def doubt(answers: Sequence[WeighedAnswer], reports: int = 0) -> Doubt:
    return doubt_of(answers, TESA, reports=reports)


words = st.sampled_from(["ports", "old ports", "french ports", "cities", "painters"])
small = st.integers(0, 2)
answers = st.builds(
    lambda phrases, **counts: weighed(*phrases, **counts),
    st.lists(words, max_size=2, unique=True),
    offences=small,
    notes=small,
    strong=small,
    weak=small,
)
several = st.lists(answers, max_size=5)


def test_people_who_agree_leave_no_doubt_and_can_be_accepted_at_once():
    task_doubt = doubt([weighed("French ports"), weighed("french port"), weighed("ports", "french ports")])

    assert task_doubt.score == 0
    assert task_doubt.is_unanimous
    assert task_doubt.reasons == ()


def test_that_nothing_fits_can_be_agreed_on_too():
    assert doubt([weighed(), weighed()]).is_unanimous
    assert not doubt([weighed(), weighed("ports")]).is_unanimous


def test_who_disagrees_more_is_doubted_more():
    same = doubt([weighed("old ports"), weighed("old ports")]).score
    near = doubt([weighed("old ports"), weighed("french ports")]).score
    apart = doubt([weighed("old ports"), weighed("painters")]).score

    assert same < near < apart


def test_one_answer_alone_is_doubtful_and_never_unanimous():
    task_doubt = doubt([weighed("ports")])

    assert task_doubt.reasons == ("Only one person answered.",)
    assert not task_doubt.is_unanimous


def test_rules_workers_and_reports_speak_in_sentences():
    task_doubt = doubt([weighed("ports", offences=1, strong=1), weighed("ports", notes=1)], reports=1)

    assert task_doubt.reasons[0] == "1 problem with the text was reported."
    assert "Cleaning rules object to 1 of 2 answers." in task_doubt.reasons
    assert "Quality checks have a strong warning about 1 participant." in task_doubt.reasons
    assert not task_doubt.is_unanimous


@given(several, st.integers(0, 3))
def test_the_score_is_a_chance_and_does_not_depend_on_the_order(weighed_answers: list[WeighedAnswer], reports: int):
    task_doubt = doubt(weighed_answers, reports=reports)

    assert 0 <= task_doubt.score < 1
    assert abs(doubt(weighed_answers[::-1], reports=reports).score - task_doubt.score) < 1e-5


def marked(answer: WeighedAnswer, mark: Mark) -> WeighedAnswer:
    part = CleanedPart("a, b", "a, b", None, marks=(mark,))
    return replace(answer, cleaned=CleanedAnswer.of_parts("phrases", (*answer.cleaned.parts, part)))


WORSE = {
    "offence": lambda answer: marked(answer, OFFENCE),
    "note": lambda answer: marked(answer, NOTE),
    "strong": lambda answer: replace(answer, strong=answer.strong + 1),
}


@given(st.lists(answers, min_size=1, max_size=5), st.integers(0, 3), st.sampled_from([*WORSE]))
def test_a_further_reason_never_lowers_the_score(weighed_answers: list[WeighedAnswer], reports: int, name: str):
    worse = [WORSE[name](weighed_answers[0]), *weighed_answers[1:]]

    assert doubt(worse, reports=reports).score >= doubt(weighed_answers, reports=reports).score - 1e-6
    assert doubt(weighed_answers, reports=reports + 1).score >= doubt(weighed_answers, reports=reports).score - 1e-6


@given(several, st.integers(0, 1))
def test_what_can_be_accepted_at_once_has_at_most_weak_evidence_against_it(
    weighed_answers: list[WeighedAnswer], reports: int
):
    task_doubt = doubt(weighed_answers, reports=reports)

    if task_doubt.is_unanimous:
        assert all("weak evidence" in reason for reason in task_doubt.reasons)
        assert not reports


def test_weak_evidence_about_a_worker_does_not_keep_agreed_answers_from_being_accepted_at_once():
    assert doubt([weighed("ports", weak=1), weighed("ports")]).is_unanimous
    assert not doubt([weighed("ports", strong=1), weighed("ports")]).is_unanimous


def test_one_more_person_is_asked_when_no_two_say_the_same():
    nothing, rejected = cleaned(), cleaned(offences=1)

    assert needs_another([nothing, cleaned("ports"), cleaned("ports")], TESA)
    assert needs_another([cleaned("ports"), cleaned("painters")], TESA)
    assert needs_another([rejected, rejected], TESA)
    assert needs_another([cleaned("ports")], TESA)
    assert not needs_another([nothing, nothing], TESA)
    assert not needs_another([cleaned("ports"), cleaned("painters"), cleaned("the port")], TESA)


def test_where_close_answers_count_as_the_same_all_can_be_accepted_and_nobody_else_is_asked():
    near, far = [stars(4), stars(5)], [stars(2), stars(5)]  # one star apart is 0.75, from which on they are the same

    assert doubt_of([WeighedAnswer(answer) for answer in near], STARS_TYPE).is_unanimous
    assert not doubt_of([WeighedAnswer(answer) for answer in far], STARS_TYPE).is_unanimous
    assert not needs_another(near, STARS_TYPE)
    assert needs_another(far, STARS_TYPE)


def test_two_people_who_mark_mostly_the_same_words_are_enough():
    assert not needs_another([marking("a", "b", "c"), marking("b", "c", "d")], MARKED_TYPE)  # F1 2/3
    assert needs_another([marking("a", "b", "c"), marking("c", "d", "e")], MARKED_TYPE)  # F1 1/3
