"""Grants are given and taken away by people, with a reason; campaigns can ask for them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from annotation.models import Campaign, Grant, HeldGrant, Participation, Worker
from annotation.qualifications import Record, qualifications
from annotation.selectors.participants import people_who_meet
from annotation.services import assigning, grants, joining, leaving, submitting
from annotation.services.assigning import Idle
from annotation.services.late_answers import Gone, why_gone
from kernel import clock
from kernel.clock import now
from kernel.errors import InvalidInput, NotAllowed, WrongState
from kernel.models import AuditEntry
from tests.make import make_answer, make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def grant() -> Grant:
    return grants.make_grant("Trained", by=None)


@pytest.fixture
def trained(grant: Grant) -> Campaign:
    return make_campaign("Production", size=4, qualifications={"grant": str(grant.pk)})


def make_learner(name: str = "cleo") -> Participation:
    training = Campaign.objects.filter(name="Training").first() or make_campaign("Training", size=2)
    return make_participation(training, name)


def give(grant: Grant, *people: Participation, **values: Any) -> int:
    return grants.give(grant.pk, [person.pk for person in people], **{"reason": "did well", "by": None} | values)


def fresh(person: Participation) -> Participation:
    return Participation.objects.select_related("campaign").get(pk=person.pk)


def test_only_people_who_hold_the_grant_can_join(grant, trained):
    learner = make_learner()

    with pytest.raises(NotAllowed, match="prepared and chosen"):
        joining.join(trained, learner.worker)
    assert give(grant, learner) == 1

    assert joining.join(trained, learner.worker)
    assert people_who_meet(trained.qualifications, "local") == 1


def test_every_grant_that_is_asked_for_is_needed():
    asked = qualifications({"grant": "1, 2"})

    assert asked.refusal(Record(grants=frozenset({1})))
    assert not asked.refusal(Record(grants=frozenset({1, 2, 3})))


def test_a_grant_taken_away_stops_new_tasks_only(grant, trained):
    give(grant, make_learner())
    person = make_participation(trained)
    make_answer(person)
    held = assigning.take_turn(person.secret).assignment
    assert held is not None

    grants.take(HeldGrant.objects.get().pk, reason="copies", by=None)

    assert assigning.take_turn(person.secret).assignment == held, "the task in hand can be finished"
    assert why_gone(fresh(person), held) is None
    done = submitting.submit(person.secret, held.pk, {"phrase_1": "botanists"})
    assert (done.is_late, done.turn.idle) == (False, Idle.NOT_GRANTED)
    held.status = "returned"
    assert why_gone(fresh(person), held) == Gone.STOPPED
    give(grant, person)
    assert assigning.take_turn(person.secret).assignment


def test_a_grant_that_expires_in_the_middle_stops_new_tasks(grant, trained, monkeypatch):
    give(grant, make_learner(), expires_at=now() + timedelta(hours=1))
    person = make_participation(trained)
    make_answer(person)
    turn = assigning.take_turn(person.secret).assignment
    assert turn is not None
    submitting.submit(person.secret, turn.pk, {"phrase_1": "botanists"})

    later = now() + timedelta(hours=2)
    for module in ("annotation.models.grants", "annotation.services.grants"):
        monkeypatch.setattr(f"{module}.now", lambda: later)

    held = assigning.take_turn(person.secret).assignment
    assert held is not None, "the task in hand can be finished"
    assert submitting.submit(person.secret, held.pk, {"phrase_1": "botanists"}).turn.idle == Idle.NOT_GRANTED
    assert HeldGrant.objects.get().state == "expired"
    with pytest.raises(WrongState, match="expired"):
        grants.take(HeldGrant.objects.get().pk, reason="late", by=None)
    assert clock.now() < later
    give(grant, person)
    assert assigning.take_turn(person.secret).assignment
    first, second = HeldGrant.objects.order_by("pk")
    assert (first.state, first.ended_why, second.state) == ("expired", grants.EXPIRED, "held")


def test_giving_it_again_changes_its_end_and_the_same_twice_nothing(grant):
    learner = make_learner()
    end = now() + timedelta(days=3)

    assert [give(grant, learner), give(grant, learner), give(grant, learner, expires_at=end)] == [1, 0, 1]

    held = HeldGrant.objects.get()
    assert (held.expires_at, held.ended_at, held.state) == (end, None, "held")
    assert AuditEntry.objects.filter(action="give grant", reason="did well").count() == 2


@pytest.mark.parametrize(
    ("values", "field"), [({"reason": " "}, "reason"), ({"expires_at": now() - timedelta(days=1)}, "expires_at")]
)
def test_a_grant_needs_a_reason_and_an_end_in_the_future(grant, values, field):
    with pytest.raises(InvalidInput) as refused:
        give(grant, make_learner(), **values)
    assert refused.value.field == field


@pytest.mark.parametrize("name", ["", " ", "x" * 101, "Trained"])
def test_grants_have_names_of_their_own(grant, name):
    with pytest.raises(InvalidInput, match="name"):
        grants.make_grant(name, by=None)


def test_a_campaign_cannot_ask_for_a_grant_that_is_not_there():
    with pytest.raises(InvalidInput, match="there is no grant 77"):
        make_campaign(qualifications={"grant": "77"})


def test_withdrawal_erases_the_grants_of_somebody_nobody_knows_any_more(grant):
    learner = make_learner()
    give(grant, learner)
    leaving.withdraw(learner.secret)
    assert not HeldGrant.objects.exists()
    assert Worker.objects.count() == 1


def test_the_team_makes_gives_and_takes_grants_on_pages(client):
    client.force_login(make_user("ben"))
    ann, bob = make_learner("ann"), make_learner("bob")
    decide = reverse("people-decide", args=[ann.campaign_id])

    page = shown(client.post(reverse("grants"), {"name": "Trained", "description": "Did both rounds."}, follow=True))
    assert "Trained was made. Nobody holds it yet." in page
    grant = Grant.objects.get()
    asked = shown(client.get(decide, {"action": "grant", "person": [ann.pk, bob.pk]}))
    assert "Give 2 participants a grant" in asked
    sent = {"action": "grant", "person": [ann.pk, bob.pk], "grant": grant.pk, "reason": "", "expires_on": ""}
    assert client.post(decide, sent).status_code == 422
    page = shown(client.post(decide, {**sent, "reason": "did well"}, follow=True))
    assert "Trained was given to 2 participants." in page
    assert "did well" in shown(client.get(f"/campaigns/people/{ann.pk}/"))
    held = HeldGrant.objects.get(worker=bob.worker)
    assert "Take Trained away?" in shown(client.get(reverse("grant-take", args=[held.pk])))
    assert client.post(reverse("grant-take", args=[held.pk]), {"reason": ""}).status_code == 422
    page = shown(client.post(reverse("grant-take", args=[held.pk]), {"reason": "copies"}, follow=True))
    assert "Taken away" in page
    assert "copies" in page
    listed = shown(client.get(reverse("grants")))
    assert 'class="number">1<' in listed


def test_the_form_of_a_campaign_asks_for_grants(client, grant, trained):
    client.force_login(make_user("ben"))

    page = shown(client.get(f"{reverse('campaign-new')}?from={trained.pk}"))

    assert f'<option value="{grant.pk}" selected>Trained</option>' in page


def test_the_page_tells_somebody_whose_grant_is_gone(client, grant, trained):
    give(grant, make_learner())
    person = make_participation(trained)
    make_answer(person)
    turn = assigning.take_turn(person.secret).assignment
    assert turn is not None
    assigning.give_back(person.secret, turn.pk)
    grants.take(HeldGrant.objects.get().pk, reason="copies", by=None)

    page = shown(client.get(f"/task/{person.secret}/"))

    assert "There are no further tasks for you now" in page
    assert "copies" not in page


def test_programs_make_give_and_take_grants(client):
    client.force_login(make_user("ben"))
    learner = make_learner()

    def post(address: str, *args: int, **values: Any) -> Any:
        return client.post(reverse(address, args=args), values, content_type="application/json")

    made = post("api-grants", name="Trained").json()
    assert post("api-grants", name="Trained").status_code == 409
    answer = post("api-grant-people", made["id"], people=[learner.pk], reason="did well")
    assert answer.json() == {"people": 1}
    (held,) = client.get(reverse("api-grant-people", args=[made["id"]])).json()["results"]
    assert (held["participation"], held["state"]) == (learner.pk, "held")
    assert post("api-grant-take", held["id"], reason="copies").json()["state"] == "taken away"
    assert client.get(reverse("api-grants")).json()["results"][0]["holders"] == 0
