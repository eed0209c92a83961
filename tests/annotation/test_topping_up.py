"""Topping up to an hourly wage: by each person's own time, shown before it is confirmed, and paid once."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from annotation.models import (
    Annotation,
    Assignment,
    Campaign,
    LedgerEntry,
    Participation,
    Placement,
    PlacementState,
    Posting,
)
from annotation.pricing import missing_cents
from annotation.selectors import wages
from annotation.services import payments
from annotation.services.market import bonuses, ledger
from kernel.clock import now
from kernel.errors import WrongState
from kernel.models import Job, User
from kernel.services import people
from tests.annotation.test_market_pages import make_market_campaign, spender
from tests.make import make_participation
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("earned", "seconds", "cents"),
    [("0.20", 80, 0), ("0.20", 160, 20), ("0.20", 81, 1), ("0", 3600, 900), ("0.20", 0, 0)],
)
def test_the_missing_cents_are_rounded_up_in_favour_of_the_person(earned: str, seconds: int, cents: int):
    assert missing_cents(Decimal(earned), seconds * 1000, Decimal(9)) == cents


def make_worker(campaign: Campaign, name: str, *, seconds: int, earned: str = "0.20", state: str = "approved") -> Any:
    """Return the placement of somebody who worked for this long and earned this much."""
    posting, _ = Posting.objects.get_or_create(campaign=campaign, task=campaign.tasks.get(position=0), places=9)
    person = make_participation(campaign, name)
    Participation.objects.filter(pk=person.pk).update(active_ms=seconds * 1000, earned=Decimal(earned), answered=1)
    return Placement.objects.create(posting=posting, participation=person, external_id=f"X{name}", state=state)


def make_paid(budget: int = 50_00) -> Campaign:
    """Return a campaign with Cleo, who earned 4.50 an hour, and Dan, who earned 18.00."""
    campaign = make_market_campaign()
    ledger.set_budget(campaign.pk, budget, by=None)
    make_worker(campaign, "ACLEO", seconds=160)
    make_worker(campaign, "ADAN", seconds=40)
    campaign.refresh_from_db()
    return campaign


def amounts(campaign: Campaign, floor: str = "9") -> list[tuple[str, int, int]]:
    top_ups = wages.below(campaign, Decimal(floor))
    return [(top_up.placement.external_id, top_up.cents, top_up.fee_cents) for top_up in top_ups]


def test_everybody_below_the_floor_needs_the_difference_by_their_own_time():
    campaign = make_paid()

    assert amounts(campaign) == [("XACLEO", 20, 4)]
    assert amounts(campaign, "36") == [("XACLEO", 140, 28), ("XADAN", 20, 4)]
    assert wages.median_wage(campaign) == Decimal("11.25")


def test_people_who_withdrew_are_simulated_or_have_no_submitted_work_get_no_bonus():
    campaign = make_paid()
    make_worker(campaign, "AEVE", seconds=900, state=PlacementState.RETURNED)
    gone = make_worker(campaign, "AFAY", seconds=900)
    Participation.objects.filter(pk=gone.participation_id).update(withdrawn_at=now())

    assert amounts(campaign) == [("XACLEO", 20, 4)]


def test_the_time_of_rejected_work_is_not_topped_up():
    campaign = make_paid()
    person = Participation.objects.get(worker__external_id="ACLEO")
    fields: dict[str, Any] = {"campaign": campaign, "participation": person, "task": campaign.tasks.get(position=1)}
    turn = Assignment.objects.create(**fields, status="submitted", expires_at=now())
    Annotation.objects.create(assignment=turn, answer={}, seconds=100, active_ms=80_000)
    posting = Posting.objects.create(campaign=campaign, task=turn.task, places=1)
    Placement.objects.create(posting=posting, participation=person, external_id="XR", state="rejected", assignment=turn)

    assert amounts(campaign) == [], "80 of the 160 seconds earned nothing because they were rejected"


def test_the_confirmation_shows_the_list_the_fees_and_the_total_and_pressing_twice_pays_once(client: Client):
    ben = spender(client)
    campaign = make_paid()
    url = f"/campaigns/{campaign.pk}/payments/top-up/"

    page = shown(client.get(url, {"floor": "9.00"}))
    assert "$0.20 to 1 participant" in page
    assert "Pay $0.24" in page
    assert "Participant " in page
    assert not LedgerEntry.objects.exists(), "asking changes nothing"
    for _ in range(2):
        assert client.post(url, {"floor": "9.00", "total": "24"}).status_code == 302

    entry = LedgerEntry.objects.get()
    assert (entry.kind, entry.amount_cents, entry.fee_cents, entry.decided_by) == ("bonus", 20, 4, ben)
    assert entry.reason == "This brings your pay to USD 9.00 an hour."
    assert [job.kind for job in Job.objects.all()] == ["follow_marketplace"]
    assert "has reached" in shown(client.get(url, {"floor": "9.00"}))


def test_a_total_that_changed_since_it_was_shown_is_asked_about_again(client: Client):
    spender(client)
    campaign = make_paid()
    url = f"/campaigns/{campaign.pk}/payments/top-up/"

    answer = client.post(url, {"floor": "9.00", "total": "23"})

    assert answer.status_code == 409
    assert "changed to USD 0.24" in shown(answer)
    assert not LedgerEntry.objects.exists()


def test_bonuses_above_the_budget_are_refused_as_a_whole(client: Client):
    spender(client)
    campaign = make_paid(budget=25)
    url = f"/campaigns/{campaign.pk}/payments/top-up/"

    page = shown(client.get(url, {"floor": "36"}))
    answer = client.post(url, {"floor": "36", "total": "192"})

    assert "Not enough is left of the budget." in page
    assert "Pay $1.92" not in page
    assert "$1.92 are needed with fees and $0.25 are left" in shown(answer)
    assert not LedgerEntry.objects.exists()


@pytest.mark.parametrize("floor", ["", "abc", "-1", "0", "NaN", "1e9", "9.001"])
def test_a_floor_that_is_no_hourly_wage_is_refused(client: Client, floor: str):
    spender(client)
    campaign = make_paid()

    answer = client.get(f"/campaigns/{campaign.pk}/payments/top-up/", {"floor": floor})

    assert (answer.status_code, "Enter the hourly pay" in shown(answer)) == (422, True)


def test_only_people_who_may_spend_top_up(researcher: Client):
    campaign = make_paid()

    assert researcher.get(f"/campaigns/{campaign.pk}/payments/top-up/?floor=9").status_code == 403


def test_the_service_pays_nothing_that_was_not_shown():
    campaign = make_paid()

    with pytest.raises(WrongState):
        bonuses.top_up(campaign.pk, Decimal(9), shown_cents=0, by=None)


def payer(client: Client) -> User:
    user = spender(client)
    user.user_permissions.add(Permission.objects.get(codename="pay", content_type__app_label="annotation"))
    people.forget_permissions(user)
    client.force_login(User.objects.get(pk=user.pk))
    return user


def test_the_payments_tab_shows_spent_committed_left_and_the_median_wage(client: Client):
    payer(client)
    campaign = make_paid()
    bonuses.top_up(campaign.pk, Decimal(9), shown_cents=24, by=None)

    page = shown(client.get(f"/campaigns/{campaign.pk}/payments/"))

    for words in (
        "Spent</dt><dd>$0.00",
        "Committed</dt><dd>$0.24",
        "Left</dt><dd>$49.76",
        "Median hourly pay",
    ):
        assert words in page, words
    assert "13.50" in page, "a planned bonus counts as pay"
    assert "ledger.csv" in client.get(f"/campaigns/{campaign.pk}/payments/").content.decode()


def test_payments_of_the_marketplace_are_one_line_and_cannot_be_undone_here(client: Client):
    payer(client)
    campaign = make_paid()
    cleo, dan = campaign.participations.order_by("number")
    for _ in range(3):
        payments.add_payment(cleo.pk, Decimal("0.10"), now().date())
    Participation.objects.filter(pk=cleo.pk).update(earned=Decimal("0.30"))
    payments.mark_paid(dan.pk, amount=Decimal("0.20"), paid_on=now().date(), by=User.objects.get(username="ben"))

    page = shown(client.get(f"/campaigns/{campaign.pk}/payments/"))

    assert "$0.30 in 3 payments" in page
    assert page.count(">Undo<") == 1, "what Ben marked by hand"
    assert "to 0 participants" in page, "0.30 - (0.10 + 0.10 + 0.10) is nothing, in every database"


def test_a_campaign_without_a_marketplace_is_paid_as_before(client: Client):
    payer(client)
    campaign = make_market_campaign(provider="local", provider_settings={})

    page = shown(client.get(f"/campaigns/{campaign.pk}/payments/"))

    assert "Pay people through your panel or bank" in page
    assert client.get(f"/campaigns/{campaign.pk}/payments/top-up/?floor=9").status_code == 404
