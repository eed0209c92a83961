"""Reviewing: verdicts are only added, and what they come to stands beside the answer."""

from __future__ import annotations

import pytest

from annotation.models import Annotation, Campaign, ProblemReport, Review, ReviewItem, ReviewState
from annotation.selectors import review as selectors
from annotation.selectors import review_queue
from annotation.services import doubts, reviewing, submitting
from annotation.services.reviewing import Opinion
from annotation.task_types.aggregation.answers import phrases_answer
from kernel.errors import InvalidInput, WrongState
from kernel.models import AuditEntry, User
from tests.make import make_answer, make_campaign, make_participation, make_user

pytestmark = pytest.mark.django_db
ACCEPT, EXCLUDE = Opinion("accept"), Opinion("exclude", why="nonsense")


def answered(*phrases: str) -> Campaign:
    """Return a campaign of one task with these answers, by as many people."""
    campaign = make_campaign(size=1, redundancy=len(phrases))
    for number, phrase in enumerate(phrases):
        person = make_participation(campaign, f"worker {number}")
        make_answer(person, phrase, **({} if phrase else {"impossible": "on"}))
    doubts.catch_up(campaign, most=50)
    return campaign


def two_reviewers(campaign: Campaign) -> tuple[Campaign, User, User]:
    ada, ben = make_user("ada"), make_user("ben")
    return reviewing.set_reviewers(campaign.pk, 2, by=ada), ada, ben


def test_a_verdict_is_stored_with_who_why_before_and_after():
    answered("The botanists.")
    row = Annotation.objects.get()

    review = reviewing.decide(
        row.pk, Opinion("correct", {"phrase_1": "Swedish botanists"}, "more specific"), by=make_user("ada")
    )

    row.refresh_from_db()
    assert (row.verdict, row.corrected["phrases"]) == ("correct", ["Swedish botanists"])
    assert row.answer["phrases"] == ["The botanists."]
    assert (review.reviewer_name, review.why) == ("ada", "more specific")
    assert (review.before, review.after) == (row.answer, row.corrected)
    assert ReviewItem.objects.get().state == ReviewState.SETTLED


@pytest.mark.parametrize(
    ("words", "codes"),
    [("They are Ida Lind and Karl Moe", "phrase_1:pronoun"), ("the two are rivals", "phrase_1:clause")],
)
def test_a_correction_is_asked_about_what_an_annotator_would_be_and_kept_when_confirmed(words: str, codes: str):
    answered("botanists")
    row, ben = Annotation.objects.get(), make_user("ben")

    with pytest.raises(reviewing.Unsure) as refused:
        reviewing.decide(row.pk, Opinion("correct", {"phrase_1": words}), by=ben)
    assert not Review.objects.exists()
    assert [*refused.value.objections] == codes.split()

    reviewing.decide(row.pk, Opinion("correct", {"phrase_1": words}, confirmed=tuple(codes.split())), by=ben)
    assert Annotation.objects.get().corrected == phrases_answer([words])


def test_history_cannot_be_edited():
    answered("botanists")
    review = reviewing.decide(Annotation.objects.get().pk, ACCEPT, by=make_user())
    review.why = "never said"

    for change in (review.save, review.delete, Review.objects.all().delete, lambda: Review.objects.update(why="x")):
        with pytest.raises(TypeError, match="never"):
            change()


def test_history_goes_with_the_answer_its_author_had_erased():
    answered("botanists")
    reviewing.decide(Annotation.objects.get().pk, ACCEPT, by=make_user())

    Annotation.objects.all().delete()

    assert not Review.objects.exists()


def test_undo_is_a_row_of_its_own_and_brings_back_what_was_before():
    campaign, ben = answered("botanists"), make_user("ben")
    pk = Annotation.objects.get().pk
    reviewing.decide(pk, EXCLUDE, by=ben)
    reviewing.decide(pk, ACCEPT, by=ben)

    reviewing.undo_last(campaign, by=ben)
    assert Annotation.objects.get().verdict == "exclude"
    reviewing.undo_last(campaign, by=ben)
    assert Annotation.objects.get().verdict == ""
    assert Annotation.objects.get().reviewed_at is None
    with pytest.raises(WrongState, match="no decision here"):
        reviewing.undo_last(campaign, by=ben)

    assert [row.verdict for row in Review.objects.all()] == ["exclude", "accept", "undo", "undo"]
    assert ReviewItem.objects.get().state == ReviewState.WAITING


def test_nobody_undoes_what_somebody_else_said():
    campaign = answered("botanists")
    reviewing.decide(Annotation.objects.get().pk, ACCEPT, by=make_user("ada"))

    with pytest.raises(WrongState):
        reviewing.undo_last(campaign, by=make_user("cleo"))


def test_a_second_reviewer_is_asked_and_a_third_when_the_two_disagree():
    campaign, ada, ben = two_reviewers(answered("botanists"))
    pk, cleo = Annotation.objects.get().pk, make_user("cleo")
    reviewing.decide(pk, ACCEPT, by=ada)
    assert not review_queue.waiting_for(campaign, ada).exists()
    assert review_queue.waiting_for(campaign, ben).exists()

    reviewing.decide(pk, EXCLUDE, by=ben)
    assert Annotation.objects.get().verdict == "contested"
    assert ReviewItem.objects.get().state == ReviewState.CONTESTED
    assert not review_queue.waiting_for(campaign, ben).exists()
    assert review_queue.waiting_for(campaign, cleo).exists()

    reviewing.decide(pk, EXCLUDE, by=cleo)
    assert Annotation.objects.get().verdict == "exclude"
    assert not review_queue.waiting_for(campaign, cleo).exists()


