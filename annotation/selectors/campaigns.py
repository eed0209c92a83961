"""Which campaigns there are, and what is sensible to do next with one."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from annotation.models import Campaign, CampaignStatus, Invite, PostingState
from annotation.providers import PROVIDERS
from annotation.providers.base import Marketplace
from annotation.selectors.progress import CampaignProgress
from annotation.task_types import task_count
from kernel.values import counted


@dataclass(frozen=True)
class NextStep:
    """The next sensible thing to do with a campaign, and why. `action` is a step, or the name of a page."""

    action: str
    label: str
    why: str
    is_below: bool = False  # `action` is the id of a part of the campaign's page


def tasks_wanted(campaign: Campaign) -> int:
    """Return how many tasks a campaign is to have; a rehearsal has those that were copied."""
    return campaign.tasks_made if campaign.is_rehearsal else task_count(campaign.task_type, campaign.sample.size)


def invite_address(invite: Invite) -> str:
    return f"{settings.PUBLIC_ORIGIN}{reverse('work-join', args=[invite.code])}"


def door_address(campaign: Campaign) -> str:
    """Return the link to which a provider sends people."""
    return f"{settings.PUBLIC_ORIGIN}{reverse('work-arrive', args=[campaign.slug])}"


def next_step(campaign: Campaign, progress: CampaignProgress, *, is_making: bool) -> NextStep:
    status, tasks = campaign.status, tasks_wanted(campaign)
    if campaign.tasks_made < tasks:
        why = f"{campaign.tasks_made:,} of {tasks:,} tasks have been created."
        return NextStep("", "", f"{why} Wait for the job.") if is_making else NextStep("make", "Create tasks", why)
    if status == CampaignStatus.DRAFT:
        return _before_the_start(campaign, progress)
    if progress.reports:
        problems = counted(progress.reports, "problem with a text has", "problems with texts have")
        return NextStep("people", "See reports", f"{problems} been reported.")
    if status == CampaignStatus.PAUSED:
        return NextStep("resume", "Resume campaign", "Paused: nobody gets a task.")
    if status == CampaignStatus.CLOSED:
        return NextStep(
            "people", "See participants", f"Closed.{_late(progress)} Check the participants, then review the answers."
        )
    if progress.is_complete:
        return NextStep("close", "Close campaign", f"Every task has all its answers.{_late(progress)}")
    if not progress.active and not _is_posted(campaign):
        why = "Nobody is working now" if progress.people + progress.simulated else "Nobody has joined yet"
        return NextStep(*PROVIDERS[campaign.provider].ask, f"{why}.", is_below=True)
    return NextStep("", "", "")


def _is_posted(campaign: Campaign) -> bool:
    """Say whether people can accept a task on a marketplace now."""
    is_market = isinstance(PROVIDERS[campaign.provider], Marketplace)
    return is_market and campaign.postings.filter(state=PostingState.OPEN).exists()


def _late(progress: CampaignProgress) -> str:
    """Return a sentence about late answers: somebody has to decide about them under Payments."""
    singular = "late answer is still to be decided (Payments)."
    plural = "late answers are still to be decided (Payments)."
    return f" {counted(progress.late, singular, plural)}" if progress.late else ""


def _before_the_start(campaign: Campaign, progress: CampaignProgress) -> NextStep:
    if campaign.gold_every and not progress.gold:
        why = f"One task in {campaign.gold_every} should be a check task, but none is chosen yet."
        return NextStep("gold", "Choose check tasks", why)
    return NextStep("start", "Open campaign", "The tasks are ready.")
