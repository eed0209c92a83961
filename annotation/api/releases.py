"""Releases through the API: freezing one, the list, one with its recipe and statistics, its items, its files."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.models import Campaign, Release, ReleaseExport, ReleaseItem
from annotation.quality.trust import LEAST_TESTS
from annotation.releasing.exports.base import MARK_FORMATS
from annotation.releasing.recipe import HIGHEST_THRESHOLD
from annotation.selectors import releases as selectors
from annotation.selectors.release_answers import recipe_for
from annotation.services import release_exports, releases
from annotation.task_types import TASK_TYPES, fixed_types
from annotation.task_types.plain_cleaning import PlainCleaning
from annotation.task_types.plain_release import PlainRelease
from kernel import jobs
from kernel.api.files import FileApi
from kernel.api.inputs import NAME, TEXT, NameField, StrictInput, well_formed
from kernel.views.access import signed_in

THRESHOLD: dict[str, Any] = {"min_value": 1, "max_value": HIGHEST_THRESHOLD}


def formats() -> list[str]:
    """Return the formats of all task types, those of described tasks last.

    The service checks whether the release has the one that was sent.
    """
    fixed = [format_ for name in fixed_types() for format_ in TASK_TYPES[name].release.formats]
    return [*dict.fromkeys([*fixed, *PlainRelease((), ()).formats, *MARK_FORMATS])]


def cleanings() -> list[str]:
    """Return the cleanings of all task types. The recipe checks whether the campaigns' type has the one sent."""
    fixed = [cleaning for name in fixed_types() for cleaning in TASK_TYPES[name].cleanings]
    return [*dict.fromkeys([*fixed, PlainCleaning.name])]


class ReleaseOutput(serializers.ModelSerializer[Release]):
    simulated = serializers.IntegerField(
        allow_null=True, help_text="simulated participants who wrote part of it; null in releases that did not count"
    )

    class Meta:
        model = Release
        fields = ("id", "name", "version", "size", "content_hash", "licence", "description", "frozen_at", "simulated")
        read_only_fields = fields


class ReleaseDetailOutput(ReleaseOutput):
    recipe = serializers.DictField(help_text="everything that decided what was kept")
    statistics = serializers.DictField(help_text="like the paper's Table 2")

    class Meta:
        model = Release
        fields = (*ReleaseOutput.Meta.fields, "recipe", "statistics")
        read_only_fields = fields


class ReleaseItemOutput(serializers.ModelSerializer[ReleaseItem]):
    value = serializers.DictField(help_text="a row of the release, as its JSON lines have it")

    class Meta:
        model = ReleaseItem
        fields = ("position", "key", "type", "size", "value")
        read_only_fields = fields


class ReleaseInput(StrictInput):
    """What to freeze: the recipe, and how the release is presented. A name that exists gets its next version."""

    name = serializers.RegexField(NAME, max_length=100)
    campaigns = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**31 - 1),
        min_length=1,
        max_length=100,
        help_text="their ids",
    )
    cleaning = NameField(cleanings, required=False, help_text="the task type's own unless another one is named")
    least_assignments = serializers.IntegerField(
        **THRESHOLD, default=5, help_text="participants who did fewer tasks are left out"
    )
    least_answered = serializers.IntegerField(
        **THRESHOLD, default=2, help_text="instances that fewer people answered are left out"
    )
    least_trust = serializers.IntegerField(
        min_value=0, max_value=100, default=0, help_text="per cent: participants whose trust is below are left out"
    )
    least_tests = serializers.IntegerField(
        **THRESHOLD, default=LEAST_TESTS, help_text="judged check tasks of somebody before least_trust counts"
    )
    use_reviews = serializers.BooleanField(default=True, help_text="reviewers' verdicts count")
    simulated = serializers.BooleanField(
        default=False, help_text="include the answers of simulated participants, marked as such"
    )
    consensus = serializers.DictField(
        child=serializers.DictField(),
        required=False,
        help_text="how the answers to a part of an own task are brought together, by part, such as "
        '{"tone": {"rule": "majority", "threshold": 0.6, "least_answers": 3}}; parts that are left out: as usual',
    )
    votes = serializers.DictField(
        required=False,
        help_text="count the votes of a follow-up, and leave out pieces with too few, such as "
        '{"campaign": "Judged", "keep": [{"question": "is_true", "answer": "yes", "least": 2}]}',
    )
    description = serializers.RegexField(TEXT, max_length=10_000, allow_blank=True, default="")
    licence = serializers.RegexField(TEXT, max_length=200, allow_blank=True, default="")


