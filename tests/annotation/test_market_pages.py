"""The marketplace tab: price and budget, decisions about submitted work, and who may make them."""

from __future__ import annotations

import csv
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from annotation.models import Campaign, Difference, LedgerKind, MarketDecision, Placement, Posting
from annotation.services.market import ledger
from kernel.models import AuditEntry, Job, User
from tests.annotation.answered import answer
from tests.annotation.mturk import allow_to_spend
from tests.annotation.researching import filled
from tests.make import make_campaign, make_participation, make_sample, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db
HITS = {"title": "Name them all", "description": "One phrase for several people"}


def spender(client: Client, name: str = "ben") -> User:
    user = allow_to_spend(User.objects.filter(username=name).first() or make_user(name))
    client.force_login(user)
    return user


def make_market_campaign(**fields: Any) -> Campaign:
    defaults: dict[str, Any] = {
        "provider": "mturk",
        "provider_settings": HITS,
        "reward": Decimal("0.20"),
        "redundancy": 2,
    }
    return make_campaign(size=3, **defaults | fields)


def make_submitted(campaign: Campaign) -> Placement:
    posting = Posting.objects.create(campaign=campaign, task=campaign.tasks.get(position=0), places=2, state="open")
    person = make_participation(campaign)
    return Placement.objects.create(posting=posting, participation=person, external_id="X1", state="submitted")


def act(client: Client, campaign: Campaign, action: str, **data: Any) -> Any:
    return client.post(f"/campaigns/{campaign.pk}/marketplace/{action}/", data)


def test_the_form_makes_a_campaign_of_hits(researcher: Client):
    fields = filled(make_sample(), provider="mturk", mturk_description="One phrase", mturk_lifetime_hours=48)

    researcher.post("/campaigns/new/", fields | {"mturk_title": "Name them"})

    assert Campaign.objects.get().provider_settings == {
        "title": "Name them", "description": "One phrase", "lifetime_hours": 48,
    }  # fmt: skip


def test_all_texts_that_a_marketplace_needs_are_asked_for_at_once(researcher: Client):
    fields = filled(make_sample(), provider="mturk", name="", mturk_title=" ")

    refused = researcher.post("/campaigns/new/", fields)

    form = refused.context["form"]
    assert form.errors["mturk_title"] == ["Enter a title. Workers see it in the list of HITs."]
    assert form.errors["mturk_description"] == ["Enter a description. Workers see it in the list of HITs."]
    assert "name" in form.errors
    other = researcher.post("/campaigns/new/", fields | {"provider": "local"})
    assert "mturk_title" not in other.context["form"].errors


def test_the_form_says_at_once_that_people_are_paid_before_a_review(researcher: Client):
    page = researcher.get("/campaigns/new/").content.decode()

    more = page.index("More settings of this provider", page.index('name="mturk_title"'))
    assert page.index('name="mturk_approve"') < page.index("people are paid before anyone has reviewed") < more


def test_other_currencies_than_the_marketplaces_are_refused(researcher: Client):
    fields = filled(make_sample(), provider="mturk", mturk_title="T", mturk_description="D", currency="eur")

    assert "Must be USD" in shown(researcher.post("/campaigns/new/", fields))


def test_the_tab_shows_the_price_with_fees_before_anything_is_published(client: Client):
    spender(client)

    page = shown(client.get(f"/campaigns/{make_market_campaign().pk}/marketplace/"))

    assert "6 answers, $1.20 in rewards and $0.24 in fees" in page
    assert "Not compared yet" in page
    assert "No differences found" not in page
    assert 'value="1.44"' in page, "the budget that would pay for it"


def test_the_budget_is_set_audited_and_starts_the_job(client: Client):
    spender(client)
    campaign = make_market_campaign()

    act(client, campaign, "budget", budget="1.44")

    campaign.refresh_from_db()
    assert campaign.budget_cents == 144
    assert Job.objects.get(kind="follow_marketplace").lock


@pytest.mark.parametrize("amount", ["", "abc", "-1", "NaN", "1e99"])
def test_a_budget_that_is_no_amount_is_refused(client: Client, amount: str):
    spender(client)
    campaign = make_market_campaign()

    answer = act(client, campaign, "budget", budget=amount)

    assert answer.status_code == 422
    campaign.refresh_from_db()
    assert campaign.budget_cents == 0


def test_the_budget_cannot_fall_below_what_is_promised(client: Client):
    spender(client)
    campaign = make_market_campaign()
    ledger.set_budget(campaign.pk, 500, by=None)
    ledger.plan(campaign, LedgerKind.BONUS, 100, 20, token="t", by=None)

    assert "already spent or promised" in shown(act(client, campaign, "budget", budget="1.19"))
    assert act(client, campaign, "budget", budget="1.20").status_code == 302


