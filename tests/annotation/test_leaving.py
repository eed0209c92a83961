"""Withdrawing erases texts and ids, keeps what is owed, and lets nothing count that is gone."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from django.core import serializers
from django.test import Client

from annotation.models import Annotation, Assignment, Participation, ProblemReport, Task, Worker, WorkerVerdict
from annotation.services import assigning, excluding, invites, joining, leaving, problem_reports, submitting
from annotation.task_types.aggregation.answers import known_phrases
from kernel.clock import now
from kernel.errors import WrongState
from kernel.models import AuditEntry
from kernel.roles import Role
from tests.make import make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


def answer(person: Participation, phrase: str) -> Assignment:
    turn = assigning.take_turn(person.secret).assignment
    assert turn is not None
    submitting.submit(person.secret, turn.pk, {"phrase_1": phrase, "signals": '{"pastes": 3}'})
    return turn


def counts() -> list[Any]:
    return list(Task.objects.order_by("position").values_list("slots", "free", "answers"))


def everything() -> str:
    models = (Annotation, Assignment, Participation, ProblemReport, Worker, WorkerVerdict, AuditEntry)
    return json.dumps([serializers.serialize("json", model.objects.all()) for model in models])


def test_nothing_of_the_person_is_left_but_what_they_are_owed():
    campaign = make_campaign(reward=Decimal("0.10"))
    other = make_participation(campaign, "dan")
    turn = assigning.take_turn(other.secret).assignment
    assert turn
    submitting.submit(other.secret, turn.pk, {"phrase_1": "gardeners"})
    before = counts()
    person = make_participation(campaign, "Cleo-of-the-panel")
    turn = answer(person, "peculiar botanists")
    submitting.correct(person.secret, turn.pk, {"phrase_1": "corrected botanists"})
    problem_reports.report_problem(person.secret, turn.pk, "a telling report")
    WorkerVerdict.objects.create(
        participation=person, filter="always_the_same", level="weak", evidence="a telling phrase"
    )
    in_hand = assigning.take_turn(person.secret).assignment
    assert in_hand
    submitting.save_draft(person.secret, in_hand.pk, {"phrase_1": "a telling draft"})

    leaving.withdraw(person.secret)

    assert counts() == before
    text = everything()
    for gone in ("botanists", "telling", "Cleo", "pastes"):
        assert gone not in text
    assert Annotation.objects.get().answer["phrases"] == ["gardeners"]
    person.refresh_from_db()
    assert (person.earned, person.answered) == (Decimal("0.10"), 1)
    assert sum(a.reward for a in Assignment.objects.filter(participation=person)) == Decimal("0.10")
    entry = AuditEntry.objects.get(action="withdraw")
    assert entry.after == {"answers erased": 1, "earned": "0.10"}


def test_withdrawing_twice_changes_nothing_and_nothing_can_be_written_afterwards():
    person = make_participation(make_campaign())
    done = answer(person, "botanists")
    turn = assigning.take_turn(person.secret).assignment
    assert turn
    leaving.withdraw(person.secret)
    before = counts()

    leaving.withdraw(person.secret)

    assert counts() == before == [(3, 3, 0)] * 3
    for assignment in (done, turn):
        with pytest.raises(WrongState, match="You have withdrawn"):
            submitting.submit(person.secret, assignment.pk, {"phrase_1": "gardeners"})
        assert submitting.save_draft(person.secret, assignment.pk, {"phrase_1": "gardeners"}) is None
    assert not Annotation.objects.exists()


def test_an_expired_turn_can_keep_no_draft_of_who_has_withdrawn():
    person = make_participation(make_campaign())
    turn = assigning.take_turn(person.secret).assignment
    assert turn
    Assignment.objects.update(expires_at=now())
    assigning.expire_turns()
    leaving.withdraw(person.secret)

    assert submitting.save_draft(person.secret, turn.pk, {"phrase_1": "botanists"}) is None
    assert counts() == [(3, 3, 0)] * 3


def test_an_excluded_persons_answers_are_not_taken_off_twice_and_gold_has_no_slots():
    campaign = make_campaign()
    person = make_participation(campaign)
    answer(person, "botanists")
    Task.objects.filter(answers=1).update(answers=0, free=3)  # as excluding does
    Participation.objects.filter(pk=person.pk).update(excluded_at=now())
    leaving.withdraw(person.secret)
    assert counts() == [(3, 3, 0)] * 3

    dan = make_participation(campaign, "dan")
    turn = assigning.take_turn(dan.secret).assignment
    assert turn
    Task.objects.filter(pk=turn.task_id).update(is_gold=True, gold=known_phrases(["botanists"]).to_json(), free=3)
    submitting.submit(dan.secret, turn.pk, {"phrase_1": "botanists"})
    leaving.withdraw(dan.secret)
    assert counts() == [(3, 3, 0)] * 3


def test_a_signed_in_person_stays_known_in_the_campaigns_they_have_not_left():
    user = make_user("cleo", Role.ANNOTATOR)
    first = joining.join_as_user(make_campaign("First"), user)
    second = joining.join_as_user(make_campaign("Second"), user)
    for person in (first, second):
        joining.consent(person.secret, signals=False)

    leaving.withdraw(first.secret)

    first.refresh_from_db()
    assert first.worker.user is None
    assert first.worker.external_id.startswith("erased")
    second.refresh_from_db()
    assert second.worker.user == user
    leaving.withdraw(second.secret)
    assert not Worker.objects.filter(user=user).exists()


def test_the_page_asks_first_then_erases():
    person = make_participation(make_campaign())
    browser = Client(enforce_csrf_checks=True)

    assert "This cannot be undone" in browser.get(f"/task/{person.secret}/leave/").content.decode()
    assert "You have withdrawn" not in browser.get(f"/task/{person.secret}/").content.decode()
    answer_ = browser.post(f"/task/{person.secret}/leave/")

    assert "You have withdrawn" in answer_.content.decode()
    assert "You have withdrawn" in browser.get(f"/task/{person.secret}/").content.decode()
    assert browser.get(f"/task/{person.secret}/mine/").status_code == 302


@pytest.mark.parametrize("door", ["local", "invite", "panel"])
def test_somebody_who_declines_is_not_told_of_a_withdrawal_or_asked_how_to_be_paid(door: str):
    codes = {"completed": "C1", "no_consent": "N0"}
    panel: dict[str, Any] = {"provider": "panel", "provider_settings": {"preset": "prolific", "codes": codes}}
    campaign = make_campaign(reward=Decimal("0.10"), **panel if door == "panel" else {})
    if door == "invite":
        person = joining.join_by_invite(invites.make_invite(campaign, label="friends", capacity=5, by=None).code)
    elif door == "panel":
        Client().get(f"/task/panel/{campaign.slug}/?PROLIFIC_PID=5f00c0ffee5f00c0ffee5f00")
        person = campaign.participations.get()
    else:
        person = make_participation(campaign, is_ready=False)

    page = shown(Client().post(f"/task/{person.secret}/leave/"))

    assert "<h1>You did not agree</h1>" in page
    assert "Nothing about you is stored" in page
    assert "withdrawn" not in page
    assert "want to be paid" not in page
    assert ("N0" in page) == (door == "panel")
    assert not Participation.objects.exists()


def test_who_withdrew_with_pay_owed_is_not_let_in_again_and_told_why(client: Client):
    user = make_user("cleo", Role.ANNOTATOR)
    campaign = make_campaign(reward=Decimal("0.10"))
    person = joining.join_as_user(campaign, user)
    joining.consent(person.secret, signals=False)
    joining.read_instructions(person.secret)
    answer(person, "botanists")
    leaving.withdraw(person.secret)
    client.force_login(user)

    home = shown(client.get("/"))
    back = shown(client.post(f"/task/start/{campaign.pk}/", follow=True))

    assert "Begin" not in home
    for text in (home, back):
        assert f"give the reference {person.pk}" in text
        assert "no further tasks for you in" in text
    assert Participation.objects.count() == Worker.objects.count() == 1


def test_who_withdrew_and_is_owed_nothing_may_begin_again(client: Client):
    user = make_user("cleo", Role.ANNOTATOR)
    campaign = make_campaign()
    person = joining.join_as_user(campaign, user)
    joining.consent(person.secret, signals=False)
    leaving.withdraw(person.secret)
    client.force_login(user)

    assert "Begin" in client.get("/").content.decode()
    client.post(f"/task/start/{campaign.pk}/")

    assert Participation.objects.filter(withdrawn_at=None).count() == 1


def test_the_team_finds_the_reference_and_neither_gold_nor_a_decision_is_left(client: Client):
    campaign = make_campaign(reward=Decimal("0.10"))
    person = make_participation(campaign)
    answer(person, "botanists")
    Participation.objects.update(gold_seen=2, gold_right=1)
    leaving.withdraw(person.secret)
    client.force_login(make_user("ben"))

    people = client.get(f"/campaigns/{campaign.pk}/people/").content.decode()
    page = shown(client.get(f"/campaigns/people/{person.pk}/"))

    assert f"Withdrew · reference {person.pk}" in people
    assert f"owed to the person who gives the reference {person.pk}" in page
    for gone in ("Exclude participant", "No answers yet", "<dd>1 of 2</dd>", "0 s"):
        assert gone not in page
    with pytest.raises(WrongState, match="has withdrawn"):
        excluding.exclude(person.pk, reason="late", by=None)
