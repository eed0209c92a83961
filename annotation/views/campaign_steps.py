"""The steps of a campaign's life: each says what it will do before it does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation.models import Campaign
from annotation.selectors import progress as progress_selectors
from annotation.selectors.costs import price_of_campaign, price_of_more
from annotation.services import asking_more, assessing, campaigns
from annotation.services.market import following, marketplaces, spending
from kernel import jobs
from kernel.errors import InvalidInput, NotAllowed
from kernel.models import User
from kernel.values import counted
from kernel.views.access import requires, signed_in


@dataclass(frozen=True)
class Action:
    """What a button of the campaign does: its label, the question, what will happen, and the service's report."""

    label: str
    question: str
    tells: str
    do: Callable[[Campaign, User, HttpRequest], str]
    is_grave: bool = False
    spends: bool = False  # on a marketplace, it leads to spending


def _start(campaign: Campaign, by: User, request: HttpRequest) -> str:
    campaigns.start(campaign.pk, by=by)
    return "The campaign is open: people can join."


def _pause(campaign: Campaign, by: User, request: HttpRequest) -> str:
    campaigns.pause(campaign.pk, by=by)
    return "The campaign is paused."


def _resume(campaign: Campaign, by: User, request: HttpRequest) -> str:
    campaigns.resume(campaign.pk, by=by)
    return "The campaign is open again."


def _close(campaign: Campaign, by: User, request: HttpRequest) -> str:
    campaigns.close(campaign.pk, by=by)
    job = assessing.start_due(campaign.pk, by=by)
    if job is None:
        return "The campaign is closed."
    jobs.nudge(job)
    return "The campaign is closed. Its answers are being measured for the review."


def _extend(campaign: Campaign, by: User, request: HttpRequest) -> str:
    numbers = [request.POST.get(name, "") for name in ("people", "now_asked")]
    if not all(number.isdecimal() and len(number) < 9 for number in numbers):
        raise InvalidInput("enter a number, for example 1", field="people")
    people, asked = map(int, numbers)
    changed = campaigns.extend(campaign.pk, people=people, by=by, now_asked=asked)
    return f"Every task now gets {_asked(changed)} answers."


def _asked(campaign: Campaign) -> str:
    least, most = progress_selectors.people_asked(campaign)
    return f"{least}" if least == most else f"{least} to {most}"


def _one_more(campaign: Campaign, by: User, request: HttpRequest) -> str:
    number = asking_more.ask_one_more(campaign, by=by)
    if not number:
        return "People agree on every answered task: nothing was changed."
    return f"{counted(number, 'task gets', 'tasks get')} one more answer."


def _take_back(campaign: Campaign, by: User, request: HttpRequest) -> str:
    number = campaigns.release_turns(campaign, by=by)
    return f"{counted(number, 'task was', 'tasks were')} released."


STEPS = {
    "start": Action(
        "Open campaign",
        "Open this campaign?",
        "People can join and get tasks. From now on, answers cost money.",
        _start,
        spends=True,
    ),
    "pause": Action(
        "Pause campaign",
        "Pause this campaign?",
        "Nobody gets a new task. People can finish the task they have.",
        _pause,
    ),
    "resume": Action("Resume campaign", "Resume this campaign?", "People get tasks again.", _resume, spends=True),
    "close": Action(
        "Close campaign",
        "Close this campaign?",
        "Nobody can join, get a new task or correct an answer. People can finish the task they have. "
        "You can open the campaign again.",
        _close,
    ),
    "extend": Action(
        "Ask for more answers",
        "Ask for more answers?",
        "More people are asked about every task.",
        _extend,
        spends=True,
    ),
    "one-more": Action(
        "Add an answer",
        "Add an answer where people disagree?",
        "One more person is asked about each task that has all its answers and on which people disagree.",
        _one_more,
        spends=True,
    ),
    "take-back": Action(
        "Release tasks",
        "Release the tasks being held?",
        "Each task that somebody has open is offered to others. What they typed is kept. If they still submit it, "
        "it counts unless somebody else has the task by then; otherwise it is kept as a late answer.",
        _take_back,
        is_grave=True,
    ),
}


@requires("annotation.change_campaign")
def step(request: HttpRequest, campaign_id: int, action: str) -> HttpResponse:
    """Say what will happen; do it when that was confirmed. Doing it twice changes nothing."""
    campaign = get_object_or_404(progress_selectors.campaigns(), pk=campaign_id)
    if action not in STEPS:
        raise Http404
    chosen = STEPS[action]
    refused = None
    if request.method == "POST":
        try:
            messages.success(request, chosen.do(campaign, signed_in(request), request))
            if job := following.start(campaign, by=signed_in(request)):
                jobs.nudge(job)
            return redirect("campaign", campaign.pk)
        except (InvalidInput, NotAllowed) as error:
            refused = error
    progress = progress_selectors.count_progress(campaign)
    context = {"campaign": campaign, "step": chosen, "action": action, "progress": progress, "asked": _asked(campaign)}
    context |= {"refused": refused, "people": request.POST.get("people", "1")}
    if chosen.spends and not spending.may_decide(campaign, signed_in(request)):
        context["may_not"] = spending.MAY_NOT
    if action == "extend":
        context["price"] = price_of_more(campaign, progress, progress.tasks)
    if action == "start":
        context["price"] = price_of_campaign(campaign, progress)
        context["is_marketplace"] = marketplaces.is_marketplace(campaign)
        context["wage"] = progress.estimated_wage
        context["wage_warning"] = settings.WAGE_FLOOR.warning(campaign.reward, campaign.currency, campaign.estimated_s)
    if action == "one-more":
        doubtful = len(asking_more.doubtful_tasks(campaign))
        context |= {"doubtful": doubtful, "price": price_of_more(campaign, progress, doubtful)}
    return render(request, "annotation/campaigns/step.html", context, status=refused.status if refused else 200)


@requires("annotation.delete_campaign")
def delete(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Only what nobody would miss, and only when its name was typed."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    if request.method == "POST":
        if request.POST.get("name", "").strip() == campaign.name:
            campaigns.delete_campaign(campaign.pk, by=signed_in(request))
            messages.success(request, f"{campaign.name} was deleted.")
            return redirect("campaigns")
        messages.error(request, "That is not the campaign’s name: nothing was deleted.")
    context = {"campaign": campaign, "why_kept": campaigns.why_kept(campaign)}
    return render(request, "annotation/campaigns/delete.html", context)
