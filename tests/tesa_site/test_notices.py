"""E-mail notices: only about what somebody asked for, may see, and was not told yet; one mail a day for each event."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core import mail
from django.urls import reverse

from annotation.models import WorkerVerdict
from annotation.pricing import read_floor
from kernel.clock import now
from kernel.models import Job, JobStatus, NoticeSwitch
from kernel.roles import Role
from kernel.services import notices
from tesa_site import notices as site_notices
from tesa_site.notices import KINDS
from tests.make import make_answer, make_campaign, make_job, make_participation, make_user

pytestmark = pytest.mark.django_db


def failed_job(subject: str = "Gazette", **fields) -> Job:
    fields = {"kind": "ingest", "status": JobStatus.FAILED, "error": "The disk is full.", **fields}
    return make_job(subject=subject, finished_at=now(), **fields)


def make_subscriber(*kinds: str, role: Role = Role.RESEARCHER, email: str = "ben@example.org"):
    user = make_user("ben", role, email=email)
    notices.set_switches(user, kinds, KINDS)
    return user


def a_day_later() -> None:
    NoticeSwitch.objects.exclude(sent_at=None).update(sent_at=now() - timedelta(days=1, minutes=1))


def test_a_failed_job_is_told_once_with_its_error_and_its_address(settings):
    make_subscriber("failed_job")
    job = failed_job()

    assert notices.send_due_notices(KINDS) == (1, 0)
    a_day_later()
    assert notices.send_due_notices(KINDS) == (0, 0)

    (message,) = mail.outbox
    assert message.to == ["ben@example.org"]
    assert message.subject == "[TESA] A job failed"
    assert "Gazette: The disk is full." in message.body
    address = settings.PUBLIC_ORIGIN + reverse("job", args=[job.pk])
    assert address in message.body
    assert f'<a href="{address}">' in message.alternatives[0][0]


def test_one_event_gives_one_mail_a_day_and_the_next_mail_tells_the_rest():
    make_subscriber("failed_job")
    failed_job("Gazette")
    notices.send_due_notices(KINDS)
    failed_job("Herald")
    failed_job("Mercury")

    assert notices.send_due_notices(KINDS) == (0, 0)
    a_day_later()
    assert notices.send_due_notices(KINDS) == (1, 0)

    assert "Herald" in mail.outbox[1].body
    assert "Mercury" in mail.outbox[1].body
    assert "Gazette" not in mail.outbox[1].body
    assert mail.outbox[1].subject == "[TESA] A job failed (2)"


def test_what_was_so_before_somebody_asked_is_not_news():
    failed_job()
    make_subscriber("failed_job")

    assert notices.send_due_notices(KINDS) == (0, 0)


@pytest.mark.parametrize("how", ["no switch", "no address", "no permission", "switched off"])
def test_nobody_is_told_who_did_not_ask_or_may_not_know(how):
    if how == "no switch":
        make_user("ben", email="ben@example.org")
    elif how == "no permission":  # a researcher who has become an annotator
        user = make_user("ben", Role.ANNOTATOR, email="ben@example.org")
        NoticeSwitch.objects.create(user=user, kind="failed_job")
    else:
        user = make_subscriber("failed_job", email="" if how == "no address" else "ben@example.org")
        if how == "switched off":
            notices.set_switches(user, [], KINDS)
    failed_job()

    assert notices.send_due_notices(KINDS) == (0, 0)


def test_an_annotator_cannot_switch_on_what_they_may_not_see():
    make_subscriber(*KINDS, role=Role.ANNOTATOR)

    assert not NoticeSwitch.objects.exists()


def test_a_mail_that_the_server_refuses_is_sent_later(monkeypatch):
    make_subscriber("failed_job")
    failed_job()

    def refuse(*args, **kwargs):
        raise ConnectionRefusedError("nobody listens")

    with monkeypatch.context() as patched:
        patched.setattr(notices, "send_mail", refuse)
        assert notices.send_due_notices(KINDS) == (0, 1)

    assert notices.send_due_notices(KINDS) == (1, 0)


def test_a_complete_campaign_is_told_and_again_once_it_was_extended_and_filled():
    make_subscriber("campaign_complete")
    campaign = make_campaign("Phrases", size=1, redundancy=1)
    assert notices.send_due_notices(KINDS) == (0, 0)
    make_answer(make_participation(campaign, "cleo"))

    assert notices.send_due_notices(KINDS) == (1, 0)

    assert "Phrases has all its answers." in mail.outbox[0].body


def test_a_wage_below_the_floor_is_told_once_enough_is_known(settings, monkeypatch):
    settings.WAGE_FLOOR = read_floor("9 USD")
    monkeypatch.setattr("annotation.selectors.notices.LEAST_ANSWERS", 1)
    make_subscriber("low_wage")
    campaign = make_campaign("Phrases", size=1, reward=Decimal("0.01"))
    make_answer(make_participation(campaign, "cleo"))
    campaign.participations.update(active_ms=60_000)

    assert notices.send_due_notices(KINDS) == (1, 0)

    assert "people earn $0.60 an hour" in mail.outbox[0].body


def test_a_flagged_participant_is_told_by_number_once_however_often_they_are_looked_at():
    make_subscriber("flagged_participant")
    person = make_participation(make_campaign("Phrases"), "cleo")
    for _ in range(2):
        WorkerVerdict.objects.all().delete()
        WorkerVerdict.objects.create(
            participation=person, filter="always_none", level="strong", evidence="“Nothing fits” 17 of 17 times."
        )
        notices.send_due_notices(KINDS)
        a_day_later()

    (message,) = mail.outbox
    assert "“Nothing fits” 17 of 17 times." in message.body
    assert "Participant 1." in message.body
    assert "cleo" not in message.body


def test_the_scheduler_starts_the_job_only_when_there_is_something_to_tell():
    site_notices.start_sending()
    assert not Job.objects.filter(kind="send_notices").exists()
    make_subscriber("failed_job")
    failed_job()

    site_notices.start_sending()
    site_notices.start_sending()

    assert Job.objects.filter(kind="send_notices").count() == 1


def test_without_an_address_nothing_is_switched_on_and_the_page_says_so(client):
    user = make_user("ben")
    client.force_login(user)

    page = client.post(reverse("account-notices"), {"failed_job": "on"}, follow=True).content.decode()

    assert not user.notice_switches.exists()
    assert "Enter your e-mail address first" in page


def test_a_user_switches_notices_on_their_account_page(client):
    user = make_user("ben", email="ben@example.org")
    client.force_login(user)

    client.post(reverse("account-notices"), {"failed_job": "on"})

    assert list(user.notice_switches.values_list("kind", flat=True)) == ["failed_job"]
    page = client.get(reverse("account")).content.decode()
    assert "A job failed" in page
    assert 'name="failed_job"' in page
