"""People who miss a check task may be shown why; gold that good people miss is pointed out as probably wrong."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.models import Assignment, Participation, Task
from annotation.quality.trust import GoldMisses
from annotation.selectors.check_tasks import gold_misses
from annotation.services import excluding, submitting
from kernel.errors import WrongState
from tests.annotation.check_tasks import RIGHT, WRONG, answer_checks, give, make_checked
from tests.make import make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db
REASON = "They study plants."


def check_turn(person: Participation) -> Assignment:
    while (turn := give(person)) and not turn.task.is_gold:
        submitting.submit(person.secret, turn.pk, {"phrase_1": "astronomers"})
    assert turn is not None
    gold = {**(turn.task.gold or {}), "reason": REASON}
    Task.objects.filter(pk=turn.task_id).update(gold=gold)
    return turn


@pytest.mark.parametrize(("shows", "phrase"), [(True, WRONG), (True, RIGHT), (False, WRONG)])
def test_only_a_missed_check_task_is_explained_and_only_where_the_campaign_says_so(client, shows, phrase):
    person = make_participation(make_checked(shows_reasons=shows))
    turn = check_turn(person)

    page = shown(client.post(f"/task/{person.secret}/answer/{turn.pk}/", {"phrase_1": phrase}))
    mine = shown(client.get(f"/task/{person.secret}/mine/"))

    is_explained = shows and phrase == WRONG
    for text in (page, mine):
        assert (REASON in text) is is_explained
        assert (f"Known answer: <b>{RIGHT}</b>" in text or f"Known answer: {RIGHT}" in text) is is_explained
    assert person.campaign.shows_reasons is shows


def test_an_explained_answer_cannot_be_corrected(client):
    person = make_participation(make_checked(shows_reasons=True))
    turn = check_turn(person)
    submitting.submit(person.secret, turn.pk, {"phrase_1": WRONG})

    with pytest.raises(WrongState, match="known answer"):
        submitting.correct(person.secret, turn.pk, {"phrase_1": RIGHT})

    assert reverse("work-correct", args=[person.secret, turn.pk]) not in shown(
        client.get(f"/task/{person.secret}/mine/")
    )
    person.refresh_from_db()
    assert person.gold_points == 0


@pytest.mark.parametrize(
    ("good", "good_missed", "looks_wrong"), [(3, 2, True), (4, 2, True), (5, 2, False), (2, 2, False)]
)
def test_gold_looks_wrong_once_half_of_at_least_three_good_people_missed_it(good, good_missed, looks_wrong):
    assert GoldMisses(9, 9, good, good_missed).looks_wrong is looks_wrong


def test_check_tasks_that_good_people_miss_are_pointed_out_with_numbers(client):
    campaign = make_checked(tests=5)
    for name in ("ann", "bob", "cleo"):
        answer_checks(make_participation(campaign, name), WRONG, RIGHT, RIGHT, RIGHT)  # the first one is wrong
    answer_checks(make_participation(campaign, "dan"), RIGHT, WRONG, WRONG, WRONG)  # does badly
    first, second = campaign.tasks.filter(is_gold=True).order_by("position")[:2]
    client.force_login(make_user("ben"))

    page = shown(client.get(f"/campaigns/{campaign.pk}/gold/?show=wrong"))

    assert gold_misses(campaign)[first.pk] == GoldMisses(judged=4, missed=3, good=3, good_missed=3)
    assert gold_misses(campaign)[second.pk] == GoldMisses(judged=4, missed=1, good=0, good_missed=0)
    assert "1 check task is probably wrong" in page
    assert "Missed by 3 of 4 people; of 3 who do well on the others, by 3." in page
    assert page.count('<li id="task-') == 1
    excluding.exclude(Participation.objects.get(worker__external_id="ann").pk, reason="copies", by=None)
    assert not gold_misses(campaign)[first.pk].looks_wrong, "two good people are too few"
