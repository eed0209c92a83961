"""What there is to tell people about campaigns now. The demo is never news."""

from __future__ import annotations

from django.conf import settings
from django.db.models import QuerySet
from django.utils.timezone import localdate

from annotation.models import Campaign, CampaignStatus, Participation, WorkerVerdict
from annotation.selectors.assessed import is_over
from annotation.selectors.progress import people_in, real_wage
from kernel.notice_kind import Notice
from kernel.values import money

LEAST_ANSWERS = 20  # fewer say little about an hour's pay


def _running() -> QuerySet[Campaign]:
    return Campaign.objects.filter(status=CampaignStatus.RUNNING, is_demo=False).order_by("pk")


def complete_campaigns() -> list[Notice]:
    """Return the running campaigns that have all their answers; one that is extended is news again."""
    return [
        Notice(
            f"{campaign.pk}.{campaign.redundancy}",
            f"{campaign.name} has all its answers.",
            "campaign",
            (campaign.pk,),
        )
        for campaign in _running()
        if is_over(campaign)
    ]


def low_wages() -> list[Notice]:
    """Return the running campaigns whose people earn less an hour than the installation's target, once a day."""
    floor, notices = settings.WAGE_FLOOR, []
    for campaign in _running().filter(currency=floor.currency, reward__gt=0):
        answers = sum(people_in(campaign).values_list("answered", flat=True))
        wage = real_wage(campaign) if answers >= LEAST_ANSWERS else None
        if wage is not None and wage < floor.amount:
            text = (
                f"{campaign.name}: people earn {money(wage, campaign.currency)} an hour, "
                f"less than this installation's target of {money(floor.amount, floor.currency)}."
            )
            notices.append(Notice(f"{campaign.pk}.{localdate()}", text, "campaign", (campaign.pk,)))
    return notices


def flagged_participants() -> list[Notice]:
    """Return what the quality checks see in people of running campaigns who are not excluded."""
    people = Participation.objects.filter(excluded_at=None, withdrawn_at=None, campaign__in=_running())
    verdicts = WorkerVerdict.objects.filter(participation__in=people).order_by("pk")
    return [
        Notice(
            f"{verdict.participation_id}.{verdict.filter}",
            f"{verdict.participation.campaign.name}: {verdict.participation.name}. {verdict.evidence}",
            "campaign-person",
            (verdict.participation_id,),
        )
        for verdict in verdicts.select_related("participation__campaign")
    ]
