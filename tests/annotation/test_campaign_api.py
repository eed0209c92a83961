"""Campaigns through the API: made, edited, started, paused, closed; and links for people."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotation.models import Campaign, Invite
from annotation.services import campaigns, editing
from kernel.models import AuditEntry, Job, TokenScope
from kernel.roles import Role
from kernel.services import tokens
from tests.corpus.frozen_instances import make_frozen
from tests.make import NO_ROW, make_answer, make_campaign, make_participation, make_sample_of, make_user

pytestmark = pytest.mark.django_db(transaction=True)
CAMPAIGNS = "/api/v1/campaigns/"


class Program:
    """A program with a token of its own."""

    def __init__(self, scope: TokenScope = TokenScope.WRITE, role: Role = Role.RESEARCHER) -> None:
        self.user = make_user(f"{role.value} {scope}".replace(" ", "-").lower(), role)
        _, key = tokens.create_token(self.user, "program", scope=scope)
        self.client, self.headers = Client(), {"Authorization": f"Bearer {key}"}

    def __call__(self, method: str, path: str, data: dict[str, Any] | None = None) -> Any:
        how = {"content_type": "application/json", "headers": self.headers}
        return getattr(self.client, method)(path, data or {}, **({"headers": self.headers} if method == "get" else how))


@pytest.fixture
def program() -> Program:
    return Program()


def made(program: Program, **fields: Any) -> Any:
    sample = make_sample_of("Drawn", make_frozen(article_id="1", group="1"), make_frozen(article_id="2", group="2"))
    return program("post", CAMPAIGNS, {"name": "Phrases", "sample": sample.pk, "contact": "ada@example.org"} | fields)


def finish_making() -> Campaign:
    """Do what the job does."""
    campaign = Campaign.objects.get()
    assert list(campaigns.make_tasks(campaign)) == [2]
    return campaign


def test_a_campaign_is_made_as_a_draft_with_its_price_and_the_job_that_makes_its_tasks(program):
    answer = made(program, redundancy=3, reward="0.10", gold_every=4, currency="EUR")

    campaign, job = Campaign.objects.get(), Job.objects.get()
    assert answer.status_code == 202
    assert answer.json() == {"campaign": campaign.pk, "job": job.pk, "total": "0.80", "currency": "EUR"}
    assert (campaign.status, campaign.reward, campaign.created_by) == ("draft", Decimal("0.10"), program.user)
    assert (job.kind, job.created_by) == ("make_tasks", program.user)
    assert AuditEntry.objects.get(action="create campaign").actor == program.user


@pytest.mark.parametrize(
    ("fields", "status", "field"),
    [
        ({"name": ""}, 422, "name"),
        ({"redundancy": 51}, 422, "redundancy"),
        ({"reward": "-1"}, 422, "reward"),
        ({"reward": "0.001"}, 422, "reward"),
        ({"currency": "XXX"}, 422, "currency"),
        ({"rewards": "1"}, 422, "rewards"),
        ({"reward": "2000"}, 409, "reward"),
        ({"gold_every": 1}, 409, "gold_every"),
        ({"provider": "panel"}, 409, "provider_settings.worker"),
        ({"provider_settings": {"a": "b"}}, 409, "provider_settings"),
        ({"qualifications": {"not_in": "77"}}, 409, "qualifications.not_in"),
        ({"qualifications": {"a\x00": "b"}}, 409, "qualifications"),
    ],
)
def test_what_a_campaign_cannot_be_made_with_is_named(program, fields, status, field):
    answer = made(program, **fields)

    assert (answer.status_code, [*answer.json()["error"]["fields"]]) == (status, [field])
    assert not Campaign.objects.exists()
    assert not Job.objects.exists()


def test_a_name_that_is_taken_is_refused_and_a_missing_sample_not_found(program):
    made(program)
    taken = program("post", CAMPAIGNS, {"name": "Phrases", "sample": Campaign.objects.get().sample_id, "contact": "x"})
    missing = program("post", CAMPAIGNS, {"name": "Other", "sample": NO_ROW, "contact": "x"})

    assert (taken.status_code, taken.json()["error"]["fields"]) == (
        409,
        {"name": ["there is already a campaign with this name"]},
    )
    assert missing.status_code == 404


def test_a_draft_is_edited_and_what_is_not_sent_stays(program):
    made(program, redundancy=2, reward="0.10")
    campaign = finish_making()
    url = f"{CAMPAIGNS}{campaign.pk}/"

    answer = program("patch", url, {"redundancy": 4, "consent": "Do you agree?"})

    campaign.refresh_from_db()
    assert answer.status_code == 200, answer.json()
    assert (campaign.redundancy, campaign.reward, campaign.consent) == (4, Decimal("0.10"), "Do you agree?")
    assert {task.slots for task in campaign.tasks.all()} == {4}
    assert (answer.json()["redundancy"], answer.json()["price"]) == (4, "0.80")
    entry = AuditEntry.objects.get(action="edit campaign")
    assert (entry.actor, entry.before["redundancy"], entry.after["redundancy"]) == (program.user, 2, 4)
    assert program("patch", url, {"sample": 1}).json()["error"]["fields"] == {"sample": ["There is no such field."]}


def test_two_programs_that_change_different_settings_at_one_moment_lose_nothing(program, monkeypatch):
    made(program, redundancy=2)
    campaign = finish_making()
    check = editing.check_editable

    def meanwhile(row: Campaign) -> None:
        monkeypatch.setattr(editing, "check_editable", check)
        Campaign.objects.filter(pk=campaign.pk).update(per_person=7)  # as another request would, before the lock
        check(row)

    program("patch", f"{CAMPAIGNS}{campaign.pk}/", {"redundancy": 4})
    monkeypatch.setattr(editing, "check_editable", meanwhile)
    editing.change_campaign(campaign.pk, {"contact": "ben@example.org"}, by=None)

    campaign.refresh_from_db()
    assert (campaign.redundancy, campaign.contact, campaign.per_person) == (4, "ben@example.org", 7)


def test_a_program_reads_that_the_wage_is_too_low_before_it_starts_a_campaign(program):
    low = make_campaign("Low", reward=Decimal("0.01"), estimated_s=90)
    fair = make_campaign("Fair", reward=Decimal("0.50"), estimated_s=90)

    warnings = [program("get", f"{CAMPAIGNS}{campaign.pk}/").json()["wage_warning"] for campaign in (low, fair)]

    assert "is below the target of this installation" in warnings[0]
    assert warnings[1] == ""


def test_a_campaign_is_started_only_by_whoever_knows_its_price(program):
    made(program, redundancy=2, reward="0.25")
    campaign = Campaign.objects.get()
    url = f"{CAMPAIGNS}{campaign.pk}/start/"
    early = program("post", url, {"total": "1.00"})
    finish_making()

    wrong = program("post", url, {"total": "0.99"})
    right = program("post", url, {"total": program("get", f"{CAMPAIGNS}{campaign.pk}/").json()["price"]})
    again = program("post", url, {"total": "1.00"})

    assert (early.status_code, wrong.status_code, right.status_code, again.status_code) == (409, 409, 200, 200)
    assert "tasks are still being created" in early.json()["error"]["message"]
    assert wrong.json()["error"]["message"] == "All answers will cost $1.00: send 1.00 as total to open it."
    assert right.json()["status"] == "running"
    assert AuditEntry.objects.filter(action="start campaign", actor=program.user).count() == 1


def test_a_running_campaign_is_paused_resumed_and_closed(program):
    campaign = make_campaign(size=1, redundancy=1)
    make_answer(make_participation(campaign))

    steps = ("pause", "pause", "resume", "close", "resume", "close")
    states = [program("post", f"{CAMPAIGNS}{campaign.pk}/{step}/").json()["status"] for step in steps]

    assert states == ["paused", "paused", "running", "closed", "running", "closed"]
    assert Job.objects.filter(kind="assess_campaign").count() <= 1
    assert AuditEntry.objects.filter(action="pause campaign").count() == 1
    refused = program("post", f"{CAMPAIGNS}{campaign.pk}/pause/")
    assert (refused.status_code, "is closed" in refused.json()["error"]["message"]) == (409, True)
    assert program("patch", f"{CAMPAIGNS}{campaign.pk}/", {"redundancy": 2}).status_code == 409


def test_a_link_is_made_told_once_listed_and_revoked(program, client):
    campaign = make_campaign()
    url = f"{CAMPAIGNS}{campaign.pk}/invites/"

    new = program("post", url, {"label": " The  seminar", "capacity": 12})
    listed = program("get", url).json()["results"]

    invite = Invite.objects.get()
    assert (new.status_code, new.json()["label"], new.json()["capacity"]) == (201, "The seminar", 12)
    assert new.json()["url"].endswith(f"/task/join/{invite.code}/")
    assert client.get(new.json()["url"].removeprefix("http://127.0.0.1:8000")).status_code == 200
    assert invite.code not in str(listed)
    assert (listed[0]["id"], listed[0]["used"], listed[0]["revoked_at"]) == (invite.pk, 0, None)
    for _ in range(2):
        assert program("post", f"/api/v1/invites/{invite.pk}/revoke/").json()["revoked_at"]
    assert AuditEntry.objects.filter(action="revoke invite").count() == 1


def test_a_closed_campaign_gets_no_link(program):
    campaign = make_campaign()
    campaigns.close(campaign.pk, by=None)

    answer = program("post", f"{CAMPAIGNS}{campaign.pk}/invites/", {"label": "late", "capacity": 1})

    assert (answer.status_code, Invite.objects.count()) == (409, 0)


@pytest.mark.parametrize(("scope", "role"), [(TokenScope.READ, Role.ADMINISTRATOR), (TokenScope.WRITE, Role.ANNOTATOR)])
def test_neither_annotators_nor_tokens_that_only_read_change_a_campaign(scope, role):
    program, campaign = Program(scope, role), make_campaign()
    url = f"{CAMPAIGNS}{campaign.pk}/"
    before = Campaign.objects.values().get()

    statuses = [
        program("post", CAMPAIGNS, {"name": "Mine", "sample": campaign.sample_id, "contact": "x"}).status_code,
        program("patch", url, {"redundancy": 9}).status_code,
        *(
            program("post", f"{url}{step}/", {"total": "0"}).status_code
            for step in ("start", "pause", "resume", "close")
        ),
        program("post", f"{url}invites/", {"label": "x", "capacity": 1}).status_code,
    ]

    assert {*statuses} == {403}
    assert (Campaign.objects.values().get(), Invite.objects.count()) == (before, 0)
