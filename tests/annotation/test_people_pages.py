"""The researcher's pages of the people in a campaign."""

from __future__ import annotations

import pytest

from annotation.models import LateChoice, Participation
from annotation.selectors import progress
from annotation.services import campaigns, payments
from tesa_site.kernel.models import Job
from tesa_site.kernel.roles import Role
from tests.annotation.researching import text
from tests.make import make_answer, make_campaign, make_participation, make_user

pytestmark = pytest.mark.django_db(transaction=True)


def test_people_are_shown_by_pseudonym_with_evidence(researcher, client):
    campaign = make_campaign(size=6, redundancy=1, provider="local")
    person = make_participation(campaign, "ann@panel.example")
    person.worker.provider = "panel"
    person.worker.save()
    for _ in range(6):
        make_answer(person, "nice people")
    researcher.post(f"/campaigns/{campaign.pk}/people/look/")

    page = text(researcher.get(f"/campaigns/{campaign.pk}/people/?show=seen"))
    assert "nice people" in page
    assert "ann@panel" not in page
    assert "ann@panel" not in text(researcher.get(f"/campaigns/people/{person.pk}/"))

    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    assert "ann@panel" in text(client.get(f"/campaigns/{campaign.pk}/people/"))


def test_many_answers_are_looked_at_by_a_job(researcher, monkeypatch):
    from annotation.views import people as views

    monkeypatch.setattr(views, "AT_ONCE", 0)
    campaign = make_campaign()
    make_answer(make_participation(campaign))

    answer = researcher.post(f"/campaigns/{campaign.pk}/people/look/")

    assert answer.url == f"/jobs/{Job.objects.get(kind='look_at_people').pk}/"


def test_a_person_is_excluded_and_counted_again_with_a_reason(researcher):
    campaign = make_campaign()
    person = make_participation(campaign)
    url = f"/campaigns/people/{person.pk}/decide/"

    assert researcher.post(url, {"action": "exclude"}).status_code == 422
    researcher.post(url, {"action": "exclude", "reason": "copies"})
    assert Participation.objects.get().excluded_why == "copies"
    researcher.post(url, {"action": "include", "reason": "no, quotes"})
    assert Participation.objects.get().excluded_at is None
    assert researcher.post(url, {"action": "reject", "reason": "x"}).status_code == 422


def test_a_late_answer_waits_for_a_decision_by_somebody_who_pays_people(researcher):
    from tests.annotation.test_people_decisions import late_answer

    campaign = make_campaign(size=1, redundancy=1)
    turn = late_answer(campaign)

    assert "late answers to decide" in text(researcher.get(f"/campaigns/{campaign.pk}/"))
    page = text(researcher.get(f"/campaigns/{campaign.pk}/people/"))
    assert "until somebody who pays people decides about them" in page
    payments.decide_late(turn.pk, LateChoice.COUNT, by=None)
    progress.forget(campaign)
    assert "late answers to decide" not in text(researcher.get(f"/campaigns/{campaign.pk}/"))
    assert "Late answers" not in text(researcher.get(f"/campaigns/{campaign.pk}/people/"))


def test_people_who_are_finished_are_not_called_at_the_tasks(researcher):
    campaign = make_campaign(size=3, redundancy=2, per_person=2)
    done, on_the_way, idle = (make_participation(campaign, name) for name in ("cleo", "dan", "eve"))
    for person, answers in ((done, 2), (on_the_way, 1)):
        for _ in range(answers):
            make_answer(person)

    def states() -> dict[int, str]:
        page = researcher.get(f"/campaigns/{campaign.pk}/people/")
        return {person.row.pk: person.state for person in page.context["people"]}

    assert states() == {done.pk: "finished", on_the_way.pk: "at the tasks", idle.pk: "at the tasks"}
    campaigns.close(campaign.pk, by=None)
    assert states() == {done.pk: "finished", on_the_way.pk: "finished", idle.pk: "came, answered nothing"}
    assert "finished" in text(researcher.get(f"/campaigns/people/{on_the_way.pk}/"))
