"""The ledger: reserved before it exists, one state after the other, never above the budget."""

from __future__ import annotations

from datetime import timedelta

import pytest

from annotation.models import Campaign, LedgerEntry, LedgerEvent, LedgerKind
from annotation.services.market import ledger
from kernel import clock
from tests.make import make_campaign
from tests.product import Filled, Product


def make_campaign_with(budget: int) -> Campaign:
    return ledger.set_budget(make_campaign(size=1).pk, budget, by=None)


@pytest.mark.django_db
def test_the_same_token_is_one_entry_and_reserves_once():
    campaign = make_campaign_with(100)

    entries = {ledger.plan(campaign, LedgerKind.BONUS, 50, 10, token="t", by=None).pk for _ in range(3)}

    campaign.refresh_from_db()
    assert (len(entries), campaign.reserved_cents) == (1, 60)


@pytest.mark.django_db
def test_what_exceeds_the_budget_is_refused_and_leaves_no_entry():
    campaign = make_campaign_with(100)
    ledger.plan(campaign, LedgerKind.BONUS, 50, 10, token="a", by=None)

    with pytest.raises(ledger.OverBudget, match=r"\$0\.60 are needed with fees and \$0\.40 are left"):
        ledger.plan(campaign, LedgerKind.BONUS, 50, 10, token="b", by=None)

    assert LedgerEntry.objects.count() == 1


@pytest.mark.django_db
def test_a_call_is_begun_by_one_process_and_an_interrupted_one_is_doubtful():
    campaign = make_campaign_with(100)
    entry = ledger.plan(campaign, LedgerKind.BONUS, 50, 10, token="t", by=None)

    assert [ledger.begin(entry), ledger.begin(LedgerEntry.objects.get())] == [True, False]
    assert ledger.doubt_interrupted(campaign) == 1
    assert ledger.begin(entry)
    assert ledger.finish(entry)
    assert not ledger.begin(entry)
    states = [*LedgerEvent.objects.values_list("state", flat=True)]
    assert states == ["planned", "sending", "doubtful", "sending", "done"]


@pytest.mark.django_db
def test_a_refused_call_frees_its_money_and_a_done_one_is_never_refused():
    campaign = make_campaign_with(100)
    refused, done = (ledger.plan(campaign, LedgerKind.BONUS, 20, 4, token=name, by=None) for name in "ab")
    ledger.refuse(refused, "no")
    ledger.finish(done)
    ledger.refuse(done, "late")

    campaign.refresh_from_db()
    assert campaign.reserved_cents == 24
    assert ledger.spent_cents(campaign) == 24


@pytest.mark.django_db
def test_a_token_is_only_an_answer_for_a_day(monkeypatch: pytest.MonkeyPatch):
    campaign = make_campaign_with(100)
    entry = ledger.plan(campaign, LedgerKind.BONUS, 20, 4, token="t", by=None)
    ledger.begin(entry)
    assert ledger.token_is_alive(entry)
    later = clock.now() + timedelta(hours=24)
    monkeypatch.setattr(ledger, "now", lambda: later)

    assert not ledger.token_is_alive(entry)


PREPARE = """
from annotation.services.market import ledger
from tests.make import make_campaign
campaign = make_campaign(size=1)
ledger.set_budget(campaign.pk, 8 * 300 + 5, by=None)
"""
SPEND = """
import sys
from annotation.models import Campaign
from annotation.services.market import ledger
for number in range(40):
    try:
        ledger.plan(Campaign.objects.get(), "bonus", 7, 1, token=f"{sys.argv[-1]} {number}", by=None)
    except ledger.OverBudget:
        pass
"""
COUNT = """
from annotation.models import Campaign, LedgerEntry
print(Campaign.objects.get().reserved_cents, LedgerEntry.objects.count())
"""


@pytest.mark.processes
def test_sixteen_processes_spend_one_budget_to_the_last_cent_and_never_beyond(migrated: Filled):
    installation = Product(like=migrated)
    installation.python(PREPARE)

    children = [installation.start_python(SPEND, str(number)) for number in range(16)]

    assert [child.wait(timeout=300) for child in children] == [0] * 16
    assert installation.python(COUNT).split() == ["2400", "300"]
    installation.close()
