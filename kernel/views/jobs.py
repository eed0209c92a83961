"""What a page answers when it has started a job."""

from __future__ import annotations

import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from kernel import jobs
from kernel.models import Job


def follow(request: HttpRequest, job: Job, to: str = "") -> HttpResponse:
    """Tell the workers about a job, then let the page follow it.

    A script stays on the page, or goes to the address `to`, and shows the job in a toast. Without one its page opens.
    """
    jobs.nudge(job)
    if request.headers.get("HX-Request"):
        event = {"job": {"address": reverse("job", args=[job.pk]), "to": to}}
        return HttpResponse(status=204, headers={"HX-Trigger": json.dumps(event)})
    return redirect("job", job.pk)