@pytest.mark.parametrize("state", ["answered", "submitted"])
def test_the_review_says_that_finished_hits_are_unpaid_and_when_they_are_paid(client: Client, state: str):
    spender(client)
    campaign = make_market_campaign(provider_settings=HITS | {"approve": "reviewed"})
    page = f"/admin/review/{campaign.pk}/"
    assert "not paid yet" not in shown(client.get(page))

    placement = make_submitted(campaign)
    Placement.objects.filter(pk=placement.pk).update(state=state)

    assert "1 finished HIT is not paid yet." in shown(client.get(page))
    assert "paid within five minutes" in shown(client.get(page))


def test_answers_that_are_not_collected_yet_are_counted_where_submitted_work_will_stand(client: Client):
    spender(client)
    campaign = make_market_campaign()
    Placement.objects.filter(pk=make_submitted(campaign).pk).update(state="handed over")

    page = shown(client.get(f"/campaigns/{campaign.pk}/marketplace/"))

    assert "1 submitted answer to collect" in page
    assert "Nothing waits for a decision" not in page


def test_a_comparison_that_cannot_start_is_not_promised(client: Client):
    spender(client)
    campaign = make_market_campaign()
    act(client, campaign, "compare")

    answer = client.post(f"/campaigns/{campaign.pk}/marketplace/compare/", follow=True)

    assert "Another job of this campaign is running. Compare again when it has ended." in shown(answer)


def test_a_rejection_asks_for_a_reason_and_a_second_person(client: Client):
    ada = spender(client, "ada")
    campaign = make_market_campaign()
    placement = make_submitted(campaign)

    assert act(client, campaign, "reject", placement=placement.pk, reason=" ").status_code == 422
    act(client, campaign, "reject", placement=placement.pk, reason="Random letters.")
    assert act(client, campaign, "confirm", placement=placement.pk).status_code == 403
    assert placement.rejection.asked_by == ada
    spender(client, "ben")
    act(client, campaign, "confirm", placement=placement.pk)

    placement.rejection.refresh_from_db()
    assert placement.rejection.confirmed_by_id == User.objects.get(username="ben").pk


@pytest.mark.parametrize(("score", "sentence"), [(0.75, "Check task right. Score 0.75."), (1.0, "Check task right.")])
def test_submitted_work_on_a_check_task_shows_its_score_where_it_says_more(client: Client, score: float, sentence: str):
    campaign = make_market_campaign()
    placement = make_submitted(campaign)
    annotation = answer(campaign.tasks.get(position=0), "cleo", ["botanists"], is_gold_hit=True, gold_score=score)
    Placement.objects.filter(pk=placement.pk).update(assignment=annotation.assignment)
    spender(client)

    text = " ".join(shown(client.get(f"/campaigns/{campaign.pk}/marketplace/")).split())

    assert sentence in text
    assert ("Score" in text) is (score < 1)


def test_ticked_work_is_approved_by_who_ticked_it(client: Client):
    ben = spender(client)
    campaign = make_market_campaign()
    placement = make_submitted(campaign)

    act(client, campaign, "approve", placement=[placement.pk])

    placement.refresh_from_db()
    assert placement.approved_by == ben
    assert AuditEntry.objects.get(action="approve submitted work").actor == ben


def test_differences_stand_on_the_tab_with_their_action(client: Client):
    spender(client)
    campaign = make_market_campaign()
    values = {"kind": "HIT without an order", "evidence": "H1 …", "posting_id_there": "H1"}
    difference = Difference.objects.create(campaign=campaign, **values)

    assert "Expire the HIT" in shown(client.get(f"/campaigns/{campaign.pk}/marketplace/"))
    act(client, campaign, f"differences/{difference.pk}")
    assert Job.objects.get(kind="follow_marketplace").parameters["compare"] == "yes"
    decision = MarketDecision.objects.get()
    assert (decision.action, decision.posting_id_there, decision.done_at) == ("expire", "H1", None)
    assert "ben decided this" in shown(client.get(f"/campaigns/{campaign.pk}/marketplace/"))


def test_a_script_stays_on_the_tab_and_follows_the_job(client: Client):
    spender(client)
    campaign = make_market_campaign()

    answer = client.post(f"/campaigns/{campaign.pk}/marketplace/follow/", headers={"HX-Request": "true"})

    assert answer.status_code == 204
    assert str(Job.objects.get().pk) in answer.headers["HX-Trigger"]
    page = shown(client.get(f"/campaigns/{campaign.pk}/marketplace/"))
    assert page.count("data-job") >= 2
    assert 'id="market-differences" data-renew' in page


