"""Somebody approves submitted work: who decided it is stored and audited, and only people who may spend can."""

from __future__ import annotations

import pytest

from annotation.models import Campaign, Placement, Posting, Rejection
from annotation.services.market import approving
from kernel.errors import InvalidInput, NotAllowed
from kernel.models import AuditEntry, User
from tests.annotation.mturk import HITS, allow_to_spend
from tests.make import make_campaign, make_participation, make_user

pytestmark = pytest.mark.django_db


def make_market_campaign(name: str = "Phrases", **settings: object) -> Campaign:
    return make_campaign(name, size=1, provider="mturk", provider_settings=HITS | settings)


def make_placement(campaign: Campaign, name: str, state: str = "submitted") -> Placement:
    posting = Posting.objects.create(campaign=campaign, task=campaign.tasks.get(position=0), places=1, state="open")
    person = make_participation(campaign)
    return Placement.objects.create(posting=posting, participation=person, external_id=name, state=state)


def make_spender(name: str = "ben") -> User:
    return allow_to_spend(make_user(name))


def decisions() -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(action="approve submitted work").order_by("pk"))


def approvers(*placements: Placement) -> list[User | None]:
    return [Placement.objects.get(pk=placement.pk).approved_by for placement in placements]


def test_each_approval_names_who_decided_it_and_is_audited():
    campaign, ben = make_market_campaign(), make_spender()
    first, second = make_placement(campaign, "X1"), make_placement(campaign, "X2")

    assert approving.approve(campaign, [first.pk, second.pk], by=ben) == 2

    assert approvers(first, second) == [ben, ben]
    assert [(entry.actor, entry.subject_type, entry.subject_id, entry.after) for entry in decisions()] == [
        (ben, "annotation.participation", str(placement.participation_id), {"placement": placement.pk})
        for placement in (first, second)
    ]


def test_somebody_without_the_right_to_spend_approves_nothing():
    campaign, dan = make_market_campaign(), make_user("dan")
    placement = make_placement(campaign, "X1")

    with pytest.raises(NotAllowed, match="spends money"):
        approving.approve(campaign, [placement.pk], by=dan)

    assert approvers(placement) == [None]
    assert decisions() == []


def test_a_rehearsal_pays_play_money_and_asks_for_no_right():
    campaign, dan = make_market_campaign(rehearsal=True), make_user("dan")
    placement = make_placement(campaign, "X1")

    assert approving.approve(campaign, [placement.pk], by=dan) == 1
    assert approvers(placement) == [dan]


def test_only_submitted_work_of_this_campaign_that_nobody_wants_to_reject_is_approved():
    campaign, ben = make_market_campaign(), make_spender()
    opened, doubted = make_placement(campaign, "X1", "opened"), make_placement(campaign, "X2")
    other = make_placement(make_market_campaign("Others"), "X3")
    Rejection.objects.create(placement=doubted, reason="Random letters.", asked_by=ben)

    with pytest.raises(InvalidInput, match="tick at least one answer"):
        approving.approve(campaign, [opened.pk, doubted.pk, other.pk], by=ben)

    assert approvers(opened, doubted, other) == [None, None, None]


def test_repeating_an_approval_is_counted_again_and_audited_once():
    campaign, ben = make_market_campaign(), make_spender()
    placement = make_placement(campaign, "X1")

    numbers = [approving.approve(campaign, [placement.pk], by=ben) for _ in range(2)]

    assert numbers == [1, 1]
    assert len(decisions()) == 1


def test_somebody_else_who_approves_the_same_work_takes_the_decision_over():
    campaign, ada, ben = make_market_campaign(), make_spender("ada"), make_spender("ben")
    placement = make_placement(campaign, "X1")

    for person in (ada, ben):
        approving.approve(campaign, [placement.pk], by=person)

    assert approvers(placement) == [ben]
    assert [entry.actor for entry in decisions()] == [ada, ben]
