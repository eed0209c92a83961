"""What invited people leave so that they can be paid: who reads it, and when it is erased."""

from __future__ import annotations

import logging
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client

from annotation.models import Campaign, Participation, PaymentDetail
from annotation.services import campaigns, invites, joining, payments
from kernel.clock import at, now
from kernel.errors import WrongState
from kernel.progress import Silent
from kernel.services import removing
from kernel.services.backup import tables
from tests.make import make_answer, make_campaign, make_participation

pytestmark = pytest.mark.django_db
REWARD = Decimal("0.30")
BANK = "IBAN NL00 BANK 0123 4567 89"


def invited(campaign: Campaign) -> Participation:
    invite = invites.make_invite(campaign, label="friends", capacity=5, by=None)
    person = joining.join_by_invite(invite.code)
    joining.consent(person.secret, signals=False)
    joining.read_instructions(person.secret)
    return person


def test_an_invited_person_leaves_a_payment_detail_that_only_payers_read(payer: Client, caplog: Any):
    caplog.set_level(logging.DEBUG)
    campaign = make_campaign(reward=REWARD)
    person = invited(campaign)
    make_answer(person)
    assert f"/task/{person.secret}/payment/" in payer.get(f"/task/{person.secret}/mine/").content.decode()

    stored = payer.post(f"/task/{person.secret}/payment/", {"detail": BANK}).content.decode()

    assert "Your payment detail is stored." in stored
    assert BANK not in payer.get(f"/task/{person.secret}/payment/").content.decode()
    assert BANK in payer.get(f"/campaigns/{campaign.pk}/payments/").content.decode()
    shown = [f"/campaigns/{campaign.pk}/payments/payments.csv", f"/campaigns/{campaign.pk}/people/"]
    shown += [f"/campaigns/{campaign.pk}/answers/annotations.csv", f"/campaigns/people/{person.pk}/"]
    for url in (*shown, f"/api/v1/campaigns/{campaign.pk}/annotations/", "/admin/kernel/auditentry/"):
        assert b"IBAN" not in payer.get(url).getvalue(), url
    assert "IBAN" not in caplog.text


def test_details_are_in_backups_and_in_no_list_of_the_admin():
    assert PaymentDetail in tables.stored_models()
    assert not admin.site.is_registered(PaymentDetail)
    assert BANK not in f"{PaymentDetail(text=BANK)} {PaymentDetail(text=BANK)!r}"


def test_people_with_an_account_or_from_a_panel_leave_no_payment_detail(client: Client):
    person = make_participation(make_campaign(reward=REWARD))

    assert client.get(f"/task/{person.secret}/payment/").status_code == 302
    with pytest.raises(WrongState):
        payments.save_detail(person.secret, BANK)


def test_a_detail_is_replaced_erased_and_not_too_long(client: Client):
    person = invited(make_campaign(reward=REWARD))
    url = f"/task/{person.secret}/payment/"
    client.post(url, {"detail": "first"})
    client.post(url, {"detail": BANK})
    assert PaymentDetail.objects.get().text == BANK

    assert client.post(url, {"detail": "x" * 501}).status_code == 422
    assert PaymentDetail.objects.get().text == BANK
    client.post(url, {"detail": "  "})
    assert not PaymentDetail.objects.exists()


def test_a_detail_stays_for_somebody_who_withdraws_while_money_is_owed(client: Client):
    campaign = make_campaign(reward=REWARD)
    poor, owed_person = invited(campaign), invited(campaign)
    make_answer(owed_person)
    for person in (poor, owed_person):
        payments.save_detail(person.secret, BANK)
        client.post(f"/task/{person.secret}/leave/")

    assert [detail.participation for detail in PaymentDetail.objects.all()] == [owed_person]
    page = client.get(f"/task/{owed_person.secret}/").content.decode()
    assert "Say how you want to be paid" in page
    payments.save_detail(owed_person.secret, "another account")


def paid_and_left(days: int) -> Participation:
    person = invited(make_campaign(f"Campaign {days}", reward=REWARD))
    make_answer(person)
    payments.save_detail(person.secret, BANK)
    day = now().date() - timedelta(days=days)
    payments.mark_paid(person.pk, amount=REWARD, paid_on=day, by=None)
    return person


def test_the_clean_up_erases_details_thirty_days_after_payment():
    old, recent = paid_and_left(31), paid_and_left(29)
    more = paid_and_left(40)
    make_answer(more)  # owed something again
    unpaid = invited(make_campaign("Unpaid", reward=REWARD))
    payments.save_detail(unpaid.secret, BANK)

    summary = removing.remove_old_data(Silent())

    assert "1 payment detail" in summary
    kept = set(PaymentDetail.objects.values_list("participation_id", flat=True))
    assert kept == {recent.pk, more.pk, unpaid.pk}
    assert old.pk not in kept


def test_a_detail_of_somebody_who_earned_nothing_goes_after_the_campaign_is_closed():
    campaign = make_campaign(reward=REWARD)
    person = invited(campaign)
    payments.save_detail(person.secret, BANK)
    campaigns.close(campaign.pk, by=None)

    assert payments.erase_paid_details() == 0
    with at(now() + timedelta(days=31)):
        assert payments.erase_paid_details() == 1
