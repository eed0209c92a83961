"""Releases through the API: the list, one with its recipe and statistics, its items."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.models import Release, ReleaseItem
from annotation.selectors import releases as selectors


class ReleaseOutput(serializers.ModelSerializer[Release]):
    class Meta:
        model = Release
        fields = ("id", "name", "version", "size", "content_hash", "licence", "description", "frozen_at")
        read_only_fields = fields


class ReleaseDetailOutput(serializers.ModelSerializer[Release]):
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


class ReleaseListApi(generics.ListAPIView[Release]):
    """Frozen releases, the newest first."""

    permission = "annotation.view_release"
    serializer_class = ReleaseOutput

    def get_queryset(self) -> Any:
        return selectors.releases().exclude(content_hash="")

    @extend_schema(operation_id="releases_list")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class ReleaseApi(APIView):
    """One release with its recipe and statistics."""

    permission = "annotation.view_release"

    @extend_schema(operation_id="releases_read", responses=ReleaseDetailOutput)
    def get(self, request: Request, release_id: int) -> Response:
        release = get_object_or_404(Release.objects.exclude(content_hash=""), pk=release_id)
        return Response(ReleaseDetailOutput(release).data)


class ReleaseItemListApi(generics.ListAPIView[ReleaseItem]):
    """A release's items in their order."""

    permission = "annotation.view_releaseitem"
    serializer_class = ReleaseItemOutput

    def get_queryset(self) -> Any:
        found = Release.objects.exclude(content_hash="")
        return selectors.items(get_object_or_404(found, pk=self.kwargs["release_id"]))

    @extend_schema(operation_id="releases_items")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)
