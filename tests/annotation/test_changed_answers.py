"""What has been assessed and then changes comes to review again, and nothing of who withdrew is left in it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.core import serializers
from django.test import Client

from annotation.models import AgreementReport, Annotation, Campaign, Participation, ReviewItem, WorkerVerdict
from annotation.selectors import review as selectors
from annotation.selectors import review_queue
from annotation.selectors.assessed import is_due
from annotation.services import assessing, campaigns, doubts, excluding, leaving, reviewing, submitting
from annotation.services.reviewing import Opinion
from kernel.models import User
from tests.annotation.answered import in_turn
from tests.make import make_answer, make_campaign, make_participation, make_user

pytestmark = pytest.mark.django_db


def settled(size: int = 1) -> Campaign:
    """Return an assessed campaign in which two people have answered everything and all of it is accepted."""
    campaign, ada = in_turn(phrases=("botanists", "peculiar gardeners"), size=size), make_user("ada")
    list(assessing.assess(campaign))
    for row in Annotation.objects.all():
        reviewing.decide(row.pk, Opinion("accept"), by=ada)
    assert review_queue.counts(campaign) == {"waiting": 0, "contested": 0, "flagged": 0, "settled": size}
    assert not is_due(campaign)
    return campaign


def author(number: int) -> Participation:
    return Participation.objects.get(worker__external_id=f"worker {number}")


def excluded(person: Participation) -> None:
    excluding.exclude(person.pk, reason="copies", by=None)


def withdrawn(person: Participation) -> None:
    leaving.withdraw(person.secret)


@pytest.mark.parametrize("leave", [excluded, withdrawn])
def test_an_answer_in_place_of_another_comes_to_review(leave: Callable[[Participation], None]):
    campaign = settled()
    leave(author(1))
    make_answer(make_participation(campaign, "cid"), "opera singers")

    assert review_queue.counts(campaign)["settled"] == 0
    assert is_due(campaign)
    doubts.catch_up(campaign, most=5)

    assert review_queue.counts(campaign)["waiting"] == 1
    assert "People gave different phrases." in ReviewItem.objects.get().reasons
    list(assessing.assess(campaign))
    assert not is_due(campaign)


def test_answers_that_count_again_come_to_review_beside_those_given_meanwhile():
    campaign = settled()
    excluded(author(1))
    make_answer(make_participation(campaign, "cid"), "opera singers")
    list(assessing.assess(campaign))

    excluding.include(author(1).pk, reason="a mistake", by=None)

    assert is_due(campaign)
    doubts.catch_up(campaign, most=5)
    assert ReviewItem.objects.get().answers == 3


def test_as_many_answers_of_other_people_are_not_those_that_were_measured():
    campaign = in_turn(phrases=("botanists", "gardeners", "opera singers"))
    excluded(author(0))
    list(assessing.assess(campaign))
    assert not is_due(campaign)

    excluding.include(author(0).pk, reason="a mistake", by=None)
    excluded(author(1))
    doubts.catch_up(campaign, most=5)

    assert is_due(campaign)


def test_a_corrected_answer_is_weighed_and_measured_again(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists", "botanists"))
    list(assessing.assess(campaign))
    assert ReviewItem.objects.get().is_unanimous
    turn = author(0).assignments.get()

    submitting.correct(author(0).secret, turn.pk, {"phrase_1": "opera singers"})

    assert is_due(campaign)
    assert "Answers have changed since" in client.get(f"/campaigns/{campaign.pk}/agreement/").content.decode()
    page = client.get(f"/admin/review/{campaign.pk}/?task={turn.task_id}")
    assert "People gave different phrases." in page.content.decode()
    list(assessing.assess(campaign))
    assert not is_due(campaign)


def test_a_verdict_on_a_corrected_answer_leads_back_to_its_task(client: Client, ben: User):
    campaign = in_turn(size=8)
    list(assessing.assess(campaign))
    row = Annotation.objects.order_by("-assignment__task_id")[0]
    seen = selectors.fingerprint(row)
    for annotation in Annotation.objects.select_related("assignment__participation"):
        submitting.correct(
            annotation.assignment.participation.secret, annotation.assignment_id, {"phrase_1": "painters"}
        )

    page = client.post(
        f"/admin/review/{campaign.pk}/answers/{row.pk}/", {"verdict": "accept", "seen": seen}, follow=True
    )

    assert page.status_code == 200
    assert "has changed this answer" in page.content.decode()


def test_a_task_whose_only_author_withdraws_waits_for_nobody(client: Client, ben: User):
    campaign = make_campaign(size=3, redundancy=2)
    ada, bob = make_participation(campaign, "ada"), make_participation(campaign, "bob")
    for person in (ada, bob, ada, ada):
        make_answer(person)
    campaign = campaigns.close(campaign.pk, by=None)
    list(assessing.assess(campaign))
    assert review_queue.counts(campaign)["waiting"] == 3

    leaving.withdraw(ada.secret)

    assert review_queue.counts(campaign)["waiting"] == 1
    (row,) = review_queue.campaigns_to_review()
    assert (row.answered, row.waiting) == (1, 1)
    doubts.catch_up(campaign, most=5)
    assert review_queue.waiting_for(campaign, ben).count() == 1


def test_tasks_that_wait_for_further_people_do_not_make_the_undecided_fewer_than_none(client: Client, ben: User):
    campaign = settled(size=2)
    campaigns.extend(campaign.pk, people=1, by=None)
    make_answer(make_participation(campaign, "cid"))

    (row,) = review_queue.campaigns_to_review()

    assert (row.answered, row.waiting) == (1, 0)


# ---- What is left of who withdrew -------------------------------------------------------------------


def quality_as_json() -> str:
    return json.dumps(
        [serializers.serialize("json", model.objects.all()) for model in (AgreementReport, WorkerVerdict)]
    )


def test_no_word_of_who_withdrew_is_left_in_the_agreement(client: Client, ben: User):
    campaign = make_campaign(size=1, redundancy=2)
    ada = make_participation(campaign, "ada")
    make_answer(ada, "peculiar gardeners")
    make_answer(make_participation(campaign, "bob"), "", impossible="on")
    list(assessing.assess(campaign))
    assert "peculiar" in quality_as_json()

    leaving.withdraw(ada.secret)

    assert "peculiar" not in quality_as_json()
    assert "1 answer can be measured" in client.get(f"/campaigns/{campaign.pk}/agreement/").content.decode()


def test_who_leaves_without_an_answer_takes_no_report_along():
    campaign = make_campaign(size=1, redundancy=2)
    make_answer(make_participation(campaign, "ada"))
    list(assessing.assess(campaign))

    leaving.withdraw(make_participation(campaign, "bob").secret)

    assert AgreementReport.objects.exists()


def test_an_assessment_at_work_brings_back_no_word_of_who_withdraws_meanwhile():
    campaign = in_turn(phrases=("botanists", "peculiar gardeners"), size=6)
    steps = assessing.assess(campaign)
    next(steps)  # every answer has been read
    leaving.withdraw(author(1).secret)

    list(steps)

    assert "peculiar" not in quality_as_json()
    assert AgreementReport.objects.get().answers == 6
    assert not WorkerVerdict.objects.filter(participation=author(0).pk + 1).exists()
    assert is_due(campaign)
