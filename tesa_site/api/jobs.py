"""Jobs and workers through the API: what the jobs pages show and do."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kernel import jobs, selectors
from kernel.api.inputs import StrictInput
from kernel.errors import InvalidInput
from kernel.models import Job, JobStatus, WorkerHeartbeat
from kernel.services import jobs as services
from kernel.views.access import signed_in

JOB_FIELDS: tuple[str, ...] = (
    "id", "kind", "subject", "queue", "status", "attempt", "worker", "cancel_requested", "created_by", "done", "total",
    "percent", "step", "result", "result_url", "error", "created_at", "started_at", "finished_at",
)  # fmt: skip
STATUS_FILTERS = ["open", *JobStatus.values]
FILTERS = [OpenApiParameter("status", str, enum=STATUS_FILTERS), OpenApiParameter("kind", str)]


class JobOutput(serializers.ModelSerializer[Job]):
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)
    percent = serializers.IntegerField(allow_null=True, min_value=0, max_value=100)

    class Meta:
        model = Job
        fields = JOB_FIELDS
        read_only_fields = JOB_FIELDS


class LogLine(serializers.Serializer[Any]):
    attempt = serializers.IntegerField()
    at = serializers.DateTimeField()
    text = serializers.CharField()


class JobDetail(JobOutput):
    log = LogLine(source="log_lines", many=True)

    class Meta(JobOutput.Meta):
        fields = (*JOB_FIELDS, "log")
        read_only_fields = fields


class WorkerOutput(serializers.ModelSerializer[WorkerHeartbeat]):
    queues = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = WorkerHeartbeat
        fields = ("name", "queues", "version", "started_at", "beat_at", "clock_skew")
        read_only_fields = fields


class JobInput(StrictInput):
    """Which job to start. `queue` and `seconds` belong to check_worker."""

    kind = serializers.ChoiceField(choices=["check_worker", "back_up", "clean_up"])
    queue = serializers.ChoiceField(choices=settings.QUEUES, default="default")
    seconds = serializers.IntegerField(min_value=1, max_value=services.MOST_SECONDS, default=10)


def job_or_404(job_id: int) -> Job:
    return get_object_or_404(Job.objects.select_related("created_by"), pk=job_id)


@extend_schema_view(get=extend_schema(operation_id="jobs_list", parameters=FILTERS))
class JobListApi(generics.ListAPIView[Job]):
    """Jobs, newest first; POST starts one of the housekeeping jobs."""

    permission = "kernel.view_job"
    serializer_class = JobOutput

    def get_queryset(self) -> Any:
        status = self.request.query_params.get("status", "")
        if status and status not in STATUS_FILTERS:
            raise InvalidInput(f"unknown status {status!r}; known: {', '.join(STATUS_FILTERS)}", field="status")
        return selectors.jobs(status=status, kind=self.request.query_params.get("kind", "").replace("\x00", ""))

    @extend_schema(operation_id="jobs_start", request=JobInput, responses={202: JobOutput})
    def post(self, request: Request) -> Response:
        data = JobInput.read(request)
        kind = data.pop("kind")
        if kind == "check_worker":
            job = services.start_check(**data, by=signed_in(request))
        else:
            job = services.create_job(kind, by=signed_in(request))
        jobs.nudge(job)
        return Response(JobOutput(job).data, status=202)


class JobApi(APIView):
    """One job with its log."""

    permission = "kernel.view_job"

    @extend_schema(operation_id="jobs_read", responses=JobDetail)
    def get(self, request: Request, job_id: int) -> Response:
        return Response(JobDetail(job_or_404(job_id)).data)


class JobCancelApi(APIView):
    """Cancel a queued job at once; ask a running one to stop."""

    permission = "kernel.run_job"

    @extend_schema(operation_id="jobs_cancel", request=None, responses={202: JobOutput})
    def post(self, request: Request, job_id: int) -> Response:
        job = services.cancel_job(job_or_404(job_id).pk, by=signed_in(request))
        return Response(JobOutput(job).data, status=202)


class JobRetryApi(APIView):
    """Queue a failed, cancelled or lost job again."""

    permission = "kernel.run_job"

    @extend_schema(operation_id="jobs_retry", request=None, responses={202: JobOutput})
    def post(self, request: Request, job_id: int) -> Response:
        job = services.retry_job(job_or_404(job_id).pk, by=signed_in(request))
        jobs.nudge(job)
        return Response(JobOutput(job).data, status=202)


class WorkerListApi(APIView):
    """The workers that are alive now."""

    permission = "kernel.view_workerheartbeat"

    @extend_schema(operation_id="workers_list", responses=WorkerOutput(many=True))
    def get(self, request: Request) -> Response:
        return Response(WorkerOutput(selectors.live_workers(), many=True).data)
