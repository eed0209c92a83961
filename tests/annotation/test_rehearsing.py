"""A rehearsal: invented people work on a copy of a campaign in the sandbox, through the real worker site."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from annotation.models import Annotation, Campaign, Placement, Worker
from annotation.providers.mturk.settings import mturk_settings
from annotation.providers.mturk.worker_site import MTurkGuest
from annotation.services import campaigns
from annotation.services.market import following, ledger, rehearsing
from kernel.errors import WrongState
from kernel.progress import Silent
from marketplace.models import HIT, Assignment, Requester
from tests.annotation.mturk import HITS, use
from tests.make import make_campaign
from tests.marketplace.conftest import market as market
from tests.marketplace.market import Market

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def draft(market: Market, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Campaign:
    use(market, monkeypatch)
    origin = market.url.removesuffix("/mturk/")
    settings.PUBLIC_URL = settings.PUBLIC_ORIGIN = origin
    settings.TESA_PROVIDERS["mturk"]["sites"] = (origin,)
    return make_draft()


def make_draft(**fields: Any) -> Campaign:
    defaults: dict[str, Any] = {"provider": "mturk", "provider_settings": HITS, "reward": Decimal("0.20")}
    campaign = make_campaign(size=3, redundancy=2, **defaults | fields)
    Campaign.objects.filter(pk=campaign.pk).update(status="draft")
    campaign.refresh_from_db()
    return campaign


def start(campaign: Campaign) -> Campaign:
    job = rehearsing.start(campaign, by=None)
    copy = Campaign.objects.get(pk=job.parameters["campaign"])
    job.delete()
    return copy


def rehearse(copy: Campaign) -> str:
    copy.refresh_from_db()
    return rehearsing.rehearse(copy, by=None, progress=Silent())


@pytest.mark.slow
def test_invented_people_give_every_answer_through_the_worker_site_and_both_sides_agree(
    draft: Campaign, market: Market
):
    summary = rehearse(start(draft))

    copy = Campaign.objects.get(made_from=draft)
    assert summary == "6 answers given and paid; no differences."
    assert Annotation.objects.filter(assignment__campaign=copy).count() == 6
    assert Placement.objects.filter(state="approved").count() == 6
    assert ledger.spent_cents(copy) == 6 * 24
    assert (copy.status, copy.is_rehearsal, copy.compared_at is not None) == ("closed", True, True)
    assert Placement.objects.filter(state="returned").count() == 2, "one person returned a HIT, one abandoned a HIT"
    market.requester.refresh_from_db()
    assert market.requester.clock_offset_seconds > copy.time_limit_s, "the deadline passed without waiting"
    draft.refresh_from_db()
    assert (draft.status, draft.budget_cents, draft.reserved_cents) == ("draft", 0, 0)
    assert not draft.postings.exists()
    assert all(worker.is_simulated for worker in Worker.objects.all())
    assert not Assignment.objects.filter(worker__is_invented=False).exists()
    assert not HIT.objects.filter(requester__is_sandbox=False).exists()


@pytest.mark.slow
def test_each_rehearsal_has_a_copy_of_its_own(draft: Campaign):
    first, second = start(draft), start(draft)

    assert rehearse(first) == rehearse(second)
    assert (first.name, second.name) == (f"{draft.name} (rehearsal 1)", f"{draft.name} (rehearsal 2)")


@pytest.mark.slow
def test_an_interrupted_rehearsal_goes_on_with_what_is_left(draft: Campaign, monkeypatch: pytest.MonkeyPatch):
    copy, real = start(draft), MTurkGuest.submit
    handed_over: list[Any] = []

    def dying(self: MTurkGuest, page: Any) -> bool:
        if len(handed_over) == 2:
            raise KeyboardInterrupt  # the process ends; an answer is stored and not handed over
        handed_over.append(page)
        return real(self, page)

    monkeypatch.setattr(MTurkGuest, "submit", dying)
    with pytest.raises(KeyboardInterrupt):
        rehearse(copy)
    monkeypatch.setattr(MTurkGuest, "submit", real)

    assert "6 answers given and paid" in rehearse(copy)
    assert rehearse(copy) == rehearse(copy), "when all is done, nothing more happens"


@pytest.mark.slow
def test_work_that_nobody_reviews_is_approved_when_the_clock_has_moved(draft: Campaign):
    waiting = make_draft(provider_settings=HITS | {"approve": "reviewed", "approval_days": 30}, name="Reviewed")

    assert rehearse(start(waiting)) == "6 answers given and paid; no differences."


def test_the_copy_makes_no_demands_that_invented_people_cannot_meet(draft: Campaign):
    asked = {"approved_count": 500, "approval_rate": 99, "countries": "FR", "adults_only": True}
    strict = make_draft(provider_settings=HITS | asked, qualifications={"min_answers": 10}, name="Strict")

    copy = start(strict)

    assert mturk_settings(copy.provider_settings).requirements() == []
    assert copy.qualifications == {}
    assert strict.provider_settings == HITS | asked


def test_one_rehearsal_runs_at_a_time(draft: Campaign):
    rehearsing.start(draft, by=None)

    with pytest.raises(WrongState, match="Another rehearsal is running"):
        rehearsing.start(draft, by=None)
    assert Campaign.objects.filter(made_from=draft).count() == 1


def test_the_scheduler_leaves_a_copy_to_its_rehearsal(draft: Campaign):
    rehearsing.start(draft, by=None)
    copy = Campaign.objects.get(made_from=draft)
    ledger.set_budget(copy.pk, 100, by=None)
    campaigns.start(copy.pk, by=None)

    assert following.start_due() == []


@pytest.mark.slow
def test_play_money_is_added_when_the_sandbox_has_too_little(draft: Campaign, market: Market):
    Requester.objects.filter(pk=market.requester.pk).update(balance_cents=10)

    assert rehearse(start(draft)) == "6 answers given and paid; no differences."
