"""A turn that is not in hand any more is no way around limits: its place is checked when it is answered later."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.test import Client

from annotation.models import Assignment, Campaign, LateChoice, Participation, Task
from annotation.services import assigning, campaigns, excluding, finishing, payments, submitting
from annotation.services.late_answers import Gone, why_gone
from annotation.task_types.aggregation.answers import known_phrases
from tests.annotation.answered import answer, answered_campaign
from tests.annotation.releasing import freeze, recipe_for
from tests.annotation.test_assigning import ANSWER, taken
from tests.annotation.test_people_decisions import balanced
from tests.make import make_campaign, make_participation

pytestmark = pytest.mark.django_db


def given_back(person: Participation) -> Assignment:
    turn = taken(person)
    assigning.give_back(person.secret, turn.pk)
    return turn


def late(person: Participation, turn: Assignment) -> bool:
    return submitting.submit(person.secret, turn.pk, ANSWER).is_late


def gone(person: Participation, turn: Assignment) -> Gone | None:
    row = Participation.objects.select_related("campaign").get(pk=person.pk)
    return why_gone(row, Assignment.objects.select_related("task").get(pk=turn.pk))


def test_turns_given_back_bring_nobody_past_the_most_answers_of_one_person():
    campaign = make_campaign(size=10, redundancy=3, per_person=3, reward=Decimal("0.10"))
    person = make_participation(campaign)
    old = [given_back(person) for _ in range(5)]
    for _ in range(2):
        submitting.submit(person.secret, taken(person).pk, ANSWER)
    in_hand = taken(person)

    assert gone(person, old[0]) == Gone.LIMIT  # the one in hand is the third
    assert [late(person, turn) for turn in (old[0], in_hand, *old[1:])] == [True, False, True, True, True, True]

    person.refresh_from_db()
    assert (person.answered, person.earned) == (8, Decimal("0.30"))
    assert balanced()


def test_hidden_gold_given_back_brings_nobody_past_the_limit_either():
    campaign = make_campaign(size=4, per_person=1, reward=Decimal("0.10"))
    person = make_participation(campaign)
    old = given_back(person)
    Task.objects.filter(pk=old.task_id).update(is_gold=True, gold=known_phrases(["botanists"]).to_json(), free=0)
    submitting.submit(person.secret, taken(person).pk, ANSWER)

    assert late(person, old)
    assert Participation.objects.get().earned == Decimal("0.10")


def test_a_closed_campaign_counts_what_is_in_hand_and_keeps_the_rest_as_late():
    campaign = make_campaign(size=3)
    person = make_participation(campaign)
    old, in_hand = given_back(person), taken(person)
    campaigns.close(campaign.pk, by=None)

    assert (gone(person, old), gone(person, in_hand)) == (Gone.CLOSED, None)
    assert (late(person, old), late(person, in_hand)) == (True, False)


def panel_person(campaign: Campaign) -> Participation:
    person = make_participation(campaign)
    Participation.objects.filter(pk=person.pk).update(arrival={"panel": "prolific"})
    return Participation.objects.select_related("campaign").get(pk=person.pk)


def test_after_a_finished_panel_visit_an_answer_is_kept_as_late():
    person = panel_person(make_campaign(size=3))
    old = given_back(person)
    submitting.submit(person.secret, taken(person).pk, ANSWER)
    finishing.finish(person.secret)

    assert gone(person, old) == Gone.FINISHED
    assert late(person, old)


def test_a_turn_whose_place_is_still_there_counts_and_takes_its_slot_again():
    campaign = make_campaign(size=1, redundancy=1, per_person=1)
    person = make_participation(campaign)
    turn = taken(person)
    campaigns.release_turns(campaign, by=None)
    campaigns.pause(campaign.pk, by=None)

    assert gone(person, turn) is None
    assert not late(person, turn)
    assert gone(person, turn) == Gone.ANSWERED
    assert balanced()


def test_an_excluded_person_and_a_slot_given_to_somebody_else_are_told_apart():
    campaign = make_campaign(size=1, redundancy=1)
    ann, bob = make_participation(campaign, "ann"), make_participation(campaign, "bob")
    turn = given_back(ann)
    taken(bob)

    assert gone(ann, turn) == Gone.TAKEN
    excluding.exclude(ann.pk, reason="too fast", by=None)
    assert gone(ann, turn) == Gone.EXCLUDED


# ---- What people read


def test_the_page_can_ask_whether_the_place_is_gone_before_anything_is_typed(client: Client):
    campaign = make_campaign(size=1, redundancy=1)
    ann, bob = make_participation(campaign, "ann"), make_participation(campaign, "bob")
    turn = taken(ann)
    url = f"/task/{ann.secret}/turn/{turn.pk}/"
    assert client.get(url).json() == {"gone": ""}
    campaigns.release_turns(campaign, by=None)
    taken(bob)

    message = client.get(url).json()["gone"]

    assert "somebody else" in message
    assert "kept" in message


def test_a_draft_for_a_turn_without_a_place_says_so(client: Client):
    campaign = make_campaign(size=1, redundancy=1)
    ann, bob = make_participation(campaign, "ann"), make_participation(campaign, "bob")
    turn = taken(ann)
    campaigns.release_turns(campaign, by=None)
    taken(bob)

    saved = client.post(f"/task/{ann.secret}/draft/{turn.pk}/", {"phrase_1": "the bot"}).json()

    assert saved["saved"]
    assert "somebody else" in saved["gone"]


def test_a_refused_answer_to_a_turn_without_a_place_comes_back_with_that_said(client: Client):
    campaign = make_campaign(size=2, redundancy=1)
    person = make_participation(campaign)
    turn = given_back(person)
    campaigns.close(campaign.pk, by=None)

    page = client.post(f"/task/{person.secret}/answer/{turn.pk}/", {"phrase_1": "they"})

    assert page.status_code == 422
    assert "The campaign is closed" in page.content.decode()


def test_a_late_answer_is_told_to_be_kept_until_the_team_decides(client: Client):
    campaign = make_campaign(size=2, redundancy=1)
    person = make_participation(campaign)
    turn = given_back(person)
    campaigns.close(campaign.pk, by=None)

    page = client.post(f"/task/{person.secret}/answer/{turn.pk}/", ANSWER).content.decode()
    mine = client.get(f"/task/{person.secret}/mine/").content.decode()

    assert "came too late to count" in page
    assert "the team has not decided about it yet" in mine


# ---- In releases


@pytest.mark.parametrize(
    ("choice", "annotations"), [(LateChoice.DECLINE, 2), (LateChoice.PAY, 2), (LateChoice.COUNT, 3)]
)
def test_a_release_holds_a_late_answer_that_a_reviewer_accepted_only_if_the_team_counts_it(
    choice: LateChoice, annotations: int
):
    campaign = answered_campaign({"cleo": ["botanists"], "dan": ["botanists"]})
    row = answer(campaign.tasks.get(), "fay", ["botanists"], status="late", verdict="accept")
    payments.decide_late(row.assignment_id, choice, reason="copied", by=None)

    release = freeze(recipe_for(campaign))

    assert len(release.items.get().value["annotations"]) == annotations