def test_the_overview_asks_to_publish_only_until_hits_are_open(client: Client):
    spender(client)
    campaign = make_market_campaign()

    before = shown(client.get(f"/campaigns/{campaign.pk}/"))
    Posting.objects.create(campaign=campaign, task=campaign.tasks.get(position=0), places=2, state="open")
    after = shown(client.get(f"/campaigns/{campaign.pk}/"))

    assert "Publish HITs" in before
    assert "Publish HITs" not in after
    assert "Invite people</a>" not in after, "the marketplace finds them"


def make_market_draft() -> Campaign:
    campaign = make_market_campaign()
    Campaign.objects.filter(pk=campaign.pk).update(status="draft")
    return campaign


def test_people_without_the_permission_read_where_they_get_it(researcher: Client):
    page = shown(researcher.get(f"/campaigns/{make_market_draft().pk}/marketplace/publish/"))

    assert "Administration › Users" in page
    assert str(Permission.objects.get(codename="spend").name) in page
    assert "for $1.44</button>" not in page


@pytest.mark.parametrize(
    ("budget", "sentence"),
    [("1.44", "Publishing 3 HITs. "), ("1.00", "Publishing up to 3 HITs, as far as the budget goes. ")],
)
def test_publishing_names_hits_and_price_and_is_confirmed(client: Client, budget: str, sentence: str):
    spender(client)
    campaign = make_market_draft()
    assert "Publish 3 HITs for $1.44</button>" in shown(client.get(f"/campaigns/{campaign.pk}/marketplace/publish/"))

    client.post(f"/campaigns/{campaign.pk}/marketplace/publish/open/", {"budget": budget})

    assert sentence in shown(client.get(f"/campaigns/{campaign.pk}/marketplace/"))


@pytest.mark.parametrize("budget", ["25.999", "a lot", "", "-3", "NaN", "1e999999"])
def test_a_budget_that_is_no_amount_of_money_is_refused_and_nothing_is_published(client: Client, budget: str):
    spender(client)
    campaign = make_market_draft()

    client.post(f"/campaigns/{campaign.pk}/marketplace/publish/open/", {"budget": budget})

    campaign.refresh_from_db()
    assert (campaign.status, campaign.budget_cents) == ("draft", 0)


def test_the_ledger_is_a_file_with_every_entry_and_what_was_paid_adds_up(client: Client):
    spender(client)
    campaign = make_market_campaign()
    placement = make_submitted(campaign)
    ledger.set_budget(campaign.pk, 500, by=None)
    ledger.finish(ledger.plan(campaign, LedgerKind.POSTING, 40, 8, token="t0", by=None, posting=placement.posting))
    ledger.finish(ledger.plan(campaign, LedgerKind.REWARD, 20, 4, token="t1", by=None, placement=placement))
    ledger.finish(ledger.plan(campaign, LedgerKind.BONUS, 100, 20, token="t2", by=None, reason="well done"))
    ledger.plan(campaign, LedgerKind.BONUS, 7, 2, token="t3", by=None)

    answer = client.get(f"/campaigns/{campaign.pk}/marketplace/ledger.csv")

    rows = list(csv.DictReader(answer.getvalue().decode().splitlines()))
    assert [row["token"] for row in rows] == ["t0", "t1", "t2", "t3"]
    assert [int(row["paid_cents"]) for row in rows] == [0, 24, 120, 0]
    assert sum(int(row["paid_cents"]) for row in rows) == ledger.spent_cents(campaign)
    assert [row["participant"] for row in rows] == ["", placement.participation.name, "", ""]
    assert rows[2]["reason"] == "well done"


def test_a_campaign_without_a_marketplace_has_no_such_tab(researcher: Client):
    campaign = make_campaign()

    assert researcher.get(f"/campaigns/{campaign.pk}/marketplace/").status_code == 404
    assert "marketplace/" not in shown(researcher.get(f"/campaigns/{campaign.pk}/people/"))


def test_the_kill_switch_says_how_many_hits_end_before_it_starts_its_job(client: Client):
    spender(client)
    make_submitted(make_market_campaign())

    asked = shown(client.get("/campaigns/marketplace/expire/"))
    assert "1 HIT of 1 campaign will expire" in asked
    assert not Job.objects.exists()
    client.post("/campaigns/marketplace/expire/")

    assert Job.objects.get().kind == "expire_everything"


def test_the_kill_switch_needs_the_permission_to_spend(researcher: Client):
    assert researcher.get("/campaigns/marketplace/expire/").status_code == 403
    assert researcher.post("/campaigns/marketplace/expire/").status_code == 403
    assert not Job.objects.exists()
    assert "Expire every HIT" not in shown(researcher.get(f"/campaigns/{make_market_campaign().pk}/marketplace/"))
