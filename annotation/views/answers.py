"""Answers as files: what a campaign gathered, and what was gathered elsewhere."""

from __future__ import annotations

from pathlib import Path

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_POST

from annotation.models import AgreementReport, Campaign
from annotation.providers import DEFAULT_RESULTS, RESULT_FORMATS
from annotation.selectors import raw_answers
from annotation.selectors.progress import progress_of
from annotation.services import campaigns, importing
from annotation.task_types import type_of
from corpus.services import uploads
from kernel import selectors as kernel_selectors
from kernel.errors import InvalidInput, TesaError
from kernel.views.access import requires, signed_in
from kernel.views.downloads import wants_mark
from kernel.views.jobs import follow

AGREEMENT_FILES = [("instance", "By instance"), ("worker", "By participant"), ("type", "By type"), ("day", "By day")]


@requires("annotation.view_annotation")
def answers_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    return _answers_page(request, campaign_id)


def _answers_page(request: HttpRequest, campaign_id: int, refused: InvalidInput | None = None) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    progress = progress_of(campaign)
    report = AgreementReport.objects.filter(campaign=campaign, answers__gt=0).only("made_at").first()
    context = {
        "campaign": campaign,
        "progress": progress,
        "participants": progress.people + progress.simulated,
        "measured": report.made_at if report else None,
        "agreement": AGREEMENT_FILES,
        "columns": raw_answers.columns(campaign),
        "results": RESULT_FORMATS[DEFAULT_RESULTS],
        "result_columns": type_of(campaign).result_columns,
        "refused": refused,
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]),
    }
    return render(request, "annotation/campaigns/answers.html", context, status=422 if refused else 200)


@requires("annotation.view_annotation")
def export(request: HttpRequest, campaign_id: int, format: str) -> HttpResponseBase:
    """Hand the file out line by line, while it is being read."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    lines = raw_answers.lines(campaign, format, mark=wants_mark(request))
    response = StreamingHttpResponse(lines, content_type=raw_answers.FORMATS[format])
    response["Content-Disposition"] = f'attachment; filename="campaign-{campaign.pk}-annotations.{format}"'
    return response


@require_POST
@requires("annotation.change_campaign")
def import_results(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    upload = request.FILES.get("file")
    if upload is None:
        label = RESULT_FORMATS[DEFAULT_RESULTS].label
        missing = InvalidInput(f"choose a result file from {label} (CSV)", field="file")
        return _answers_page(request, campaign_id, missing)
    user = signed_in(request)
    path = ""
    try:
        path = uploads.store_upload(upload)
        importing.check_file(campaign, DEFAULT_RESULTS, Path(path))
    except InvalidInput as refused:
        uploads.delete_upload(path)  # what was refused is not kept
        return _answers_page(request, campaign_id, InvalidInput(refused.problem, field="file"))
    try:
        job = campaigns.start_job("import_mturk_results", campaign, by=user, path=path, by_id=user.pk)
    except TesaError:
        uploads.delete_upload(path)
        raise
    return follow(request, job)
