"""Descriptions of own tasks through the API: the newest of each, every version, and keeping the next one."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.models import TaskDescription
from annotation.selectors import descriptions as selectors
from annotation.services.descriptions import keep_description
from annotation.task_types.settings import LONGEST_DESCRIPTION
from kernel.api.inputs import PARAGRAPH, StrictInput, well_formed
from kernel.views.access import signed_in

LARGEST = 2**31 - 1


class DescriptionOutput(serializers.ModelSerializer[TaskDescription]):
    key = serializers.CharField(help_text="what a campaign takes as its task_type")

    class Meta:
        model = TaskDescription
        fields: tuple[str, ...] = ("key", "number", "version", "name", "created_at")
        read_only_fields = fields


class WholeDescription(DescriptionOutput):
    value = serializers.JSONField(help_text="the description as it was read, with every default")

    class Meta(DescriptionOutput.Meta):
        fields = (*DescriptionOutput.Meta.fields, "text", "value")
        read_only_fields = fields


class DescriptionInput(StrictInput):
    """A description. A text that says what the newest version says is that version."""

    text = serializers.RegexField(
        PARAGRAPH, max_length=LONGEST_DESCRIPTION, trim_whitespace=False, help_text="YAML or JSON"
    )
    number = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST,
        required=False,
        help_text="the description it is a version of; without: a new one",
    )


@extend_schema_view(get=extend_schema(operation_id="own_tasks_list"))
class DescriptionListApi(generics.ListAPIView[TaskDescription]):
    """The newest version of each description; POST keeps a new description, or the next version of one."""

    serializer_class = DescriptionOutput

    @property
    def permission(self) -> str:
        return f"annotation.{'add' if self.request.method == 'POST' else 'view'}_taskdescription"

    def get_queryset(self) -> Any:
        return selectors.newest()

    @extend_schema(operation_id="own_tasks_keep", request=DescriptionInput, responses={201: DescriptionOutput})
    def post(self, request: Request) -> Response:
        values = DescriptionInput.read(request)
        with well_formed():
            row = keep_description(values["text"], by=signed_in(request), number=values.get("number"))
        return Response(DescriptionOutput(row).data, status=201)


class DescriptionApi(APIView):
    """One version of a description."""

    permission = "annotation.view_taskdescription"

    @extend_schema(operation_id="own_tasks_read", responses=WholeDescription)
    def get(self, request: Request, number: int, version: int) -> Response:
        row = get_object_or_404(TaskDescription, number=number, version=version)
        return Response(WholeDescription(row).data)
