"""The steps of a campaign's life: each says what it will do before it does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation.models import Campaign
from annotation.pricing import price_of
from annotation.selectors import progress as progress_selectors
from annotation.selectors.campaigns import price_to_start
from annotation.services import assessing, campaigns
from tesa_site.kernel import jobs
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.models import User
from tesa_site.kernel.values import counted
from tesa_site.kernel.views.access import requires, signed_in


@dataclass(frozen=True)
class Step:
    """One step: what its button says, what will happen, what is said afterwards, and the service that does it."""

    label: str
    tells: str
    do: Callable[[Campaign, User, HttpRequest], str]
    is_grave: bool = False


def _start(campaign: Campaign, by: User, request: HttpRequest) -> str:
    campaigns.start(campaign.pk, by=by)
    return "It is open: people can come."


def _pause(campaign: Campaign, by: User, request: HttpRequest) -> str:
    campaigns.pause(campaign.pk, by=by)
    return "It is paused."


def _resume(campaign: Campaign, by: User, request: HttpRequest) -> str:
    campaigns.resume(campaign.pk, by=by)
    return "It is open again."


def _close(campaign: Campaign, by: User, request: HttpRequest) -> str:
    campaigns.close(campaign.pk, by=by)
    job = assessing.start_due(campaign.pk, by=by)
    if job is None:
        return "It is closed."
    jobs.nudge(job)
    return "It is closed. Its answers are being assessed for the review."


def _extend(campaign: Campaign, by: User, request: HttpRequest) -> str:
    numbers = [request.POST.get(name, "") for name in ("people", "now_asked")]
    if not all(number.isdecimal() and len(number) < 9 for number in numbers):
        raise InvalidInput("give a number, as in 1", field="people")
    people, asked = map(int, numbers)
    changed = campaigns.extend(campaign.pk, people=people, by=by, now_asked=asked)
    told = _asked(changed)
    return f"{told} {'person is' if told == '1' else 'people are'} asked about every task now."


def _asked(campaign: Campaign) -> str:
    least, most = progress_selectors.people_asked(campaign)
    return f"{least}" if least == most else f"{least} to {most}"


def _one_more(campaign: Campaign, by: User, request: HttpRequest) -> str:
    number = campaigns.ask_one_more(campaign, by=by)
    if not number:
        return "No answered task is doubtful: nothing was changed."
    return f"One more person is asked about {counted(number, 'task')}."


def _take_back(campaign: Campaign, by: User, request: HttpRequest) -> str:
    number = campaigns.release_turns(campaign, by=by)
    return f"{counted(number, 'task was', 'tasks were')} taken back."


STEPS = {
    "start": Step("Start it", "People can come in and are given tasks. From now on answers cost money.", _start),
    "pause": Step("Pause it", "Nobody is given a further task. What people have in hand, they can finish.", _pause),
    "resume": Step("Resume it", "People are given tasks again.", _resume),
    "close": Step(
        "Close it",
        "Nobody is given a further task, nobody can come in, and answers cannot be corrected any more. "
        "What people have in hand, they can finish. It can be opened again.",
        _close,
    ),
    "extend": Step("Ask more people", "So many more different people are asked about every task.", _extend),
    "one-more": Step(
        "Ask one more person where answers disagree",
        "Tasks that have all their answers, where some people found a phrase and some did not, or no two people gave "
        "the same one, are given to one more person.",
        _one_more,
    ),
    "take-back": Step(
        "Take back tasks in hand",
        "Every task that somebody has open goes to somebody else. What they had typed is kept. If they send it, "
        "it counts as long as nobody else was given the task, and else is kept as late.",
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
            return redirect("campaign", campaign.pk)
        except InvalidInput as error:
            refused = error
    progress = progress_selectors.count_progress(campaign)
    context = {"campaign": campaign, "step": chosen, "action": action, "progress": progress, "asked": _asked(campaign)}
    context |= {"refused": refused, "people": request.POST.get("people", "1")}
    if action == "start":
        context["price"] = price_to_start(campaign)
        context["wage"] = progress.estimated_wage
        context["wage_warning"] = settings.WAGE_FLOOR.warning(campaign.reward, campaign.currency, campaign.estimated_s)
    if action == "one-more":
        doubtful = len(campaigns.doubtful_tasks(campaign))
        context |= {"doubtful": doubtful, "price": price_of(tasks=doubtful, redundancy=1, reward=campaign.reward)}
    return render(request, "annotation/campaigns/step.html", context, status=422 if refused else 200)


@requires("annotation.delete_campaign")
def delete(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Only what nobody would miss, and only when its name was typed."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    if request.method == "POST":
        if request.POST.get("name", "").strip() == campaign.name:
            campaigns.delete_campaign(campaign.pk, by=signed_in(request))
            messages.success(request, f"{campaign.name} was deleted.")
            return redirect("campaigns")
        messages.error(request, "That is not its name: nothing was deleted.")
    context = {"campaign": campaign, "why_kept": campaigns.why_kept(campaign)}
    return render(request, "annotation/campaigns/delete.html", context)