class FreezingOutput(serializers.Serializer[Any]):
    """The release can be read once its job has succeeded."""

    release = serializers.IntegerField()
    version = serializers.IntegerField()
    job = serializers.IntegerField()


class ReleaseFileOutput(serializers.ModelSerializer[ReleaseExport]):
    format = NameField(formats)

    class Meta:
        model = ReleaseExport
        fields = ("format", "size", "sha256", "created_at")
        read_only_fields = fields


class WritingOutput(serializers.Serializer[Any]):
    """The file can be fetched once the job has succeeded."""

    job = serializers.IntegerField()


@extend_schema_view(get=extend_schema(operation_id="releases_list"))
class ReleaseListApi(generics.ListAPIView[Release]):
    """Frozen releases, the newest first; POST freezes one in a job."""

    serializer_class = ReleaseOutput

    @property
    def permission(self) -> str:
        return "annotation.add_release" if self.request.method == "POST" else "annotation.view_release"

    def get_queryset(self) -> Any:
        return selectors.releases().exclude(content_hash="")

    @extend_schema(operation_id="releases_freeze", request=ReleaseInput, responses={202: FreezingOutput})
    def post(self, request: Request) -> Response:
        fields, by = ReleaseInput.read(request), signed_in(request)
        with well_formed():
            release = releases.create_release(_plan(fields), by=by)
        job = releases.start_freezing(release, by=by)
        jobs.nudge(job)
        started = {"release": release.pk, "version": release.version, "job": job.pk}
        return Response(FreezingOutput(started).data, status=202)


def _plan(fields: dict[str, Any]) -> releases.ReleasePlan:
    names = [get_object_or_404(Campaign, pk=pk).name for pk in fields.pop("campaigns")]
    name, description, licence = (fields.pop(name) for name in ("name", "description", "licence"))
    return releases.ReleasePlan(name, recipe_for(names, **fields), description, licence)


class ReleaseApi(APIView):
    """One release with its recipe and statistics."""

    permission = "annotation.view_release"

    @extend_schema(operation_id="releases_read", responses=ReleaseDetailOutput)
    def get(self, request: Request, release_id: int) -> Response:
        release = get_object_or_404(selectors.releases().exclude(content_hash=""), pk=release_id)
        return Response(ReleaseDetailOutput(release).data)


@extend_schema_view(get=extend_schema(operation_id="releases_items"))
class ReleaseItemListApi(generics.ListAPIView[ReleaseItem]):
    """A release's items in their order."""

    permission = "annotation.view_releaseitem"
    serializer_class = ReleaseItemOutput

    def get_queryset(self) -> Any:
        frozen = Release.objects.exclude(content_hash="")
        return selectors.items(get_object_or_404(frozen, pk=self.kwargs["release_id"]))


class ReleaseFileListApi(APIView):
    """The files made from a release; POST makes one in a job and replaces an earlier one."""

    permission = "annotation.view_release"

    class FileInput(serializers.Serializer[dict[str, Any]]):
        format = NameField(formats)

    @extend_schema(operation_id="releases_files", responses=ReleaseFileOutput(many=True))
    def get(self, request: Request, release_id: int) -> Response:
        release = get_object_or_404(Release, pk=release_id)
        return Response(ReleaseFileOutput(release.exports.all(), many=True).data)

    @extend_schema(operation_id="releases_export", request=FileInput, responses={202: WritingOutput})
    def post(self, request: Request, release_id: int) -> Response:
        sent = self.FileInput(data=request.data)
        sent.is_valid(raise_exception=True)
        release = get_object_or_404(Release, pk=release_id)
        with well_formed():
            job = release_exports.start_export(release, sent.validated_data["format"], by=signed_in(request))
        jobs.nudge(job)
        return Response(WritingOutput({"job": job.pk}).data, status=202)


class ReleaseFileApi(FileApi):
    """One file of a release, as it was made: check it against its SHA-256."""

    permission = "annotation.view_release"

    @extend_schema(
        operation_id="releases_file",
        parameters=[OpenApiParameter("kind", str, OpenApiParameter.PATH, enum=formats())],
        responses={(200, "application/octet-stream"): bytes},
    )
    def get(self, request: Request, release_id: int, kind: str) -> FileResponse:
        file, name = selectors.stored_file(release_id, kind)
        return FileResponse(file, as_attachment=True, filename=name, content_type="application/octet-stream")
