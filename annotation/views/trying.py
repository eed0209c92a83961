"""The page an annotator sees, for a researcher: answers are checked and shown, and nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_POST

from annotation.models import Campaign, Task
from annotation.task_types import TASK_TYPES
from annotation.task_types.base import FieldFinding, Gold, InvalidAnswer, Level, template_of
from annotation.views.frame import by_field
from annotation.views.learning import findings_as_json
from tesa_site.kernel.views.access import requires


def _task(campaign_id: int, position: int) -> Task:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    return get_object_or_404(Task.objects.select_related("campaign"), campaign=campaign, position=position)


@requires("annotation.view_campaign")
def try_out(request: HttpRequest, campaign_id: int, position: int) -> HttpResponse:
    task = _task(campaign_id, position)
    form, findings, outcome = request.POST.dict(), tuple[FieldFinding, ...](), {}
    if request.method == "POST":
        try:
            outcome = _outcome(task, form)
        except InvalidAnswer as refused:
            findings = refused.findings
    type_ = TASK_TYPES[task.campaign.task_type]
    context = {
        "campaign": task.campaign,
        "task": task,
        "question": task.question,
        "template": template_of(type_, "form"),
        "script": type_.script,
        "form": {} if outcome else form,
        "findings": by_field(findings),
        "is_sure": bool(findings) and all(one.finding.level == Level.ASK for one in findings),
        "confirmed": " ".join(f"{one.field}:{one.finding.code}" for one in findings),
        "last": task.campaign.tasks_made - 1,
        **outcome,
    }
    return render(request, "annotation/campaigns/try.html", context, status=422 if findings else 200)


def _outcome(task: Task, form: Mapping[str, str]) -> dict[str, object]:
    """Return what would have been stored."""
    type_ = TASK_TYPES[task.campaign.task_type]
    answer = type_.parse(task.question, form)
    hit = type_.judge(answer, Gold.from_json(task.gold), task.question).is_hit if task.gold else None
    return {"answer": type_.summary(answer), "confirmed_checks": form.get("confirmed", "").split(), "hit": hit}


@require_POST
@requires("annotation.view_campaign")
def check(request: HttpRequest, campaign_id: int, position: int) -> HttpResponse:
    """What the checks say while somebody types."""
    task = _task(campaign_id, position)
    findings = TASK_TYPES[task.campaign.task_type].checks(task.question, request.POST.dict())
    return JsonResponse({"saved": False, "findings": findings_as_json(findings)})
