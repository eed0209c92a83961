"""Which campaigns there are, and what is sensible to do next with one."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from annotation.models import Campaign, CampaignStatus, Invite, Task
from annotation.pricing import Gold, Price, price_of
from annotation.providers import PROVIDERS
from annotation.selectors.progress import Progress


@dataclass(frozen=True)
class NextStep:
    """The next sensible thing to do with a campaign, and why. `action` is a step, or the name of a page."""

    action: str
    label: str
    why: str
    is_below: bool = False  # `action` is the id of a part of the campaign's page


def price_to_start(campaign: Campaign) -> Price:
    """Return what all answers of a campaign will cost; how many gold tasks there are counts once tasks are made."""
    size, gold = campaign.sample.size, Task.objects.filter(campaign=campaign, is_gold=True).count()
    is_made = campaign.tasks_made >= size
    return price_of(
        tasks=size - gold,
        redundancy=campaign.redundancy,
        reward=campaign.reward,
        gold=Gold(campaign.gold_every, gold if is_made else None),
        per_person=campaign.per_person,
    )


def invite_address(invite: Invite) -> str:
    return f"{settings.PUBLIC_ORIGIN}{reverse('work-join', args=[invite.code])}"


def door_address(campaign: Campaign) -> str:
    """Return the address to which a provider sends people."""
    return f"{settings.PUBLIC_ORIGIN}{reverse('work-arrive', args=[campaign.slug])}"


def next_step(campaign: Campaign, progress: Progress, *, is_making: bool) -> NextStep:
    status = campaign.status
    if campaign.tasks_made < campaign.sample.size:
        why = f"{campaign.tasks_made:,} of {campaign.sample.size:,} tasks have been made."
        return (
            NextStep("", "", f"{why} Wait for the job.") if is_making else NextStep("make", "Go on making tasks", why)
        )
    if status == CampaignStatus.DRAFT:
        return _before_the_start(campaign, progress)
    if progress.reports:
        told = _counted(progress.reports, "problem with a text has", "problems with texts have")
        return NextStep("people", "Look at them", f"{told} been reported.")
    if status == CampaignStatus.PAUSED:
        return NextStep("resume", "Resume", "It is paused: nobody is given a task.")
    if status == CampaignStatus.CLOSED:
        why = f"It is closed.{_late(progress)} See who did what, then export or review the answers."
        return NextStep("people", "Look at the people", why)
    if progress.is_complete:
        return NextStep("close", "Close it", f"Every task has all its answers.{_late(progress)}")
    if not progress.active:
        why = "nobody is at work right now" if progress.people + progress.simulated else "nobody has come yet"
        return NextStep(*PROVIDERS[campaign.provider].ask, f"It is open, and {why}.", is_below=True)
    return NextStep("", "", "People are at work. There is nothing you have to do.")


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _late(progress: Progress) -> str:
    """Return a sentence about late answers: somebody has to decide about them under Payments."""
    one, many = "late answer is still to be decided (Payments).", "late answers are still to be decided (Payments)."
    return f" {_counted(progress.late, one, many)}" if progress.late else ""


def _before_the_start(campaign: Campaign, progress: Progress) -> NextStep:
    if campaign.gold_every and not progress.gold:
        why = f"One task in {campaign.gold_every} is to be hidden gold, and no task is marked as gold yet."
        return NextStep("gold", "Choose gold", why)
    return NextStep("start", "Start it", "Its tasks are ready. Try it out, then let people in.")