def test_asking_for_a_second_reviewer_later_opens_what_was_settled():
    campaign = answered("botanists")
    reviewing.decide(Annotation.objects.get().pk, ACCEPT, by=make_user("ben"))

    reviewing.set_reviewers(campaign.pk, 2, by=make_user("ada"))

    assert Annotation.objects.get().verdict == ""
    assert ReviewItem.objects.get().state == ReviewState.WAITING
    assert AuditEntry.objects.filter(action="set reviewers").exists()


def test_a_flag_is_for_somebody_else():
    campaign, ada, ben = answered("botanists"), make_user("ada"), make_user("ben")
    pk = Annotation.objects.get().pk
    reviewing.decide(pk, Opinion("flag", why="is Moe a botanist?"), by=ada)

    assert ReviewItem.objects.get().state == ReviewState.FLAGGED
    assert not review_queue.waiting_for(campaign, ada).exists()
    assert review_queue.waiting_for(campaign, ben).exists()
    assert Annotation.objects.get().reviewed_at is None


def test_a_remark_decides_nothing_and_must_say_something():
    answered("botanists")
    pk = Annotation.objects.get().pk

    reviewing.decide(pk, Opinion("comment", why="lovely"), by=make_user("ada"))

    assert Annotation.objects.get().verdict == ""
    with pytest.raises(InvalidInput):
        reviewing.decide(pk, Opinion("comment"), by=make_user("ben"))


@pytest.mark.parametrize(
    "opinion", [Opinion("undo"), Opinion("nonsense"), Opinion("correct", {"phrase_1": " ", "phrase_2": ""})]
)
def test_what_makes_no_sense_is_refused(opinion: Opinion):
    answered("botanists")

    with pytest.raises(InvalidInput):
        reviewing.decide(Annotation.objects.get().pk, opinion, by=make_user())
    assert not Review.objects.exists()


def test_a_verdict_on_a_text_its_author_has_changed_is_refused():
    answered("botanists")
    row = Annotation.objects.select_related("assignment__participation").get()
    seen = selectors.fingerprint(row)
    submitting.correct(row.assignment.participation.secret, row.assignment_id, {"phrase_1": "gardeners"})

    with pytest.raises(WrongState, match="changed this answer"):
        reviewing.decide(row.pk, Opinion("accept", seen=seen), by=make_user())


def test_after_a_verdict_its_author_cannot_correct_it():
    answered("botanists")
    row = Annotation.objects.select_related("assignment__participation").get()
    reviewing.decide(row.pk, ACCEPT, by=make_user())

    with pytest.raises(WrongState, match="reviewed"):
        submitting.correct(row.assignment.participation.secret, row.assignment_id, {"phrase_1": "gardeners"})


def test_the_queue_is_ordered_by_doubt():
    campaign = make_campaign(size=2, redundancy=2)
    ada, ben = make_participation(campaign, "ada"), make_participation(campaign, "ben")
    first = make_answer(ada, "botanists").assignment.task_id
    make_answer(ben, "botanists")
    second = make_answer(ada, "botanists").assignment.task_id
    make_answer(ben, "opera singers")
    doubts.catch_up(campaign, most=50)

    waiting = review_queue.waiting_for(campaign, make_user())

    assert [item.task_id for item in waiting] == [second, first]
    assert waiting[0].reasons == ["People gave different phrases."]


def test_a_task_waits_for_its_last_answer_and_is_scored_again_when_one_more_comes():
    campaign = make_campaign(size=1, redundancy=2)
    make_answer(make_participation(campaign, "ada"))
    assert doubts.catch_up(campaign, most=50) == 0
    assert not ReviewItem.objects.exists()

    make_answer(make_participation(campaign, "ben"))
    doubts.catch_up(campaign, most=50)

    assert ReviewItem.objects.get().is_unanimous


def test_a_reported_problem_is_a_doubt():
    campaign = answered("botanists", "botanists")
    ProblemReport.objects.create(assignment=Annotation.objects.all()[0].assignment, text="the colour is wrong")

    list(doubts.score_campaign(campaign))

    assert ReviewItem.objects.get().reasons == ["1 problem with the text was reported."]
    assert not ReviewItem.objects.get().is_unanimous


def test_an_excluded_person_s_answer_does_not_wait():
    campaign = answered("botanists", "botanists")
    person = Annotation.objects.all()[0].assignment.participation
    person.excluded_at = person.joined_at
    person.save()
    reviewing.decide(Annotation.objects.all()[1].pk, ACCEPT, by=make_user())

    assert ReviewItem.objects.get(campaign=campaign).state == ReviewState.SETTLED


def test_where_all_agree_they_are_accepted_at_once_and_undone_at_once():
    campaign = make_campaign(size=3, redundancy=2)
    ada, ben, user = make_participation(campaign, "ada"), make_participation(campaign, "ben"), make_user()
    for theirs, other in (("botanists", "botanist"), ("botanists", "opera singers"), ("", "")):
        for person, phrase in ((ada, theirs), (ben, other)):
            make_answer(person, phrase, **({} if phrase else {"impossible": "on"}))
    doubts.catch_up(campaign, most=50)

    done = reviewing.accept_agreed(campaign, by=user)

    assert (done.tasks, done.answers) == (2, 4)
    assert review_queue.counts(campaign)["settled"] == 2
    entry = AuditEntry.objects.get(action="bulk accept")
    assert entry.after["answers"] == 4
    assert reviewing.accept_agreed(campaign, by=user).tasks == 0
    assert len(reviewing.undo_last(campaign, by=user)) == 4
    assert review_queue.counts(campaign)["waiting"] == 3
    assert AuditEntry.objects.filter(action="undo bulk accept").exists()
