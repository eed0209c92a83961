"""A campaign may make its quiz of its own check tasks: people answer the task's own form, judged by gold."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotation.models import Campaign, CampaignStatus, Participation
from annotation.selectors.annotators import stage
from annotation.selectors.quiz_tasks import in_order, met_in_quiz, quiz_place
from annotation.services import assigning, campaigns, gold, gold_quiz, leaving, submitting
from annotation.stages import Stage
from kernel.errors import InvalidInput, WrongState
from tests.annotation.check_tasks import RIGHT, WRONG, make_checked
from tests.make import make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


def make_quiz(**fields: Any) -> Campaign:
    """Return an open campaign whose quiz asks 2 of 6 check tasks and wants both right."""
    campaign = make_checked(tests=6, is_running=False, quiz_gold=2, quiz_pass=2, **fields)
    return campaigns.start(campaign.pk, by=None)


def fresh(person: Participation) -> Participation:
    return Participation.objects.select_related("campaign").get(pk=person.pk)


def try_quiz(person: Participation, *phrases: str) -> None:
    for phrase in phrases:
        task = quiz_place(fresh(person)).task
        assert task is not None
        assert gold_quiz.answer_quiz(person.secret, task.pk, {"phrase_1": phrase})


def test_enough_right_answers_pass_and_the_tasks_are_not_hidden_among_the_persons_own():
    person = make_participation(make_quiz())
    assert stage(person) == Stage.QUIZ

    try_quiz(person, RIGHT, RIGHT)

    person = fresh(person)
    assert (stage(person), person.quiz_score, person.quiz_tries) == (Stage.WORK, 2, 1)
    assert (person.gold_seen, person.answered, person.earned) == (0, 0, 0), "the quiz is no data and no trust"
    met, hidden = met_in_quiz(person), []
    while turn := assigning.take_turn(person.secret).assignment:
        hidden += [turn.task_id] * turn.task.is_gold
        submitting.submit(person.secret, turn.pk, {"phrase_1": "astronomers"})
    assert len(hidden) == 4
    assert not {*met} & {*hidden}


def test_a_second_try_asks_about_other_tasks_and_a_third_is_not_given():
    person = make_participation(make_quiz())

    try_quiz(person, RIGHT, WRONG)
    first = met_in_quiz(fresh(person))
    assert stage(fresh(person)) == Stage.QUIZ
    try_quiz(person, WRONG, WRONG)

    person = fresh(person)
    assert stage(person) == Stage.SCREENED_OUT
    assert len({*met_in_quiz(person)}) == 4
    assert met_in_quiz(person)[:2] == first
    assert not gold_quiz.answer_quiz(person.secret, first[0], {"phrase_1": RIGHT})


def test_an_answer_to_another_task_than_the_next_one_changes_nothing():
    person = make_participation(make_quiz())
    task = quiz_place(person).task
    assert task is not None

    assert gold_quiz.answer_quiz(person.secret, task.pk, {"phrase_1": RIGHT})
    assert not gold_quiz.answer_quiz(person.secret, task.pk, {"phrase_1": RIGHT}), "a second click"

    assert len(fresh(person).quiz_chosen["answers"]) == 1


def test_gold_that_is_withdrawn_shortens_the_quiz_and_new_gold_keeps_the_order():
    person = make_participation(make_quiz())
    for task in person.campaign.tasks.filter(is_gold=True).order_by("position")[:5]:
        gold.withdraw_gold(task.pk, by=None)

    assert quiz_place(fresh(person)).number_of_tasks == 1
    try_quiz(person, RIGHT)
    assert stage(fresh(person)) == Stage.WORK
    order = in_order([1, 2, 3, 4], seed=1, person=7)
    assert [pk for pk in in_order([1, 2, 3, 4, 5], seed=1, person=7) if pk != 5] == order


def test_a_campaign_is_not_opened_with_too_few_check_tasks_for_its_quiz():
    campaign = make_checked(tests=1, is_running=False, quiz_gold=2, quiz_pass=1)

    with pytest.raises(WrongState, match="made of 2 check tasks, but 1"):
        campaigns.start(campaign.pk, by=None)

    campaign.refresh_from_db()
    assert campaign.status == CampaignStatus.DRAFT


@pytest.mark.parametrize(
    "fields", [{"quiz_gold": 2}, {"quiz_gold": 2, "quiz_pass": 3}, {"quiz_gold": 51, "quiz_pass": 1}]
)
def test_settings_that_cannot_be_are_refused(fields):
    with pytest.raises(InvalidInput):
        make_campaign(**fields)


def test_people_go_through_the_quiz_on_its_pages(client: Client):
    person = make_participation(make_quiz())
    home, quiz = f"/task/{person.secret}/", f"/task/{person.secret}/quiz/"

    for number, phrase in enumerate((RIGHT, WRONG), 1):
        page = shown(client.get(home))
        assert f"A few tasks first: {number} of 2" in page
        task = quiz_place(fresh(person)).task
        assert task is not None
        assert client.post(quiz, {"task": task.pk, "phrase_1": ""}).status_code == 422
        page = shown(client.post(quiz, {"task": task.pk, "phrase_1": phrase}, follow=True))
    assert "1 of 2 right" in page
    assert RIGHT in page
    assert page.count(RIGHT) == 1, "no known answer before the last try"
    try_quiz(person, WRONG, WRONG)
    page = shown(client.get(quiz))
    assert "no tasks for you in this campaign" in page
    assert page.count(f"</span>{RIGHT}") == 2


def test_the_team_previews_it_and_reads_it_in_the_settings(client: Client):
    campaign = make_quiz()
    client.force_login(make_user("ben"))

    preview = shown(client.get(f"/campaigns/{campaign.pk}/preview/quiz/"))
    settings = shown(client.get(f"/campaigns/{campaign.pk}/settings/"))

    assert "A few tasks first: 1 of 2" in preview
    assert client.post(f"/campaigns/{campaign.pk}/preview/quiz/", {"phrase_1": RIGHT}).status_code == 302
    assert "2 right answers to 2 own check tasks" in settings


def test_withdrawal_erases_what_was_answered_in_the_quiz():
    person = make_participation(make_quiz())
    try_quiz(person, RIGHT)
    leaving.withdraw(person.secret)
    assert fresh(person).quiz_chosen == {}
