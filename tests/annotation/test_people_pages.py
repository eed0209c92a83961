"""The researcher's pages of the people in a campaign."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from annotation.models import LateChoice, Participation, Worker, WorkerVerdict
from annotation.selectors import progress
from annotation.selectors.participants import pseudonym_of
from annotation.services import campaigns, leaving, payments
from kernel.clock import now
from kernel.models import Job
from kernel.roles import Role
from tests.make import make_answer, make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


def test_people_are_shown_by_number_with_evidence(researcher, client):
    campaign = make_campaign(size=6, redundancy=1, provider="local")
    person = make_participation(campaign, "ann@panel.example")
    person.worker.provider = "panel"
    person.worker.save()
    for _ in range(6):
        make_answer(person, "nice people")
    researcher.post(f"/campaigns/{campaign.pk}/people/look/")

    page = shown(researcher.get(f"/campaigns/{campaign.pk}/people/?show=seen"))
    assert "nice people" in page
    assert "ann@panel" not in page
    assert "ann@panel" not in shown(researcher.get(f"/campaigns/people/{person.pk}/"))

    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    assert "ann@panel" in shown(client.get(f"/campaigns/{campaign.pk}/people/"))


def test_many_answers_are_looked_at_by_a_job(researcher, monkeypatch):
    from annotation.views import participants as views

    monkeypatch.setattr(views, "AT_ONCE", 0)
    campaign = make_campaign()
    make_answer(make_participation(campaign))

    answer = researcher.post(f"/campaigns/{campaign.pk}/people/look/")

    assert answer.url == f"/jobs/{Job.objects.get(kind='look_at_people').pk}/"


def test_people_are_excluded_and_included_again_together_with_a_reason(researcher):
    campaign = make_campaign(size=3, redundancy=3)
    ann, bob, cleo = (make_participation(campaign, name) for name in ("ann", "bob", "cleo"))
    make_answer(ann)
    leaving.withdraw(cleo.secret)
    stranger = make_participation(make_campaign("Other"), "dan")
    url, who = f"/campaigns/{campaign.pk}/people/decide/", [ann.pk, bob.pk, cleo.pk, stranger.pk]

    asked = shown(researcher.get(url, {"action": "exclude", "person": who}))
    assert "Exclude 2 participants?" in asked
    assert "Participant 1, Participant 2: 1 answer." in asked
    assert researcher.post(url, {"action": "exclude", "person": who}).status_code == 422
    assert not Participation.objects.exclude(excluded_at=None).exists(), "nobody without a reason"
    researcher.post(url, {"action": "exclude", "person": who, "reason": "copies"})
    assert {*Participation.objects.filter(excluded_why="copies")} == {ann, bob}
    back = researcher.post(url, {"action": "include", "person": ann.pk, "reason": "no, quotes"})
    assert back.url == f"/campaigns/people/{ann.pk}/"
    assert {*Participation.objects.exclude(excluded_at=None)} == {bob}
    assert "Nobody you selected" in shown(researcher.get(url, {"action": "exclude"}))
    assert researcher.post(url, {"action": "reject", "reason": "x"}).status_code == 422


def test_participants_are_sorted_found_and_downloaded_as_shown(researcher):
    campaign = make_campaign(size=4, redundancy=4)
    ann, bob, cleo = (make_participation(campaign, name) for name in ("ann", "bob", "cleo"))
    for person, number in ((ann, 1), (bob, 3), (cleo, 2)):
        for _ in range(number):
            make_answer(person)

    def names(query: str) -> list[str]:
        return re.findall(r">(Participant \d)</a>", shown(researcher.get(f"/campaigns/{campaign.pk}/people/{query}")))

    assert names("?sort=-answers") == ["Participant 2", "Participant 3", "Participant 1"]
    assert names("?sort=number") == ["Participant 1", "Participant 2", "Participant 3"]
    assert names("?words=participant+3") == ["Participant 3"]
    assert names("?sort=secret") == names("")
    answer = researcher.get(f"/campaigns/{campaign.pk}/people/participants.csv?sort=-answers&bom=no")
    rows = b"".join(answer).decode().splitlines()
    assert [row.split(",")[2] for row in rows] == ['"answers"', '"3"', '"2"', '"1"']
    assert pseudonym_of(campaign, bob.worker) in rows[1]
    assert "bob" not in rows[1]


@pytest.mark.parametrize(
    ("query", "answers", "earned"), [("", 3, "$0.60"), ("?words=2", 2, "$0.60"), ("?words=1", 1, "$0.00")]
)
def test_the_list_ends_with_the_answers_and_the_pay_of_those_it_shows(
    researcher, query: str, answers: int, earned: str
):
    campaign = make_campaign(size=4, redundancy=4, reward=Decimal("0.30"))
    simulated, bob = (make_participation(campaign, name) for name in ("simulated", "bob"))
    Worker.objects.filter(pk=simulated.worker_id).update(provider="simulation")
    for person in (simulated, bob, bob):
        make_answer(person)

    page = shown(researcher.get(f"/campaigns/{campaign.pk}/people/{query}"))

    foot = page[page.index("<tfoot") : page.index("</tfoot")]
    assert f'<td class="number">{answers}</td>' in foot
    assert f'class="number">{earned}</td>' in foot


def test_a_late_answer_waits_for_a_decision_by_somebody_who_pays_people(researcher):
    from tests.annotation.test_people_decisions import late_answer

    campaign = make_campaign(size=1, redundancy=1)
    turn = late_answer(campaign)

    assert "1 late answer" in shown(researcher.get(f"/campaigns/{campaign.pk}/"))
    page = shown(researcher.get(f"/campaigns/{campaign.pk}/people/?show=late"))
    assert "until somebody who pays people decides about them" in page
    payments.decide_late(turn.pk, LateChoice.COUNT, by=None)
    progress.forget(campaign)
    assert "1 late answer" not in shown(researcher.get(f"/campaigns/{campaign.pk}/"))
    assert "No late answers to decide" in shown(researcher.get(f"/campaigns/{campaign.pk}/people/?show=late"))


def test_people_who_are_finished_are_not_called_at_the_tasks(researcher):
    campaign = make_campaign(size=3, redundancy=2, per_person=2)
    done, on_the_way, idle = (make_participation(campaign, name) for name in ("cleo", "dan", "eve"))
    for person, answers in ((done, 2), (on_the_way, 1)):
        for _ in range(answers):
            make_answer(person)

    def states() -> dict[int, str]:
        page = researcher.get(f"/campaigns/{campaign.pk}/people/")
        return {person.row.pk: person.state for person in page.context["people"]}

    assert states() == {done.pk: "finished", on_the_way.pk: "not finished yet", idle.pk: "not finished yet"}
    campaigns.close(campaign.pk, by=None)
    assert states() == {done.pk: "finished", on_the_way.pk: "finished", idle.pk: "joined, answered nothing"}
    assert "Finished" in shown(researcher.get(f"/campaigns/people/{on_the_way.pk}/"))


def test_participants_with_warnings_come_first_and_excluded_ones_last(researcher):
    campaign = make_campaign(size=4, redundancy=4)
    names = ("ann", "bob", "cleo", "dan", "eve")
    usual, warned, worst, out, busy = (make_participation(campaign, name) for name in names)
    for person in (usual, busy, busy):
        make_answer(person)
    for person, level in ((warned, "weak"), (worst, "strong"), (out, "strong")):
        WorkerVerdict.objects.create(participation=person, filter="speed", level=level, evidence="6 s per answer")
    Participation.objects.filter(pk=out.pk).update(excluded_at=now(), excluded_why="copies")

    page = shown(researcher.get(f"/campaigns/{campaign.pk}/people/"))
    seen = shown(researcher.get(f"/campaigns/{campaign.pk}/people/?show=seen"))

    assert re.findall(r"Participant (\d)", page) == ["3", "2", "5", "1", "4"]
    assert re.findall(r"Participant (\d)", seen) == ["3", "2"]
    assert "Excluded: copies" in page
