"""The jobs pages: the list, one job with a live progress bar, and the buttons."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.files.storage import default_storage
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from kernel import jobs, selectors
from kernel.databases import outages
from kernel.errors import TesaError
from kernel.models import Job, JobStatus
from kernel.plots import jobs_by_day
from kernel.services import jobs as services
from kernel.views.access import requires, signed_in
from kernel.views.downloads import csv_download, csv_stream
from kernel.views.jobs import follow
from kernel.views.plots import svg, svg_file
from kernel.views.ticked import ids_in, report_ticked
from tesa_site.forms import CheckWorkerForm

PER_PAGE = 25
CHUNK = 500  # jobs of a file that are read together


@requires("kernel.view_job")
def job_list(request: HttpRequest) -> HttpResponse:
    status = request.GET.get("status", "")
    if status not in ("", "open", *JobStatus.values):
        raise Http404
    page = Paginator(selectors.jobs(status=status), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "status": status,
        "statuses": JobStatus.choices,
        "is_live": any(job.is_open for job in page),
    }
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "jobs/list.html#table", context)
    context |= {
        "form": CheckWorkerForm(),
        "workers": selectors.live_workers(),
        "queues_without_worker": selectors.queues_without_worker(),
        "stuck_writer": outages.stuck_writer(),
        "clock_problems": selectors.clock_problems(),
        "plot": svg(jobs_by_day.plot(selectors.finished_jobs_by_day())),
    }
    return render(request, "jobs/list.html", context)


@requires("kernel.view_job")
def jobs_file(request: HttpRequest) -> HttpResponseBase:
    """Return every job that the list shows with the same filter."""
    status = request.GET.get("status", "")
    rows = selectors.jobs(status=status if status in ("open", *JobStatus.values) else "").iterator(chunk_size=CHUNK)
    cells = (
        [job.pk, job.kind, job.subject, job.status, job.created_by.username if job.created_by else "", *_times(job),
         job.result, job.error]
        for job in rows
    )  # fmt: skip
    columns = ["job", "kind", "subject", "status", "started_by", "queued_at", "started_at", "finished_at"]
    return csv_stream(request, "jobs.csv", [*columns, "result", "error"], cells)


def _times(job: Job) -> list[str]:
    return [time.isoformat() if time else "" for time in (job.queued_at, job.started_at, job.finished_at)]


@requires("kernel.view_job")
def jobs_plot(request: HttpRequest, format: str) -> HttpResponse:
    """Return the plot of the jobs page, or its numbers, as a file."""
    rows = selectors.finished_jobs_by_day()
    if format == "svg":
        return svg_file(jobs_by_day.plot(rows), "jobs-by-day")
    return csv_download(request, "jobs-by-day.csv", ["day", "status", "jobs"], rows)


@requires("kernel.view_job")
def job_page(request: HttpRequest, job_id: int) -> HttpResponse:
    job = get_object_or_404(Job.objects.select_related("created_by"), pk=job_id)
    asked = request.htmx  # type: ignore[attr-defined]
    template = "jobs/toast.html" if asked.target == "toasts" else "jobs/job.html#state" if asked else "jobs/job.html"
    has_no_worker = job.status == JobStatus.QUEUED and bool(selectors.queues_without_worker([job.queue]))
    context = {
        "job": job,
        "log": [*reversed(job.log_lines.order_by("-id")[:200])],
        "queues_without_worker": [job.queue] if has_no_worker else [],
    }
    return render(request, template, context)


@require_POST
@requires("kernel.run_job")
def start_check(request: HttpRequest) -> HttpResponse:
    form = CheckWorkerForm(request.POST)
    if not form.is_valid():
        problem = next(iter(form.errors.values()))[0]
        messages.error(request, f"The check was not started: {problem}")
        return redirect("jobs")
    return follow(request, services.start_check(**form.cleaned_data, by=signed_in(request)))


@require_POST
@requires("kernel.operate")
def start_upkeep(request: HttpRequest, kind: str) -> HttpResponse:
    return follow(request, services.create_job(kind, by=signed_in(request)))


@require_POST
@requires("kernel.run_job")
def cancel(request: HttpRequest, job_id: int) -> HttpResponse:
    services.cancel_job(get_object_or_404(Job, pk=job_id).pk, by=signed_in(request))
    return redirect("job", job_id)


@require_POST
@requires("kernel.run_job")
def retry(request: HttpRequest, job_id: int) -> HttpResponse:
    jobs.nudge(services.retry_job(get_object_or_404(Job, pk=job_id).pk, by=signed_in(request)))
    return redirect("job", job_id)


@require_POST
@requires("kernel.run_job")
def decide(request: HttpRequest) -> HttpResponse:
    """Cancel or retry the ticked jobs; jobs that have changed state meanwhile are skipped, and the message says so."""
    is_retry, by = request.POST.get("action") == "retry", signed_in(request)
    ids = ids_in(request.POST, "job")
    done, problem = 0, ""
    for job_id in Job.objects.filter(pk__in=ids[:PER_PAGE]).order_by("pk").values_list("pk", flat=True):
        try:
            if is_retry:
                jobs.nudge(services.retry_job(job_id, by=by))
            else:
                services.cancel_job(job_id, by=by)
        except TesaError as error:
            problem = problem or error.message
        else:
            done += 1
    report_ticked(request, "job", done=done, outcome="queued again" if is_retry else "cancelled", problem=problem)
    query = request.GET.urlencode()
    return redirect(f"{reverse('jobs')}?{query}" if query else "jobs")


@requires("kernel.operate")
def download_backup(request: HttpRequest, name: str) -> HttpResponseBase:
    """Return an archive that the job `back_up` made."""
    if "/" in name or name.startswith("."):
        raise PermissionDenied
    path = f"backups/{name}"
    if not default_storage.exists(path):
        raise Http404
    return FileResponse(default_storage.open(path), as_attachment=True, filename=name)
