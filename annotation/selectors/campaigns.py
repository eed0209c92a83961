"""Which campaigns there are, and what is sensible to do next with one."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.models import Campaign, CampaignStatus
from annotation.selectors.progress import Progress


@dataclass(frozen=True)
class NextStep:
    """The next sensible thing to do with a campaign, and why. `action` is a step, or the name of a page."""

    action: str
    label: str
    why: str


def next_step(campaign: Campaign, progress: Progress, *, is_making: bool) -> NextStep:
    status = campaign.status
    if campaign.tasks_made < campaign.sample.size:
        why = f"{campaign.tasks_made:,} of {campaign.sample.size:,} tasks have been made."
        return (
            NextStep("", "", f"{why} Wait for the job.") if is_making else NextStep("make", "Go on making tasks", why)
        )
    if status == CampaignStatus.DRAFT:
        return _before_the_start(campaign, progress)
    if progress.late or progress.reports:
        counted = ((progress.late, "late answers"), (progress.reports, "reported problems"))
        why = f"To be decided: {', '.join(f'{number:,} {what}' for number, what in counted if number)}."
        return NextStep("people", "Look at them", why)
    if status == CampaignStatus.PAUSED:
        return NextStep("resume", "Resume", "It is paused: nobody is given a task.")
    if status == CampaignStatus.CLOSED:
        return NextStep(
            "people", "Look at the people", "It is closed. See who did what, then export or review the answers."
        )
    if progress.is_complete:
        return NextStep("close", "Close it", "Every task has all its answers.")
    if not progress.people:
        return NextStep("invites", "Invite people", "It is open, and nobody has come yet.")
    if not progress.active:
        return NextStep("invites", "Invite people", "It is open, and nobody is at work right now.")
    return NextStep("", "", "People are at work. There is nothing you have to do.")


def _before_the_start(campaign: Campaign, progress: Progress) -> NextStep:
    if campaign.gold_every and not progress.gold:
        why = f"One task in {campaign.gold_every} is to be hidden gold, and no task is marked as gold yet."
        return NextStep("gold", "Choose gold", why)
    return NextStep("start", "Start it", "Its tasks are ready. Try it out, then let people in.")
